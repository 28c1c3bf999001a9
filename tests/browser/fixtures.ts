// What every browser test gets: a page on which any console message, failed or foreign request is a failure.
import { readFileSync } from "node:fs";
import { test as base, expect, type Page } from "@playwright/test";

export { expect };

function watch(page: Page, baseURL: string, wrong: string[]) {
  page.on("console", (message) => {
    // Playwright's own, where tests go without service workers.
    if (message.text() === "Service Worker registration blocked by Playwright") return;
    if (["error", "warning"].includes(message.type())) wrong.push(`console ${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => wrong.push(`page error: ${error.message}`));
  page.on("request", (request) => {
    const url = new URL(request.url());
    // A site that a test makes up itself: nothing of this domain exists.
    if (url.hostname.endsWith(".test")) return;
    if (["http:", "https:"].includes(url.protocol) && url.origin !== new URL(baseURL).origin) wrong.push(`request to ${url}`);
  });
  page.on("requestfailed", (request) => {
    // A page that is left cancels what it was still loading.
    if (request.failure()?.errorText !== "net::ERR_ABORTED") wrong.push(`failed: ${request.url()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) wrong.push(`${response.status()}: ${response.url()}`);
  });
}

export const test = base.extend<{ quiet: void }>({
  quiet: [
    async ({ context, baseURL }, use) => {
      const wrong: string[] = [];
      context.on("page", (page) => watch(page, baseURL!, wrong));
      await use();
      expect(wrong).toEqual([]);
    },
    { auto: true },
  ],
});

/** Waits until the page shows all that belongs to it, for somebody who is there. */
export async function ready(page: Page) {
  const complete = 'html[data-ready="1"]';
  await page.waitForSelector(complete, { state: "attached", timeout: 30_000 });
  await page.evaluate(() => {
    window.dispatchEvent(new Event("scroll"));
    return new Promise(requestAnimationFrame);
  });
  await page.waitForSelector(complete, { state: "attached", timeout: 30_000 });
  await page.evaluate(() => document.fonts.ready);
}

/** Goes where a link of the site leads, in the page that is open: that takes a tenth of the seconds that opening a page takes. The first
    page of a test is opened. */
export async function follow(page: Page, path: string) {
  if (page.url() === "about:blank") await page.goto(path);
  else
    await page.evaluate((path) => {
      const link = document.createElement("a");
      link.href = path;
      document.body.append(link);
      link.click();
      link.remove();
      return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }, path);
  await ready(page);
}

/** Goes to a place of the site by way of another page, so that what is shown there begins anew. */
export async function visit(page: Page, path: string) {
  if (page.url() !== "about:blank") await follow(page, "settings/");
  await follow(page, path);
}

/** A step of a test that goes on in the page that is open, on the screen with which every test begins. */
export const step = (page: Page, what: string, body: () => Promise<void>) =>
  test.step(what, async () => {
    const { viewport } = test.info().project.use;
    const size = page.viewportSize();
    if (viewport && (size?.width !== viewport.width || size.height !== viewport.height)) await page.setViewportSize(viewport);
    await page.emulateMedia({ media: null, colorScheme: null, reducedMotion: null, forcedColors: null });
    await body();
  });

/** Holds back every file that matches, until it is let go. */
export async function hold(page: Page, files: string) {
  let go = () => {};
  const gone = new Promise<void>((resolve) => (go = resolve));
  await page.route(files, async (route) => {
    await gone;
    await route.continue();
  });
  return go;
}

/** Opens a page and does nothing there for longer than any page waits. Gives the modules that the page has asked for; the list grows
    with what it asks for later. */
export async function still(page: Page, path: string) {
  const modules: string[] = [];
  page.on("request", (request) => request.url().endsWith(".wasm") && modules.push(new URL(request.url()).pathname));
  await page.goto(path);
  await page.waitForSelector('html[data-ready="1"]', { state: "attached" });
  await page.waitForTimeout(3500);
  return modules;
}

const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds within what a selector names, one line each. It's read into a page once. What it would preload, every style sheet
    once more, is for a single rule, about turned phones, and takes half of its time; half of what is left goes to naming every element
    that is right, so elements are named where something is found. */
async function violations(page: Page, within: string, only?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  return page.evaluate(
    async ([within, only]) => {
      const { axe } = window as unknown as { axe: typeof import("axe-core") };
      const run = (selectors: boolean) =>
        axe.run(within, { resultTypes: ["violations"], preload: false, iframes: false, selectors, ...(only && { runOnly: only }) });
      if (!(await run(false)).violations.length) return [];
      const named = (await run(true)).violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")} — ${failureSummary?.split("\n")[1] ?? ""}`),
      );
      return named.length ? named : ["axe found something, and nothing when it looked again"];
    },
    [within, only] as const,
  );
}

/** Every violation that axe finds on the page, or within what a selector names, one line each. */
export const axe = (page: Page, within: string = "html") => test.step("axe", () => violations(page, within));

/** What axe finds of colours that are too much alike: all that another colour scheme or a larger scale can change. */
export const contrast = (page: Page, within: string = "html") => test.step("contrast", () => violations(page, within, ["color-contrast"]));

/** By how many pixels the page is wider than the screen. */
export const overflow = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

/** Takes away what follows the first of a long list, all made alike: axe would take a minute. */
const shorten = (page: Page) =>
  page.locator(".reference :is(tr, .formulas, .term):nth-of-type(n + 6)").evaluateAll((all) => all.forEach((e) => e.remove()));

/** A phone; 1280 pixels at 400 % and at 200 %. */
export const NARROW = [{ width: 360, height: 780 }, { width: 320, height: 256 }, { width: 640, height: 512 }];

type Scheme = "light" | "dark";

/** What holds of every page: no id is there twice, nothing needs scrolling sideways, and axe finds nothing: by all its rules in some colors,
    and in others by the one that colors can change. */
export async function sound(page: Page, title: string, whole: Scheme[] = ["light"], contrasts: Scheme[] = ["dark"]) {
  await expect(page.locator("h1")).toHaveCount(1);
  // A link to a place leads to one place.
  const ids = await page.locator("[id]").evaluateAll((all) => all.map((e) => e.id));
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
  await expect(page).toHaveTitle(new RegExp(title.slice(0, 12).replace(/[^\w ]/g, ".")));
  const size = page.viewportSize()!;
  for (const narrow of NARROW) {
    await page.setViewportSize(narrow);
    await expect.poll(() => overflow(page), `${narrow.width} pixels`).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize(size);
  await shorten(page);
  for (const colorScheme of whole) {
    await page.emulateMedia({ colorScheme });
    expect(await axe(page), colorScheme).toEqual([]);
  }
  for (const colorScheme of contrasts) {
    await page.emulateMedia({ colorScheme });
    expect(await contrast(page), colorScheme).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null });
}

/** Opens a page; first on a phone, where that is asked for, and looks whether it fits there. */
export async function opened(page: Page, path: string, phone: boolean) {
  const size = page.viewportSize()!;
  if (phone) await page.setViewportSize(NARROW[0]);
  await page.goto(`./${path}`);
  await ready(page);
  if (!phone) return;
  await test.step("opened on a phone", async () => {
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    await shorten(page);
    expect(await axe(page)).toEqual([]);
  });
  await page.setViewportSize(size);
  await ready(page);
}

/** Where the browser keeps all that a learner has done. */
export const KEY = "ringside.store";

/** The stored document; null if there is none. */
export const stored = (page: Page) => page.evaluate((key) => JSON.parse(localStorage.getItem(key) ?? "null"), KEY);

/** Switches the tools for teachers on. */
export const teach = (page: Page) =>
  page.addInitScript((key) => {
    const doc = JSON.parse(localStorage.getItem(key) ?? '{"version":2}');
    localStorage.setItem(key, JSON.stringify({ ...doc, settings: { ...doc.settings, teach: true } }));
  }, KEY);

/** Skips the test where the browser has no GPU. */
export async function gpu(page: Page) {
  const found = await page.evaluate(async () => {
    const gpu = (navigator as unknown as { gpu?: { requestAdapter(): Promise<unknown> } }).gpu;
    return Boolean(await gpu?.requestAdapter());
  });
  test.skip(!found, "this browser offers no GPU, not even one of software");
}

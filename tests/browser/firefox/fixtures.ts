// What every test in Firefox gets: tabs in which any console message, error, failed or foreign request, or breach of the policy
// is a failure.
//
// Playwright runs these tests and does not drive the browser: the Firefox that it can drive is one of its own make. Puppeteer
// speaks WebDriver BiDi, which every Firefox does.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, expect } from "@playwright/test";
import puppeteer, { type Browser, type BrowserContext, type Page } from "puppeteer-core";

export { expect };

/** Takes down what is wrong in a tab. */
async function watch(page: Page, origin: string, wrong: string[]) {
  page.on("console", (message) => {
    if (["error", "warn"].includes(message.type())) wrong.push(`console ${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => wrong.push(`page error: ${error}`));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (["http:", "https:"].includes(url.protocol) && url.origin !== origin) wrong.push(`request to ${url}`);
  });
  page.on("requestfailed", (request) => {
    // A page that is left cancels what it was still loading.
    if (request.failure()?.errorText !== "NS_BINDING_ABORTED") wrong.push(`failed: ${request.url()} ${request.failure()?.errorText}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) wrong.push(`${response.status()}: ${response.url()}`);
  });
  // Firefox tells these to the page, and not to who drives it.
  await page.evaluateOnNewDocument(() => {
    addEventListener("securitypolicyviolation", (e) => console.error(`policy: ${e.violatedDirective} ${e.blockedURI}`));
  });
}

interface Workers {
  /** Whether the site may keep itself for use without a network. Only what is about that needs it. */
  keeps: boolean;
  firefox: { browser: Browser; downloads: string };
}

interface Tests {
  /** A browser in which nobody was before. */
  guest: BrowserContext;
  /** Opens a page of the site, and waits until it is alive. A tab behind another one draws nothing; a window does. */
  open: (path: string, type?: "tab" | "window") => Promise<Page>;
}

export const test = base.extend<Tests, Workers>({
  keeps: [false, { option: true, scope: "worker" }],
  firefox: [
    async ({ keeps }, use) => {
      const downloads = mkdtempSync(join(tmpdir(), "ringside-firefox-"));
      const browser = await puppeteer.launch({
        browser: "firefox",
        executablePath: process.env.FIREFOX,
        extraPrefsFirefox: {
          "dom.serviceWorkers.enabled": keeps,
          "browser.download.dir": downloads,
          "browser.download.folderList": 2,
        },
      });
      await use({ browser, downloads });
      await browser.close();
      rmSync(downloads, { recursive: true });
    },
    { scope: "worker" },
  ],
  guest: async ({ firefox }, use) => {
    const guest = await firefox.browser.createBrowserContext();
    await use(guest);
    await guest.close();
  },
  open: async ({ guest, baseURL }, use) => {
    const wrong: string[] = [];
    await use(async (path, type = "tab") => {
      const page = await guest.newPage({ type });
      await page.setViewport({ width: 1280, height: 900 });
      await watch(page, new URL(baseURL!).origin, wrong);
      await page.goto(new URL(path, baseURL).href);
      await ready(page);
      return page;
    });
    expect(wrong).toEqual([]);
  },
});

/** Waits until the page shows all that belongs to it, for somebody who is there. */
export async function ready(page: Page) {
  const complete = 'html[data-ready="1"]';
  await page.waitForSelector(complete);
  await page.evaluate(() => {
    dispatchEvent(new Event("scroll"));
    return new Promise<void>((resolve) => requestAnimationFrame(() => resolve()));
  });
  await page.waitForSelector(complete);
}

/** The text of the first element that a selector finds; none where there is no such element. */
export const text = (page: Page, selector: string) => page.evaluate((selector) => document.querySelector(selector)?.textContent ?? null, selector);

/** An attribute of the first element that a selector finds. */
export const attribute = (page: Page, selector: string, name: string) =>
  page.evaluate((selector, name) => document.querySelector(selector)?.getAttribute(name) ?? null, selector, name);

/** The value of a quantity on show, in base units. */
export const quantity = async (page: Page, name: string) => Number(await attribute(page, `output[data-quantity="${name}"]`, "data-value"));

/** Clicks what has this name for a screen reader, once it is there. */
export const press = (page: Page, name: string, within = "") => page.locator(`${within} ::-p-aria(${name})`).click();

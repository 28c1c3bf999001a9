// What a page shows and takes before the app has started, and that nothing jumps when it does.
import type { Page } from "@playwright/test";
import { KEY, expect, hold, ready, still, test } from "./fixtures";

/** Opens a page whose app waits until it is let go. */
async function held(page: Page, path: string) {
  const go = await hold(page, "**/*.wasm");
  await page.goto(path);
  return async () => {
    go();
    await ready(page);
  };
}

test("the home page can be read before the app has started, nothing there is dead, and a first visit fetches no list of sources", async ({ page }) => {
  const fetched: string[] = [];
  page.on("request", (request) => fetched.push(new URL(request.url()).pathname));
  const go = await held(page, "./");
  await expect(page.locator("h1")).toHaveText("Ringside");
  await expect(page.locator("#prerendered nav").getByRole("link", { name: /Where the memory goes/ })).toBeVisible();
  await expect(page.getByRole("link", { name: /^Start here/ })).toHaveAttribute("href", /^chapter\/.+\/$/);
  await expect(page.locator("button:visible:enabled")).toHaveCount(0);
  await go();
  await expect(page.locator("#prerendered")).toHaveCount(0);
  await expect(page.locator("button:disabled")).toHaveCount(0);
  await expect(page.locator("h1")).toHaveCount(1);
  expect(fetched.filter((path) => /\.json$|content\/.*\.html$/.test(path))).toEqual([]);
});

test("what is ticked before the app has started counts", async ({ page }) => {
  const go = await held(page, "./");
  const tick = page.locator("#plan").getByRole("checkbox").first();
  await tick.check();
  await go();
  await expect(tick).toBeChecked();
  await expect(tick).toBeFocused();
  await expect(page.locator(".done-so-far")).toHaveText("So far: 1 source read.");
  await page.reload();
  await ready(page);
  await expect(tick).toBeChecked();
});

test("what is filtered before the app has started is filtered by", async ({ page }) => {
  const go = await held(page, "./");
  await page.getByRole("searchbox", { name: "Find" }).fill("zero");
  await page.getByRole("radio", { name: "Must read" }).check({ force: true });
  await go();
  await expect.poll(() => new URL(page.url()).search).toBe("?q=zero&priority=3");
  await expect(page.getByRole("searchbox", { name: "Find" })).toHaveValue("zero");
  await expect(page.getByRole("radio", { name: "Must read" })).toBeChecked();
  await expect(page.locator("#sources .sources > li:visible").first()).toBeVisible();
});

test("a chapter can be read before the app has started, from where a link leads", async ({ page }) => {
  const go = await held(page, "chapter/memory-accounting/#the-rest");
  await expect(page.locator("#the-rest")).toBeInViewport();
  await go();
  await expect(page.locator("#the-rest")).toBeInViewport();
  await expect(page.locator("h1")).toHaveCount(1);
});

// Who has done nothing, stopped in a chapter, or has skills to practise.
const skills = ["budget", "units", "zero", "kinds"].map((skill) => `memory-accounting.${skill}`);
const due = { stability: 3, difficulty: 5, last: 20_000, due: 20_003, reviews: 1 };
const RECORDS = [
  ["a newcomer", {}],
  ["a reader", { chapters: { "pipeline-parallel": { at: "micro-batches", seen: 1 } } }],
  ["a learner", { practice: { cards: Object.fromEntries(skills.map((id) => [id, due])) } }],
] as const;

const nothingJumps = (width: number, height: number, [who, record]: (typeof RECORDS)[number]) =>
  test(`nothing jumps when the app starts, at ${width} pixels, for ${who}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await page.addInitScript(([key, text]) => {
      localStorage.setItem(key, text);
      const shifts: string[] = [];
      Object.assign(window, { shifts });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number; sources: { node?: Node }[] })[]) {
          const names = entry.sources.map(({ node }) => (node instanceof Element ? `${node.nodeName}.${node.className}` : node?.nodeName));
          if (entry.value > 0.01) shifts.push(`${entry.value.toFixed(4)} ${names.join(" ")}`);
        }
      }).observe({ type: "layout-shift", buffered: true });
    }, [KEY, JSON.stringify({ version: 2, ...record })]);
    await page.goto("./");
    await ready(page);
    await expect(page.getByRole("region", { name: "Your next 30 minutes" })).toBeVisible({ visible: who !== "a newcomer" });
    await expect(page.locator(".to-do-now li").first()).toBeVisible({ visible: who !== "a newcomer" });
    await page.waitForTimeout(300);
    expect(await page.evaluate(() => (window as unknown as { shifts: string[] }).shifts)).toEqual([]);
  });

for (const [width, height] of [[1440, 900], [1920, 1080], [1024, 768], [360, 780]]) nothingJumps(width, height, RECORDS[0]);
for (const [width, height] of [[1440, 900], [360, 780]]) RECORDS.slice(1).forEach((record) => nothingJumps(width, height, record));

test("whoever saves data reads a chapter, and no figure or exercise of it is fetched", async ({ page }) => {
  await page.addInitScript(() => Object.defineProperty(navigator, "connection", { value: { saveData: true }, configurable: true }));
  const modules = await still(page, "chapter/memory-accounting/");
  expect(modules).toHaveLength(1);
  await expect(page.locator(".chapter-text h2").first()).toBeVisible();
  await page.mouse.move(400, 400);
  await expect.poll(() => modules.length).toBeGreaterThan(1);
});

test("a chapter comes alive although nobody moves", async ({ page }) => {
  const alive = page.waitForRequest(/\/chapter-[0-9a-f]+\.wasm$/);
  await page.goto("chapter/memory-accounting/");
  await alive;
});

test("a link into a chapter makes it alive although nobody moves", async ({ page }) => {
  const alive = page.waitForRequest(/\/chapter-[0-9a-f]+\.wasm$/);
  await page.goto("chapter/memory-accounting/#sixteen-bytes");
  await alive;
});

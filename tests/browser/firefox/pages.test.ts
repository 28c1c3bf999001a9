// Every kind of page opens in Firefox and comes alive.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { attribute, expect, test } from "./fixtures";

const { routes } = JSON.parse(readFileSync(join(__dirname, "../../../dist/routes.json"), "utf8")) as { routes: { path: string; title: string }[] };
// One chapter is like another; their figures have pages of their own.
const kinds = routes.filter(({ path }) => !path.startsWith("chapter/") || path === "chapter/memory-accounting/");

for (const { path, title } of kinds) {
  test(`/${path}`, async ({ open }) => {
    const page = await open(path);
    expect(await page.title()).toBe(title);
    expect(await page.$$("h1")).toHaveLength(1);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    if (path.startsWith("w/")) expect(Number(await attribute(page, "figure output[data-quantity]", "data-value"))).not.toBeNaN();
  });
}

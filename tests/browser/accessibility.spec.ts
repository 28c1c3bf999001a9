// What axe cannot see: a header at 400 %, a frame in the reader's own colours, a picture in words, a frame that may do nothing.
import { test as bare } from "@playwright/test";
import { expect, ready, test } from "./fixtures";
import { widgets } from "./site";

test("everything in the header can be reached at 320 pixels", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 256 });
  await page.goto("./");
  await ready(page);
  // A header that stays would leave nothing of so low a window.
  expect(await page.locator("header.top").evaluate((e) => getComputedStyle(e).position)).toBe("static");
  for (const name of ["Practice", "Reference", "Settings"]) {
    const box = (await page.locator("header.top").getByRole("link", { name }).boundingBox())!;
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(320);
    expect(box.height).toBeGreaterThanOrEqual(24);
  }
});

test("in a frame bad values are named", async ({ page }) => {
  const [{ id, params }] = widgets;
  await page.goto(`w/${id}/?embed&${params[0]}=${encodeURIComponent("☃")}&no-such=1`);
  await ready(page);
  await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
  // That nonsense in any parameter is named, and the default used in its place, is core/tests/catalogue.rs's to check.
  const problems = page.locator(".problems");
  await expect(problems).toContainText("☃");
  await expect(problems).toContainText("no-such");
  await expect(page.locator("[data-widget] .drawing").first()).toBeVisible();
});

test("the ring is read rank by rank, and follows the steps", async ({ page }) => {
  await page.goto("w/ring-all-reduce/?ranks=4");
  await ready(page);
  const ranks = page.getByRole("list", { name: /^The ranks after step \d+ of 6$/ });
  await page.getByRole("button", { name: "To the start" }).click({ force: true });
  await expect(ranks.getByRole("listitem")).toHaveCount(4);
  await expect(ranks.getByRole("listitem").nth(2)).toHaveText("Rank 2: part of the sum of chunks 0, 1, 2, 3.");
  await page.getByRole("button", { name: "Step forward" }).click();
  await expect(ranks.getByRole("listitem").nth(2)).toHaveText(/sent chunk \d to rank 3; received chunk \d from rank 1/);
  await page.getByRole("button", { name: "To the end" }).click();
  await expect(ranks.getByRole("listitem").nth(2)).toHaveText(/^Rank 2: finished sum of chunks 0, 1, 2, 3/);
});

test("what was tried is said, and the page is found from the settings", async ({ page }) => {
  await page.goto("settings/");
  await ready(page);
  await page.getByRole("link", { name: "Accessibility" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Accessibility");
  await expect(page.getByRole("table")).toContainText("1.4.10");
});

// The browser's own messages about what it forbids are the point here.
bare("a frame with a sandbox that keeps the figure from its files says what it lacks", async ({ page, baseURL }) => {
  await page.setContent(`<iframe sandbox="allow-scripts" width="900" height="600" src="${baseURL}w/amdahl/?embed"></iframe>`);
  await expect(page.frameLocator("iframe").getByRole("alert")).toContainText("allow-same-origin");
});

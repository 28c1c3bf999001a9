// "Explore…" in a figure: states compared, a setting solved for, what drives a quantity; all of it in the link.
import { axe, expect, ready, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, parameter } = widget("memory-breakdown");

test("a setting is solved for, and its state opened", async ({ page }) => {
  await open(page, "params=30e9&zero=3&dp=64");
  await page.getByRole("button", { name: "Explore…" }).click();
  const panel = figure(page).locator(".explore");
  await panel.getByRole("radio", { name: "Solve for" }).check({ force: true });
  await panel.getByLabel("Setting", { exact: true }).selectOption("dp");
  await panel.getByLabel("Number").selectOption("total");
  const limit = panel.getByLabel("Limit");
  await limit.fill("80");
  await limit.press("Enter");
  await expect(limit).toHaveAttribute("aria-invalid", "true");
  await expect(panel.getByRole("alert").filter({ hasText: "unit" })).toBeVisible();
  await limit.fill("80 GB");
  await limit.press("Enter");
  await expect(panel.locator(".explore-answer")).toContainText("at 8 or more");
  await panel.getByRole("button", { name: /to 8$/ }).click();
  await expect.poll(() => parameter(page, "dp")).toBe("8");
  await expect.poll(() => parameter(page, "explore")).toContain("tool:solve");
  expect(await axe(page, ".explore")).toEqual([]);

  // Nothing blocks the page while the map is computed.
  await page.evaluate(() => {
    const seen = ((window as unknown as { slices: number[] }).slices = [] as number[]);
    new PerformanceObserver((list) => seen.push(...list.getEntries().map((e) => e.duration))).observe({ entryTypes: ["longtask"] });
  });
  await panel.getByLabel("Map over a second setting").selectOption("zero");
  const map = panel.getByRole("application");
  await expect(map).toBeVisible();
  await map.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await expect.poll(() => parameter(page, "dp")).toBe("1");
  const slices = await page.evaluate(() => (window as unknown as { slices: number[] }).slices);
  test.info().annotations.push({ type: "longest slice, ms", description: String(Math.max(0, ...slices)) });
});

test("kept states stand side by side, and survive a reload", async ({ page }) => {
  await open(page, "params=30e9&zero=0&dp=64");
  await page.getByRole("button", { name: "Explore…" }).click();
  const panel = figure(page).locator(".explore");
  await panel.getByRole("button", { name: "Keep this state" }).click();
  await panel.getByRole("radio", { name: "Solve for" }).check({ force: true });
  await panel.getByLabel("Setting", { exact: true }).selectOption("zero");
  await panel.getByLabel("Number").selectOption("total");
  await panel.getByLabel("Limit").fill("200 GB");
  await panel.getByLabel("Limit").press("Enter");
  await panel.locator(".explore-answer button").first().click();
  await panel.getByRole("radio", { name: "Compare" }).check({ force: true });
  const rows = panel.locator(".explore-states tbody tr");
  await expect(rows).toHaveCount(2);
  await expect(panel.locator(".explore-said")).toContainText("ZeRO stage 0 instead of");
  await expect.poll(() => parameter(page, "explore")).toMatch(/tool:compare.*\*\*/);
  await page.reload();
  await ready(page);
  await expect(rows).toHaveCount(2);
  expect(await axe(page, ".explore")).toEqual([]);
  await panel.getByRole("button", { name: "Remove state A" }).click();
  await expect(rows).toHaveCount(0);
});

test("what drives a quantity is ranked, and closing forgets nothing", async ({ page }) => {
  await open(page, "params=30e9&explore=tool:drivers*quantity:total");
  const bars = figure(page).locator(".explore-drivers li");
  await expect(bars.first()).toBeVisible();
  expect(await bars.count()).toBeLessThanOrEqual(10);
  const button = page.getByRole("button", { name: "Explore…" });
  await button.click();
  await expect(bars).toHaveCount(0);
  await expect.poll(() => parameter(page, "explore")).toBeNull();
  await button.click();
  await expect(bars.first()).toBeVisible();
});

// The tuner, on the GPU that Chromium makes of software: it tries shapes, draws them, can be stopped, and keeps the fastest. Where
// Chromium offers no adapter, this test is skipped.
import { axe, expect, gpu, ready, stored, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, quantity } = widget("matmul-tuner");

test("a search tries shapes, draws what it found, can be stopped and keeps the fastest", async ({ page }) => {
  test.setTimeout(150_000);
  await open(page, "n=64&shape=32x32x8-4x4-2");
  const root = figure(page);
  // What is known before: 2 · 32 · 32 FLOP for 64 values.
  expect(await quantity(page, "intensity")).toBe(8);
  expect(await quantity(page, "tried")).toBe(0);
  const landscape = root.getByRole("img", { name: /^Speed over FLOP for each byte/ }).first();
  await expect(landscape).toBeVisible();
  await gpu(page);
  await root.getByRole("button", { name: "Search" }).click();
  await expect.poll(() => quantity(page, "tried"), { timeout: 100_000 }).toBeGreaterThanOrEqual(2);
  await root.getByRole("button", { name: "Stop" }).click();
  await expect(root.getByRole("button", { name: "Search" })).toBeEnabled();
  expect(await quantity(page, "tried-best")).toBeGreaterThan(0);
  await expect(root.locator(".finding")).toContainText("Fastest of");
  const kept = async () => ((await stored(page))?.measured ?? []).filter((m: { family: string }) => m.family === "matmul-tuned");
  await expect.poll(async () => (await kept()).length).toBe(1);
  expect(await axe(page, "figure")).toEqual([]);
  // On the next visit the winner is there.
  await page.reload();
  await ready(page);
  await expect.poll(() => quantity(page, "tried")).toBe(1);
  expect(await quantity(page, "tried-best")).toBeGreaterThan(0);
  // The ladder has it too, at the ladder's sizes.
  await page.goto("w/matmul-kernels/?m=131&n=67&k=37");
  await ready(page);
  await page.getByRole("button", { name: /^Run: Tuned, f32: / }).click();
  const row = page.locator(".bench-ladder tbody tr").filter({ hasText: "Tuned" });
  await expect(row).toContainText("✓", { timeout: 60_000 });
});

// Kernels on the GPU that Chromium makes of software: every one is right, at sizes that no tile divides. Where Chromium offers
// no adapter, these tests are skipped.
import type { Page } from "@playwright/test";
import { axe, expect, ready, test } from "./fixtures";

async function gpu(page: Page) {
  const found = await page.evaluate(async () => {
    const gpu = (navigator as unknown as { gpu?: { requestAdapter(): Promise<unknown> } }).gpu;
    return Boolean(await gpu?.requestAdapter());
  });
  test.skip(!found, "this browser offers no GPU, not even one of software");
}

/** Runs all kernels of a widget and waits until each of its rows says that it is right. */
async function all(page: Page, url: string, rows: number) {
  await page.goto(url);
  await ready(page);
  await gpu(page);
  await page.getByRole("button", { name: "Run all" }).click();
  const right = page.locator(".bench-ladder tbody tr").filter({ hasText: "✓" });
  await expect(right).toHaveCount(rows, { timeout: 90_000 });
  await expect(page.getByRole("button", { name: "Run all" })).toBeEnabled();
}

test("every product is right at sizes that no tile divides", async ({ page }) => {
  await all(page, "w/matmul-kernels/?kernel=packed&m=131&n=67&k=37", 8);
  const root = page.locator('[data-widget="matmul-kernels"]');
  await expect(root.locator('[data-quantity="verified"]')).toHaveAttribute("data-value", "1");
  await expect(root.locator('[data-quantity="gflops"]')).not.toHaveAttribute("data-value", "0");
  await expect(root.locator(".finding")).toContainText(/all 8\s777 values were checked and are right/);
  // Kept results are there after a reload.
  await page.getByRole("button", { name: "Keep these results" }).click();
  await page.goto("w/matmul-kernels/");
  await ready(page);
  await expect(page.getByRole("table", { name: "Kept in this browser" }).locator("tbody tr")).toHaveCount(8);
  expect(await axe(page, "figure")).toEqual([]);
});

test("every attention is right, with shared heads and a mask", async ({ page }) => {
  await all(page, "w/attention-kernels/?kernel=flash-2&seq=83&head_dim=64&heads=4&kv_heads=2&causal=true", 5);
  await expect(page.locator('[data-quantity="verified"]')).toHaveAttribute("data-value", "1");
});

test("without WebGPU the CPU takes over and says why, and nothing is downloaded before it is run", async ({ page }) => {
  const asked: string[] = [];
  page.on("request", (request) => request.url().includes("gpu-worker") && asked.push(request.url()));
  await page.route("**/gpu-worker-start-*.js", async (route) => {
    const response = await route.fetch();
    const hide = "Object.defineProperty(WorkerNavigator.prototype, 'gpu', { value: undefined });\n";
    await route.fulfill({ response, body: hide + (await response.text()) });
  });
  await page.goto("w/matmul-kernels/?kernel=tiled&m=65&n=33&k=17");
  await ready(page);
  expect(asked).toEqual([]);
  await page.getByRole("button", { name: /^Run: / }).click();
  await expect(page.locator('[data-quantity="verified"]')).toHaveAttribute("data-value", "1");
  await expect(page.locator(".bench")).toContainText("This browser has no WebGPU here.");
});

// Kernels on the GPU that Chromium makes of software: every one is right, at sizes that no tile divides. Where Chromium offers
// no adapter, these tests are skipped.
import type { Page } from "@playwright/test";
import { axe, expect, follow, gpu, ready, test } from "./fixtures";

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
  await all(page, "w/matmul-kernels/?kernel=packed&m=131&n=67&k=37", 13);
  const root = page.locator('[data-widget="matmul-kernels"]');
  await expect(root.locator('[data-quantity="verified"]')).toHaveAttribute("data-value", "1");
  await expect(root.locator('[data-quantity="gflops"]')).not.toHaveAttribute("data-value", "0");
  await expect(root.locator(".finding-rest")).toContainText(/all 8,777 values were checked and are right/);
  // Kept results are there after a reload.
  await page.getByRole("button", { name: "Keep these results" }).click();
  await page.goto("w/matmul-kernels/");
  await ready(page);
  await expect(page.getByRole("table", { name: "Kept in this browser" }).locator("tbody tr")).toHaveCount(13);
  expect(await axe(page, "figure")).toEqual([]);
});

// Three of the nine: a software GPU compiles each of them for seconds. The interpreter runs all (shaders/glass/tests/agree.rs).
test("attention is right, with shared heads and a mask", async ({ page }) => {
  const root = page.locator('[data-widget="attention-kernels"]');
  for (const kernel of ["three-pass", "flash-2", "registers"]) {
    await follow(page, `w/attention-kernels/?kernel=${kernel}&seq=83&head_dim=64&heads=4&kv_heads=2&causal=true`);
    await gpu(page);
    await page.getByRole("button", { name: /^Run: / }).click();
    await expect(root.locator('[data-quantity="verified"]'), kernel).toHaveAttribute("data-value", "1", { timeout: 60_000 });
  }
});

test("decoding is right at a cache that no chunk divides, and says how many workgroups there are", async ({ page }) => {
  await all(page, "w/decode-kernels/?kernel=shared&keys=777&chunk=100&head_dim=64&heads=6&kv_heads=3", 3);
  const root = page.locator('[data-widget="decode-kernels"]');
  await expect(root.locator('[data-quantity="verified"]')).toHaveAttribute("data-value", "1");
  await expect(root.locator('[data-quantity="workgroups"]')).toHaveAttribute("data-value", "24");
  await expect(root.locator(".finding")).toContainText("24 workgroups read");
});

/** Kernels that widgets run at sizes of their own choice, here at others: family, kernel, sizes. */
const SMALL: [string, string, ...number[]][] = [
  ["copy", "strided", 67, 131],
  ["copy", "coalesced", 67, 131],
  ["copy", "vector", 67, 131],
  ["sum", "one", 8209],
  ["sum", "tree", 8209],
  ["intensity", "ladder", 1003, 1],
  ["intensity", "ladder", 1003, 37],
  ["gather", "gather", 8192, 0, 13, 5],
  ["gather", "gather", 8192, 1, 1, 0],
  ["gather", "gather", 8192, 2, 1, 0],
];

test("copies, sums, gathers and the intensity ladder are right at odd sizes", async ({ page }) => {
  await page.goto("w/amdahl/");
  await gpu(page);
  const said = await page.evaluate(async (jobs) => {
    const script = document.querySelector<HTMLMetaElement>('meta[name="ringside-gpu"]')!.content;
    const worker = new Worker(new URL(script, document.baseURI), { type: "module" });
    // What is said begins with its place among the things that can be said: `Said` in core/src/kernels/job.rs.
    const [ready, done, failed] = [0, 2, 4];
    const answer = (last: number[]) =>
      new Promise<Uint8Array>((resolve) => {
        worker.onmessage = ({ data }) => last.includes(data[0]) && resolve(data);
      });
    // postcard: numbers seven bits at a time, and each text and list after its length.
    const number = (n: number): number[] => (n < 128 ? [n] : [(n % 128) + 128, ...number(Math.floor(n / 128))]);
    const text = (words: string) => [words.length, ...new TextEncoder().encode(words)];
    await answer([ready]);
    const right: unknown[] = [];
    for (const [family, kernel, ...sizes] of jobs) {
      const outcome = answer([done, failed]);
      worker.postMessage(Uint8Array.from([0, ...text(family), ...text(kernel), sizes.length, ...sizes.flatMap(number)]));
      // Last comes whether all was right, and whether something was in the way of the GPU.
      const said = await outcome;
      right.push([said[0] === done, ...said.slice(-2)]);
    }
    return right;
  }, SMALL);
  expect(said).toEqual(SMALL.map(() => [true, 1, 0]));
});

test("operations on rows are right fused and not, and longer than the registers hold", async ({ page }) => {
  await page.goto("w/kernel-fusion/?rows=5&cols=4099");
  await ready(page);
  await gpu(page);
  const root = page.locator('[data-widget="kernel-fusion"]');
  for (const operation of ["Softmax", "Layer norm", "Elementwise chain"]) {
    await root.getByRole("radio", { name: operation }).check();
    await page.getByRole("button", { name: "Run at this size" }).click();
    await expect(root.locator(".fusion-says small").filter({ hasText: "✓" })).toHaveCount(3, { timeout: 90_000 });
    await expect(page.getByRole("button", { name: "Run at this size" })).toBeEnabled();
  }
  await expect(root.locator('[data-quantity="verified"]')).toHaveAttribute("data-value", "1");
  await expect(root.locator(".finding-rest")).toContainText("values that were checked are right");
  expect(await axe(page, "figure")).toEqual([]);
});

test("without a GPU the data sheets' roofs and a layer's operations are there", async ({ page }) => {
  await page.goto("w/roofline/?phase=decode&op=mlp-up");
  await ready(page);
  const root = page.locator('[data-widget="roofline"]');
  await expect(root.locator('[data-quantity="compute-bound"]')).toHaveAttribute("data-value", "0");
  await expect(root.locator(".finding")).toContainText("it is memory bound");
  await root.locator('select[name="phase"]').selectOption({ label: "all tokens: prefill" });
  await expect(root.locator('[data-quantity="compute-bound"]')).toHaveAttribute("data-value", "1");
  await root.getByRole("row", { name: /^First norm/ }).getByRole("button").press("Enter");
  await expect(page).toHaveURL(/op=norm-1/);
  await expect(root.locator(".finding")).toContainText("First norm does");
  expect(await axe(page, "figure")).toEqual([]);
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
  await expect(page.locator(".figure-below")).toContainText("This browser has no WebGPU here.");
});

// The reference as somebody uses it who looks a formula up or compares GPUs; and a log that is pasted into the search.
import { expect, ready, test } from "./fixtures";

test("a formula is found by search, has its symbols with values, and opens the figure in that state", async ({ page }) => {
  await page.goto("reference/");
  await ready(page);
  await page.keyboard.press("/");
  await page.locator("dialog[open] input").fill("young checkpoint interval");
  await page.locator('dialog[open] [role="option"]', { hasText: "Formula" }).first().click();
  const formula = page.locator("#formula-young");
  await expect(formula).toBeInViewport();
  await expect(formula.locator("math").first()).toBeVisible();
  await expect(formula.locator("tr")).toHaveCount(3);
  // Tables: sorted by bandwidth, then the other way round; and compared with a row.
  const table = page.locator("#hardware");
  const first = table.locator("tbody tr").first().locator("th");
  const fastest = table.getByRole("columnheader", { name: "Bandwidth" });
  await fastest.getByRole("button").click();
  await expect(fastest).toHaveAttribute("aria-sort", "descending");
  const largest = await first.textContent();
  await fastest.getByRole("button").click();
  expect(await first.textContent()).not.toBe(largest);
  await table.getByLabel("Compare with").selectOption({ label: "H100 SXM 80 GB" });
  await expect(table.locator("#gpu-h100-80 .times").first()).toHaveText("×1");
  await formula.getByRole("link", { name: "See it live" }).click();
  await expect(page).toHaveURL(/w\/failure-campaign\/\?gpus=16384/);
});

test("a pasted log is read in the page: causes, in order, with places that teach them", async ({ page }) => {
  await page.goto("./");
  await ready(page);
  await page.keyboard.press("/");
  await page.getByRole("button", { name: "Paste a log" }).click();
  const field = page.getByLabel("A log: what a job printed");
  await field.fill(
    [
      "gpu01:1741:1741 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/Socket/0",
      "step 1 | loss 10.9",
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which",
      "1.35 GiB is free. Of the allocated memory 58.71 GiB is allocated by PyTorch, and 16.92 GiB is reserved by PyTorch but unallocated.",
    ].join("\n"),
  );
  const signs = page.locator(".signs > li");
  await expect(signs).toHaveCount(2);
  await expect(signs.first()).toContainText("16.92 GiB");
  await expect(signs.first()).toContainText("fragmentation");
  await expect(signs.last()).toContainText("sockets, not InfiniBand");
  await expect(page.locator("dialog[open] [role=status]")).toContainText("2 of 4 lines are recognized. Begin with line 3.");
  await signs.first().getByRole("link", { name: /Taught in/ }).click();
  await expect(page).toHaveURL(/chapter\/profiling\/#fragmentation/);
  // Enter hands a log to the page that reads it.
  await page.keyboard.press("/");
  await page.getByRole("button", { name: "Paste a log" }).click();
  await field.fill("step 1 | loss 10.9\nstep 2 | loss 10.7");
  await field.press("Enter");
  await expect(page).toHaveURL(/\/run\/$/);
});

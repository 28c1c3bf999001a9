// The widget `communication-cost`: the model's numbers, machines, a pasted table of nccl-tests over them.
import type { Page } from "@playwright/test";
import { axe, expect, ready, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, parameter } = widget("communication-cost");

const output = (page: Page, id: string) => figure(page).locator(`output[data-quantity="${id}"]`);
const value = async (page: Page, id: string) => Number(await output(page, id).getAttribute("data-value"));
test("latency and bandwidth make the time; machines change what is narrowest", async ({ page }) => {
  await open(page, "ranks=8&bytes=1e9");
  // 14 hops of 3.4 µs, and 1.75 GB over 450 GB/s.
  expect(await value(page, "latency")).toBeCloseTo(14 * 3.4e-6, 9);
  expect(await value(page, "time")).toBeCloseTo(14 * 3.4e-6 + 1.75e9 / 450e9, 9);
  expect((await value(page, "busbw")) / (await value(page, "algbw"))).toBeCloseTo(1.75, 9);
  await figure(page).getByRole("button", { name: "16 nodes, one port each" }).click();
  await expect(output(page, "peak-busbw")).toHaveText("50 GB/s");
  await expect.poll(() => parameter(page, "nics")).toBe("1");
  await expect(figure(page).locator(".finding-rest")).toContainText("one port per node of InfiniBand NDR");
  // Where latency is as long as bandwidth, and the ring as fast as a tree: in both charts, of which paper has the words.
  await page.emulateMedia({ media: "print" });
  await expect(figure(page).locator(".chart-paper text", { hasText: /^(latency = bandwidth|ring = tree):/ })).toHaveCount(4);
  await page.emulateMedia({ media: "screen" });
  await figure(page).locator('select[name="op"]').selectOption("all-gather");
  await expect(output(page, "time-tree")).toHaveText("0 s");
  expect(await axe(page, "figure")).toEqual([]);
});

test("a pasted table is drawn, fitted, kept in the link, and held to itself", async ({ page }) => {
  await open(page, "");
  await figure(page).locator("summary", { hasText: "paste its output" }).click();
  await figure(page).getByRole("button", { name: "Try an example" }).click();
  const said = figure(page).locator(".measure [role=status]");
  await expect(said).toContainText("Read: 15 sizes of all_reduce_perf on 8 ranks.");
  await expect.poll(() => parameter(page, "ranks")).toBe("8");
  await expect.poll(() => parameter(page, "measured")?.split(",").length).toBe(15);
  const fitted = await value(page, "fit-busbw");
  expect(fitted).toBeGreaterThan(300e9);
  await page.reload();
  await ready(page);
  await figure(page).locator("summary", { hasText: "paste its output" }).click();
  await expect(output(page, "fit-busbw")).toHaveAttribute("data-value", String(fitted));
  const row = "1048576 262144 float sum -1 27.76 37.78 66.11 0 27.49 38.15 66.76 0";
  await figure(page).locator("textarea").fill(`# all_reduce_perf\n${row}\nbanana\n${row.replace("37.78", "73.78")}`);
  await expect(said).toContainText("Line 3: “banana” does not begin with a size");
  await expect(said).toContainText("Line 4: 1.05 MB in 27.8 µs are 37.8 GB/s; algbw out of place says 73.8.");
  await figure(page).getByRole("button", { name: "Clear" }).click();
  await expect.poll(() => parameter(page, "measured")).toBe(null);
});

// The widget `ddp-overlap`: a step in time by every means, buckets, a stalled one, who reads which sample, the trace as a file.
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, quantity, finding, rest, more } = widget("ddp-overlap");

const about = (page: Page) => figure(page).locator(".timeline-about");
const output = (page: Page, id: string) => figure(page).locator(`output[data-quantity="${id}"]`);

test("buckets wait for what they wait for, rank by rank, and are stepped through by keys", async ({ page }) => {
  await step(page, "the first iteration hides nothing, a later one most of it", async () => {
    await open(page, "iteration=first");
    expect(await quantity(page, "buckets")).toBe(1);
    expect(await quantity(page, "exposed")).toBeCloseTo(await quantity(page, "communication"), 12);
    await expect(rest(page)).toContainText("a single bucket");
    await more(page);
    await figure(page).getByText("a later one").click({ force: true });
    await expect(output(page, "buckets")).not.toHaveText("1");
    expect(await quantity(page, "exposed")).toBeLessThan(await quantity(page, "communication"));
  });

  await step(page, "a skipped layer stalls buckets until unused parameters are looked for", async () => {
    await open(page, "skip=true");
    await expect(finding(page)).toContainText("buckets never start: layer 6 was skipped");
    await more(page);
    await figure(page).getByRole("radiogroup", { name: "find_unused_parameters" }).getByText("on", { exact: true }).click({ force: true });
    await expect(output(page, "stalled")).toHaveText("0");
    await expect(rest(page)).toContainText("counts as ready from the start");
  });

  await step(page, "blocks and steps by keys alone, and a link to a step arrives there", async () => {
    await open(page, "step=4");
    await expect(about(page)).toContainText("Backward pass of micro-batch 0 through layer 11");
    await figure(page).locator(".timeline").focus();
    await page.keyboard.press("ArrowRight");
    await expect(about(page)).toContainText("Forward pass of micro-batch 0");
    await page.keyboard.press("ArrowDown");
    await expect(about(page)).toContainText("All-reduce of bucket 0");
    await page.keyboard.press("Enter");
    await expect(about(page)).toContainText("Backward pass");
    await figure(page).getByRole("slider", { name: "Step", exact: true }).focus();
    await page.keyboard.press("Home");
    await expect(about(page)).toHaveText("Before the forward pass.");
    await expect.poll(() => new URL(page.url()).searchParams.get("step")).toBe("0");
  });

  await step(page, "every rank reads its own samples, and what is padded is marked", async () => {
    await open(page, "ranks=4&dataset=10&mbs=1&shuffle=false");
    const rows = figure(page).locator(".sharing tbody tr");
    await expect(rows).toHaveCount(4);
    await expect(rows.nth(2)).toContainText("2 6 0 again");
    expect(await quantity(page, "repeated")).toBe(2);
    await figure(page).locator('select[name="sampler"]').selectOption("uneven");
    await expect(figure(page).locator(".sharing")).toContainText("in batch 3 the others wait for it for ever");
  });
});

test("the step leaves as a trace and as a table, and nothing is cut off where it is narrow and dark", async ({ page }) => {
  await step(page, "the step is saved as a Chrome trace", async () => {
    await open(page, "");
    const download = page.waitForEvent("download");
    await figure(page).getByRole("button", { name: "Save as Chrome trace" }).click();
    const trace = JSON.parse(await readFile(await (await download).path(), "utf8"));
    const work = trace.traceEvents.filter((event: { ph: string }) => event.ph === "X");
    expect(new Set(work.map((event: { cat: string }) => event.cat))).toContain("all-reduce");
    expect(work.length).toBeGreaterThan(20);
  });

  await step(page, "the buckets are there as a table; narrow and dark, nothing is cut off", async () => {
    await open(page, "node=1&net=eth-100");
    await figure(page).locator("summary", { hasText: "The numbers" }).click();
    await expect(figure(page).locator(".numbers tbody tr")).toHaveCount(await quantity(page, "buckets"));
    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    await page.setViewportSize({ width: 360, height: 780 });
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect(await axe(page, "figure")).toEqual([]);
  });
});

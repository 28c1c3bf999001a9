// The widget `caching-allocator`: stepped, with and without expandable segments; and a learner's own snapshot.
import type { Page } from "@playwright/test";
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, quantity, finding } = widget("caching-allocator");

const segments = (page: Page) => figure(page).locator(".alloc-segments > li");
const button = (page: Page, name: string | RegExp) => figure(page).getByRole("button", { name });
const GIB = 2 ** 30;

/** A snapshot as PyTorch writes it. */
const snapshot = JSON.stringify({
  segments: [
    {
      device: 0,
      total_size: 20971520,
      segment_type: "large",
      is_expandable: false,
      frames: [],
      blocks: [
        { size: 9437184, requested_size: 9437000, state: "active_allocated", frames: [] },
        { size: 11534336, requested_size: 0, state: "inactive", frames: [] },
      ],
    },
  ],
  device_traces: [[]],
});

test("holes, keys, one's own snapshot and a narrow dark screen are all served", async ({ page }) => {
  await step(page, "holes are out of memory, and expandable segments serve the request", async () => {
    await open(page, "program=holes");
    await expect(finding(page)).toContainText("Out of memory");
    await expect(figure(page)).toContainText("Fragmentation");
    await expect(segments(page)).toHaveCount(6);
    expect(await quantity(page, "reserved")).toBe(6 * GIB);
    await button(page, "Holes, expandable").click();
    await expect(segments(page)).toHaveCount(1);
    expect(await quantity(page, "failures")).toBe(0);
    expect(await quantity(page, "retries")).toBe(1);
  });

  await step(page, "by keys alone: from the first request on", async () => {
    await open(page, "program=sizes&request=24.3");
    const step = figure(page).getByRole("slider", { name: "Step" });
    await step.focus();
    await page.keyboard.press("Home");
    await expect(finding(page)).toContainText("Nothing is asked for yet");
    await page.keyboard.press("ArrowRight");
    await expect(figure(page)).toContainText("300 B, rounded to 512 B");
    expect(await quantity(page, "reserved")).toBe(2 * 2 ** 20);
    await page.keyboard.press("ArrowRight");
    expect(await quantity(page, "reserved")).toBe(2 * 2 ** 20);
  });

  await step(page, "an own snapshot is drawn, and what is none is told and loses nothing", async () => {
    await open(page, "");
    const input = figure(page).getByLabel("Choose a snapshot");
    const give = (name: string, text: string | Buffer) =>
      input.setInputFiles([{ name, mimeType: "application/octet-stream", buffer: Buffer.from(text) }]);
    await give("mine.json", snapshot);
    await expect(finding(page)).toContainText("9 MiB of 20 MiB reserved");
    await expect(segments(page)).toHaveCount(1);
    // Nothing of the simulated allocator is left.
    await expect(figure(page).locator("output")).toHaveCount(0);
    await expect(figure(page).locator(".deck")).toBeHidden();
    await give("evil.pickle", Buffer.from("8004636f730a73797374656d0a285327", "hex"));
    await expect(figure(page).getByRole("alert").filter({ hasText: "call code for" })).toBeVisible();
    await expect(finding(page)).toContainText("9 MiB of 20 MiB reserved");
    await give("cut.json", snapshot.slice(0, 200));
    await expect(figure(page).getByRole("alert").filter({ hasText: "stops in the middle" })).toBeVisible();
    await button(page, "Back to the simulated allocator").click();
    await expect(finding(page)).toContainText("Out of memory");
  });

  await step(page, "narrow and dark, nothing is cut off and everything has a name", async () => {
    await open(page, "program=longer");
    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect(await axe(page, "figure")).toEqual([]);
  });
});

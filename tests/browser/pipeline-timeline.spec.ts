// The widget `pipeline-timeline`: numbers, the picture to scale, blocks by pointer and keyboard, zoom, playing, files.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { axe, contrast, expect, overflow, ready, step, test } from "./fixtures";
import { readable, root } from "./room";
import { widget } from "./widget";

const { figure, open, quantity, parameter, rest } = widget("pipeline-timeline");

const timeline = (page: Page, i = 0) => figure(page).locator(".timeline").nth(i);
const about = (page: Page) => figure(page).locator(".timeline-about");

test("numbers and blocks are those of the schedule, two schedules are compared, and the largest is drawn", async ({ page }) => {
  await step(page, "says how long a step takes, how much of it is idle, and what is kept", async () => {
    await open(page, "schedule=1f1b&stages=8&microbatches=32");
    expect(await quantity(page, "makespan")).toBeCloseTo(0.117, 9);
    expect(await quantity(page, "bubble-fraction")).toBeCloseTo(7 / 39, 9);
    expect(await quantity(page, "peak-in-flight")).toBe(8);
    await figure(page).locator('select[name="schedule"]').selectOption("gpipe");
    await expect.poll(() => quantity(page, "peak-in-flight")).toBe(32);
    expect(await quantity(page, "bubble-fraction")).toBeCloseTo(7 / 39, 9);
    await expect.poll(() => parameter(page, "schedule")).toBe("gpipe");
  });

  await step(page, "draws blocks to scale: a backward pass is twice a forward pass", async () => {
    await open(page, "schedule=1f1b&stages=4&microbatches=8");
    await expect(figure(page).locator(".pieces rect.forward")).toHaveCount(32);
    const box = async (kind: string) => (await figure(page).locator(`.pieces rect.${kind}`).first().boundingBox())!;
    const whole = (await timeline(page).boundingBox())!.width;
    // Less the gap between blocks.
    expect((await box("forward")).width + 0.75).toBeCloseTo(whole / 33, 0);
    expect((await box("backward")).width + 0.75).toBeCloseTo((2 * whole) / 33, 0);
  });

  await step(page, "compares two schedules on one scale", async () => {
    await open(page, "schedule=zb-h1&compare=1f1b&stages=4&microbatches=8");
    await expect(figure(page).locator(".track")).toHaveCount(2);
    await expect(figure(page).locator(".track-head").first()).toContainText("27 ms");
    await expect(figure(page).locator(".track-head").nth(1)).toContainText("33 ms");
    await expect(rest(page)).toContainText("1F1B takes 1.22 times as long");
    const forward = async (i: number) =>
      (await figure(page).locator(".track").nth(i).locator(".pieces rect.forward").first().boundingBox())!.width;
    expect(await forward(0)).toBeCloseTo(await forward(1), 1);
  });

  await step(page, "the critical path stands out", async () => {
    await open(page, "schedule=1f1b&stages=4&microbatches=8&path=true");
    const bright = figure(page).locator(".pieces rect.part:not(.dim):not(.activations)");
    // Down through the stages, the last stage's work without a pause, and up again.
    await expect(bright).not.toHaveCount(0);
    await expect(figure(page).locator(".pieces rect.dim")).not.toHaveCount(0);
    await figure(page).locator('input[name="path"][value="false"]').check({ force: true });
    await expect(figure(page).locator(".pieces rect.dim")).toHaveCount(0);
  });

  await step(page, "draws the largest pipeline on a canvas", async () => {
    await open(page, "schedule=interleaved&stages=64&microbatches=512&chunks=4");
    const canvas = figure(page).locator("canvas.pieces");
    await expect(canvas).toHaveCount(1);
    const colours = () =>
      canvas.evaluate((c: HTMLCanvasElement) => {
        const data = c.getContext("2d")!.getImageData(0, 0, c.width, c.height).data;
        const seen = new Set<string>();
        for (let i = 0; i < data.length; i += 4 * 97) if (data[i + 3] === 255) seen.add(`${data[i]},${data[i + 1]},${data[i + 2]}`);
        return seen.size;
      });
    await expect.poll(colours).toBeGreaterThan(1);
    expect(await quantity(page, "peak-in-flight")).toBe(64 + 63 / 4);
  });
});

test("blocks are pointed at, zoomed, stepped through by keys, and leave as files", async ({ page }) => {
  await step(page, "a block says what it waits for, by pointer and by keyboard", async () => {
    await open(page, "schedule=1f1b&stages=4&microbatches=8");
    const box = (await timeline(page).boundingBox())!;
    // Device 0 waits from 4 to 10 ms.
    await page.mouse.move(box.x + (box.width * 7) / 33, box.y + 10);
    await expect(about(page)).toContainText("It waits for B0 of stage 1 on device 1");
    await page.mouse.move(10, 10);
    await expect(about(page)).toContainText("Point at a block");
    await timeline(page).focus();
    await page.keyboard.press("ArrowRight");
    await expect(about(page)).toContainText("F0:");
    await page.keyboard.press("ArrowRight");
    await expect(about(page)).toContainText("F1:");
    await page.keyboard.press("ArrowDown");
    await expect(about(page)).toContainText("device 1");
    await page.keyboard.press("End");
    await expect(about(page)).toContainText("B7:");
    await page.keyboard.press("Enter");
    await expect(about(page)).toContainText("device 2");
    await page.keyboard.press("Escape");
    await expect(about(page)).toContainText("Point at a block");
  });

  await step(page, "zooms and moves", async () => {
    await open(page, "schedule=1f1b&stages=4&microbatches=8");
    const blocks = figure(page).locator(".pieces rect.part");
    const all = await blocks.count();
    await figure(page).getByRole("button", { name: "Zoom in" }).click();
    await figure(page).getByRole("button", { name: "Zoom in" }).click();
    await expect.poll(() => blocks.count()).toBeLessThan(all / 2);
    const slider = figure(page).getByRole("slider", { name: "Part of the step that is shown" });
    await slider.focus();
    await page.keyboard.press("Home");
    await expect(slider).toHaveAttribute("aria-valuetext", "0% to 25% of the step");
    await timeline(page).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("End");
    await expect(slider).toHaveAttribute("aria-valuetext", "75% to 100% of the step");
    await figure(page).getByRole("button", { name: "All", exact: true }).click();
    await expect(blocks).toHaveCount(all);
  });

  await step(page, "is stepped through in time", async () => {
    await open(page, "schedule=1f1b&stages=2&microbatches=2");
    await figure(page).locator('.transport input[type="range"]').focus();
    await page.keyboard.press("Home");
    await expect(figure(page).locator(".over .veil")).toHaveCount(1);
    await page.keyboard.press("ArrowRight");
    // The first change after the beginning: the end of F0.
    await expect(figure(page).locator(".transport-place")).toHaveText("1 ms");
    await page.keyboard.press("End");
    await expect(figure(page).locator(".over .veil")).toHaveCount(0);
  });

  await step(page, "leaves as a trace and as a picture", async () => {
    await open(page, "schedule=zb-h1&stages=4&microbatches=8");
    const saved = async (name: string) => {
      const download = page.waitForEvent("download");
      await figure(page).getByRole("button", { name }).click();
      const file = await download;
      return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
    };
    const trace = await saved("Save as Chrome trace");
    expect(trace.name).toBe("zb-h1-4x8.json");
    const work = JSON.parse(trace.text).traceEvents.filter((e: { ph: string }) => e.ph === "X");
    expect(work).toHaveLength(3 * 4 * 8);
    const picture = await saved("Save as SVG");
    expect(picture.name).toBe("zb-h1-4x8.svg");
    expect(picture.text.match(/<rect class="part forward"/g)).toHaveLength(32);
    expect(picture.text).toMatch(/\.forward\{fill:rgb/);
  });
});

for (const [name, query] of [
  ["two schedules, the critical path", "schedule=dualpipe-v&compare=zb-v&microbatches=10&path=true"],
  ["many devices", "schedule=pipedream&stages=24&microbatches=64"],
]) {
  test(`axe finds nothing: ${name}`, async ({ page }) => {
    await open(page, query);
    await figure(page).locator("details.numbers > summary").click();
    await timeline(page).focus();
    await page.keyboard.press("ArrowRight");
    expect(await axe(page, "figure")).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await contrast(page, "figure"), "dark").toEqual([]);
    await page.setViewportSize({ width: 360, height: 780 });
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
  });
}

test("two schedules over each other are read from the last row", async ({ page }) => {
  await page.addInitScript(() => (Element.prototype.requestFullscreen = () => Promise.reject(new TypeError("no press"))));
  await page.setViewportSize({ width: 1920, height: 1080 });
  await page.goto("w/pipeline-timeline/?schedule=1f1b&compare=gpipe&stages=8&microbatches=16&present");
  await expect(root(page)).toHaveAttribute("data-projecting", "");
  await ready(page);
  await readable(page);
});

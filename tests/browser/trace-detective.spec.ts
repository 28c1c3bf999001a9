// The widget `trace-detective`: a trace seen, moved in and searched; causes diagnosed and repaired; the game; the learner's own files.
import { gzipSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { axe, expect, step, test } from "./fixtures";
import { synthetic } from "./scripts/synthetic-trace.mjs";
import { widget } from "./widget";

const { figure, open, quantity, finding, rest } = widget("trace-detective");

const frame = (page: Page) => figure(page).locator(".trace-frame");
const about = (page: Page) => figure(page).locator(".trace-about");
/** What is in view or selected, by name. */
const sums = (page: Page) => figure(page).locator(".trace-sums tbody").last();
const kinds = (page: Page) => figure(page).locator(".trace-sums tbody").first();
const picked = (page: Page) => figure(page).locator(".trace-picked");
const gpuRow = (page: Page) => figure(page).getByRole("button", { name: /rank 0: GPU, stream 7/ });
const button = (page: Page, name: string | RegExp) => figure(page).getByRole("button", { name });

/** How many pixels of the canvas are painted. */
const painted = (page: Page) =>
  figure(page)
    .locator("canvas")
    .evaluate((canvas: HTMLCanvasElement) => {
      const data = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height).data;
      return data.filter((value, i) => i % 4 === 3 && value > 0).length;
    });

const event = (name: string, cat: string, ts: number, dur: number, args: object, tid = 1) => ({ ph: "X", name, cat, pid: 1, tid, ts, dur, args });

const own = (rank: number) =>
  JSON.stringify({
    distributedInfo: { rank, world_size: 2 },
    traceEvents: [
      event("cudaLaunchKernel", "cuda_runtime", 0, 5, { correlation: 1 }),
      event("my_own_kernel", "kernel", 10, 90, { stream: 7, correlation: 1 }, 7),
      event("cudaLaunchKernel", "cuda_runtime", 290, 5, { correlation: 2 }),
      event("my_own_kernel", "kernel", 300, 100, { stream: 7, correlation: 2 }, 7),
    ],
  });

test("a cause is diagnosed and a case solved, and nothing is cut off where it is narrow and dark", async ({ page }) => {
  await step(page, "a cause is diagnosed, shown and repaired", async () => {
    await open(page, "cause=data-loader");
    await expect(rest(page)).toContainText("slow data loader");
    await expect.poll(() => painted(page)).toBeGreaterThan(5000);
    await button(page, "Show the next event that says so").first().click();
    await expect(about(page)).toContainText("DataLoader");
    const before = await quantity(page, "step-time");
    await open(page, "cause=data-loader&repair=data-loader");
    expect(await quantity(page, "step-time")).toBeLessThan(0.8 * before);
    await expect(finding(page)).toContainText("gained");
  });

  await step(page, "a case of the game is solved: name, evidence, repair", async () => {
    await open(page, "view=game&case=6");
    await button(page, "Unfused optimizer").or(button(page, "Host–device synchronization")).first().waitFor();
    await button(page, "Host–device synchronization").click();
    await button(page, "This event says so").click();
    await expect(figure(page).locator(".trace-verdict")).toContainText("Choose an event");
    await figure(page).getByRole("searchbox", { name: "Search" }).fill("cudaStreamSynchronize");
    // The first call of rank 0 that empties its queue.
    await expect(async () => {
      await figure(page).getByRole("button", { name: "Next", exact: true }).click();
      await button(page, "This event says so").click();
      await expect(figure(page).locator(".trace-verdict")).toContainText("Now the repair", { timeout: 300 });
    }).toPass();
    await button(page, /No \.item/).click();
    await expect(figure(page).locator(".trace-verdict")).toContainText("Solved");
  });

  await step(page, "narrow and dark, nothing is cut off and everything has a name", async () => {
    await open(page, "view=game&case=3");
    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect(await axe(page, "figure")).toEqual([]);
  });
});

test("a trace is moved in, selected, folded and zoomed by pointer, fingers and keys", async ({ page }) => {
  await step(page, "by keys alone: zoom, move, from event to event, and from a launch to its kernel", async () => {
    await open(page, "cause=none");
    const whole = await sums(page).innerText();
    await frame(page).focus();
    for (let i = 0; i < 12; i++) await page.keyboard.press("w");
    await expect.poll(() => sums(page).innerText()).not.toBe(whole);
    await page.keyboard.press("0");
    await expect.poll(() => sums(page).innerText()).toBe(whole);
    await page.keyboard.press("ArrowRight");
    const first = await about(page).innerText();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await expect(about(page)).not.toHaveText(first);
    await figure(page).getByRole("searchbox", { name: "Search" }).fill("flash_fwd");
    await figure(page).getByRole("button", { name: "Next", exact: true }).click();
    await expect(about(page)).toContainText("Launched by cudaLaunchKernel");
    await frame(page).focus();
    await page.keyboard.press("Enter");
    await expect(about(page)).toContainText("It launches");
  });

  await step(page, "a part is selected by dragging and by keys, and summed by kind and name", async () => {
    await open(page, "cause=none");
    await expect(picked(page)).toContainText("In view on the first rank");
    const box = (await frame(page).boundingBox())!;
    const label = (await gpuRow(page).boundingBox())!;
    await page.mouse.move(box.x + 0.2 * box.width, label.y + label.height + 4);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.4 * box.width, label.y + label.height + 8, { steps: 5 });
    await page.mouse.up();
    await expect(picked(page)).toContainText("on one row");
    await expect(kinds(page)).toContainText("Computation");
    await expect(kinds(page)).not.toContainText("Operators");
    await button(page, "Clear the selection").click();
    await expect(picked(page)).toContainText("In view on the first rank");

    await frame(page).focus();
    await page.keyboard.press("Shift+ArrowRight");
    await expect(picked(page)).toContainText("on one row, with 2 events");
    await page.keyboard.press("Shift+ArrowRight");
    await expect(picked(page)).toContainText("on one row, with 3 events");
    await page.keyboard.press("Shift+ArrowDown");
    await expect(picked(page)).toContainText("on 2 rows");
    await page.keyboard.press("Escape");
    await expect(picked(page)).toContainText("In view on the first rank");
  });

  await step(page, "rows fold by pointer and by keys", async () => {
    await open(page, "cause=none");
    const high = () => frame(page).evaluate((f) => f.clientHeight);
    const whole = await high();
    const row = figure(page).getByRole("button", { name: /rank 0:/ }).first();
    await row.click();
    await expect(row).toHaveAttribute("aria-expanded", "false");
    await expect.poll(high).toBeLessThan(whole);
    await row.press("Enter");
    await expect(row).toHaveAttribute("aria-expanded", "true");
    await expect.poll(high).toBe(whole);
  });

  await step(page, "two fingers zoom, one moves", async () => {
    await open(page, "cause=none");
    await button(page, "Drag to select").click();
    const whole = await picked(page).innerText();
    const fingers = (type: string, all: [number, number][]) =>
      frame(page).evaluate(
        (target, { type, all }) => {
          const box = target.getBoundingClientRect();
          for (const [pointerId, part] of all) {
            const at = { clientX: box.x + part * box.width, clientY: box.y + 40 };
            target.dispatchEvent(new PointerEvent(type, { pointerId, pointerType: "touch", button: 0, buttons: 1, bubbles: true, ...at }));
          }
        },
        { type, all },
      );
    await fingers("pointerdown", [[11, 0.45], [12, 0.55]]);
    for (const part of [0.4, 0.3, 0.2]) await fingers("pointermove", [[11, part], [12, 1 - part]]);
    await fingers("pointerup", [[11, 0.2], [12, 0.8]]);
    await expect(picked(page)).not.toHaveText(whole);
    const length = async () => Number.parseFloat((await picked(page).innerText()).match(/: ([0-9.]+) /)![1]);
    await expect.poll(length).toBeLessThan(0.5 * Number.parseFloat(whole.match(/: ([0-9.]+) /)![1]));
    const closer = await picked(page).innerText();
    await fingers("pointerdown", [[11, 0.6]]);
    await fingers("pointermove", [[11, 0.3]]);
    await fingers("pointerup", [[11, 0.3]]);
    await expect(picked(page)).not.toHaveText(closer);
  });
});

test("own traces of two ranks, one of them packed, and a damaged one", async ({ page }) => {
  await open(page, "");
  const input = figure(page).getByLabel("Choose files");
  await input.setInputFiles([
    { name: "rank1.pt.trace.json.gz", mimeType: "application/gzip", buffer: gzipSync(own(1)) },
    { name: "rank0.pt.trace.json", mimeType: "application/json", buffer: Buffer.from(own(0)) },
  ]);
  await expect(finding(page)).toContainText("is idle for 51.3%");
  await expect(sums(page)).toContainText("my_own_kernel");
  // Nothing of the simulated trace is left: no control, no note, no number.
  await expect(figure(page).locator("output")).toHaveCount(0);
  await expect(figure(page).locator(".deck")).toBeHidden();
  await expect(figure(page)).not.toContainText("Simulated:");
  await expect(figure(page)).toContainText("Not explained");
  await input.setInputFiles([{ name: "cut.json", mimeType: "application/json", buffer: Buffer.from(own(0).slice(0, -40)) }]);
  await expect(figure(page).getByRole("alert").filter({ hasText: "stops in the middle" })).toBeVisible();
  // Packed, and cut: what was unpacked until there is shown.
  const packed = gzipSync(synthetic(20_000));
  await input.setInputFiles([{ name: "cut.json.gz", mimeType: "application/gzip", buffer: packed.subarray(0, packed.length / 2) }]);
  await expect(figure(page).getByRole("alert").filter({ hasText: /cut\.json\.gz: After [1-9][0-9,]* events the file could not be read/ })).toBeVisible({ timeout: 20_000 });
  await input.setInputFiles([
    { name: "rank1.json", mimeType: "application/json", buffer: Buffer.from(own(1)) },
    { name: "rank0.json", mimeType: "application/json", buffer: Buffer.from(own(0)) },
  ]);
  await expect(sums(page)).toContainText("my_own_kernel");
  await input.setInputFiles([{ name: "x.json", mimeType: "application/json", buffer: Buffer.from("hello") }]);
  await expect(figure(page).getByRole("alert").filter({ hasText: "This is no trace" })).toBeVisible();
  await expect(sums(page)).toContainText("my_own_kernel");
  await button(page, "Back to the simulated trace").click();
  await expect(sums(page)).not.toContainText("my_own_kernel");
});

test("a long trace is read beside the page, and is cancelled", async ({ page }) => {
  await open(page, "");
  const input = figure(page).getByLabel("Choose files");
  const long = { name: "long.json", mimeType: "application/json", buffer: Buffer.from(synthetic(300_000)) };
  await input.setInputFiles([long]);
  await button(page, "Cancel").click();
  await expect(button(page, "Cancel")).toBeHidden();
  await expect(button(page, "Back to the simulated trace")).toBeHidden();
  await input.setInputFiles([long]);
  await expect(figure(page).getByRole("status").filter({ hasText: /of .* read, [1-9]/ })).toBeVisible();
  await expect(button(page, "Back to the simulated trace")).toBeVisible({ timeout: 60_000 });
  await expect(frame(page)).toHaveAttribute("aria-label", /Trace of 1 ranks with 29[0-9]{4} events/);
  await expect.poll(() => painted(page)).toBeGreaterThan(5000);
});

test("a trace that is dropped on the box while the figure is open is taken", async ({ page }) => {
  await open(page, "");
  await expect(rest(page)).toBeVisible();
  await page.keyboard.press("/");
  const box = page.locator("dialog[open] .drop-zone");
  const dropped = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "rank0.json", { type: "application/json" }));
    return data;
  }, own(0));
  await box.dispatchEvent("drop", { dataTransfer: dropped });
  await box.getByRole("link", { name: /trace detective/ }).click();
  await expect(button(page, "Back to the simulated trace")).toBeVisible();
});

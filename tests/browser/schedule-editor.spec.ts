// The widget `schedule-editor`: blocks keyed and dragged into place, what is against a rule, the address, the known schedules.
import type { Page } from "@playwright/test";
import { axe, expect, ready, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, finding, rest } = widget("schedule-editor");

const cell = (page: Page, stage: number, slot: number) =>
  figure(page).locator(`[data-stage="${stage}"][data-slot="${slot}"]`);
const value = (page: Page, id: string) => figure(page).locator(`output[data-quantity="${id}"]`);
const board = (page: Page) => new URL(page.url()).searchParams.get("board");

test("blocks are keyed in as fast as one types, every rule is said, and a narrow page scrolls the grid alone", async ({ page }) => {
  await step(page, "a schedule is keyed in, and every rule is said", async () => {
    await open(page, "stages=2&microbatches=1&cap=1");
    await cell(page, 0, 0).focus();
    await page.keyboard.press("f");
    await expect(cell(page, 0, 0)).toHaveText("F0");
    await cell(page, 1, 0).focus();
    await page.keyboard.press("f");
    await expect(value(page, "violations")).toHaveAttribute("data-value", "1");
    await expect(cell(page, 1, 0)).toHaveAttribute("aria-label", /F0 of stage 1 begins in slot 0, but F0 of stage 0 is done only/);
    await cell(page, 1, 0).focus();
    await page.keyboard.press("Delete");
    await page.keyboard.press("ArrowRight");
    await expect(cell(page, 1, 1)).toBeFocused();
    for (const key of ["f", "b", "w"]) await page.keyboard.press(key);
    await cell(page, 0, 3).focus();
    await page.keyboard.press("b");
    await page.keyboard.press("w");
    await expect(value(page, "complete")).toHaveAttribute("data-value", "1");
    await expect(finding(page)).toContainText("Valid: 5 slots");
    await expect.poll(() => board(page)).toBe("F..BW/.FBW");
  });

  await step(page, "keys that come faster than the page is drawn all arrive, also where the grid grows and shrinks", async () => {
    await open(page, "stages=2&microbatches=2&cap=2");
    // Within one frame: the page's elements change between two keys, and nothing is drawn.
    const type = (...keys: string[]) =>
      page.evaluate(async (keys) => {
        for (const key of keys) {
          document.activeElement!.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
          for (let i = 0; i < 20; i++) await null;
        }
      }, keys);
    await cell(page, 0, 0).focus();
    const slots = await figure(page).locator('[data-stage="0"]').count();
    await type("f", "b", "w", "End", "f", "b", "w");
    await expect.poll(() => board(page)).toBe(`FBW${".".repeat(slots - 4)}FBW/`);
    await expect(cell(page, 0, slots + 2)).toBeFocused();
    // The last of them takes the cell with it that has the focus.
    await type("ArrowLeft", "ArrowLeft", "ArrowLeft", "Delete", "ArrowRight", "Delete", "ArrowRight", "Delete");
    await expect.poll(() => board(page)).toBe("FBW/");
    await expect(cell(page, 0, slots - 1)).toBeFocused();
    await expect(figure(page).locator('[data-stage="0"]')).toHaveCount(slots);
    await page.keyboard.press("Backspace");
    await expect(cell(page, 0, slots - 2)).toBeFocused();
  });

  await step(page, "a narrow page scrolls the grid alone, and axe finds nothing", async () => {
    await page.setViewportSize({ width: 360, height: 780 });
    await open(page, "stages=4&microbatches=6&cap=2&board=FFF/.F/x");
    await expect(figure(page).locator(".problems")).toContainText("not “x”");
    await open(page, "stages=4&microbatches=6&cap=2&board=FFF/.F");
    await expect(finding(page)).toContainText("keeps 3 micro-batches; 2 fit");
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect(await axe(page, "figure")).toEqual([]);
  });
});

test("a block is dragged along its stage, packed, undone; the link brings it back", async ({ page }) => {
  await open(page, "stages=3&microbatches=4&cap=3");
  await figure(page).getByRole("button", { name: "Start from 1F1B" }).click();
  await expect(value(page, "makespan")).toHaveAttribute("data-value", "0.018");
  await expect(value(page, "complete")).toHaveAttribute("data-value", "1");
  // The last W of the last stage, one slot later: nothing waits for it.
  await cell(page, 2, 13).dragTo(cell(page, 2, 14));
  await expect(cell(page, 2, 14)).toHaveText("W3");
  await expect(cell(page, 2, 13)).toHaveText("");
  await expect.poll(() => board(page)).toMatch(/\.W$/);
  const moved = await figure(page).locator(".editor-grid").textContent();
  await page.reload();
  await ready(page);
  await expect(figure(page).locator(".editor-grid")).toHaveText(moved!);
  await figure(page).getByRole("button", { name: "Move all as early as they can" }).click();
  await expect(cell(page, 2, 13)).toHaveText("W3");
  await figure(page).getByRole("button", { name: "Undo" }).click();
  await expect(cell(page, 2, 14)).toHaveText("W3");
  await figure(page).getByRole("button", { name: "Show ZB-H1" }).click();
  await expect(rest(page)).toContainText("No schedule takes less.");
});

test("in a task nothing shows the solution, and the goals stay in view", async ({ page }) => {
  await open(page, "");
  await expect(figure(page).getByRole("button", { name: "Show ZB-H1" })).toBeVisible();
  await page.goto("chapter/pipeline-parallel/");
  await ready(page);
  await page.locator("#exercise-task-beat-1f1b").scrollIntoViewIfNeeded();
  const task = page.locator('[data-exercise="task-beat-1f1b"]');
  await task.getByRole("button", { name: "Open the figure" }).click();
  await expect(task.getByRole("button", { name: "Start from 1F1B" })).toBeVisible();
  await expect(task.getByRole("button", { name: "Show ZB-H1" })).toBeHidden();
  await task.locator(".editor-tools").evaluate((tools) => tools.scrollIntoView({ block: "end" }));
  await expect(task.locator(".goals")).toBeInViewport({ ratio: 1 });
  await expect(task.getByText("fewer slots than 1F1B")).toBeVisible();
});

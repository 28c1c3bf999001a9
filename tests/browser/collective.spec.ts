// The widget `ring-all-reduce`: steps by every means, what they do to the numbers, links, stragglers, 64 ranks.
import type { Page } from "@playwright/test";
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, load, open, quantity, parameter, finding, rest, more } = widget("ring-all-reduce");

const place = (page: Page) => figure(page).locator(".transport-place");

test("a ring's numbers, steps and table are those of the link, and it plays to the end", async ({ page }) => {
  await step(page, "a ring sends 2(n − 1)/n of the buffer from every rank", async () => {
    for (const n of [2, 8, 64]) {
      await open(page, `ranks=${n}&bytes=1e9&node=64`);
      expect(await quantity(page, "steps")).toBe(2 * (n - 1));
      expect(await quantity(page, "bytes-sent-per-rank")).toBeCloseTo((2 * (n - 1) * 1e9) / n, 0);
      expect(await quantity(page, "idle")).toBe(0);
    }
    // Where it goes through the network too, those that only have links within their node wait for the others.
    await open(page, "ranks=64&bytes=1e9&node=8");
    expect(await quantity(page, "bytes-sent-per-rank")).toBeCloseTo((2 * 63 * 1e9) / 64, 0);
    expect(await quantity(page, "idle")).toBeGreaterThan(0.5);
  });

  await step(page, "a link to a step arrives there; buttons, slider and keys move on from it", async () => {
    await open(page, "ranks=4&step=2");
    await expect(place(page)).toHaveText("Step 2 of 6");
    await expect(finding(page)).toContainText("Step 2 of 6, reduce-scatter: every rank sends the next");
    await page.keyboard.press("ArrowRight");
    await expect(place(page)).toHaveText("Step 3 of 6");
    await page.keyboard.press("End");
    await expect(place(page)).toHaveText("Step 6 of 6");
    await expect(rest(page)).toContainText("Every rank has the same bits.");
    await expect.poll(() => parameter(page, "step")).toBe("6");
    await figure(page).getByRole("button", { name: "Step back" }).click();
    await expect(place(page)).toHaveText("Step 5 of 6");
    const slider = figure(page).getByRole("slider", { name: "Step" });
    await slider.focus();
    await page.keyboard.press("Home");
    await expect(place(page)).toHaveText("Step 0 of 6");
    await expect(slider).toHaveAttribute("aria-valuetext", "Step 0 of 6");
  });

  await step(page, "it plays to the end and stops there", async () => {
    await open(page, "ranks=2");
    await page.keyboard.press("Space");
    await expect(figure(page).getByRole("button", { name: "Pause" })).toBeVisible();
    await expect(place(page)).toHaveText("Step 2 of 2");
    await expect(figure(page).getByRole("button", { name: "Play" })).toBeVisible();
  });

  await step(page, "the numbers are there as a table, and add up", async () => {
    await open(page, "ranks=3&step=4");
    await figure(page).locator("summary", { hasText: "The numbers" }).click();
    const row = (i: number) => figure(page).locator(".numbers tbody tr").nth(i).locator("td");
    await expect(row(3)).toHaveCount(3);
    const sums = (await row(3).allTextContents()).map(Number);
    for (let rank = 0; rank < 3; rank++) {
      const held = (await row(rank).allTextContents()).map(parseFloat);
      expect(held).toHaveLength(3);
      held.forEach((value, chunk) => expect(value).toBeCloseTo(sums[chunk], 4));
    }
  });
});

test("what slows or stops a ring is named, and 64 ranks can still be read", async ({ page }) => {
  await step(page, "an operation offers the algorithms that do it; an impossible link says what is possible", async () => {
    await open(page, "algo=double-binary-tree");
    await figure(page).locator('select[name="op"]').selectOption("all-gather");
    await expect.poll(() => parameter(page, "algo")).toBe("ring");
    await expect(figure(page).locator('select[name="algo"] option[value="binary-tree"]')).toHaveCount(0);
    await open(page, "algo=hierarchical&ranks=12&node=8");
    await expect(finding(page)).toContainText("12 ranks are no multiple of 8");
  });

  await step(page, "one slow rank slows all of a ring", async () => {
    await open(page, "slow-rank=3&slow-by=4");
    // All bytes are four times slower; a step's latency overlaps with them.
    expect(await quantity(page, "slowdown")).toBeCloseTo(3.96, 2);
    await expect(rest(page)).toContainText("Rank 3, 4 times slower, makes it last 3.96 times as long");
  });

  await step(page, "a broken cable halts everyone, and which cable matters", async () => {
    await open(page, "cut=true&cut-from=3&cut-to=4&step=2");
    await expect(finding(page)).toContainText("4 ranks waiting for ever");
    await expect(rest(page)).toContainText("all 8 ranks wait for ever");
    await expect(figure(page).locator(".circle .broken")).toHaveAttribute("d", /^M/);
    expect(await quantity(page, "stuck")).toBe(8);
    await open(page, "cut=true&cut-from=0&cut-to=4");
    await expect(rest(page)).toContainText("so nobody notices");
    await more(page);
    await figure(page).getByText("All work", { exact: true }).click({ force: true });
    await expect(figure(page).locator(".circle .broken")).toHaveAttribute("d", "");
  });

  await step(page, "64 ranks: sixteen labels, a chunk in flight from each, and nothing moves for those who do not want it", async () => {
    await load(page, "ranks=64&step=20");
    await expect(figure(page).locator(".circle .rank")).toHaveCount(16);
    await page.keyboard.press("ArrowRight");
    await expect(figure(page).locator(".flights i")).toHaveCount(64);
    await page.emulateMedia({ reducedMotion: "reduce" });
    await expect(figure(page).locator(".flights")).toBeHidden();
    await page.setViewportSize({ width: 360, height: 780 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect(await axe(page, "figure")).toEqual([]);
  });
});

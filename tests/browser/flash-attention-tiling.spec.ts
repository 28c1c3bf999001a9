// The widget `flash-attention-tiling`: what moves in a step, both algorithms' loops, the softmax of a row, links, long sequences.
import type { Page } from "@playwright/test";
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, rest } = widget("flash-attention-tiling");

const place = (page: Page) => figure(page).locator(".transport-place");
const quantity = (page: Page, id: string) => figure(page).locator(`output[data-quantity="${id}"]`);
const moves = (page: Page, line: number) => figure(page).locator(".tiling-moves dd").nth(line).locator(".tag");

test("traffic, loops and blocks are the paper's, what does not fit is named, and a long sequence fits a phone", async ({ page }) => {
  await step(page, "the paper's traffic: four squares against 2Nd + Tc(3Nd + 4N)", async () => {
    const [n, d] = [1024, 64];
    await open(page, `seq=${n}&head_dim=${d}&heads=1&sram=102400&dtype=fp32`);
    const rounds = Math.ceil(n / Math.ceil(102400 / 4 / (4 * d)));
    await expect(quantity(page, "hbm-standard")).toHaveAttribute("data-value", String(4 * (4 * n * n + 4 * n * d)));
    await expect(quantity(page, "hbm-flash")).toHaveAttribute("data-value", String(4 * (2 * n * d + rounds * (3 * n * d + 4 * n))));
    await expect(quantity(page, "hbm-so-far")).toHaveAttribute("data-value", "0");
    await page.keyboard.press("End");
    await expect(place(page)).toHaveText(`Step ${rounds * 16} of ${rounds * 16}`);
    await expect(quantity(page, "hbm-so-far")).toHaveAttribute("data-value", String(4 * (2 * n * d + rounds * (3 * n * d + 4 * n))));
    await expect(rest(page)).toContainText("Row 100 of O, computed in fp32, is within");
  });

  await step(page, "the first version keeps keys and lets queries pass, the second the other way round", async () => {
    await open(page, "step=1");
    await expect(moves(page, 0)).toHaveText(["K₁", "V₁", "Q₁", "O₁", "m₁", "ℓ₁"]);
    await expect(moves(page, 1)).toHaveText(["O₁", "m₁", "ℓ₁"]);
    await page.keyboard.press("ArrowRight");
    await expect(moves(page, 0)).toHaveText(["Q₂", "O₂", "m₂", "ℓ₂"]);
    await figure(page).getByText("Flash-2", { exact: true }).click({ force: true });
    await expect(place(page)).toHaveText(/^Step 0 of/);
    await figure(page).getByRole("button", { name: "Step forward" }).click();
    await expect(moves(page, 0)).toHaveText(["Q₁", "K₁", "V₁"]);
    await expect(moves(page, 1)).toHaveCount(0);
    await expect.poll(() => new URL(page.url()).searchParams.get("algo")).toBe("flash2");
  });

  await step(page, "a row of sixteen tokens is put together from its blocks, and equals plain softmax", async () => {
    await open(page, "seq=16&head_dim=8&heads=1&block_q=4&block_k=4&algo=flash2&row=5&step=4");
    const panel = figure(page).locator(".tiling-row");
    await expect(panel).toContainText("No block of this row has been taken in");
    await page.keyboard.press("ArrowRight");
    await expect(panel).toContainText("1 of 4: keys 0 to 3");
    await expect(figure(page).locator(".tiling-chip .cell")).toHaveCount(16);
    await page.keyboard.press("End");
    await expect(panel).toContainText("Plain softmax, fp64");
    await expect(rest(page)).toContainText("Every row of O");
    await figure(page).locator("summary", { hasText: "The numbers" }).click();
    await expect(figure(page).locator("tbody tr", { hasText: "taken in" })).toHaveCount(4);
  });

  await step(page, "tiles that do not fit are named; a bad link says so and keeps the rest", async () => {
    await open(page, "block_q=512&block_k=512&step=banana&causal=true");
    await expect(rest(page)).toContainText("a kernel with these tiles would not start");
    await expect(rest(page)).toContainText("The mask hides 1 of 4 tiles");
    await expect(figure(page).locator(".problems li")).toHaveCount(1);
    await expect(figure(page).locator(".tiling-memory.over")).toHaveCount(1);
  });

  await step(page, "a long sequence is drawn with few elements, on a phone too", async () => {
    await page.setViewportSize({ width: 360, height: 780 });
    await open(page, "seq=65536&head_dim=128&block_q=64&block_k=64&algo=flash2&causal=true&step=300000");
    await expect(place(page)).toContainText("of 524");
    expect(await figure(page).locator(".tiling-picture *").count()).toBeLessThan(60);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect(await axe(page, "figure")).toEqual([]);
  });
});

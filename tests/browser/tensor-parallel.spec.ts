// The widget `tensor-parallel`: steps, splits, and the comparison with one rank.
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, rest } = widget("tensor-parallel");

const value = (page: Page, id: string) => figure(page).locator(`output[data-quantity="${id}"]`);

test("a layer is stepped through, cut otherwise, and comes to what one rank computes", async ({ page }) => {
  await open(page, "tp=8");
  // 8 sbh (t − 1)/t numbers of two bytes.
  await expect(value(page, "bytes-per-layer")).toHaveAttribute("data-value", String((8 * 8192 * 8192 * 7 * 2) / 8));
  await expect(value(page, "collectives-per-layer")).toHaveAttribute("data-value", "4");
  await page.keyboard.press("End");
  await expect(figure(page).locator(".transport-place")).toHaveText("Step 32 of 32");
  await expect(rest(page)).toContainText("are those of one rank");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(figure(page).locator(".equation .sign.exchange")).toContainText("All-reduce");
  await figure(page).locator('select[name="split"]').selectOption("column-column");
  await expect(value(page, "collectives-per-layer")).toHaveAttribute("data-value", "8");
  await expect(value(page, "matches-one-rank")).toHaveAttribute("data-value", "1");
  await expect(rest(page)).toContainText("Cut by columns and then rows it would be");
  await expect(figure(page).locator('input[name="sp"][value="true"]')).toBeDisabled();
});

// The widget `expert-grid`: a rank is pressed, and the groups that it shares are lit on both grids.
import { axe, expect, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, parameter, quantity, finding, rest } = widget("expert-grid");

test("a rank that is pressed shows its groups on both grids", async ({ page }) => {
  await open(page, "gpus=32&tp=4&ep=8&etp=1&group=ep");
  const grids = figure(page).locator(".presses");
  await expect(grids).toHaveCount(2);
  const rank = (grid: number, n: number) => grids.nth(grid).getByRole("button", { name: `rank ${n}`, exact: true });
  // The second replica of all experts: one row of the experts' grid, two of attention's.
  await rank(1, 13).click();
  await expect.poll(() => parameter(page, "rank")).toBe("13");
  await expect(finding(page)).toContainText("Ranks 8 to 15 have all 64 experts between them");
  for (const grid of [0, 1]) await expect(rank(grid, 13)).toHaveAttribute("aria-pressed", "true");
  // By keys: the one on the right is the next expert, and focus stays where it was put.
  await rank(1, 13).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await expect.poll(() => parameter(page, "rank")).toBe("14");
  await expect(rank(1, 14)).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Space");
  await expect.poll(() => parameter(page, "rank")).toBe("5");
  // Who sums gradients with it.
  await figure(page).getByLabel("Group", { exact: true }).selectOption("edp");
  await expect(finding(page)).toContainText("Ranks 5, 13, 21 and 29");
  expect(await quantity(page, "group-nodes")).toBe(4);
  // Cut as attention is, an expert has fewer replicas.
  const etp = figure(page).getByRole("slider", { name: "Expert tensor parallel, etp" });
  await etp.press("ArrowRight");
  await expect.poll(() => quantity(page, "edp")).toBe(2);
  await expect(rest(page)).toContainText("etp 1, ep 2, edp 0");
  expect(await axe(page, "figure")).toEqual([]);
});

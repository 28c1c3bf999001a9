// The widget `expert-grid`: a rank is pressed, and the groups that it shares are lit on both grids.
import { axe, expect, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, parameter, quantity, finding, rest } = widget("expert-grid");

test("a rank that is pressed shows its groups on both grids", async ({ page }) => {
  await open(page, "gpus=32&tp=4&ep=8&etp=1&group=ep");
  const panels = figure(page).locator(".eg-panel");
  const lit = (panel: number) => panels.nth(panel).locator("rect.lit, rect.chosen").evaluateAll((cells) => cells.map((cell) => Number(cell.getAttribute("data-rank"))).sort((a, b) => a - b));
  // The second replica of all experts: one row of the experts' grid, two of attention's.
  await panels.nth(1).locator("rect[data-rank='13']").click();
  await expect.poll(() => parameter(page, "rank")).toBe("13");
  await expect(finding(page)).toContainText("Ranks 8 to 15 have all 64 experts between them");
  expect([await lit(0), await lit(1)]).toEqual([[8, 9, 10, 11, 12, 13, 14, 15], [8, 9, 10, 11, 12, 13, 14, 15]]);
  // Who sums gradients with it.
  await figure(page).getByLabel("Group", { exact: true }).selectOption("edp");
  await expect.poll(() => lit(0)).toEqual([5, 13, 21, 29]);
  expect(await quantity(page, "group-nodes")).toBe(4);
  // Cut as attention is, an expert has fewer replicas.
  const etp = figure(page).getByRole("slider", { name: "Expert tensor parallel, etp" });
  await etp.press("ArrowRight");
  await expect.poll(() => quantity(page, "edp")).toBe(2);
  await expect(rest(page)).toContainText("etp 1, ep 6, edp 0");
  expect(await axe(page, "figure")).toEqual([]);
});

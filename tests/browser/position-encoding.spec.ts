// The widget `position-encoding`: a query and a key that are moved together, moved apart, and told apart by ALiBi instead.
import { axe, expect, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, parameter, quantity } = widget("position-encoding");

test("only the distance counts, and far pairs fade with ALiBi", async ({ page }) => {
  await open(page, "scheme=rope&distance=16&step=0");
  const hands = () => figure(page).locator(".dial path.hand").evaluateAll((all) => all.map((hand) => hand.getAttribute("d")));
  const [before, score] = [await hands(), await quantity(page, "score")];
  // Both are moved: the hands turn, the score does not change.
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => parameter(page, "step")).toBe("1");
  await expect.poll(hands).not.toEqual(before);
  expect(await quantity(page, "score")).toBe(score);
  // They are moved apart: it does.
  await figure(page).getByRole("slider", { name: "Distance, tokens" }).press("ArrowRight");
  await expect.poll(() => quantity(page, "score")).not.toBe(score);
  await figure(page).getByRole("combobox", { name: "Positions" }).selectOption({ label: "ALiBi: penalised by distance" });
  await expect(figure(page).locator(".fading-row")).toHaveCount(8);
  await expect.poll(async () => (await quantity(page, "penalty-steepest")) - Number(parameter(page, "distance")) / 2).toBeCloseTo(0, 9);
  expect(await axe(page, "figure")).toEqual([]);
});

// The widget `scaling-laws`: what a law says of a budget, by hand and by keyboard, and what limited text and serving change.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, quantity, parameter } = widget("scaling-laws");

test("laws, budgets and texts have their answers, by keys too", async ({ page }) => {
  await step(page, "each law has its answer, and the printed one is far from the others", async () => {
    await open(page, "compute=5.76e23&params=70e9");
    expect(await quantity(page, "optimal-ratio")).toBeCloseTo(18.27, 1);
    await figure(page).getByRole("button", { name: "What is printed?" }).click();
    await expect.poll(() => parameter(page, "law")).toBe("approach-3");
    expect(await quantity(page, "optimal-ratio")).toBeCloseTo(92.65, 1);
    await expect(figure(page).locator(".chart canvas")).toHaveAttribute("aria-label", /by seven laws/);
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "the budget slides by keyboard, and a chart is read by arrow keys", async () => {
    await open(page, "compute=1e22&params=10e9");
    const before = await quantity(page, "optimal-params");
    await figure(page).getByRole("slider", { name: "Budget, FLOPs" }).focus();
    await page.keyboard.press("PageUp");
    await expect.poll(() => quantity(page, "optimal-params")).toBeGreaterThan(before);
    const reader = figure(page).locator(".chart-reader");
    await reader.focus();
    await page.keyboard.press("ArrowRight");
    await expect(reader).toHaveAttribute("aria-valuetext", /\d/);
  });

  await step(page, "text runs out, and a model that is served is smaller", async () => {
    await open(page, "");
    await figure(page).getByRole("button", { name: "Short of text?" }).click();
    await expect.poll(() => quantity(page, "epochs")).toBeCloseTo(4, 6);
    await expect(figure(page)).toContainText("reads them 4 times");
    await figure(page).getByRole("button", { name: "For many users?" }).click();
    await expect.poll(() => quantity(page, "lean-params")).toBeLessThan(70e9);
    await expect(figure(page)).toContainText("to the same loss");
  });
});

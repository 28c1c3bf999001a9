// The widget `optimizer-step`: each rule on the bowl, stepped by keyboard, with its matrices.
import { axe, expect, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, quantity, parameter } = widget("optimizer-step");

test("SGD creeps and diverges, momentum arrives", async ({ page }) => {
  await open(page, "rule=sgd&lr=0.03&kappa=50&steps=300");
  const sgd = await quantity(page, "arrives");
  await figure(page).getByRole("button", { name: "momentum", exact: true }).click();
  await expect.poll(() => quantity(page, "arrives")).toBeLessThan(sgd);
  await figure(page).getByRole("button", { name: "SGD diverges" }).click();
  await expect(figure(page).locator(".finding")).toContainText("runs away");
  expect(await axe(page)).toEqual([]);
});

test("a step is shown in matrices", async ({ page }) => {
  await open(page, "rule=adam&lr=0.1&kappa=50");
  await figure(page).getByRole("slider", { name: /Step/ }).focus();
  await page.keyboard.press("Home");
  await expect.poll(() => parameter(page, "step")).toBe("1");
  await expect(figure(page).locator(".formulas")).toContainText("β₂ V");
  await expect(figure(page).locator(".step-in-matrices table")).toContainText("0.1");
});

// The widget `optimizer-step`: each rule on the bowl, stepped by keyboard, with its matrices.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, quantity, parameter } = widget("optimizer-step");

test("optimizers arrive or diverge, and a step is shown in matrices", async ({ page }) => {
  await step(page, "SGD creeps and diverges, momentum arrives", async () => {
    await open(page, "rule=sgd&lr=0.009&kappa=200&steps=300");
    const sgd = await quantity(page, "arrives");
    await figure(page).getByRole("button", { name: "momentum", exact: true }).click();
    await expect.poll(() => quantity(page, "arrives")).toBeLessThan(sgd);
    await figure(page).getByRole("button", { name: "SGD diverges" }).click();
    await expect(figure(page).locator(".finding")).toContainText("runs away");
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "a step is shown in matrices", async () => {
    await open(page, "rule=adam&lr=0.1&kappa=50");
    await figure(page).getByRole("slider", { name: "Step", exact: true }).focus();
    await page.keyboard.press("Home");
    await expect.poll(() => parameter(page, "step")).toBe("1");
    await expect(figure(page).locator(".formulas")).toContainText("β₂ V");
    await expect(figure(page).locator(".step-in-matrices table")).toContainText("0.1");
  });
});

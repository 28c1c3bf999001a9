// The widget `parallel-machines`: a computation is played on each machine, and what it leaves idle is seen and counted.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, quantity, parameter } = widget("parallel-machines");

test("a ragged tail, messages, activations and far memory are seen", async ({ page }) => {
  await step(page, "a ragged tail is seen in the last step", async () => {
    await open(page, "work=update&machine=cpu&lanes=8&units=4&n=100");
    expect(await quantity(page, "steps")).toBe(4);
    expect(await quantity(page, "masked")).toBe(28);
    await figure(page).getByRole("slider", { name: "Step", exact: true }).focus();
    await page.keyboard.press("End");
    await expect(figure(page).locator(".machines rect.works")).toHaveCount(4);
    await expect(figure(page).locator(".machines rect.masked")).toHaveCount(28);
    await expect(figure(page).locator(".machines-step")).toContainText("4 of 32 lanes work");
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "messages fly between nodes, activations march through an array", async () => {
    await open(page, "work=reduce&machine=nodes&lanes=8&units=4&n=100&step=8");
    await expect(figure(page).locator(".machines .message").first()).toBeVisible();
    await figure(page).getByRole("button", { name: "8 × 8 array" }).click();
    await expect.poll(() => parameter(page, "machine")).toBe("systolic");
    await figure(page).getByRole("combobox", { name: "Computation" }).selectOption("product");
    expect(await quantity(page, "steps")).toBe(22);
  });

  await step(page, "memory that one thread touched first is far for half of the cores", async () => {
    await open(page, "work=update&n=64");
    await figure(page).getByRole("button", { name: "memory touched by one" }).click();
    await expect(figure(page).locator(".machines .memory.far")).toHaveCount(2);
    expect(await quantity(page, "far")).toBeGreaterThan(0);
  });
});

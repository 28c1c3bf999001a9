// The widget `training-run`: a budget in one unit gives the others, published runs come out, and each view says its own.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, quantity, parameter } = widget("training-run");

test("days, tokens and views are of one run, a published run stands beside it, and what is impossible is said", async ({ page }) => {
  await step(page, "days become tokens, tokens become days", async () => {
    await open(page, "params=70e9&gpus=1024&given=days&days=30&mfu=0.4&attention=none");
    const tokens = await quantity(page, "tokens-seen");
    expect(tokens / 2.5e12).toBeCloseTo(1, 2);
    await figure(page).getByRole("slider", { name: "GPUs", exact: true }).focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => parameter(page, "gpus")).toBe("2048");
    expect((await quantity(page, "tokens-seen")) / tokens).toBeCloseTo(2, 6);
    await figure(page).getByRole("radio", { name: "money" }).check({ force: true });
    await expect(figure(page).getByRole("slider", { name: "Money" })).toBeVisible();
    await expect(figure(page).getByRole("slider", { name: "Days" })).toBeHidden();
    expect(await quantity(page, "cost")).toBeCloseTo(2e6, -1);
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "a published run stands beside what is computed, until something is changed", async () => {
    await open(page, "");
    await figure(page).getByRole("button", { name: "BLOOM 176B" }).click();
    const published = figure(page).locator(".published");
    await expect(published).toContainText("-13.2%");
    await figure(page).getByRole("button", { name: "GPT-3 175B" }).click();
    await expect(published).toContainText("14.8 days");
    await figure(page).getByRole("slider", { name: "MFU" }).focus();
    await page.keyboard.press("ArrowRight");
    await expect(published).toHaveCount(0);
  });

  await step(page, "batch, learning rate and optimizers are views of the same run", async () => {
    await open(page, "critical=2097152&batch=2097152");
    const finding = figure(page).locator(".finding");
    await figure(page).getByRole("radio", { name: "batch", exact: true }).check({ force: true });
    await expect(finding).toContainText("2 times the fewest");
    await figure(page).getByRole("radio", { name: "rate", exact: true }).check({ force: true });
    await expect(finding).toContainText("learning rate rises");
    await figure(page).getByRole("radio", { name: "optimizers" }).check({ force: true });
    await expect(finding).toContainText("AdamW keeps");
  });

  await step(page, "what is impossible is said, and nothing is lost", async () => {
    await open(page, "params=70e9&total=37e9");
    await expect(figure(page).getByText("Not possible: ")).toContainText("A token cannot use more");
  });
});

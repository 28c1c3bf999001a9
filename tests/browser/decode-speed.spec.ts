// The widget `decode-speed`: a pass over the batch, drafting, and the form of the weights.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, finding, open, quantity, parameter } = widget("decode-speed");

test("drafts and bits pay where they should, and weights that do not fit are said", async ({ page }) => {
  await step(page, "a draft pays for one user and not for a thousand", async () => {
    await open(page, "view=draft&model=llama-3-70b&tp=4&draft=llama-3.2-1b&drafted=4&alpha=0.7&context=128&batch=1&reach=peak");
    expect(await quantity(page, "speedup")).toBeGreaterThan(1.7);
    const batch = figure(page).getByRole("slider", { name: "Batched sequences" });
    await batch.focus();
    await page.keyboard.press("End");
    await expect.poll(() => quantity(page, "speedup")).toBeLessThan(1);
    await expect(finding(page)).toContainText("times as fast");
    await expect.poll(() => parameter(page, "batch")).toBe("2048");
    await expect(figure(page).locator(".one-picture")).toBeVisible();
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "four bits are four times as fast for one user with a short context", async () => {
    await open(page, "view=weights&model=llama-3-8b&quant=int4&batch=1&context=1&reach=peak");
    expect(await quantity(page, "speedup-bits")).toBeCloseTo(3.2, 1);
    await figure(page).getByRole("button", { name: "8B, long contexts" }).click();
    await expect.poll(() => parameter(page, "view")).toBe("pass");
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "weights that do not fit are said, and no number of another model is shown", async () => {
    await open(page, "model=llama-3-70b&tp=1");
    await expect(figure(page).getByText(/^Not possible: The weights take/)).toBeVisible();
    await expect(figure(page).locator(".one-picture")).toBeHidden();
    await expect(figure(page).locator("output[data-value]")).toHaveCount(0);
    await expect(figure(page).locator('output[data-quantity="weight-bytes"]')).toHaveText("–");
  });
});

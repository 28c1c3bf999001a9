// The widget `pass-at-k`: both estimates, many draws, a benchmark, and results of one's own.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, finding, open, parameter, quantity } = widget("pass-at-k");

test("tries are estimated, drawn one by one, and scored from what is pasted", async ({ page }) => {
  await step(page, "four of ten: the unbiased estimate is 1 − 6/252, and fewer tries are fewer", async () => {
    await open(page, "view=estimate&n=10&c=4&k=5");
    expect(await quantity(page, "pass-at-k")).toBeCloseTo(1 - 6 / 252, 12);
    expect(await quantity(page, "plug-in")).toBeCloseTo(1 - 0.6 ** 5, 12);
    const k = figure(page).getByRole("slider", { name: /^Tries k/ });
    await k.focus();
    for (let i = 0; i < 4; i += 1) await page.keyboard.press("ArrowLeft");
    await expect.poll(() => quantity(page, "pass-at-k")).toBeCloseTo(0.4, 12);
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "more draws come one by one, and the truth is between them", async () => {
    await open(page, "view=draws&n=10&c=2&k=5&draws=0");
    const place = figure(page).locator(".transport-place");
    await expect(place).toHaveText("0 of 400 draws");
    await figure(page).getByRole("button", { name: "Step forward" }).click();
    await expect(place).toHaveText("1 of 400 draws");
    await figure(page).getByRole("button", { name: "To the end", exact: true }).click();
    await expect(place).toHaveText("400 of 400 draws");
    await expect(finding(page)).toContainText("too low by");
  });

  await step(page, "pasted results are scored, and a wrong line is named and kept", async () => {
    await open(page, "");
    const field = figure(page).getByRole("textbox", { name: /^Your results/ });
    await field.fill("a 2/4\nb 5/4\nc 4/4");
    await expect(figure(page).locator(".lined-remarks")).toContainText("Of 4 samples at most 4 can pass");
    await expect(field).toHaveValue("a 2/4\nb 5/4\nc 4/4");
    await field.fill("a 2/4\nb 0/4\nc 4/4");
    await expect.poll(() => parameter(page, "view")).toBe("benchmark");
    expect(await quantity(page, "benchmark-problems")).toBe(3);
    await expect(finding(page)).toContainText("Your 3 problems");
    await figure(page).getByRole("button", { name: /^Clear/ }).click();
    await expect(finding(page)).toContainText("164 problems");
  });
});

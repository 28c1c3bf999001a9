// The widget `first-steps`: what a GPU holds through its first steps, where a run dies, and peaks that were measured.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, finding, open, quantity, parameter } = widget("first-steps");

test("runs die or live, and more ranks divide their moments", async ({ page }) => {
  await step(page, "three runs die at three moments, one lives, and a measured peak lies over the model", async () => {
    await open(page, "");
    await expect(figure(page).locator(".chart canvas").first()).toBeVisible();
    await expect(finding(page)).toContainText("It lives");
    const deaths = [
      ["dies at step 1", "in optimizer.step() of step 1"],
      ["dies at step 2", "in the passes of step 2"],
      ["dies at step 3,000", /at step 3\D000/],
    ] as const;
    for (const [name, words] of deaths) {
      await figure(page).getByRole("button", { name, exact: true }).click();
      await expect(finding(page)).toContainText(words);
      expect(await quantity(page, "step-1-passes")).toBeLessThan(80e9);
    }
    await figure(page).getByRole("button", { name: "measured, tp 2 × dp 4" }).click();
    await expect(figure(page)).toContainText("Measured on eight B200s");
    await expect.poll(() => parameter(page, "tp")).toBe("2");
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "more ranks divide the moments, and the second step needs less", async () => {
    await open(page, "zero=1&dp=2&seq=4096");
    const [first, second] = [await quantity(page, "step-1-passes"), await quantity(page, "step-2-passes")];
    expect(second - first).toBeGreaterThan(30e9);
    await figure(page).getByRole("slider", { name: "Data-parallel ranks" }).press("End");
    await expect.poll(() => quantity(page, "step-2-passes")).toBeLessThan(second - 30e9);
  });
});

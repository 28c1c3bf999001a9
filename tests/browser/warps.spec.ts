// A warp scheduler cycle by cycle, and a warp at a branch.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

test.describe("warp-scheduler", () => {
  const { figure, finding, load, open, parameter, quantity, rest } = widget("warp-scheduler");

  test("more warps fill the cycles, which are stepped by keys", async ({ page }) => {
    await step(page, "more warps fill the cycles, and so do more loads", async () => {
      await open(page, "warps=1");
      await expect(finding(page)).toContainText("With one warp");
      const alone = await quantity(page, "issue-utilization");
      await figure(page).getByRole("button", { name: "Enough warps" }).click();
      await expect.poll(() => quantity(page, "issue-utilization")).toBeGreaterThan(5 * alone);
      await expect(rest(page)).toContainText("are enough");
      await expect(figure(page).locator(".warps-names span")).toHaveCount(10);
      await figure(page).getByRole("button", { name: "Four warps, four loads in flight" }).click();
      await expect.poll(() => quantity(page, "enough")).toBeLessThan(10);
      expect(await axe(page, "figure")).toEqual([]);
    });

    await step(page, "it is stepped by keys, and says what the cycle does", async () => {
      await load(page, "warps=2&step=0");
      await expect(figure(page).locator(".warps-rows rect")).toHaveCount(0);
      await page.keyboard.press("ArrowRight");
      await expect.poll(() => parameter(page, "step")).toBe("1");
      await expect(rest(page)).toContainText("Cycle 1: warp 1 issues a load.");
      await page.keyboard.press("End");
      await expect.poll(() => parameter(page, "step")).toBe("4096");
    });
  });
});

test.describe("warp-divergence", () => {
  const { figure, finding, open, quantity } = widget("warp-divergence");

  test("both ways are issued until whole warps choose", async ({ page }) => {
    await open(page, "by=odd&first=4&other=4");
    await expect(finding(page)).toContainText("issues 10 instructions where no lane executes more than 6");
    expect(await quantity(page, "lane-efficiency")).toBeCloseTo(0.6);
    await figure(page).getByRole("button", { name: "Repaired: whole warps" }).click();
    await expect.poll(() => quantity(page, "lane-efficiency")).toBe(1);
    await expect(figure(page).locator("rect.masked")).toHaveCount(0);
    expect(await axe(page, "figure")).toEqual([]);
  });
});

// The widget `stragglers`: one step of many ranks, what one slow rank costs all, and what spares are worth.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, finding, open, quantity, parameter } = widget("stragglers");

test("the slow rank is found, replaced, and charted over the number of ranks", async ({ page }) => {
  await step(page, "the slow rank is the one that does not wait", async () => {
    await open(page, "");
    await expect(finding(page)).toContainText("One rank that is 40% slower makes all");
    await expect(figure(page).locator(".one-picture svg")).toHaveAttribute("aria-label", /40% slower/);
    expect(await quantity(page, "waiting")).toBeGreaterThan(0.25);
    expect(await quantity(page, "straggler-waiting")).toBeLessThan(0.02);
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "a spare takes the slow rank’s place, and backup workers also buy off pauses", async () => {
    await open(page, "ranks=4096");
    const untreated = await quantity(page, "slowdown");
    await figure(page).getByRole("button", { name: "swapped for a spare" }).click();
    await expect.poll(() => parameter(page, "cure")).toBe("swap");
    const swapped = await quantity(page, "slowdown");
    await figure(page).getByRole("button", { name: "backup workers" }).click();
    await expect.poll(() => quantity(page, "slowdown")).toBeLessThan(swapped - 0.05);
    expect(swapped).toBeLessThan(untreated);
  });

  await step(page, "over the number of ranks", async () => {
    await open(page, "view=size&slow=0");
    await expect(figure(page).locator(".chart canvas").first()).toBeVisible();
    const few = await quantity(page, "slowdown");
    await figure(page).getByRole("slider", { name: "Ranks" }).press("End");
    await expect.poll(() => parameter(page, "ranks")).toBe("16384");
    await expect.poll(() => quantity(page, "slowdown")).toBeGreaterThan(few);
    expect(await axe(page, "figure")).toEqual([]);
  });
});

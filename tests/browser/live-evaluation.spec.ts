// The widget `live-evaluation`: programs run one by one, each can be looked at, and one's own is judged.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, finding, open, quantity } = widget("live-evaluation");

test("programs run and are scored, a cell shows its program, and one's own is judged", async ({ page }) => {
  await step(page, "programs run one by one, and the score is there when each problem has k", async () => {
    await open(page, "n=5&k=2&run=0");
    await expect(finding(page)).toContainText("Run so far: 0 programs");
    await figure(page).getByRole("button", { name: "Step forward" }).click();
    await expect(figure(page).locator(".live-cells .cell:not([disabled])")).toHaveCount(1);
    await figure(page).getByRole("button", { name: "To the end", exact: true }).click();
    await expect(finding(page)).toContainText("After 40 runs pass@2 is");
    expect(await quantity(page, "programs")).toBe(40);
    const counts = await Promise.all(["passed", "wrong", "errors", "refused", "stopped"].map((name) => quantity(page, name)));
    expect(counts.reduce((a, b) => a + b)).toBe(40);
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "a cell shows its program, and six tests pass fewer than three", async () => {
    await open(page, "n=20&k=5&tests=base");
    const three = await quantity(page, "passed");
    const cell = figure(page).getByRole("button", { name: /^. total, sample 2:/ });
    await cell.click();
    await expect(cell).toHaveAttribute("aria-pressed", "true");
    await expect(figure(page).locator(".live-program")).toContainText("total(xs) =");
    await figure(page).getByRole("radio", { name: "6 of each" }).check();
    await expect.poll(() => quantity(page, "passed")).toBeLessThan(three);
  });

  await step(page, "one's own program is judged, and what is wrong with it is said at its line", async () => {
    await open(page, "problem=0");
    const field = figure(page).getByRole("textbox", { name: /^Your own program for gap/ });
    await field.fill("gap(a, b) = if a > b then a - b");
    await expect(figure(page).locator(".lined-remarks")).toContainText("Expected “else”");
    await field.fill("gap(a, b) = gap(a, b)");
    await expect(figure(page).locator(".live-own [role=status]")).toContainText("stopped");
    await field.fill("gap(a, b) = abs(a - b)");
    await expect(figure(page).locator(".live-own [role=status]")).toContainText("All 3 tests pass");
  });
});

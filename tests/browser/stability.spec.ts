// The figures of chapter 20: sums in many orders, streams of ranks, and runs in which something is wrong.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

test.describe("reduction-order", () => {
  const { figure, finding, open, parameter, quantity } = widget("reduction-order");

  test("orders and one’s own numbers are summed, bit by bit, step by step, and on the GPU", async ({ page }) => {
    await step(page, "an order is looked at by a press, and its bits from the first that is wrong stand out", async () => {
      await open(page, "");
      const order = (name: string) => figure(page).getByRole("button", { name });
      await expect(order("left to right").first()).toHaveAttribute("aria-pressed", "true");
      const wrong = await quantity(page, "bits");
      expect(await order("left to right").first().locator("b").textContent()).not.toBe("");
      await order("exact, rounded once").click();
      await expect.poll(() => parameter(page, "order")).toBe("exact");
      await expect(figure(page).locator(".finding-rest")).toContainText("is the exact sum, rounded once");
      expect(await quantity(page, "bits")).not.toBe(wrong);
      await expect(order("exact, rounded once").locator("b")).toHaveText("");
    });

    await step(page, "one’s own numbers are summed; what is none stays, with a message beside it", async () => {
      await open(page, "data=own&order=sequential");
      expect(await quantity(page, "sum")).toBe(1);
      const field = figure(page).getByLabel("Your numbers");
      await field.fill("16777216, 1, 1");
      await field.press("Enter");
      await expect.poll(() => quantity(page, "sum")).toBe(16777216);
      await field.fill("16777216, one");
      await field.press("Enter");
      await expect(figure(page).getByText("“one” is no number that fp32 holds")).toBeVisible();
      await expect(field).toHaveValue("16777216, one");
      expect(await quantity(page, "sum")).toBe(16777216);
    });

    await step(page, "one bit grows over the steps of a run, and nothing does not", async () => {
      await open(page, "show=steps");
      expect(await quantity(page, "apart-last")).toBeGreaterThan(0.1);
      await figure(page).getByLabel("Difference at the start").selectOption("nothing");
      await expect(finding(page)).toContainText("agree in every bit");
      expect(await axe(page, "figure")).toEqual([]);
    });

    await step(page, "six kernels sum on the GPU, or on the CPU in the same orders, and their bits are compared", async () => {
      await open(page, "show=gpu&n=4096");
      await figure(page).getByRole("button", { name: "Run all six" }).click();
      await expect(finding(page)).toContainText("6 orders come to", { timeout: 60_000 });
      await expect(figure(page).locator("td.code", { hasText: /^[01 ]{34}$/ })).toHaveCount(6);
    });
  });
});

test.describe("seed-streams", () => {
  const { figure, finding, open, parameter, quantity } = widget("seed-streams");

  test("pressing cells takes the damage away, one after the other", async ({ page }) => {
    await open(page, "");
    expect(await quantity(page, "columns")).toBe(8);
    const press = (name: string) => figure(page).getByRole("button", { name }).click();
    await press("Initial weights over tensor-parallel ranks: equal");
    await expect.poll(() => parameter(page, "init-tp")).toBe("different");
    expect(await quantity(page, "columns")).toBe(16);
    await press("Order of the data over data-parallel replicas: equal");
    await press("Dropout, whole tensors over data-parallel replicas: equal");
    await press("Dropout, sharded tensors over tensor-parallel ranks: equal");
    await expect.poll(() => quantity(page, "loss")).toBe(await quantity(page, "right-loss"));
    await press("Order of the data over pipeline stages: equal");
    await expect(finding(page)).toContainText("with the right streams at");
    expect(await quantity(page, "loss")).toBeGreaterThan(1.9);
    expect(await axe(page, "figure")).toEqual([]);
  });
});

test.describe("loss-detective", () => {
  const { figure, finding, open, quantity } = widget("loss-detective");

  test("the same data brings the spike back, other data does not, and the cause is told when it is asked for", async ({ page }) => {
    await open(page, "case=c&act=rewind");
    const spike = await quantity(page, "behind");
    expect(spike).toBeGreaterThan(50);
    await figure(page).getByLabel("Response", { exact: true }).selectOption("skip");
    await expect.poll(() => quantity(page, "behind")).toBeLessThan(5);
    await expect(finding(page)).toContainText("ends at a loss of");
    await expect(figure(page).getByText("remembers it")).toHaveCount(0);
    await figure(page).getByRole("button", { name: "What was wrong?" }).click();
    await expect(figure(page).getByText("remembers it")).toBeVisible();
    await expect(figure(page).locator(".one-picture canvas")).toHaveCount(6);
    expect(await axe(page, "figure")).toEqual([]);
  });
});

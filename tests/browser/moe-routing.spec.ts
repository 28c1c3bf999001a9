// The widget `moe-routing`: a layer is played step by step, imbalance is caused and repaired, and what dominates is said.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, finding, rest, more, open, quantity, parameter } = widget("moe-routing");

test("a layer is played, repaired and kept off the network, and an impossible spread is said", async ({ page }) => {
  await step(page, "a layer is played from scores to what it takes, and the drawing does not jump", async () => {
    await open(page, "model=mixtral-8x7b&skew=1&capacity=1&step=1");
    const drawing = figure(page).locator(".moe");
    await expect(drawing.locator("path.chosen")).toHaveAttribute("d", "");
    const before = await drawing.boundingBox();
    await figure(page).getByRole("slider", { name: "Step", exact: true }).focus();
    await page.keyboard.press("ArrowRight");
    await expect(drawing.locator("path.chosen")).not.toHaveAttribute("d", "");
    await expect(drawing.locator("path.dropped")).toHaveAttribute("d", "");
    await page.keyboard.press("ArrowRight");
    await expect(drawing.locator("path.dropped")).not.toHaveAttribute("d", "");
    await expect(drawing.locator(".loads .says")).toContainText("room for");
    await page.keyboard.press("End");
    await expect(drawing.locator(".time rect")).toHaveCount(3);
    expect((await drawing.boundingBox())?.height).toBe(before?.height);
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "imbalance is caused by popular experts and repaired by a bias", async () => {
    await open(page, "model=mixtral-8x7b&skew=0");
    const even = await quantity(page, "busiest");
    await figure(page).getByRole("button", { name: "collapse" }).click();
    await expect.poll(() => quantity(page, "busiest")).toBeGreaterThan(2 * even);
    expect(await quantity(page, "dropped")).toBeGreaterThan(0.2);
    await expect(finding(page)).toContainText("find no room");
    await figure(page).getByRole("radio", { name: "by a bias" }).check({ force: true });
    await expect.poll(() => quantity(page, "busiest")).toBeLessThan(1.5);
    await expect(rest(page)).toContainText("The balance moved");
  });

  await step(page, "one copy for each node takes bytes off the network", async () => {
    await open(page, "model=deepseek-v3&ep=64&capacity=0&skew=0");
    const before = await quantity(page, "between-bytes");
    await expect(rest(page)).toContainText("sending dominates");
    await more(page);
    await figure(page).getByRole("combobox", { name: "Dispatch copies" }).selectOption("nodes");
    await expect.poll(() => parameter(page, "sending")).toBe("nodes");
    expect(await quantity(page, "between-bytes")).toBeLessThan(0.6 * before);
  });

  await step(page, "a spread that is impossible is said, and no drawing of another state stays", async () => {
    await open(page, "model=mixtral-8x7b&ep=16");
    await expect(figure(page).getByRole("alert").filter({ hasText: "8 experts do not spread evenly over 16 GPUs" })).toBeVisible();
    await expect(figure(page).locator(".moe .scores svg")).toBeHidden();
  });
});

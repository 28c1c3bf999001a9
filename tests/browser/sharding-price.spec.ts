// The widget `sharding-price`: every way of sharding side by side.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, finding, open, quantity, parameter } = widget("sharding-price");

test("a row is chosen by a press, and GPUs that do not fill their nodes are told so", async ({ page }) => {
  await step(page, "a row is chosen by a press; hybrid sharding saves between nodes with accumulation only", async () => {
    await open(page, "");
    const rows = figure(page).locator(".presses").first().getByRole("button");
    await expect(rows).toHaveCount(8);
    const full = await quantity(page, "leaving");
    await rows.nth(6).click();
    await expect.poll(() => parameter(page, "scheme")).toBe("hybrid-shard");
    await expect(finding(page)).toContainText("HYBRID_SHARD holds");
    const hybrid = await quantity(page, "leaving");
    expect(hybrid / full).toBeGreaterThan(0.85);
    await figure(page).getByRole("button", { name: "two nodes" }).click();
    await expect.poll(() => quantity(page, "leaving")).toBeLessThan(hybrid * 0.6);
    await figure(page).getByRole("button", { name: "70 B on 512 GPUs" }).click();
    await expect(figure(page).getByRole("button", { name: "HYBRID_SHARD: doesn’t fit", exact: true })).toBeVisible();
    await expect(figure(page)).toContainText("It does not fit");
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "GPUs that do not fill their nodes are told so", async () => {
    await open(page, "gpus=12&node=8");
    await expect(figure(page).locator('[role="alert"] .message')).toContainText("no multiple of 8");
  });
});

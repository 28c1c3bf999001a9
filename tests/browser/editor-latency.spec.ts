// The widget `editor-latency`: suffix first computes what was typed, prefix first the suffix too, and a model that doesn’t fit has no time.
import { axe, expect, test } from "./fixtures";
import { widget } from "./widget";

const { figure, finding, open, quantity } = widget("editor-latency");

test("the order decides what is computed again", async ({ page }) => {
  await open(page, "model=starcoder2-3b&order=psm&kept=prompt&context=8192");
  const late = await quantity(page, "latency");
  expect(await quantity(page, "computed")).toBe(2 + Math.floor(8192 * 0.3));
  await figure(page).getByRole("button", { name: "3B, suffix first" }).click();
  await expect.poll(() => quantity(page, "computed")).toBe(2);
  expect(await quantity(page, "latency")).toBeLessThan(late);
  await expect(finding(page)).toContainText("in time");
  await figure(page).getByRole("button", { name: "70B", exact: true }).click();
  await expect(finding(page)).toContainText("It doesn’t fit");
  expect(await quantity(page, "fits")).toBe(0);
  expect(await axe(page, "figure")).toEqual([]);
});

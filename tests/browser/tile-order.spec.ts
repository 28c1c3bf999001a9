// The widget `tile-order`: tiles row by row and in groups, wave by wave.
import { axe, expect, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, parameter, quantity, finding } = widget("tile-order");

test("the blocks of Triton's tutorial, and what the cache still has", async ({ page }) => {
  await open(page, "order=row-major&step=1");
  expect(await quantity(page, "wave-blocks")).toBe(90);
  await expect(finding(page)).toContainText("1 row and 9 columns");
  await figure(page).getByRole("radio", { name: "in groups" }).check();
  await expect.poll(() => parameter(page, "order")).toBe("grouped");
  expect(await quantity(page, "wave-blocks")).toBe(54);
  await expect(finding(page)).toContainText("all of them from memory");
  // The second wave finds the rows of A that the first has read.
  await figure(page).getByRole("button", { name: "Step forward" }).click();
  await expect.poll(() => parameter(page, "step")).toBe("2");
  await expect(finding(page)).toContainText("still in the L2");
  await expect(figure(page).locator(".transport-place")).toHaveText("Wave 2 of 9");
  // A cache for everything makes all orders alike.
  await figure(page).getByRole("slider", { name: "L2 capacity, blocks" }).press("End");
  await expect.poll(() => quantity(page, "blocks-read")).toBe(162);
  expect(await axe(page, "figure")).toEqual([]);
});

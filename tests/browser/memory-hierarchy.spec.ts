// The levels of a GPU's memory, and where one's data fit.
import { axe, expect, test } from "./fixtures";
import { widget } from "./widget";

const { figure, finding, open, quantity } = widget("memory-hierarchy");

test("data are placed where they fit, and every number says where it is from", async ({ page }) => {
  await open(page, "gpu=h100&bytes=16777216");
  await expect(finding(page)).toContainText("fit in the registers");
  await figure(page).getByRole("button", { name: "Weights of 8B in bf16" }).click();
  await expect(finding(page)).toContainText("fit in HBM");
  expect(await quantity(page, "read-hbm")).toBeCloseTo(16e9 / 3.35e12, 5);
  await figure(page).getByRole("button", { name: "An H800’s NVLink" }).click();
  await expect.poll(() => quantity(page, "nvlink-bandwidth")).toBe(200e9);
  await figure(page).locator("details.numbers summary").click();
  await expect(figure(page).getByRole("row", { name: /^the HBM of seven others/ })).toContainText("DeepSeek-V3");
  await figure(page).locator('select[name="gpu"]').selectOption("b200");
  await expect(figure(page).getByRole("row", { name: /^HBM/ })).toContainText("not published");
  expect(await axe(page, "figure")).toEqual([]);
});

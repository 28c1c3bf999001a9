// The widget `scaling-curve`: a step's parts add up, the questions have their answers, impossible states say why.
import type { Page } from "@playwright/test";
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, parameter } = widget("scaling-curve");

const value = async (page: Page, id: string) =>
  Number(await figure(page).locator(`output[data-quantity="${id}"]`).getAttribute("data-value"));
test("a step is made of work and waiting, and GPUs are added by keys", async ({ page }) => {
  await step(page, "work and waiting make the step, and every question has its reason", async () => {
    await open(page, "gpus=1024&nics=2");
    const parts = ["time-compute", "time-communication", "time-bubble", "time-straggle", "time-idle"];
    const sum = (await Promise.all(parts.map((id) => value(page, id)))).reduce((a, b) => a + b);
    expect(sum).toBeCloseTo(await value(page, "step-time"), 9);
    expect(await value(page, "speedup")).toBeCloseTo(1024 * (await value(page, "efficiency")), 6);
    const finding = figure(page).locator(".finding-rest");
    await figure(page).getByRole("button", { name: "Why is it not linear?" }).click();
    await expect(finding).toContainText("Most is lost to the wait for the slowest GPU");
    await figure(page).getByRole("button", { name: "What is saturation?" }).click();
    await expect(finding).toContainText("Most is lost to exposed communication");
    await expect.poll(() => parameter(page, "net")).toBe("eth-100");
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "the keyboard adds GPUs; what is no multiple of a replica is named", async () => {
    await open(page, "gpus=64");
    await figure(page).getByRole("slider", { name: "GPUs", exact: true }).focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => parameter(page, "gpus")).toBe("128");
    await expect(figure(page).getByRole("img", { name: "Speed as a multiple" })).toHaveAttribute("aria-label", /Speed as a multiple of one GPU/);
    await open(page, "gpus=12&tp=8");
    await expect(figure(page).getByText("Not possible")).toContainText("12 GPUs are no multiple of that.");
  });
});

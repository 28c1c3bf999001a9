// The widget `parallel-planner`: the best layout, the front by pointer and keyboard, pins, ranks, published runs, exports; a long
// search.
import type { Page } from "@playwright/test";
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, load, open, parameter, finding, rest } = widget("parallel-planner");

const chosen = (page: Page) => figure(page).locator(".planner-head b");
const output = (page: Page, id: string) => figure(page).locator(`output[data-quantity="${id}"]`);
const value = async (page: Page, id: string) => Number(await output(page, id).getAttribute("data-value"));

test("the fastest layout is found and pinned, the front is moved along by keys, and what is impossible is said", async ({ page }) => {
  await step(page, "finds the fastest layout, says why, and pins it", async () => {
    await open(page, "");
    await expect(chosen(page)).toHaveText("tp 8 · pp 8 · 6 chunks · dp 16 · ZeRO-1");
    await expect(figure(page).locator(".planner-reasons")).toContainText("pp 4:");
    await expect.poll(() => value(page, "layouts-valid")).toBeGreaterThan(40);
    await figure(page).getByRole("button", { name: "Pin this layout" }).click();
    await expect.poll(() => parameter(page, "pp")).toBe("8");
    await expect(finding(page)).toContainText("The layout that you fixed is tp 8");
    await figure(page).getByRole("button", { name: "Search all settings" }).click();
    await expect(figure(page).locator(".planner-progress")).toContainText("possible layouts fit");
    await expect.poll(() => value(page, "layouts-valid")).toBeGreaterThan(10_000);
    await expect.poll(() => parameter(page, "tp")).toBe("0");
  });

  await step(page, "moves along the front by keyboard, and shows where the ranks lie", async () => {
    await open(page, "");
    const slider = figure(page).getByLabel("Along the front");
    await slider.focus();
    await page.keyboard.press("End");
    await expect(figure(page).locator(".planner-head small")).toContainText("On the front");
    const smallest = await value(page, "memory");
    await page.keyboard.press("Home");
    await expect.poll(() => value(page, "memory")).toBeGreaterThan(smallest);
    const says = figure(page).locator(".mesh-says");
    await expect(says).toContainText("inside a node");
    await figure(page).locator(".mesh .segmented label", { hasText: "data" }).click();
    await expect(says).toContainText("its neighbours are 8 ranks away");
  });

  await step(page, "says why nothing is possible, and compares with published runs", async () => {
    await open(page, "tp=7");
    await expect(finding(page)).toContainText("No layout is possible");
    await open(page, "tp=8&pp=1");
    await expect(finding(page)).toContainText("No layout fits");
    await figure(page).getByText("Published runs, and how near").click();
    await expect(figure(page).locator(".published tbody tr")).toHaveCount(65);
    await expect(figure(page).locator(".published tbody tr").first()).toContainText("met");
  });
});

test("leaves as a configuration, without axe violations, on a small screen", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 780 });
  await open(page, "");
  await expect(chosen(page)).toContainText("tp 8");
  await figure(page).getByText("Take this layout with you").click();
  await expect(figure(page).locator(".export pre")).toContainText("--tensor-model-parallel-size 8");
  await figure(page).locator(".export .segmented label", { hasText: "torchtitan" }).click();
  // What it could not start is not written, and why is said in its place.
  await expect(figure(page).locator(".export .message")).toContainText("torchtitan brings its own models");
  await expect(figure(page).locator(".export pre")).toBeHidden();
  await load(page, "model=llama-3-70b&gpu=h100-80&nodes=64&link=nvlink4&net=ndr&seq=8192&batch=512&tp=8&pp=4&zero=3&vpp=1");
  await expect(chosen(page)).toContainText("pp 4");
  await figure(page).getByText("Take this layout with you").click();
  await figure(page).locator(".export .segmented label", { hasText: "torchtitan" }).click();
  await expect(figure(page).locator(".export pre")).toContainText("pipeline_parallel_degree = 4");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  expect(await axe(page, '[data-widget="parallel-planner"]')).toEqual([]);
});

const button = (page: Page, name: string) => figure(page).getByRole("button", { name, exact: true });

/** Has the page rest between slices, so that a long search lasts for seconds. */
const slow = (page: Page) =>
  page.addInitScript(() => {
    const later = window.setTimeout.bind(window);
    Object.assign(window, { setTimeout: (act: () => void, after?: number) => later(act, after || 400) });
  });

test("a search shows how far it is, can be stopped, and gives way to a newer one", async ({ page }) => {
  await slow(page);
  await open(page, "");
  await expect(chosen(page)).toHaveText("tp 8 · pp 8 · 6 chunks · dp 16 · ZeRO-1");
  const progress = figure(page).locator(".planner-progress");
  await button(page, "Search all settings").click();
  await expect(progress).toContainText("layouts so far");
  await button(page, "Stop").click();
  await expect(rest(page)).toContainText("The search was stopped");
  await expect(progress).toContainText("possible layouts fit");
  expect(await value(page, "layouts-valid")).toBeLessThan(10_000);

  await button(page, "Everything free").click();
  await expect(progress).toContainText("layouts so far");
  await button(page, "GPT-3 on 1024 A100").click();
  await expect(chosen(page)).toHaveText("tp 8 · pp 8 · 6 chunks · dp 16 · ZeRO-1");
  await expect.poll(() => value(page, "layouts-valid")).toBeLessThan(200);
  await expect(rest(page)).not.toContainText("stopped");
  await expect(button(page, "Stop")).toBeHidden();
});

// A warp's addresses: sectors, banks, and the same pattern timed.
import { axe, expect, ready, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, finding, open, parameter, quantity, rest } = widget("coalescing");

test("sectors and banks are counted lane by lane, and the pattern is timed", async ({ page }) => {
  await step(page, "a stride costs sectors, lane by lane", async () => {
    await open(page, "stride=8");
    await expect(finding(page)).toContainText("32 sectors of 32 B in 8 lines");
    await expect(figure(page).locator(".line")).toHaveCount(8);
    await figure(page).getByRole("button", { name: "To the start" }).click();
    await expect(finding(page)).toContainText("Before the first lane");
    await page.keyboard.press("ArrowRight");
    await expect(figure(page).locator(".lane.now")).toHaveText("0");
    await expect.poll(() => parameter(page, "step")).toBe("1");
    await figure(page).getByRole("button", { name: "Neighbours" }).click();
    await expect.poll(() => quantity(page, "efficiency")).toBe(1);
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "a column meets in one bank until it is padded or swizzled", async () => {
    await open(page, "memory=shared");
    await expect(finding(page)).toContainText("32-way bank conflict");
    expect(await quantity(page, "passes")).toBe(32);
    for (const repair of ["padding", "swizzle"]) {
      await figure(page).getByRole("radio", { name: repair }).check({ force: true });
      await expect.poll(() => quantity(page, "passes")).toBe(1);
    }
    await expect(figure(page).locator(".banks rect.used")).toHaveCount(32);
    await expect(figure(page).getByRole("button", { name: "Time it on this GPU" })).toBeDisabled();
    await expect(figure(page)).toContainText("Only patterns of global memory are timed.");
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "the pattern is timed beside a copy, and both ratios are said", async () => {
    await open(page, "stride=8&values=65536");
    await figure(page).getByRole("button", { name: "Time it on this GPU" }).click();
    await expect(figure(page).locator('[data-quantity="measured-ratio"]')).toHaveCount(1, { timeout: 90_000 });
    expect(await quantity(page, "measured-ratio")).toBeGreaterThan(0);
    await expect(rest(page)).toContainText(/times as long as a copy, and its traffic predicts 4\.5/);
    await expect(figure(page).locator(".timed-bar")).toHaveCount(2);
  });
});

test("without WebGPU the reason is said, and the drawing stays", async ({ page }) => {
  await page.route("**/gpu-worker-start-*.js", async (route) => {
    const response = await route.fetch();
    const hide = "Object.defineProperty(WorkerNavigator.prototype, 'gpu', { value: undefined });\n";
    await route.fulfill({ response, body: hide + (await response.text()) });
  });
  await page.goto("w/coalescing/?stride=8&values=65536");
  await ready(page);
  await figure(page).getByRole("button", { name: "Time it on this GPU" }).click();
  await expect(figure(page).locator(".timed")).toContainText("This browser has no WebGPU here.");
  await expect(figure(page).locator(".line")).toHaveCount(8);
});

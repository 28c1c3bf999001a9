// The figure of the first screen: a still picture in the page as served, then the widget in its place.
import { test as plain, type Page } from "@playwright/test";
import { axe, expect, hold, ready, step, still, test, visit } from "./fixtures";

const figure = (page: Page) => page.locator('.live-figure [data-widget="memory-breakdown"]');
const amount = (page: Page, id: string) =>
  figure(page).locator(`output[data-quantity="${id}"]`).getAttribute("data-value").then(Number);
const bytes = (page: Page) => expect.poll(() => amount(page, "total"));
const set = async (page: Page, name: string) =>
  new URLSearchParams((await page.locator('[data-widget="memory-breakdown"]').first().getAttribute("data-query"))!).get(name);

const open = (page: Page) => visit(page, "./");

/** A browser that was asked to load little. */
const saving = (page: Page) =>
  page.addInitScript(() => Object.defineProperty(navigator, "connection", { value: { saveData: true }, configurable: true }));

test("it is still in the page as served, with what it says, and the widget comes without being asked", async ({ page }) => {
  const go = await hold(page, "**/*.wasm");
  await page.goto("./");
  expect(await amount(page, "total")).toBe(480e9);
  await expect(figure(page).locator(".bar-row:visible")).toHaveCount(4);
  await expect(figure(page).locator(".finding")).toContainText("480");
  await expect(figure(page).getByText("395 GB more than the 84.9 GB it has")).toBeVisible();
  await expect(figure(page).locator("input:enabled, button:enabled")).toHaveCount(0);
  go();
  await expect(figure(page).getByRole("slider", { name: "Data-parallel ranks" })).toBeVisible();
  await expect(figure(page)).toHaveCount(1);
  expect(await amount(page, "total")).toBe(480e9);
});

test("whoever saves data fetches no code of it until something is done", async ({ page }) => {
  await saving(page);
  const modules = await still(page, "./");
  expect(modules).toHaveLength(1);
  await page.mouse.move(400, 400);
  await expect(figure(page).getByRole("slider", { name: "Data-parallel ranks" })).toBeVisible();
});

for (const [width, height] of [[1440, 900], [1024, 768], [390, 844]])
  test(`nothing moves when the widget takes the place of the picture: ${width} × ${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    const go = await hold(page, "**/chapter-03-*.wasm");
    await page.goto("./");
    await page.waitForSelector(".is-still");
    await page.evaluate(() => document.fonts.ready);
    const drawn = () => page.locator(".live-figure [data-drawing] .plot").boundingBox();
    const before = (await drawn())!;
    go();
    await ready(page);
    await expect(page.locator(".is-still")).toHaveCount(0);
    const after = (await drawn())!;
    for (const side of ["x", "y", "width", "height"] as const) expect(Math.abs(after[side] - before[side]), side).toBeLessThanOrEqual(2);
  });

/** A page that is alive, and whose widget is not there until it is let go. */
async function awake(page: Page) {
  const go = await hold(page, "**/chapter-03-*.wasm");
  await page.goto("./");
  await expect(page.locator("html[data-awake]")).toHaveCount(1);
  return async () => {
    go();
    await ready(page);
  };
}

test("a state that is wanted before the figure is alive is the one that it begins with", async ({ page }) => {
  const go = await awake(page);
  await page.keyboard.press("p");
  await expect(page.getByRole("button", { name: "The next state" })).toBeVisible();
  for (const place of ["1 of ", "2 of "]) {
    await page.keyboard.press("PageDown");
    await expect(page.getByRole("toolbar", { name: "Projector" })).toContainText(place);
  }
  await expect.poll(() => set(page, "zero")).not.toBeNull();
  const wanted = await set(page, "zero");
  await go();
  await expect(page.locator('[data-widget="memory-breakdown"] button[disabled]')).toHaveCount(0);
  expect(await set(page, "zero")).toBe(wanted);
});

// The console says it too.
plain("what cannot be downloaded is said, and comes when it is asked for again", async ({ page }) => {
  let fail = true;
  await page.route("**/chapter-03-*.wasm", (route) => (fail ? route.fulfill({ status: 200, body: "" }) : route.continue()));
  await open(page);
  const again = page.locator(".live-figure").getByRole("button", { name: "Try again" });
  await expect(again).toBeVisible();
  fail = false;
  await again.click();
  await expect(again).toHaveCount(0);
  await figure(page).getByRole("button", { name: "Make it fit" }).click();
  await expect.poll(() => set(page, "zero")).toBe("2");
});

test("the first figure is the one of its page, is used whole, and takes a state from outside", async ({ page }) => {
  await step(page, "the first figure and one of a widget page are the same", async () => {
    await open(page);
    const look = () =>
      figureOf(page).evaluate((root) => ({
        plot: root.querySelector(".plot")!.innerHTML,
        readings: root.querySelector(".readings")!.innerHTML,
        finding: root.querySelector(".finding")!.textContent,
        subtitle: root.querySelector(".figure-subtitle")!.textContent,
      }));
    const figureOf = (page: Page) => page.locator('[data-widget="memory-breakdown"]');
    const first = await look();
    await visit(page, "w/memory-breakdown/");
    expect(await look()).toEqual(first);
  });

  await step(page, "all of it is used: sliders, fields, lists, stages, the button and the numbers", async () => {
    await open(page);
    await figure(page).getByRole("button", { name: "Make it fit" }).click();
    await expect.poll(() => set(page, "zero")).toBe("2");
    await expect(figure(page).getByRole("radio", { name: /^ZeRO-2/ })).toBeChecked();
    await expect(figure(page).getByRole("button", { name: "Make it fit" })).toBeHidden();
    await expect(figure(page).locator(".verdict p")).toBeFocused();

    const slider = figure(page).getByRole("slider", { name: "Parameters" });
    await slider.press("Home");
    await expect(slider).toHaveAttribute("aria-valuetext", "10 M");
    const field = figure(page).getByRole("textbox", { name: /^Parameters/ });
    await expect(field).toHaveValue("10 M");
    await field.fill("many");
    await field.press("Enter");
    await expect(figure(page).getByText(/Parameters: a number from .+ “many” was not used\./)).toBeVisible();
    await expect(field).toHaveAttribute("aria-invalid", "true");
    await field.press("Escape");
    await expect(field).toHaveValue("10 M");
    await expect(field).not.toHaveAttribute("aria-invalid");
    await field.fill("30e9");
    await field.press("Enter");
    await expect(field).toHaveValue("30 B");
    await figure(page).getByLabel("GPU", { exact: true }).selectOption({ label: "A100 SXM 80 GB" });
    await figure(page).getByRole("radio", { name: /^DDP/ }).check();
    await bytes(page).toBe(30e9 * 16);
    await expect(figure(page).locator(".finding")).toContainText("480 GB");
    await expect(figure(page).getByRole("link", { name: "Open alone" })).toHaveAttribute("href", /gpu=a100-80/);
    await figure(page).getByText("The numbers").click();
    await expect(figure(page).getByRole("table").filter({ hasText: "GiB" }).first()).toBeVisible();
    expect(await axe(page, ".live-figure")).toEqual([]);
  });

  await step(page, "a state from outside is shown, and what of it cannot be used is said", async () => {
    await open(page);
    await figure(page).evaluate((root) => root.dispatchEvent(new CustomEvent("ringside-set", { detail: "zero=3&dp=8&colour=red" })));
    await bytes(page).toBe(60e9);
    await expect(figure(page).getByRole("alert").filter({ hasText: "colour" })).toBeVisible();
    await figure(page).evaluate((root) => root.dispatchEvent(new CustomEvent("ringside-set", { detail: "mode=inference" })));
    await expect(figure(page).locator(".bar-row:visible")).toHaveCount(1);
    await expect(figure(page).locator(".bar-row:visible b").first()).toHaveText("Serving");
  });
});

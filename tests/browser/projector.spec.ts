// A figure for the room: projected, stepped, blanked and resumed, from the keyboard alone.
import type { Page } from "@playwright/test";
import { contrast, expect, ready, test } from "./fixtures";
import { bar, figure, root } from "./room";

const state = (page: Page) => figure(page).first().getAttribute("data-query");

test("from the home page to a projected, stepped, blanked and resumed figure, and back, by keys alone", async ({ page }) => {
  await page.goto("./");
  await ready(page);
  const withheld = await page.locator("[inert]").count();
  await page.keyboard.press("p");
  await expect(root(page)).toHaveAttribute("data-projecting", "");
  await expect(figure(page)).toHaveAttribute("data-widget", "memory-breakdown");
  await expect(bar(page).getByRole("button", { name: "The next state" })).toBeVisible();
  await page.keyboard.press("PageDown");
  await expect(bar(page)).toContainText("1 of ");
  await page.keyboard.press("PageDown");
  await expect(bar(page)).toContainText("2 of ");
  await expect(figure(page)).toHaveAttribute("data-query", /zero=0/);
  await page.keyboard.press("1");
  await expect(bar(page)).toContainText("1 of ");
  const blank = page.getByRole("button", { name: "The screen is blank" });
  await page.keyboard.press("b");
  await expect(blank).toBeVisible();
  await page.keyboard.press(".");
  await expect(blank).toHaveCount(0);
  await page.keyboard.press("h");
  await expect(bar(page)).toBeHidden();
  await expect(page.locator(".projected .controls")).toBeHidden();
  await page.keyboard.press("h");
  await expect(bar(page)).toBeVisible();
  await page.keyboard.press("p");
  await expect(root(page)).not.toHaveAttribute("data-projecting");
  await expect(page.locator("[data-behind]")).toHaveCount(0);
  await expect(page.locator("[inert]")).toHaveCount(withheld);
  await expect(page.locator("h1")).toBeVisible();
});

test("a chapter's states are its slides, and one is a link", async ({ page }) => {
  await page.goto("chapter/pipeline-parallel/?present=3");
  await expect(bar(page)).toContainText("3 of ");
  const third = await page.locator("[data-slot-widget], a.see").nth(2).getAttribute("data-query");
  const [name, value] = third!.split("&")[0].split("=");
  // What the figure waits for is asked in large type; hands are counted; the next step answers.
  const question = page.getByRole("group", { name: "Prediction" });
  await expect(question).toContainText("share of the step");
  await expect(figure(page).first()).toHaveClass(/withheld/);
  for (const key of ["+", "+", "+", "-", "Enter", "+"]) await page.keyboard.press(key);
  await expect(question.locator(".hands-count")).toHaveText(["2", "1"]);
  expect(await contrast(page)).toEqual([]);
  await page.keyboard.press("ArrowRight");
  await expect(question).toHaveCount(0);
  await expect(bar(page)).toContainText("3 of ");
  await expect(figure(page).first()).not.toHaveClass(/withheld/);
  await expect.poll(() => state(page)).toContain(`${name}=${value}`);
  await page.keyboard.press("Space");
  await expect(page).toHaveURL(/present=4/);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("PageUp");
  await expect(page).toHaveURL(/present=2/);
  await page.keyboard.press("Escape");
  await expect(root(page)).not.toHaveAttribute("data-projecting");
  await expect(page).not.toHaveURL(/present/);
});

test("what is folded has a mark, and the next press visits it before the next state", async ({ page }) => {
  // A projector of the old shape: on a wider one the figure is whole.
  await page.setViewportSize({ width: 640, height: 480 });
  await page.goto("w/launch-doctor/?present");
  await expect(root(page)).toHaveAttribute("data-projecting", "");
  const mark = page.getByRole("button", { name: "More below" });
  await expect(mark).toBeVisible();
  const before = await state(page);
  const scrolled = () =>
    page.evaluate(() => Math.max(...[...document.querySelectorAll("[data-widget], .drawing, figcaption")].map((e) => e.scrollTop)));
  expect(await scrolled()).toBe(0);
  await page.keyboard.press("PageDown");
  await expect.poll(scrolled).toBeGreaterThan(50);
  expect(await state(page)).toBe(before);
  // The clicker goes back up too, and in the end on to what comes next.
  await page.keyboard.press("PageUp");
  await expect.poll(scrolled).toBe(0);
  for (let i = 0; i < 12 && (await mark.isVisible()); i++) {
    await page.keyboard.press("PageDown");
    await page.waitForTimeout(60);
  }
  await expect(mark).toHaveCount(0);
  await page.keyboard.press("PageDown");
  await expect(bar(page)).toContainText(/1 of \d/);
});

test("what makes a drawing higher after it was enlarged, such as a style sheet or a font that comes late, cuts nothing off", async ({ page }) => {
  await page.setViewportSize({ width: 1920, height: 1080 });
  await page.goto("w/rank-program/?present");
  await expect(root(page)).toHaveAttribute("data-projecting", "");
  await ready(page);
  const zoom = () => root(page).evaluate((html) => Number(html.style.getPropertyValue("--zoom")));
  const cut = () => figure(page).locator(".drawing").evaluate((drawing) => drawing.scrollHeight - drawing.clientHeight);
  await expect.poll(zoom).toBeGreaterThan(1);
  await expect.poll(cut).toBeLessThanOrEqual(2);
  const before = await zoom();
  await figure(page).locator(".drawing > *").first().evaluate((part: HTMLElement) => (part.style.minHeight = "640px"));
  await expect.poll(zoom).toBeLessThan(before);
  await expect.poll(cut).toBeLessThanOrEqual(2);
});

test("what is frozen stays while the figure goes on", async ({ page }) => {
  await page.goto("w/memory-breakdown/?present&params=30e9&zero=0");
  await expect(root(page)).toHaveAttribute("data-projecting", "");
  await expect(bar(page).getByRole("button", { name: "The next state" })).toBeVisible();
  const still = page.locator(".room-held output[data-quantity=total]");
  const live = page.locator('[data-widget] output[data-quantity="total"]').first();
  await page.keyboard.press("f");
  await expect(still).toBeVisible();
  const before = await still.textContent();
  await page.keyboard.press("3");
  await expect(live).not.toHaveText(before!);
  await expect(still).toHaveText(before!);
  await page.keyboard.press("f");
  await expect(still).toHaveCount(0);
  await expect(page).toHaveURL(/present/);
});

test("in a room nothing is for the hand: how-to sentences go, and buttons fade until something is touched", async ({ page }) => {
  await page.goto("w/pipeline-timeline/?present");
  await expect(root(page)).toHaveAttribute("data-projecting", "");
  await expect(page.locator(".projected .how-to")).toBeHidden();
  const leave = bar(page).getByRole("button", { name: "Leave" });
  await expect(leave).toHaveCSS("opacity", "1");
  await expect(root(page)).toHaveAttribute("data-resting", "", { timeout: 8000 });
  await expect(leave).toHaveCSS("opacity", "0");
  // Which state it is stays.
  await page.keyboard.press("PageDown");
  await expect(leave).toHaveCSS("opacity", "1");
  await expect(root(page)).toHaveAttribute("data-resting", "", { timeout: 8000 });
  await expect(bar(page).locator("p")).toHaveCSS("opacity", "1");
  await page.mouse.move(300, 300);
  await expect(leave).toHaveCSS("opacity", "1");
  await leave.click();
  await expect(root(page)).not.toHaveAttribute("data-resting");
});

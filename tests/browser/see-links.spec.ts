// Links of a chapter that put a figure into a state: seen where it changes, with the way back, and undone by Back.
import type { Page } from "@playwright/test";
import { axe, expect, ready, test } from "./fixtures";

const figure = (page: Page) => page.locator("#main [data-widget]");
const link = (page: Page, text: string) => page.locator("a.see", { hasText: text }).first();
const seen = (page: Page, selector: string) =>
  page.locator(selector).first().evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  });

async function open(page: Page) {
  await page.goto("chapter/transformer-anatomy/");
  await ready(page);
  const prediction = page.locator('[data-exercise="predict-gpt2"]');
  await prediction.getByRole("textbox").fill("124 M");
  await prediction.getByRole("button", { name: "Commit" }).click();
  await expect(figure(page)).not.toHaveClass(/withheld/);
}

test("a link shows the drawing that it changes, and leads back to its place in the text", async ({ page }) => {
  await open(page);
  const see = link(page, "See up_proj");
  await see.scrollIntoViewIfNeeded();
  await see.click();
  await expect(figure(page).locator('input[name="piece"][value="up_proj"]')).toBeChecked();
  await expect.poll(() => seen(page, "#main .drawing")).toBe(true);
  const back = page.getByRole("button", { name: "Back to the text" });
  await expect(back).toBeVisible();
  expect(await axe(page, ".way-back")).toEqual([]);
  await back.click();
  await expect(see).toBeInViewport();
  await expect(see).toBeFocused();
  await expect(back).toHaveCount(0);
  // The figure stays as it is.
  await expect(figure(page).locator('input[name="piece"][value="up_proj"]')).toBeChecked();
});

test("Back undoes a link and returns to it, Forward does it again", async ({ page }) => {
  await open(page);
  const before = await figure(page).getAttribute("data-query");
  const see = link(page, "See q_proj");
  await see.scrollIntoViewIfNeeded();
  await see.click();
  await expect(figure(page)).toHaveAttribute("data-query", /piece=q_proj/);
  await link(page, "See up_proj").click();
  await expect(figure(page)).toHaveAttribute("data-query", /piece=up_proj/);
  await page.goBack();
  await expect(figure(page)).toHaveAttribute("data-query", /piece=q_proj/);
  await page.goBack();
  await expect(figure(page)).toHaveAttribute("data-query", before ?? "");
  await expect(see).toBeInViewport();
  await page.goForward();
  await expect(figure(page)).toHaveAttribute("data-query", /piece=q_proj/);
  expect(new URL(page.url()).pathname).toContain("chapter/transformer-anatomy");
  // A place in the text is another entry of the history, and undoes nothing.
  await page.evaluate(() => (location.hash = "kv"));
  await expect(figure(page)).toHaveAttribute("data-query", /piece=q_proj/);
});

test("a figure that is in view stays where it is", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 2200 });
  await open(page);
  const see = link(page, "See the tied head");
  await see.scrollIntoViewIfNeeded();
  await page.evaluate(() => document.querySelector("#main .stage")!.scrollIntoView({ block: "start" }));
  const top = () => page.evaluate(() => scrollY);
  const before = await top();
  test.skip(!(await seen(page, 'a.see:has-text("See the tied head")')), "the link is further away than a window is high");
  await see.click();
  await expect(figure(page)).toHaveAttribute("data-query", /piece=tied_head/);
  expect(Math.abs((await top()) - before)).toBeLessThan(30);
  await expect(page.getByRole("button", { name: "Back to the text" })).toHaveCount(0);
});

// The gallery: every figure under what one wants to do, with a picture; and search, which knows what figures do and forgives slips.
import { axe, expect, ready, test } from "./fixtures";
import { widgets } from "./site";

test("every figure has a card with a picture, and the header leads there", async ({ page }) => {
  test.slow();
  await page.goto("./");
  await ready(page);
  await page.getByRole("navigation", { name: "Tools" }).getByRole("link", { name: "Figures" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Figures" })).toBeVisible();
  const cards = page.locator(".gallery .card");
  await expect(cards).toHaveCount(widgets.length);
  for (const { id } of widgets) {
    const card = cards.filter({ has: page.locator(`a[href="w/${id}/"]`) });
    await card.scrollIntoViewIfNeeded();
    const drawn = card.locator(".picture > svg");
    await expect(drawn).toBeVisible();
    const { width, height } = (await drawn.boundingBox())!;
    expect(width * height, id).toBeGreaterThan(400);
  }
  await ready(page);
  expect(await axe(page, ".gallery")).toEqual([]);
});

test("a picture is not operated: its card is one link, by pointer and by keys", async ({ page }) => {
  await page.goto("w/");
  await ready(page);
  const card = page.locator(".card", { hasText: "Does my model fit?" });
  await card.scrollIntoViewIfNeeded();
  await expect(card.locator(".picture > svg")).toBeVisible();
  expect(await card.locator("a[href], button, input").evaluateAll((all) => all.filter((e) => !e.closest("[inert]")).length)).toBe(1);
  await card.locator(".picture").click({ force: true });
  await expect(page).toHaveURL(/w\/memory-breakdown\/$/);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { level: 1, name: "Figures" })).toBeVisible();
});

test("search finds figures by what they do, forgives a slip, and says for what it looked", async ({ page }) => {
  await page.goto("./");
  await ready(page);
  await page.keyboard.press("/");
  const field = page.locator("dialog[open] input");
  const found = page.locator('dialog[open] [role="option"]');
  for (const [words, href] of [
    ["own config", "w/memory-breakdown/"],
    ["paste nccl-tests", "w/communication-cost/"],
    ["export deepspeed", "w/memory-breakdown/"],
    ["upload", "w/model-anatomy/"],
  ]) {
    await field.fill(words);
    await expect(found.and(page.locator(`[href="${href}"]`)), words).toBeVisible();
  }
  const says = page.locator("dialog[open] .search-state");
  await field.fill("flash atention");
  await expect(says).toContainText("for “flash attention”");
  await expect(found.first()).toBeVisible();
  await field.fill("xyzzyqux");
  await expect(says).toContainText("No exact match");
});

// A learner’s starting point; and what is ready to open, for an instructor.
import { axe, expect, ready, stored, test } from "./fixtures";

test("a few questions, none of them known, send to the beginning; a reload goes on, and home and practice follow", async ({ page }) => {
  await page.goto("practice/");
  await ready(page);
  await page.getByRole("link", { name: "Find your starting point" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Find your starting point");
  await expect(page).toHaveTitle(/^Find your starting point/);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  const head = page.locator(".player-head");
  await expect(head).toContainText("Question 1 of 8 at most");
  await page.getByRole("button", { name: "I don’t know" }).click();
  await expect(head).toContainText("Question 2");
  await page.reload();
  await ready(page);
  await expect(head).toContainText("Question 2");
  // One question on the screen, whatever was answered.
  await expect(page.locator(".exercise")).toHaveCount(1);
  for (let i = 0; i < 8 && (await page.getByRole("button", { name: "I don’t know" }).isVisible()); i++) {
    const before = await head.textContent();
    await page.getByRole("button", { name: "I don’t know" }).click();
    await expect.poll(async () => (await head.count()) === 0 || (await head.textContent()) !== before).toBe(true);
  }
  await expect(page.locator(".areas > li")).toHaveCount(12);
  await expect(page.locator(".areas .mark").filter({ hasText: "Not asked" }).first()).toBeVisible();
  await expect(page.locator(".areas .known")).toHaveCount(0);
  expect(await axe(page, ".placement")).toEqual([]);
  const begin = page.getByRole("link", { name: /^Begin: / });
  const href = await begin.getAttribute("href");
  const { placement } = await stored(page);
  expect(href).toBe(`chapter/${placement.begin}/`);
  await page.goto("./");
  await ready(page);
  await expect(page.getByRole("link", { name: /^Begin: / })).toHaveAttribute("href", href!);
  await expect(page.locator(".placed")).toHaveText("You found your starting point: see the result or take the questions again.");
  // What was not known comes first.
  await page.getByRole("link", { name: /^Practice now/ }).click();
  await expect(page.locator(".player-bar small")).toHaveText("You missed this one");
});

test("the syllabus opens a quiz and a lecture list", async ({ page }) => {
  await page.goto("syllabus/");
  await ready(page);
  await expect(page.locator("#term .sessions > li")).toHaveCount(13);
  await expect(page.locator("#term .marks tr").last()).toContainText("100");
  await expect(page.locator("#debrief")).toContainText("Insufficient, 2 of 25 marks");
  await expect(page.locator("#assistants h3")).toHaveCount(6);
  const week = page.locator("#term .sessions > li").nth(3);
  await week.getByRole("link", { name: /^Quiz, 5 questions/ }).click();
  await expect(page.locator(".exam h1")).toContainText("Week 4");
  await page.goBack();
  await ready(page);
  await page.locator("#afternoon .sessions > li").first().getByRole("link", { name: /^Lecture list/ }).click();
  await expect(page.getByLabel("The list")).toHaveValue(/memory-breakdown.*Thirty billion parameters/);
});

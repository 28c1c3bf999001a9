// Where to begin, for a learner; and what is ready to open, for an instructor.
import { expect, ready, test } from "./fixtures";

test("twelve questions, of which none is answered, send to the beginning; what was answered survives a reload", async ({ page }) => {
  await page.goto("practice/");
  await ready(page);
  await page.getByRole("link", { name: "Twelve questions say where to begin." }).click();
  await page.getByRole("button", { name: "Begin", exact: true }).click();
  await expect(page.locator("[data-question]")).toHaveCount(12);
  await ready(page);
  const field = page.locator("[data-question] input[type=text]").first();
  await field.fill("12");
  await expect(page.locator(".exam-bar [role=status]")).toContainText("1 of 12");
  await page.waitForTimeout(500);
  await page.reload();
  await ready(page);
  await expect(page.locator(".exam-bar [role=status]")).toContainText("1 of 12");
  await page.getByRole("button", { name: "Say where to begin" }).first().click();
  await expect(page.locator(".areas > li")).toHaveCount(12);
  await expect(page.locator(".lede a")).toHaveAttribute("href", /^chapter\//);
  await page.getByRole("button", { name: "Forget these answers" }).click();
  await expect(page.getByRole("button", { name: "Begin", exact: true })).toBeVisible();
});

test("the syllabus opens a quiz and a lecture list", async ({ page }) => {
  await page.goto("syllabus/");
  await ready(page);
  await expect(page.locator("#term .sessions > li")).toHaveCount(13);
  const week = page.locator("#term .sessions > li").nth(3);
  await week.getByRole("link", { name: /^Quiz, 5 questions/ }).click();
  await expect(page.locator(".exam h1")).toContainText("Week 4");
  await page.goBack();
  await ready(page);
  await page.locator("#afternoon .sessions > li").first().getByRole("link", { name: /^Lecture list/ }).click();
  await expect(page.getByLabel("The list")).toHaveValue(/memory-breakdown.*Thirty billion parameters/);
});

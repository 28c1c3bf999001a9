// A chapter in another language: its page, what stays English in it, and the way to the other language and back.
import { expect, ready, stored, test } from "./fixtures";

const GERMAN = "de/chapter/memory-accounting/";

test("a chapter can be read in German, and what is English in it says so", async ({ page }) => {
  await page.goto(GERMAN);
  await ready(page);
  await expect(page).toHaveTitle("Wo der Speicher bleibt · Ringside");
  const article = page.locator("article.chapter-page");
  await expect(article).toHaveAttribute("lang", "de");
  await expect(page.locator("#sixteen-bytes")).not.toHaveAttribute("lang", /./);
  await expect(page.locator(".languages")).toContainText("Der Text ist übersetzt.");
  await expect(article.locator(".outline a").nth(1)).toHaveAttribute("href", `${GERMAN}#zero`);

  const exercise = page.locator('[data-exercise="weights"]');
  // It comes alive when it is near.
  await page.locator('[data-slot-exercise="weights"]').scrollIntoViewIfNeeded();
  await expect(exercise).toHaveAttribute("lang", "de");
  await expect(exercise.locator(".exercise-head")).toContainText("Aufgabe");
  await expect(exercise.locator(".prompt")).toHaveAttribute("lang", "en");
  await exercise.getByRole("textbox", { name: "Deine Antwort" }).fill("14 GB");
  await exercise.getByRole("button", { name: "Prüfen" }).click();
  await expect(exercise.locator(".answer")).toBeVisible();

  await page.locator('a.see[data-query="zero=1"]').first().click();
  await expect(page.getByRole("button", { name: "Zurück zum Text" })).toHaveAttribute("lang", "de");
});

test("both languages are one chapter, and each leads to the other", async ({ page }) => {
  await page.goto(GERMAN);
  await ready(page);
  await page.getByRole("button", { name: "Als erledigt und gelesen markieren" }).click();
  await page.locator(".languages").getByRole("link", { name: "English" }).click();
  await expect(page.locator("h1")).toHaveText("Where the memory goes");
  await expect(page.getByRole("button", { name: "✓ Marked as done" })).toBeVisible();
  await page.locator(".languages").getByRole("link", { name: "Deutsch" }).click();
  await expect(page.locator("h1")).toHaveText("Wo der Speicher bleibt");
  await expect(page.getByRole("button", { name: "✓ Als erledigt und gelesen markiert" })).toBeVisible();
});

test("a page names its other languages to search engines", async ({ request }) => {
  const page = await (await request.get(GERMAN)).text();
  for (const [code, path] of [["en", "chapter/memory-accounting/"], ["de", GERMAN], ["x-default", "chapter/memory-accounting/"]]) {
    expect(page).toMatch(new RegExp(`<link rel="alternate" hreflang="${code}" href="/[^"]*${path}">`));
  }
});

test("who reads in German comes back to it", async ({ page }) => {
  await page.goto(GERMAN);
  await ready(page);
  await page.locator("#zero").scrollIntoViewIfNeeded();
  await expect.poll(async () => (await stored(page))?.chapters?.["memory-accounting"]?.lang).toBe("de");
  await page.getByRole("link", { name: "Ringside" }).first().click();
  await expect(page.locator(".start .button").first()).toHaveAttribute("href", new RegExp(`${GERMAN}#`));
});

test("what isn’t translated is read in English", async ({ browser, baseURL }) => {
  // That the server has no such page is no failure here.
  const page = await (await browser.newContext({ baseURL })).newPage();
  await page.goto("de/chapter/zero-and-fsdp/#law");
  await ready(page);
  await expect(page).toHaveURL(new URL("chapter/zero-and-fsdp/#law", baseURL).href);
  await expect(page.locator("article.chapter-page h1")).toBeVisible();
  await page.context().close();
});

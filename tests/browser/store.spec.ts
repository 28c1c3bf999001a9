// Everything that a learner has done survives: a reload, a damaged or newer store, a full disk, a second tab.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { KEY, expect, ready, stored, test } from "./fixtures";

const seed = (page: Page, text: string) => page.addInitScript(([key, value]) => {
  if (sessionStorage.getItem("seeded")) return;
  sessionStorage.setItem("seeded", "1");
  localStorage.setItem(key, value);
}, [KEY, text]);
const theme = (page: Page) => page.getByRole("button", { name: /theme/i }).first();

test("the theme survives a reload, without a flash", async ({ page }) => {
  await page.goto("./");
  await ready(page);
  await theme(page).click();
  await theme(page).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});

for (const [what, text] of [
  ["damaged", '{"version":1,"sources":'],
  ["of another shape", '{"version":1,"sources":[1,2]}'],
  ["not an object", '"hello"'],
] as const) {
  test(`a store that is ${what} is kept aside, and said`, async ({ page }) => {
    await seed(page, text);
    await page.goto("./");
    await ready(page);
    await expect(page.locator(".notices")).toContainText("ringside.aside.1");
    expect(await page.evaluate(() => localStorage.getItem("ringside.aside.1"))).toBe(text);
    await theme(page).click();
    expect((await stored(page)).settings.theme).toBe("light");
    await page.goto("settings/");
    await ready(page);
    await expect(page.locator("main")).toContainText("ringside.aside.1");
  });
}

test("a page that is older than the store shows what it understands and stores nothing", async ({ page }) => {
  const later = '{"version":99,"settings":{"theme":"dark"},"secret":"kept"}';
  await seed(page, later);
  await page.goto("./");
  await ready(page);
  await expect(page.locator(".notices")).toContainText("reload it");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await theme(page).click();
  expect(await page.evaluate((key) => localStorage.getItem(key), KEY)).toBe(later);
});

test("settings: shortcuts of one key can be turned off, and a file that is no export is refused", async ({ page }) => {
  await page.goto("settings/");
  await ready(page);
  await test.step("a file that is no export changes nothing and says why", async () => {
    await theme(page).click();
    const before = await stored(page);
    await page.locator('input[type="file"]').first().setInputFiles({ name: "x.json", mimeType: "application/json", buffer: Buffer.from("{") });
    await expect(page.locator("main")).toContainText("not imported");
    expect(await stored(page)).toEqual(before);
  });

  await test.step("shortcuts of one key can be turned off", async () => {
    await page.getByRole("radiogroup", { name: "Shortcuts of one key" }).getByRole("radio", { name: "Off" }).check();
    await page.locator("h1").click();
    await page.keyboard.press("/");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await page.getByRole("radiogroup", { name: "Shortcuts of one key" }).getByRole("radio", { name: "On" }).check();
    await page.locator("h1").click();
    await page.keyboard.press("/");
    await expect(page.getByRole("dialog")).toBeVisible();
  });
});

test("a store of the previous version is read, and nothing of it is lost", async ({ page }) => {
  const before = readFileSync(join(__dirname, "../fixtures/store/version-1.json"), "utf8");
  await seed(page, before);
  await page.goto("chapter/memory-accounting/");
  await ready(page);
  await expect(page.locator(".notices")).toBeEmpty();
  await page.locator("#exercise-grows-with-batch").scrollIntoViewIfNeeded();
  await expect(page.locator('[data-exercise="grows-with-batch"]')).toContainText("✓ solved");
  // By the keyboard: what comes near on the way down moves the button under a mouse.
  await page.getByRole("button", { name: /mark .*done/i }).press("Enter");
  const now = await stored(page);
  expect(now).toMatchObject({ ...JSON.parse(before), version: 2, chapters: { attention: { done: true }, "memory-accounting": { done: true } } });
  expect(now.exercises["memory-accounting/grows-with-batch"].solved).toBe(true);
});

test("what is practised is kept: an attempt, its day, and when the skill is due again", async ({ page }) => {
  await page.clock.setFixedTime("2026-03-02T10:00:00");
  await page.goto("chapter/memory-accounting/#exercise-zero-2");
  await ready(page);
  const exercise = page.locator('[data-exercise="zero-2"]');
  for (const answer of ["8.67 GB", "33.6 GB"]) {
    await exercise.locator("input").fill(answer);
    await exercise.getByRole("button", { name: "Check" }).click();
    await expect(exercise.locator(".answer")).toBeVisible();
  }
  await expect(exercise.locator(".answer.right")).toBeVisible();
  const { practice } = await stored(page);
  const day = Date.UTC(2026, 2, 2) / 864e5;
  expect(practice.days).toEqual([day]);
  expect(practice.attempts).toHaveLength(1);
  expect(practice.attempts[0]).toMatchObject({ exercise: "memory-accounting/zero-2", day, right: true, tries: 2, hints: 0 });
  expect(practice.cards[practice.attempts[0].skill].due).toBeGreaterThan(day);
});

test("a full disk is told and nothing on screen is lost", async ({ page }) => {
  await page.addInitScript(() => {
    Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
  });
  await page.goto("./");
  await ready(page);
  await theme(page).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  await expect(page.locator(".notices")).toContainText("no room");
});

test("a browser that forbids storage still runs the site", async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, "localStorage", { get() { throw new DOMException("denied", "SecurityError"); } });
  });
  await page.goto("chapter/memory-accounting/");
  await ready(page);
  await expect(page.locator("h1")).toHaveText("Where the memory goes");
});

test("two tabs add up", async ({ page, context }) => {
  await page.goto("chapter/memory-accounting/");
  await ready(page);
  const other = await context.newPage();
  await other.goto("settings/");
  await ready(other);
  await theme(other).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  await page.bringToFront();
  await page.getByRole("button", { name: /mark .*done/i }).click();
  await expect.poll(async () => (await stored(page)).chapters["memory-accounting"]?.done).toBe(true);
  expect((await stored(page)).settings.theme).toBe("light");
});

test("export, reset, import gives the same state", async ({ page }) => {
  await page.goto("chapter/memory-accounting/#exercise-zero-2");
  await ready(page);
  const exercise = page.locator('[data-exercise="zero-2"]');
  await exercise.locator("input").fill("33.6 GB");
  await exercise.getByRole("button", { name: "Check" }).click();
  await expect(exercise.locator(".answer.right")).toBeVisible();
  await page.getByRole("button", { name: /mark .*done/i }).press("Enter");
  await theme(page).click();
  const before = await stored(page);
  expect(before.practice.attempts).toHaveLength(1);
  const text = await page.evaluate((key) => localStorage.getItem(key), KEY);
  await page.goto("settings/");
  await ready(page);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export everything" }).click();
  const file = await (await download).path();
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(before);
  await page.getByRole("button", { name: "Reset …" }).click();
  await page.getByRole("button", { name: "Reset everything", exact: true }).click();
  await expect.poll(() => page.evaluate((key) => localStorage.getItem(key), KEY)).toBeNull();
  await page.locator('input[type="file"]').first().setInputFiles(file);
  await page.getByRole("button", { name: "Replace", exact: true }).click();
  await expect.poll(() => stored(page)).toEqual(before);
  expect(await page.evaluate((key) => localStorage.getItem(key), KEY)).toBe(text);
});

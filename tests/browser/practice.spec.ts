// What to do next, the plan on the calendar, what the learner can do, and what they have written. Days are the clock's.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { KEY, axe, contrast, expect, overflow, ready, stored, test } from "./fixtures";

const day = (iso: string) => Date.parse(`${iso}T00:00:00Z`) / 864e5;

/** Opens the page at noon of a day, with this in the store the first time. */
async function open(page: Page, date: string, doc?: object) {
  await page.clock.setFixedTime(`${date}T12:00:00`);
  if (doc) {
    await page.addInitScript(([key, text]) => {
      if (!sessionStorage.getItem("seeded")) localStorage.setItem(key, text);
      sessionStorage.setItem("seeded", "1");
    }, [KEY, JSON.stringify({ version: 2, ...doc })]);
  }
  await page.goto("practice/");
  await ready(page);
}

/** Opens the same page on another day. */
async function later(page: Page, date: string) {
  await page.clock.setFixedTime(`${date}T12:00:00`);
  await page.reload();
  await ready(page);
}

/** Answers of one skill, as the store keeps them. */
const attempt = (exercise: string, skill: string, on: string) => ({
  exercise: `memory-accounting/${exercise}`, skill: `memory-accounting.${skill}`, day: day(on), right: true, tries: 1,
});

test("a newcomer gets something to do, and every section says why it is empty", async ({ page }) => {
  await open(page, "2026-03-02");
  await expect(page.locator(".to-do-now li").first()).toBeVisible();
  const minutes = await page.locator(".to-do-now .minutes").allTextContents();
  expect(minutes.map(parseFloat).reduce((a, b) => a + b)).toBeLessThanOrEqual(30);
  await expect(page.getByRole("button", { name: "Begin the plan" })).toBeVisible();
  await expect(page.locator(".calibration")).toContainText("You have made no predictions yet.");
  await expect(page.locator("#summaries + p")).toContainText("Nothing is written yet");
  await expect(page.getByRole("button", { name: "Save as Markdown" })).toBeHidden();
  expect(await stored(page)).toBeNull();
});

test("an exercise answered today is due on a later day, and opens with other numbers", async ({ page }) => {
  await page.clock.setFixedTime("2026-03-02T12:00:00");
  await page.goto("chapter/memory-accounting/#exercise-zero-2");
  await ready(page);
  const exercise = page.locator('[data-exercise="zero-2"]');
  await exercise.locator("input").fill("33.6 GB");
  await exercise.getByRole("button", { name: "Check" }).press("Enter");
  await expect(exercise.locator(".answer.right")).toBeVisible();
  const { attempts: [{ skill: id }], cards } = (await stored(page)).practice;
  await open(page, "2026-03-02");
  const row = page.locator(`[data-skill="${id}"]`);
  await expect(row).toHaveAttribute("data-state", "learning");
  await expect(row).toContainText(`Next due in ${cards[id].due - day("2026-03-02")} days.`);
  await expect(row.locator("output")).toHaveAttribute("data-value", "1");
  await later(page, "2026-03-20");
  await expect(row).toHaveAttribute("data-state", "due");
  const next = page.locator(".to-do-now li").first();
  await expect(next).toContainText("You last practiced this 18 days ago");
  await next.getByRole("link").press("Enter");
  await expect(page).toHaveURL(`practice/now/?skill=${id}`);
  // Another exercise of the skill, as written; the same one, with other numbers.
  await expect(page.locator(".exercise")).toHaveCount(1);
  const { run, exercises } = await stored(page);
  expect(run.steps.every((step: { skill: string }) => step.skill === id)).toBe(true);
  const { key, seed } = run.steps[0];
  expect(exercises[key].seed).toBe(seed);
  expect(seed > 0).toBe(key === "memory-accounting/zero-2");
});

test("practice asks one exercise after another, by the keyboard, goes on after a reload, and ends with what is due", async ({ page }) => {
  const exercises = { "memory-accounting/zero-2": { input: "9 GB", checked: true, tries: 1 } };
  await page.setViewportSize({ width: 390, height: 844 });
  await page.clock.setFixedTime("2026-03-02T12:00:00");
  await page.addInitScript(([key, text]) => {
    if (!localStorage.getItem(key)) localStorage.setItem(key, text);
  }, [KEY, JSON.stringify({ version: 2, exercises })]);
  await page.goto("./");
  await ready(page);
  await page.getByRole("link", { name: /^Practice now/ }).click();
  const exercise = page.locator(".exercise");
  const head = page.locator(".player-head");
  // What was wrong comes first, with an empty field and other numbers.
  await expect(exercise).toHaveAttribute("data-exercise", "zero-2");
  await expect(page.locator(".player-bar small")).toHaveText("You missed this one");
  await expect(exercise.locator("input")).toHaveValue("");
  expect((await stored(page)).exercises["memory-accounting/zero-2"].seed).toBeGreaterThan(0);
  await exercise.locator("input").fill("9 GB");
  await exercise.locator("input").press("Enter");
  await expect(exercise.locator(".answer")).toBeVisible();
  await page.reload();
  await ready(page);
  await expect(exercise.locator("input")).toHaveValue("9 GB");
  expect(await axe(page, ".player")).toEqual([]);
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  const [, all] = (await head.textContent())!.match(/^1 of (\d+)/)!;
  await page.getByRole("button", { name: "Continue" }).press("Enter");
  // What comes back is counted apart: the whole stays as it was.
  await expect(head).toContainText(new RegExp(`2 of ${all}\\s*· 1 to repeat`));
  // It comes back after two others.
  const { run } = await stored(page);
  expect(run.steps[3]).toMatchObject({ key: "memory-accounting/zero-2", again: true });
  await page.getByRole("button", { name: "Finish" }).press("Enter");
  await expect(page.locator(".player-end h2")).toContainText("1 exercise practiced, 0 right the first time");
  await expect(page.locator(".player-end")).toContainText("Due next: 1 skill tomorrow.");
  await expect(page.locator(".player-end h2")).toBeFocused();
  expect(await axe(page, ".player")).toEqual([]);
  await page.getByRole("button", { name: "Practice 10 more minutes" }).click();
  await expect(head).toContainText(/^1 of/);
});

/** The place on the home page for what to do next. */
const nextUp = (page: Page) => page.getByRole("region", { name: "Your next 30 minutes" });

test("the home page says a newcomer where to begin, and what to do next once anything was done", async ({ page }) => {
  const fetched: string[] = [];
  page.on("request", (request) => fetched.push(request.url()));
  await page.goto("./");
  await ready(page);
  await expect(page.locator(".half-hour a").first()).toHaveAttribute("href", "mission/fit-it/");
  await expect(nextUp(page)).toBeHidden();
  expect(fetched.filter((url) => /half-hour|to-do-now|readings\.json/.test(url))).toEqual([]);
  await page.locator("[data-source] input[data-tick]").first().check();
  await expect(nextUp(page).getByRole("listitem").first()).toBeVisible();
  await expect(page.locator(".half-hour")).toBeHidden();
  expect((await stored(page)).practice.days).toHaveLength(1);
  await nextUp(page).getByRole("link", { name: "The whole plan" }).press("Enter");
  await expect(page).toHaveURL(/\/practice\/#plan$/);
  await expect(page.getByRole("heading", { name: "The four-week plan" })).toBeInViewport();
});

test("the home page shows in short what is due and where the learner stopped, as practice does", async ({ page }) => {
  const skills = ["budget", "units", "zero"].map((skill) => `memory-accounting.${skill}`);
  const card = { stability: 3, difficulty: 5, last: day("2026-02-20"), due: day("2026-02-23"), reviews: 1 };
  const practice = { attempts: [attempt("zero-2", "zero", "2026-02-20")], cards: Object.fromEntries(skills.map((id) => [id, card])) };
  await open(page, "2026-03-02", { practice, chapters: { activations: { at: "recompute", seen: 1 } } });
  const lines = () =>
    page.locator(".to-do-now li").evaluateAll((all) =>
      all.map((line) => [line.querySelector(".minutes")!.textContent, line.querySelector("a")!.textContent, line.querySelector("a")!.getAttribute("href")]),
    );
  const whole = await lines();
  expect(whole.length).toBe(4);
  expect(whole[3][2]).toBe("chapter/activations/#recompute");
  await page.goto("./");
  await ready(page);
  await expect(nextUp(page).getByRole("listitem")).toHaveCount(4);
  expect(await lines()).toEqual(whole);
  expect(await axe(page, ".hero")).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await contrast(page, ".hero"), "dark").toEqual([]);
  await nextUp(page).getByRole("link", { name: whole[0][1]! }).first().press("Enter");
  await expect(page).toHaveURL(whole[0][2]!);
});

test("until the next 30 minutes are known, bars stand in their place, and nothing moves when they come", async ({ page }) => {
  let go = () => {};
  const held = new Promise<void>((resolve) => (go = resolve));
  await page.route("**/readings.json", async (route) => {
    await held;
    await route.continue();
  });
  await page.addInitScript(([key, text]) => localStorage.setItem(key, text), [KEY, JSON.stringify({ version: 2, chapters: { activations: { at: "recompute", seen: 1 } } })]);
  await page.goto("./");
  const place = nextUp(page).locator("[data-island]");
  await expect(place).toBeVisible();
  const look = () => place.evaluate((e) => [getComputedStyle(e).backgroundImage, e.getBoundingClientRect().height, e.getBoundingClientRect().top] as const);
  const [bars, ...box] = await look();
  expect(bars).toContain("linear-gradient");
  go();
  await expect(nextUp(page).getByRole("listitem").first()).toBeVisible();
  expect(await look()).toEqual(["none", ...box]);
});

test("where the learner stopped comes with what is left of it", async ({ page }) => {
  const at = (id: string) => ({ chapters: { "memory-accounting": { at: id, seen: 1 } } });
  await open(page, "2026-03-02", at("gb-and-gib"));
  const item = page.locator(".to-do-now li", { hasText: "You stopped here." });
  await expect(item.getByRole("link")).toHaveAttribute("href", "chapter/memory-accounting/#gb-and-gib");
  // How far the page was scrolled is no progress.
  await expect(item).toContainText(/About \d+ minutes of it are left/);
});

test("the time there is bounds what is offered, by the keyboard too", async ({ page }) => {
  await open(page, "2026-03-02");
  await page.getByRole("radio", { name: "30 min" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("heading", { name: "The next 60 minutes" })).toBeVisible();
  const sum = async () => (await page.locator(".to-do-now .minutes").allTextContents()).map(parseFloat).reduce((a, b) => a + b, 0);
  expect(await sum()).toBeLessThanOrEqual(60);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await expect(page.getByRole("heading", { name: "The next 15 minutes" })).toBeVisible();
  expect(await sum()).toBeLessThanOrEqual(15);
});

test("the plan becomes dates, takes no first day that is none, forgives a week, and gives back what is done early", async ({ page }) => {
  await open(page, "2026-03-02");
  await page.getByLabel("First day").fill("2026-03-02");
  await page.getByRole("button", { name: "Begin the plan" }).click();
  const blocks = page.locator(".schedule > li");
  await expect(blocks).toHaveCount(7);
  await expect(blocks.first()).toContainText("Mon 2 Mar – Wed 4 Mar");
  await expect(blocks.first()).toContainText("Now: day 1 of 3.");
  await expect(blocks.first()).toHaveAttribute("aria-current", "step");
  await expect(blocks.last()).toContainText("Tue 31 Mar");
  // A first day that is none is said beside its field.
  await page.getByLabel("First day").fill("");
  await page.getByLabel("First day").blur();
  await expect(page.locator(".day-field")).toContainText("Choose a day of the calendar.");
  expect((await stored(page)).practice.plan.start).toBe(day("2026-03-02"));
  // Ten days later nothing has piled up.
  await later(page, "2026-03-12");
  await expect(page.locator(".plan-section .sum")).toContainText("Welcome back. 10 days went by and nothing has piled up");
  await expect(blocks.first()).toContainText("Thu 12 Mar – Sat 14 Mar");
  await expect(page.locator(".plan-section")).toContainText("10 days later than first planned");
  await page.getByRole("checkbox", { name: /^Done: The transformer as a workload/ }).press("Space");
  await expect(page.getByRole("checkbox", { name: /^Done: The transformer as a workload/ })).toBeFocused();
  await expect(blocks.first()).toContainText("Done.");
  expect((await stored(page)).practice.plan).toEqual({ start: day("2026-03-02"), done: { "1-3": day("2026-03-12") } });
  await later(page, "2026-03-13");
  await expect(blocks.nth(1)).toHaveAttribute("aria-current", "step");
  await page.getByRole("button", { name: "Put the plan away" }).click();
  await expect(page.getByRole("button", { name: "Begin the plan" })).toBeVisible();
  expect((await stored(page)).practice.plan.done).toEqual({ "1-3": day("2026-03-12") });
});

test("mastery follows its rule", async ({ page }) => {
  const days = ["2026-02-20", "2026-02-23", "2026-03-01"];
  const attempts = days.map((on) => attempt("zero-2", "zero", on));
  const card = (due: string) => ({ stability: 20, difficulty: 5, last: day(days[2]), due: day(due), reviews: 3 });
  const cards = { "memory-accounting.zero": card("2026-03-21") };
  await open(page, "2026-03-02", { practice: { attempts, cards } });
  const rows = page.locator('[data-state="mastered"]');
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("Mastered. Next due in 19 days.");
  await expect(page.locator(".skills summary", { hasText: "Where the memory goes" }).locator(".tally")).toContainText("1 of ");
  await later(page, "2026-03-22");
  await expect(page.locator('[data-state="due"]')).toHaveCount(1);
});

test("calibration is drawn from what was predicted", async ({ page }) => {
  const predictions = Array.from({ length: 10 }, (_, i) => ({
    exercise: "memory-accounting/predict-30b", day: day("2026-03-01"), confidence: 95, right: i < 5, given: 60e9, expected: 480e9,
  }));
  await open(page, "2026-03-02", { practice: { predictions } });
  const figure = page.locator(".calibration figure");
  await expect(figure).toContainText("In 10 predictions you were 95% sure on average and right in 50%: you trust your first guess too much. Half of your numbers were within a factor of 8 of the truth.");
  await expect(figure.getByRole("img")).toHaveAttribute("aria-label", /95% sure on average and right in 50%/);
  await figure.getByRole("slider", { name: "Values of the chart" }).press("End");
  await figure.getByRole("slider", { name: "Values of the chart" }).press("ArrowLeft");
  await expect(figure.getByRole("slider", { name: "Values of the chart" })).toHaveAttribute("aria-valuetext", /80–100% sure, 10 predictions: Right 50%/);
  await figure.locator("summary").press("Enter");
  await expect(figure.locator("tbody tr")).toHaveText("80–100%1095%50%");
  await expect(figure.locator('[data-quantity="brier"]')).toHaveText("0.45");
});

test("what was written is one document, saved and printed", async ({ page }) => {
  const sources = { "zero-paper": { read: true, summary: "Three stages.\n\n- each shards one thing more" } };
  await open(page, "2026-03-02", { sources });
  await expect(page.locator(".document")).toContainText("each shards one thing more");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as Markdown" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("ringside-summaries-2026-03-02.md");
  expect(readFileSync(await file.path(), "utf8")).toContain("\nThree stages.\n\n- each shards one thing more\n");
  await page.emulateMedia({ media: "print" });
  await expect(page.locator(".document")).toBeVisible();
  for (const hidden of [".to-do-now", ".schedule, .plan-section", ".skills", "header.top", "h1"]) {
    await expect(page.locator(hidden).first()).toBeHidden();
  }
});

test("practice that cannot be read is said, kept, and begun anew", async ({ page }) => {
  await open(page, "2026-03-02", { practice: { attempts: 3 } });
  await expect(page.getByRole("alert").first()).toContainText("cannot be read");
  await page.getByRole("button", { name: "Begin the plan" }).click();
  await expect(page.locator(".schedule > li")).toHaveCount(7);
  expect((await stored(page))["practice-unreadable-1"]).toEqual({ attempts: 3 });
});

test("the page of someone who has practiced passes axe, light and dark, on a phone", async ({ page }) => {
  const practice = {
    attempts: [attempt("zero-2", "zero", "2026-02-20")],
    cards: { "memory-accounting.zero": { stability: 3, difficulty: 5, last: day("2026-02-20"), due: day("2026-02-23"), reviews: 1 } },
    predictions: [{ exercise: "memory-accounting/predict-30b", day: day("2026-02-20"), confidence: 75, right: true }],
    days: ["2026-02-18", "2026-02-20", "2026-03-02"].map(day),
    plan: { start: day("2026-02-18") },
  };
  await page.setViewportSize({ width: 360, height: 780 });
  await open(page, "2026-03-02", { practice, sources: { "zero-paper": { summary: "Short." } } });
  expect(await axe(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await contrast(page), "dark").toEqual([]);
  expect(await overflow(page)).toBeLessThanOrEqual(0);
});

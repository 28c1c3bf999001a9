// Missions: the best run that the search finds is played through the page; a run is kept, linked, gone back on, voted on and marked again.
import type { Page } from "@playwright/test";
import { axe, contrast, expect, overflow, ready, stored, test, teach } from "./fixtures";

const MISSION = "mission/five-hundred-users/";
const CARELESS =
  "answer:3.4e9;answer:a100-80;tp:16;quant:int4,kv-bits:4,tp:8;policy:prefill-first,tokens:8192;answer:bigger;answer:take;drafted:4;answer:wait;answer:small";
const decision = (page: Page) => page.locator(".mission-decision");
const decide = (page: Page) => decision(page).locator("[data-decide]").click();
const result = async (page: Page, who: string) =>
  Number(await page.locator(`.mission-result tr.score [data-result="${who}"]`).getAttribute("data-value"));

/** Sets a parameter of the figure as a person does: by its list, its buttons or its slider. */
async function set(page: Page, name: string, value: string) {
  const control = decision(page).locator(`[name="${name}"]`).first();
  await expect(control).toBeAttached();
  const kind = await control.evaluate((e) => (e instanceof HTMLSelectElement ? "list" : (e as HTMLInputElement).type));
  if (kind === "list") return void (await control.selectOption(value));
  if (kind === "radio") return decision(page).locator(`[name="${name}"][value="${value}"]`).check({ force: true });
  await control.press("Home");
  const at = async () => (await control.getAttribute("aria-valuetext"))?.replace(/\D/g, "");
  for (let i = 0; i < 40 && (await at()) !== value; i++) await control.press("ArrowRight");
  expect(await at()).toBe(value);
}

/** Makes the decision that is next. */
async function make(page: Page, answer: string) {
  const title = await decision(page).getByRole("heading", { level: 2 }).innerText();
  for (const pair of answer.split(",")) {
    const [name, value] = pair.split(":");
    const option = decision(page).locator(`input[type="radio"][value="${value}"]`);
    const typed = decision(page).getByLabel(/Your answer/);
    if (name !== "answer") await set(page, name, value);
    else if (await option.count()) await option.check({ force: true });
    else await typed.fill(`${value} B`);
  }
  await decide(page);
  await expect(page.locator(".mission-steps > li").last()).toContainText(title);
}

test("the best run that the search finds, played through the page, is the best", async ({ page }) => {
  test.setTimeout(180_000);
  await page.goto(`${MISSION}?seed=1&by=Ada&run=${CARELESS}`);
  await ready(page);
  await expect(page.locator(".mission-whose")).toContainText("Ada’s run, computed again from the link");
  const best = page.locator("[data-best]");
  await expect(best).toBeAttached({ timeout: 90_000 });
  await expect(page.locator(".mission-mattered > li")).not.toHaveCount(0);
  expect(await result(page, "you")).toBeLessThan(await result(page, "best"));
  expect(await axe(page, ".mission-page")).toEqual([]);
  const plan = (await best.getAttribute("data-best"))?.split(";") ?? [];
  expect(plan.length).toBe(10);

  await page.getByRole("link", { name: "Play it yourself with the same seed" }).click();
  await expect(decision(page)).toContainText("Decision 1 of 10");
  for (const answer of plan) await make(page, answer);
  await expect(page.locator(".mission-result")).toBeVisible({ timeout: 90_000 });
  expect(await result(page, "you")).toBeCloseTo(await result(page, "best"), 6);
  expect(await result(page, "careless")).toBeLessThan(await result(page, "you"));
  await expect(page.locator("[data-share-of-best]")).toHaveText("100%");
  // The run on a card, to be saved as a picture.
  const card = page.locator(".mission-card");
  await expect(card).toContainText("100% of the best run found");
  await card.getByRole("button", { name: "Share this card" }).click();
  const sheet = page.getByRole("dialog", { name: "Share this card" });
  await expect(sheet.getByRole("textbox", { name: "Link" })).toHaveValue(/mission\/five-hundred-users\/\?seed=1&run=answer/);
  const [saved] = await Promise.all([page.waitForEvent("download"), sheet.getByRole("button", { name: "Save as SVG" }).click()]);
  expect(saved.suggestedFilename()).toBe("mission-five-hundred-users.svg");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("link", { name: /^Next mission: / })).toHaveAttribute("href", /mission\/it-stalls-at-512\/$/);
  await expect(page.locator(".mission-end")).toContainText("No other answer to a single decision would have made much of a difference.");
});

test("a run is kept, gone back on at its cost, linked and marked again", async ({ page }) => {
  await page.goto("mission/");
  await ready(page);
  await expect(page.getByRole("navigation", { name: "Tools" }).getByRole("link", { name: "Missions" })).toBeVisible();
  expect(await page.locator(".mission-list h2 a").count()).toBeGreaterThanOrEqual(5);
  // Newcomers are led to two of them.
  await expect(page.getByRole("region", { name: "New to missions? Start here" }).getByRole("link")).toHaveText(["Play 01 Fit it", "Play 05 It stalls at 512"]);
  expect(await axe(page, ".missions")).toEqual([]);

  // Another seed is another run; nothing is decided without an answer, and what was typed stays.
  await page.goto(`${MISSION}?seed=7`);
  await ready(page);
  await expect(page.locator(".mission-tools")).toContainText("Seed 7");
  await decide(page);
  await expect(decision(page)).toContainText("Nothing is written here yet");
  await decision(page).getByLabel(/Your answer/).fill("many");
  await decide(page);
  await expect(decision(page).getByLabel(/Your answer/)).toHaveValue("many");
  // A missing unit is asked for, and costs nothing.
  await decision(page).getByLabel(/Your answer/).fill("3400");
  await decide(page);
  await expect(decision(page)).toContainText("3400 what?");
  await expect(page.locator('[data-variable="days"] output')).toHaveText("0 days");
  await make(page, "answer:3.4e9");
  const days = page.locator('[data-variable="days"] output');
  await expect(days).toHaveText("3 days");

  await make(page, "answer:h100-80");
  await expect(decision(page)).toContainText("Decision 3 of 10");
  // What is set says by what it is set, and the GPUs are drawn as soon as there are any.
  await expect(decision(page).locator(".mission-locked")).toContainText("Locked by the brief: ");
  await expect(decision(page).locator(".mission-locked")).toContainText("Locked by “Which GPU”: GPU: ");

  // It is kept.
  await page.reload();
  await ready(page);
  await expect(decision(page)).toContainText("Decision 3 of 10");
  expect((await stored(page)).missions["five-hundred-users/7"].run).toBe("answer:3.4e9;answer:h100-80");
  expect(await overflow(page)).toBeLessThanOrEqual(0);

  // Only what is decided has a control, and nothing says beforehand what the figure makes of it.
  await expect(decision(page).locator('[name="tp"]').first()).toBeVisible();
  await expect(decision(page).locator('[name="users"], [name="model"], .finding, .presets, figcaption')).toHaveCount(0);
  // A field that could not be used is not decided by.
  const field = decision(page).locator('.mission-figure input[type="text"][name="tp"], .mission-figure .number-field input').first();
  await field.fill("many");
  await decide(page);
  await expect(decision(page)).toContainText("A field of the figure could not be used");
  await field.press("Escape");
  await expect(page.locator(".board-none")).toHaveText("No GPUs yet");
  await make(page, "tp:4");
  await expect(page.locator(".board-gpu").first()).toBeAttached();
  await expect(page.locator(".board-bar").first()).toContainText(/Monthly bill.*of \$30,000/);

  // Time that is gone stays gone.
  const first = page.locator(".mission-steps > li").first();
  await first.locator("summary").click();
  await first.getByRole("button", { name: "Go back here" }).click();
  await expect(decision(page)).toContainText("Decision 1 of 10");
  await expect(days).toHaveText("4 days");

  // An instructor plays a link again.
  await teach(page);
  await page.goto("mission/");
  await ready(page);
  await expect(page.locator('[data-run="five-hundred-users"]')).toContainText("begun");
  await page.getByText("For instructors: mark runs").click();
  await page.getByLabel("Links, one a line").fill(`https://x.example/r/${MISSION}?seed=1&by=Ada&run=${CARELESS}\nnonsense`);
  await page.getByRole("button", { name: "Play them again" }).click();
  const rows = page.locator(".mission-marked tbody tr");
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText("Ada");
  await expect(rows.first()).toContainText("Left at the end of a month");
  await expect(rows.last()).toContainText("no run in it");
});

test("a room decides on the projector by its hands, by keys alone, and what was counted is kept", async ({ page }) => {
  const root = page.locator("html");
  const bar = page.getByRole("toolbar", { name: "Projector" });
  const slide = page.locator(".projected");
  const counts = page.locator(".projected .hands-count");
  const keys = async (...all: string[]) => {
    for (const key of all) await page.keyboard.press(key);
  };
  await page.setViewportSize({ width: 1920, height: 1080 });
  await page.goto(`${MISSION}?seed=7`);
  await ready(page);
  await keys("p");
  await expect(root).toHaveAttribute("data-projecting", "");
  await expect(bar).toContainText("2 of 2 · Decision 1 of 10");
  // Answers of the room's own, put to the vote one after the other.
  for (const typed of ["1.7 GB", "0.42 GB"]) {
    await keys("v");
    await page.keyboard.type(typed);
    await keys("Enter");
  }
  // A number is the count, and doesn't lead to a slide.
  await keys("1", "2", "Backspace", "Enter", "1", "+", "+", "-");
  await expect(counts).toHaveText(["1", "2"]);
  await expect(bar).toContainText("2 of 2 · Decision 1 of 10");
  expect(await contrast(page)).toEqual([]);

  // They are kept, and so is what is projected.
  await page.reload();
  await expect(counts).toHaveText(["1", "2"]);
  await keys("d");
  await expect(bar).toContainText("2 of 3 · What one user keeps in memory");
  await expect(slide).toContainText("Hands in the room: 1 : 2");
  expect((await stored(page)).missions["five-hundred-users/7"]).toMatchObject({
    run: "answer:4.2e8",
    votes: { 0: [["answer:1.7e9", 1], ["answer:4.2e8", 2]] },
  });

  // A tie is no decision; whoever leads makes it.
  await keys("ArrowRight", "+", "Enter", "+", "d");
  await expect(slide.getByRole("status")).toContainText("There is a tie");
  await slide.getByRole("button", { name: "Decide answer A" }).press("Enter");
  await expect(bar).toContainText("· Which GPU");

  // The figure comes first and fills the screen; what it shows is put to the vote.
  await keys("PageDown");
  const figure = page.locator(".projected [data-widget]");
  await expect.poll(async () => (await figure.boundingBox())?.width).toBe(1920);
  expect((await figure.boundingBox())!.height).toBeGreaterThan(500);
  await keys("v");
  await expect(slide).toContainText("1 answer so far");
  await keys("PageDown", "+", "d");
  await expect(bar).toContainText("· The size of a replica");
  await slide.getByRole("button", { name: "Go back here" }).press("Enter");
  await expect(bar).toContainText("· Back to: The size of a replica");
  await keys("Escape");
  await expect(root).not.toHaveAttribute("data-projecting");
  await expect(decision(page)).toContainText("Decision 3 of 10");
});

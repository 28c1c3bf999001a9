// A quiz: composed, taken without feedback, handed in as a file, and marked again from the file alone.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { axe, contrast, expect, overflow, ready, step, stored, test, visit } from "./fixtures";

const LINK = "quiz/?e=memory-accounting/zero-2,memory-accounting/grows-with-batch,memory-accounting/order-layouts&seed=0";
const question = (page: Page, id: string) => page.locator(`[data-question="memory-accounting/${id}"]`);

const open = visit;

async function begin(page: Page, name: string, path = LINK) {
  await open(page, path);
  await page.getByLabel("Your name").fill(name);
  await page.getByRole("button", { name: "Begin" }).click();
  await expect(page.locator(".exam-bar")).toBeVisible();
  await ready(page);
}

/** Hands in and yields the file's text and name. */
async function handIn(page: Page) {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Hand in", exact: true }).first().click();
  const all_the_same = page.getByRole("button", { name: "Hand in all the same" });
  if (await all_the_same.isVisible()) await all_the_same.click();
  const file = await download;
  await expect(page.locator(".exam .lede")).toContainText("Handed in");
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
}

const asFile = (name: string, text: string) => ({ name, mimeType: "application/json", buffer: Buffer.from(text) });

test("a quiz is composed by the keyboard, is in the address, has a title, and says what of it cannot be used", async ({ page }) => {
  await step(page, "a quiz is composed by the keyboard, is in the address, and has a link", async () => {
    await open(page, "quiz/");
    await expect(page.locator("#order + p")).toHaveText("Nothing is chosen yet.");
    await expect(page.locator(".address")).toBeHidden();
    await page.locator("summary", { hasText: "Where the memory goes" }).press("Enter");
    // Each has a button beside it that shows its question.
    for (const key of ["Tab", "Space", "Tab", "Tab", "Space"]) await page.keyboard.press(key);
    await expect(page.locator(".chosen > li")).toHaveCount(2);
    const [first, second] = await page.locator(".chosen > li > span").allTextContents();
    await page.getByRole("button", { name: /^Earlier/ }).nth(1).press("Enter");
    await expect(page.locator(".chosen > li > span")).toHaveText([second, first]);
    await page.getByRole("textbox", { name: "Seed" }).fill("12");
    await page.getByRole("textbox", { name: "Seed" }).press("Enter");
    await page.getByRole("textbox", { name: "Minutes" }).fill("20");
    await page.getByRole("textbox", { name: "Minutes" }).press("Enter");
    const link = await page.locator(".address").inputValue();
    expect(link).toMatch(/\/quiz\/\?e=memory-accounting\/[\w-]+,memory-accounting\/[\w-]+&seed=12&minutes=20$/);
    await page.reload();
    await ready(page);
    await expect(page.locator(".address")).toHaveValue(link);
    await page.getByRole("button", { name: "Draw new numbers" }).click();
    await expect(page.locator(".address")).not.toHaveValue(link);
    await page.getByRole("button", { name: /^Leave out/ }).first().click();
    await expect(page.locator(".chosen > li")).toHaveCount(1);
    expect(await axe(page)).toEqual([]);
  });

  await step(page, "a seed or a time that cannot be used is said beside its field", async () => {
    await open(page, "quiz/");
    await page.getByRole("textbox", { name: "Minutes" }).fill("soon");
    await page.getByRole("textbox", { name: "Minutes" }).press("Enter");
    await expect(page.locator(".exam-settings")).toContainText("“soon” was not used");
  });

  await step(page, "a quiz has a title and shows its questions while it is composed, with the numbers that it will ask with", async () => {
    await open(page, "quiz/?compose=1");
    await page.locator("summary", { hasText: "Where the memory goes" }).click();
    const choice = page.locator(".to-choose", { hasText: "One rank under ZeRO-2" });
    await choice.getByRole("button", { name: "Preview One rank under ZeRO-2" }).click();
    await expect(page.locator(".asked-text").first()).toContainText("ZeRO");
    await choice.getByRole("checkbox").check();
    const chosen = page.locator(".chosen .asked-text");
    await expect(chosen).toContainText("ZeRO");
    const before = await chosen.innerText();
    await page.getByRole("button", { name: "Draw new numbers" }).click();
    await expect(chosen).not.toHaveText(before);
    await page.getByLabel("Title", { exact: true }).fill("Week 3: memory");
    const link = await page.locator(".address").inputValue();
    expect(new URL(link).searchParams.get("title")).toBe("Week 3: memory");
    expect(await axe(page)).toEqual([]);
    await open(page, link);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Week 3: memory");
    await expect(page).toHaveTitle(/Week 3: memory/);
  });

  await step(page, "a link that is partly wrong is used as far as it goes", async () => {
    await open(page, "quiz/?e=memory-accounting/zero-2,memory-accounting/zero-4,nonsense&seed=-1&minutes=soon");
    for (const part of ["did you mean “memory-accounting/zero-", "“nonsense” is not an exercise", "seed must be", "minutes must be"]) {
      await expect(page.locator(".message")).toContainText(part);
    }
    await expect(page.locator(".exam .lede")).toContainText("One exercise");
    await open(page, "quiz/?e=no/such");
    await expect(page.locator("main")).toContainText("Nothing is left to ask");
  });
});

test("a quiz is taken without a word about the answers, and survives a reload", async ({ page }) => {
  await page.clock.install({ time: new Date("2026-03-02T10:00:00") });
  await begin(page, "Ada Lovelace", `${LINK}&minutes=20`);
  await expect(page.getByRole("timer")).toHaveText(/^(20:00|19:5\d) left$/);
  const number = question(page, "zero-2");
  await number.locator("input").fill("33.6 GB");
  await number.locator("input").press("Enter");
  await question(page, "grows-with-batch").locator("input").first().check();
  await expect(page.locator(".exam-bar")).toContainText("2 of 3 answered");
  for (const word of ["Check", "Hint", "Show the solution", "Fresh numbers"]) {
    await expect(page.getByRole("button", { name: word })).toHaveCount(0);
  }
  await expect(page.locator(".exercise .answer")).toHaveCount(0);
  await page.clock.runFor(1000);
  const { quiz, exercises, practice } = await stored(page);
  expect(quiz.answers["memory-accounting/zero-2"]).toBe("33.6 GB");
  expect(exercises).toEqual({});
  expect(practice).toBeUndefined();
  await page.reload();
  await ready(page);
  await expect(number.locator("input")).toHaveValue("33.6 GB");
  await page.clock.runFor(21 * 60_000);
  await expect(page.locator(".exam-bar")).toContainText("The time is over");
  await page.getByRole("button", { name: "Hand in", exact: true }).first().click();
  await expect(page.getByRole("group", { name: "Hand in all the same?" })).toContainText("One question has no answer.");
  await page.getByRole("button", { name: "Go on" }).click();
  await question(page, "order-layouts").getByRole("button", { name: "Use this order" }).click();
  const { name, text } = await handIn(page);
  expect(name).toBe("ringside-quiz-ada-lovelace-2026-03-02.json");
  const result = JSON.parse(text);
  expect(result.learner).toBe("Ada Lovelace");
  expect(result.ended - result.started).toBeGreaterThanOrEqual(21 * 60);
  expect(result.answers.map((a: { answer: string }) => a.answer)).toEqual(["33.6 GB", expect.stringMatching(/^\d$/), expect.stringMatching(/^\d(,\d)+$/)]);
  expect(result.answers[0].verdict).toBe("right");
  await page.reload();
  await ready(page);
  await expect(page.locator(".exam .lede")).toContainText("Handed in: 3 of 3 answered");
  await page.getByRole("button", { name: "Forget these answers" }).click();
  await expect(page.getByRole("button", { name: "Begin" })).toBeVisible();
});

test("a seed shows everyone the same numbers, and others than the chapter", async ({ page, context }) => {
  const path = "quiz/?e=memory-accounting/zero-2&seed=7";
  await begin(page, "Ada", path);
  const prompt = await question(page, "zero-2").locator(".prompt").innerText();
  const other = await context.browser()!.newPage();
  await begin(other, "Grace", new URL(path, page.url().replace(/quiz\/.*/, "")).href);
  expect(await question(other, "zero-2").locator(".prompt").innerText()).toBe(prompt);
  await other.close();
  await page.getByRole("button", { name: "Hand in", exact: true }).first().press("Enter");
  await page.getByRole("button", { name: "Hand in all the same" }).press("Enter");
  await page.getByRole("button", { name: "Forget these answers" }).press("Enter");
  await begin(page, "Ada", "quiz/?e=memory-accounting/zero-2&seed=0");
  expect(await question(page, "zero-2").locator(".prompt").innerText()).not.toBe(prompt);
});

test("what is handed in is marked again: who agrees, who was edited, what cannot be read", async ({ page }) => {
  await begin(page, "Ada");
  await question(page, "zero-2").locator("input").fill("33.6 GB");
  const ada = await handIn(page);
  const edited = JSON.parse(ada.text);
  edited.learner = "=Grace <b>x</b>";
  edited.answers[1].verdict = "right";
  await open(page, "check/");
  await expect(page.locator("#class")).toHaveCount(0);
  await page.getByLabel("Results, one file or many").setInputFiles([
    asFile(ada.name, ada.text), asFile("grace.json", JSON.stringify(edited)), asFile("notes.json", "{}"), asFile("ada again.json", ada.text),
  ]);
  const rows = page.locator(".check tbody tr");
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(0)).toContainText("=Grace <b>x</b>");
  // The verdict that was edited, and the file that is a copy.
  await expect(rows.nth(0)).toContainText("2 to look at");
  await expect(rows.nth(1)).toContainText("Ada");
  await expect(rows.nth(1)).toContainText("1 of 3");
  await expect(rows.nth(1)).toContainText("1 to look at");
  await expect(page.getByRole("alert")).toContainText("notes.json: The file is not a result of a Ringside quiz.");
  await page.getByRole("button", { name: "Remove notes.json" }).press("Enter");
  await expect(page.locator(".unread")).toBeHidden();
  const grace = page.locator(".person", { hasText: "=Grace" });
  await grace.locator("summary").press("Enter");
  await expect(grace).toContainText("The exercise is the same, but the file says “right”, and it is “no answer”: most likely the file was edited.");
  await expect(grace).toContainText("33.6 GB");
  expect(await axe(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await contrast(page), "dark").toEqual([]);
  await page.setViewportSize({ width: 360, height: 780 });
  await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export as CSV" }).click();
  const csv = readFileSync(await (await download).path(), "utf8");
  expect(csv.split("\r\n")).toHaveLength(4);
  expect(csv).toContain("\"'=Grace <b>x</b>\"");
});

test("a quiz being taken passes axe on a phone", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 780 });
  await begin(page, "Ada", "quiz/?e=memory-accounting/zero-2,memory-accounting/what-for,memory-accounting/label-zero-2,memory-accounting/task-stage-1,memory-accounting/trace-first-step,memory-accounting/explain-stage-3,memory-accounting/predict-30b&minutes=20");
  expect(await axe(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await contrast(page), "dark").toEqual([]);
  await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
});

test("a class of files is marked together, with which mistakes were made and by whom", async ({ page }) => {
  const quiz = `${LINK}&title=Monday`;
  const files = [];
  for (const [name, number] of [["Ada", "480 GB"], ["Grace", "480 GB"], ["Edsger", ""]]) {
    await begin(page, name, quiz);
    if (number) {
      await question(page, "zero-2").locator("input").fill(number);
      await question(page, "zero-2").locator("input").press("Enter");
      await question(page, "grows-with-batch").locator("input").first().check();
    }
    const file = await handIn(page);
    files.push(asFile(file.name, file.text));
    await page.getByRole("button", { name: "Forget these answers" }).click();
  }
  await open(page, "check/");
  await page.getByLabel("Results, one file or many").setInputFiles(files);
  await ready(page);
  await expect(page.locator(".quiz-title")).toHaveText("Monday");
  const report = page.locator(".mistakes > li");
  await expect(report).toHaveCount(3);
  await expect(report.first()).toContainText("One rank under ZeRO-2");
  await expect(report.first()).toContainText("0 of 3 right, 1 without an answer");
  await expect(report.first().locator(".times").first()).toHaveText("2×");
  await expect(report.first().locator("li").first()).toContainText("Ada, Grace");
  await expect(report.first().locator(".said").first()).not.toBeEmpty();
  expect(await axe(page)).toEqual([]);
});

test("essays are marked by hand, by one rubric, and the points count and are kept", async ({ page }) => {
  await begin(page, "Ada", "quiz/?e=memory-accounting/zero-2,memory-accounting/explain-stage-3&seed=0");
  await question(page, "zero-2").locator("input").fill("33.6 GB");
  await question(page, "explain-stage-3").locator("textarea").fill("Because of the traffic.");
  const file = await handIn(page);
  const grace = { ...JSON.parse(file.text), learner: "Grace" };
  const files = [asFile(file.name, file.text), asFile("grace.json", JSON.stringify(grace))];
  await page.setViewportSize({ width: 1280, height: 720 });
  await open(page, "check/");
  await page.getByLabel("Results, one file or many").setInputFiles(files);
  await ready(page);
  await expect(page.locator(".mistakes > li").nth(1)).toContainText("2 to mark");
  await expect(page.getByText("How to mark it")).toHaveCount(1);
  const points = page.getByLabel("Points for Ada");
  const most = Number(await points.getAttribute("max"));
  await points.fill("2");
  await points.press("Tab");
  const ada = page.locator(".check tbody tr", { hasText: "Ada" });
  await expect(ada).toContainText(`3 of ${most + 1}`);
  await expect(page.locator(".mistakes > li").nth(1)).toContainText(`2 of ${most} points, 1 to mark`);
  await page.getByText("How to mark it").click();
  // What is to be marked by has the width of a text.
  expect((await page.locator(".marking li").first().boundingBox())!.width).toBeGreaterThan(400);
  expect(await axe(page)).toEqual([]);
  await page.reload();
  await page.getByLabel("Results, one file or many").setInputFiles(files);
  await expect(points).toHaveValue("2");
});

test("of a quiz of many exercises the table says of each file whether it agrees, without scrolling", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, "quiz/");
  const keys: string[] = await page.evaluate(async () => {
    const content = document.querySelector("meta[name=ringside-content]")!.getAttribute("content")!;
    const index = await (await fetch(new URL(`${content}exercises.json`, document.baseURI))).json();
    return index.exercises.map((exercise: { key: string }) => exercise.key);
  });
  await begin(page, "Ada", `quiz/?e=${keys.filter((k) => k.startsWith("memory-accounting/")).slice(0, 19).join(",")}&seed=0`);
  const file = await handIn(page);
  await open(page, "check/");
  await page.getByLabel("Results, one file or many").setInputFiles([asFile(file.name, file.text)]);
  await ready(page);
  const agrees = (await page.locator("td.agrees").first().boundingBox())!;
  const region = (await page.locator(".scrolls").boundingBox())!;
  expect(agrees.x + agrees.width).toBeLessThanOrEqual(region.x + region.width);
});

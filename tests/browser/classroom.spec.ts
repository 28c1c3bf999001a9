// Out of the lab and into the classroom: questions for learning platforms, pages as SCORM packages in somebody else's runtime, marks in
// gradebooks, and what a room sees. That others' importers read every question is `cargo xtask test --only exports`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Download, Page } from "@playwright/test";
import { NARROW, axe, expect, overflow, ready, step, teach, test, visit } from "./fixtures";

const QUIZ = "e=memory-accounting/zero-2,memory-accounting/weights&seed=0&title=Week%203";

async function open(page: Page, path: string) {
  await page.goto(path);
  await ready(page);
}

async function saved(page: Page, button: string): Promise<Download> {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: button }).click();
  return download;
}

const text = async (download: Download) => readFileSync(await download.path(), "utf8");

/** The files of a package whose files are stored as they are. */
async function unzipped(download: Download): Promise<Map<string, string>> {
  const bytes = readFileSync(await download.path());
  const files = new Map<string, string>();
  for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50; ) {
    const [size, name, extra] = [bytes.readUInt32LE(at + 18), bytes.readUInt16LE(at + 26), bytes.readUInt16LE(at + 28)];
    const from = at + 30 + name + extra;
    files.set(bytes.toString("utf8", at + 30, at + 30 + name), bytes.toString("utf8", from, from + size));
    at = from + size;
  }
  return files;
}

test("what is exported says first what is lost, and the address names what it is", async ({ page }) => {
  await step(page, "a chapter leaves as Moodle XML, with its diagnoses and its variants, and what is lost is said first", async () => {
    await visit(page, "export/?chapter=memory-accounting&as=moodle&variants=3");
    await expect(page.locator("#holds + p")).toHaveText(/^\d+ questions from \d+ of \d+ exercises\.$/);
    const lost = page.locator(".export-lost summary");
    await expect(lost.filter({ hasText: "because the learner draws a curve" })).toBeVisible();
    expect(await axe(page)).toEqual([]);
    const download = await saved(page, "Download the questions");
    expect(download.suggestedFilename()).toMatch(/^ringside-chapter-03-.*-moodle\.xml$/);
    const xml = await page.evaluate((text) => {
      const file = new DOMParser().parseFromString(text, "application/xml");
      const asked = [...file.querySelectorAll("question[type=numerical]")].find((q) => q.querySelector("idnumber")?.textContent === "memory-accounting-weights-1")!;
      const answers = [...asked.querySelectorAll("answer")].map((a) => [a.getAttribute("fraction"), a.querySelector(":scope > text")!.textContent, a.querySelector("feedback")!.textContent!.trim()]);
      const variants = [...file.querySelectorAll("idnumber")].filter((id) => id.textContent!.startsWith("memory-accounting-weights-")).length;
      return { error: file.querySelector("parsererror")?.textContent ?? "", answers, variants };
    }, await text(download));
    expect(xml.error).toBe("");
    expect(xml.answers[0].slice(0, 2)).toEqual(["100", "60"]);
    expect(xml.answers[1].slice(0, 2)).toEqual(["0", "120"]);
    expect(xml.answers[1][2]).toContain("fp32");
    expect(xml.variants).toBe(3);
  });

  await step(page, "a quiz is exported from where it is composed, as a package for Canvas and as notes for Anki", async () => {
    await visit(page, `quiz/?${QUIZ}&compose=1`);
    await page.getByRole("link", { name: "Export questions…" }).click();
    await ready(page);
    await expect(page.getByLabel("Export", { exact: true })).toHaveValue("0");
    await page.getByRole("radio", { name: "Canvas (QTI 1.2 package)" }).check();
    const files = await unzipped(await saved(page, "Download the questions"));
    expect([...files.keys()]).toEqual(["imsmanifest.xml", "ringside/assessment_meta.xml", "ringside/ringside.xml"]);
    expect(files.get("ringside/ringside.xml")).toContain("Week 3");
    await page.getByRole("radio", { name: "Anki notes" }).check();
    await expect(page).toHaveURL(/as=anki/);
    const notes = await text(await saved(page, "Download the questions"));
    expect(notes).toContain("#guid column:1\n");
    expect(notes).toContain("ringside-memory-accounting-zero-2-1\t");
    await expect(page.locator(".went-well")).toBeVisible();
    await expect(page.getByText("Each variant is a note.")).toBeVisible();
    // A mission is no question.
    await page.getByLabel("Export", { exact: true }).selectOption((await page.locator("#export-what option", { hasText: /^Mission/ }).first().getAttribute("value"))!);
    await expect(page.getByRole("radio", { name: "Anki notes" })).toBeDisabled();
    await expect(page.getByRole("radio", { name: "SCORM 1.2 package" })).toBeChecked();
    // A download is announced until something else is set.
    await expect(page.locator(".went-well")).toHaveCount(0);
    await saved(page, "Download the package");
    await expect(page.locator(".went-well")).toBeVisible();
    await page.getByRole("radio", { name: "SCORM 2004 package" }).check();
    await expect(page.locator(".went-well")).toHaveCount(0);
    for (const size of NARROW) {
      await page.setViewportSize(size);
      expect(await overflow(page), `${size.width}`).toBeLessThanOrEqual(0);
    }
  });

  await step(page, "a term of the syllabus leaves as a cartridge, with its links and its quizzes", async () => {
    await visit(page, "syllabus/");
    await page.locator("#term").getByRole("link", { name: "Export the whole course to Moodle or Canvas" }).click();
    await expect(page.locator("#holds + p")).toHaveText(/^13 sessions with \d+ links to this site and 13 quizzes that ask (\d+) of \1 exercises\.$/);
    await expect(page.locator(".export-lost summary").filter({ hasText: "the wrong numbers that the page foresees" })).toBeVisible();
    const download = await saved(page, "Download the course");
    expect(download.suggestedFilename()).toMatch(/\.imscc$/);
    const files = await unzipped(download);
    const manifest = files.get("imsmanifest.xml")!;
    expect(manifest.match(/<item identifier="module-/g)).toHaveLength(14);
    for (const [, path] of manifest.matchAll(/<file href="([^"]+)"/g)) expect(files.has(path), path).toBe(true);
    // Its first link opens here.
    await open(page, /href="([^"]+)"/.exec(files.get("links/link-1-1.xml")!)![1]);
    await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
  });

  await step(page, "an address that names nothing there exports the first of the list", async () => {
    for (const nothing of ["mission=nope", "chapter=nope"]) {
      await visit(page, `export/?${nothing}&as=scorm12`);
      const first = page.getByLabel("Export", { exact: true });
      await expect(first).toHaveValue("0");
      const title = (await first.locator("option").first().textContent())!;
      const files = await unzipped(await saved(page, "Download the package"));
      expect(files.get("imsmanifest.xml")).toContain(`<title>${title}</title>`);
      expect(files.get("index.html")).not.toContain("nope");
    }
  });
});

/** A learning platform with scorm-again, which has the package: the page in which it runs, and what it has heard. */
async function platform(context: BrowserContext, files: Map<string, string>, version: "12" | "2004") {
  const runtime = readFileSync(join(__dirname, `node_modules/scorm-again/dist/scorm${version}.min.js`), "utf8");
  const name = version === "12" ? "API = new Scorm12API" : "API_1484_11 = new Scorm2004API";
  const page = `<!doctype html><title>Platform</title><script>${runtime}</script><script>window.${name}({ autocommit: false, logLevel: 5 });</script><iframe src="package/index.html" width="800" height="500"></iframe>`;
  const type = (path: string) => (path.endsWith(".js") ? "text/javascript" : path.endsWith(".html") ? "text/html" : "text/xml");
  await context.route("https://platform.test/**", (route) => {
    const path = new URL(route.request().url()).pathname.replace("/package/", "");
    if (path === "/") return route.fulfill({ contentType: "text/html", body: page });
    const body = files.get(path);
    return body === undefined ? route.fulfill({ status: 404, body: "" }) : route.fulfill({ contentType: type(path), body });
  });
  const lms = await context.newPage();
  await lms.goto("https://platform.test/");
  const get = (key: string) =>
    lms.evaluate(([key, version]) => {
      const all = window as unknown as Record<string, Record<string, (key: string) => string>>;
      return version === "12" ? all.API.LMSGetValue(key) : all.API_1484_11.GetValue(key);
    }, [key, version]);
  return { lms, get };
}

for (const [version, label, keys, most] of [
  ["12", "SCORM 1.2 package", { status: "cmi.core.lesson_status", raw: "cmi.core.score.raw" }, 4096],
  ["2004", "SCORM 2004 package", { status: "cmi.completion_status", raw: "cmi.score.raw" }, 64000],
] as const) {
  test(`a quiz reports its score to a platform by SCORM ${version}`, async ({ page, context }) => {
    await open(page, `export/?${QUIZ}`);
    await page.getByRole("radio", { name: label }).check();
    const { lms, get } = await platform(context, await unzipped(await saved(page, "Download the package")), version);
    const launcher = lms.frameLocator("iframe");
    await expect(launcher.getByRole("heading", { name: "Week 3" })).toBeVisible();
    expect(await get(keys.status)).toBe("incomplete");
    const opened = context.waitForEvent("page");
    await launcher.getByRole("button", { name: "Open in a new tab" }).click();
    const quiz = await opened;
    await ready(quiz);
    await expect(quiz.locator(".notice")).toContainText("https://platform.test");
    await quiz.getByLabel("Your name").fill("Ada");
    await quiz.getByRole("button", { name: "Begin" }).click();
    const field = quiz.locator('[data-question="memory-accounting/weights"] input');
    await field.fill("60 GB");
    await field.press("Enter");
    await expect.poll(() => get("cmi.suspend_data")).toContain("60 GB");
    expect(await get(keys.raw)).toBe("");
    await quiz.getByRole("button", { name: "Hand in", exact: true }).first().click();
    await quiz.getByRole("button", { name: "Hand in all the same" }).click();
    await expect(launcher.locator("#state")).toHaveText("Score: 50%. Done.");
    expect(await get(keys.raw)).toBe("50");
    expect(await get(keys.status)).toBe("completed");
    expect((await get("cmi.suspend_data")).length).toBeLessThanOrEqual(most);
    // Another quiz in the same tab is nobody's but the learner's.
    await open(quiz, "quiz/?e=memory-accounting/weights&seed=0");
    await quiz.getByLabel("Your name").fill("Ada");
    await expect(quiz.locator(".notice", { hasText: "https://platform.test" })).toHaveCount(0);
    await quiz.getByRole("button", { name: "Begin" }).click();
    await quiz.getByRole("button", { name: "Hand in", exact: true }).first().click();
    await quiz.getByRole("button", { name: "Hand in all the same" }).click();
    await expect(quiz.getByText("Handed in:")).toBeVisible();
    expect(await get(keys.raw)).toBe("50");
  });
}

/** Puts the page of a package in a platform, opens it from there, and yields its tab. */
async function launched(page: Page, context: BrowserContext, what: string, label: string, version: "12" | "2004") {
  await open(page, `export/?${what}`);
  await page.getByRole("radio", { name: label }).check();
  const { lms, get } = await platform(context, await unzipped(await saved(page, "Download the package")), version);
  const launcher = lms.frameLocator("iframe");
  const opened = context.waitForEvent("page");
  await launcher.getByRole("button", { name: "Open in a new tab" }).click();
  const tab = await opened;
  await ready(tab);
  return { tab, launcher, get };
}

test("a chapter reports the share of its exercises that is solved, and goes on from what the platform kept", async ({ page, context }) => {
  const { tab, launcher, get } = await launched(page, context, "chapter=memory-accounting", "SCORM 1.2 package", "12");
  await expect(tab.locator(".notice")).toContainText("https://platform.test");
  expect(await get("cmi.core.lesson_status")).toBe("incomplete");
  const exercise = tab.locator('[data-slot-exercise="weights"]');
  await exercise.scrollIntoViewIfNeeded();
  await exercise.getByRole("textbox").fill("60 GB");
  await exercise.getByRole("button", { name: "Check" }).click();
  await expect(exercise.locator(".answer.right")).toBeVisible();
  await expect.poll(() => get("cmi.suspend_data")).toBe("weights");
  const share = Number(await get("cmi.core.score.raw"));
  expect(share).toBeGreaterThan(0);
  expect(share).toBeLessThan(20);
  await expect(launcher.locator("#state")).not.toContainText("Done");
  expect(await get("cmi.core.lesson_status")).toBe("incomplete");
});

test("a mission reports how its run compares with the best once it is over", async ({ page, context }) => {
  test.setTimeout(180_000);
  const run = "answer:3.4e9;answer:a100-80;tp:16;quant:int4,kv-bits:4,tp:8;policy:prefill-first,tokens:8192;answer:bigger;answer:take;drafted:4;answer:wait;answer:small";
  await open(page, "settings/");
  await page.evaluate((run) => localStorage.setItem("ringside.store", JSON.stringify({ version: 2, missions: { "five-hundred-users/1": { run } } })), run);
  const { tab, launcher, get } = await launched(page, context, "mission=five-hundred-users", "SCORM 2004 package", "2004");
  await expect(tab.locator("#mission-end")).toBeVisible();
  await expect(launcher.locator("#state")).toContainText("Done.", { timeout: 90_000 });
  const score = Number(await get("cmi.score.raw"));
  expect(score).toBeGreaterThanOrEqual(0);
  expect(score).toBeLessThan(100);
  expect(await get("cmi.completion_status")).toBe("completed");
});

test("marks go into the gradebook that a platform exported, and a copied file is noticed", async ({ page }) => {
  await open(page, `quiz/?${QUIZ}`);
  await page.getByLabel("Your name").fill("Ada Lovelace");
  await page.getByRole("button", { name: "Begin" }).click();
  const field = page.locator('[data-question="memory-accounting/weights"] input');
  await field.fill("60 GB");
  await field.press("Enter");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Hand in", exact: true }).first().click();
  await page.getByRole("button", { name: "Hand in all the same" }).click();
  const result = JSON.parse(await text(await download));
  await open(page, "check/");
  const file = (learner: string) => ({ name: `${learner}.json`, mimeType: "application/json", buffer: Buffer.from(JSON.stringify({ ...result, learner })) });
  await page.getByLabel("Results, one file or many").setInputFiles(["Ada Lovelace", "Bob", "Nobody"].map(file));
  await expect(page.locator(".check .note").first()).toContainText("have the same start, end and answers");
  await expect(page.locator(".check td.agrees")).toHaveCount(0);
  const gradebook = 'Student,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,\n"Lovelace, Ada",1,s1,ada,A\nBob,2,s2,bob,A\n';
  const filled = page.waitForEvent("download");
  await page.getByLabel("Gradebook of Moodle or Canvas, as CSV").setInputFiles({ name: "grades.csv", mimeType: "text/csv", buffer: Buffer.from(gradebook) });
  const csv = await text(await filled);
  expect(csv).toContain('"Lovelace, Ada","1","s1","ada","A","1"');
  expect(csv).toContain('"Week 3"');
  await expect(page.locator(".went-well")).toContainText("2 of 2 learners in the Canvas gradebook have a mark. Not found there, or found more than once: Nobody.");
});

const TALK = `presenter/#list=${encodeURIComponent("> # Today\n// Say hello.\nw/zero-stepper/?zero=2 One step\nchapter/zero-and-fsdp/#exercise-not-zero-two\n")}`;

test("a talk: the clicker turns, notes are the presenter’s alone, the room is held, waits and votes", async ({ context }) => {
  const lead = await context.newPage();
  await open(lead, TALK);
  const room = await context.newPage();
  await open(room, "presenter/?audience");
  await lead.bringToFront();

  await test.step("a clicker turns to the next slide, whatever has the focus, and notes are for the presenter alone", async () => {
    await expect(lead.locator(".presenter-notes")).toHaveText("Say hello.");
    expect(await room.locator("body").innerText()).not.toContain("Say hello.");
    await lead.keyboard.press("PageDown");
    await expect(room.locator(".figure-title")).toHaveText("One step");
    await lead.getByRole("button", { name: "Step forward" }).click();
    await lead.keyboard.press("PageUp");
    await expect(lead.locator(".presenter-label")).toHaveText(/^1 · /);
  });

  await test.step("the room’s screen is held, is given two minutes, and is let go again", async () => {
    await lead.keyboard.press("1");
    await expect(room.getByRole("heading", { name: "Today" })).toBeVisible();
    await lead.keyboard.press("f");
    await expect(lead.getByRole("button", { name: /^Freeze/ })).toHaveAttribute("aria-pressed", "true");
    await lead.keyboard.press("PageDown");
    await expect(lead.locator(".presenter-label")).toHaveText("2 · One step");
    await expect(room.getByRole("heading", { name: "Today" })).toBeVisible();
    // A held screen goes blank and counts down, and has no pointer of another slide.
    await lead.keyboard.press("b");
    await expect(room.locator(".room-blank")).toBeVisible();
    await lead.keyboard.press("b");
    await expect(room.locator(".room-blank")).toHaveCount(0);
    await lead.getByRole("button", { name: "Give the room 5 min" }).click();
    await expect(room.locator(".room-countdown")).toHaveText(/^(5:00|4:5\d)$/);
    await expect(room.getByRole("heading", { name: "Today" })).toBeVisible();
    await lead.getByRole("button", { name: "Pointer", exact: true }).click();
    await lead.locator(".presenter-stage [data-drawing]").first().hover();
    await lead.getByRole("button", { name: "Stop the countdown" }).click();
    await expect(room.locator(".room-countdown")).toHaveCount(0);
    await expect(room.locator(".room-pointer")).toHaveCount(0);
    await lead.getByRole("button", { name: "Pointer", exact: true }).click();
    await lead.locator(".presenter-label").click();
    await lead.keyboard.press("f");
    await expect(room.locator('[data-widget="zero-stepper"]')).toBeVisible();
    await lead.getByRole("button", { name: "Give the room 2 min" }).click();
    await expect(room.locator(".room-countdown")).toHaveText(/^(2:00|1:5\d)$/);
    await lead.getByRole("button", { name: "Stop the countdown" }).click();
    await expect(room.locator(".room-countdown")).toHaveCount(0);
    expect(await axe(lead)).toEqual([]);
  });

  await test.step("a room votes on an exercise of the list: the numbers that are typed are the count", async () => {
    await lead.keyboard.press("1");
    await lead.keyboard.press("3");
    await expect(lead.locator(".presenter-question ol[type=A] > li")).not.toHaveCount(0);
    const ask = lead.getByRole("button", { name: "Show of hands" });
    const counts = room.locator(".room-counted .hands-count");
    // Nothing is clicked in between: the keys belong to the count, and not to the button.
    await ask.click();
    for (const key of ["1", "2", "Enter", "7"]) await lead.keyboard.press(key);
    await expect(counts.first()).toHaveText("12");
    await expect(counts.nth(1)).toHaveText("7");
    // Neither do they belong to another one that was pressed.
    await lead.getByRole("button", { name: "Give the room 2 min" }).click();
    for (const key of ["+", "Enter", "5"]) await lead.keyboard.press(key);
    await lead.getByRole("button", { name: "Stop the countdown" }).click();
    await expect(counts.nth(1)).toHaveText("8");
    await expect(counts.nth(2)).toHaveText("5");
    await ask.click();
    await expect(counts).toHaveCount(0);
    await ask.click();
    await expect(counts.first()).toHaveText("12");
    // The options stand there already, and the answer says which of them is right.
    await expect(room.locator(".room-counted li").first()).toHaveText(/^A\s*12\s*$/);
    await lead.getByRole("button", { name: "Show the answer to the room" }).click();
    const right = await room.locator(".room-question ol[type=A] > li").evaluateAll((all) => all.map((li) => li.className.includes("right")));
    expect(right.filter(Boolean)).not.toHaveLength(0);
    expect(await room.locator(".room-counted li").evaluateAll((all) => all.map((li) => li.className.includes("right")))).toEqual(right.slice(0, await counts.count()));
    const letters = await room.locator(".room-answer ol[type=A] > li").evaluateAll((all) => all.map((li) => (li as HTMLLIElement).value - 1));
    expect(letters).toEqual(right.flatMap((is, at) => (is ? [at] : [])));
    await expect(lead.locator(".presenter-label")).toHaveText(/^3 · /);
    expect(await axe(lead)).toEqual([]);
    // Another slide has no hands.
    await lead.keyboard.press("PageUp");
    await expect(room.locator(".room-counted")).toHaveCount(0);
  });
});

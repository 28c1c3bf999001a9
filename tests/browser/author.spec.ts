// An author edits a chapter, is told of a mistake in it, and begins one of their own.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { axe, expect, ready, stored, test } from "./fixtures";

const editor = (page: Page) => page.locator("author-editor");
const field = (page: Page, name = "chapter.md") => page.getByRole("textbox", { name: `Text of ${name}` });
const text = (page: Page) => editor(page).evaluate((element: HTMLTextAreaElement) => element.value);
const mistakes = (page: Page) => page.locator(".author-mistakes li");

/** Changes the text in the editor, as if it had been typed. */
async function edit(page: Page, from: string, to: string) {
  await field(page).waitFor();
  await editor(page).evaluate(
    (element: HTMLTextAreaElement, [from, to]) => {
      element.value = element.value.replace(from, to);
      element.dispatchEvent(new Event("input", { bubbles: true }));
    },
    [from, to],
  );
}

test("a chapter is edited, seen as it is typed, kept, downloaded and taken back", async ({ page }) => {
  await page.goto("author/?chapter=03-memory-accounting");
  await ready(page);
  const preview = page.getByRole("region", { name: "as the site shows it" });
  await expect(preview.locator("h1")).toHaveText("Where the memory goes");
  await expect(page.getByText("No mistakes.")).toBeVisible();

  await edit(page, "## Sixteen bytes", "## Seventeen bytes");
  await edit(page, "zero=0`", "zerro=0`");
  await expect(preview.getByRole("heading", { name: "Seventeen bytes" })).toBeVisible();
  const mistake = page.locator(".author-mistakes li", { hasText: "zerro" }).first();
  await expect(mistake).toContainText("zero");
  await mistake.getByRole("button").click();
  await expect(field(page)).toBeFocused();
  await expect(editor(page).locator(".cm-activeLine")).toContainText("zerro");
  await expect(editor(page).locator(".bad-line").first()).toHaveAttribute("title", /zerro/);
  expect(await axe(page, ".author-desk")).toEqual([]);

  await page.reload();
  await ready(page);
  await expect(preview.getByRole("heading", { name: "Seventeen bytes" })).toBeVisible();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download chapter.md" }).click();
  expect(readFileSync(await (await download).path(), "utf8")).toContain("Seventeen bytes");

  await page.getByRole("button", { name: "Discard my changes" }).click();
  await expect(preview.getByRole("heading", { name: "Sixteen bytes for every parameter" })).toBeVisible();
  await page.getByRole("button", { name: "Put my changes back" }).click();
  await expect(preview.getByRole("heading", { name: "Seventeen bytes" })).toBeVisible();
});

test("a text is searched, and what was typed is taken back to where it began and no further", async ({ page }) => {
  await page.goto("author/?chapter=04-activations");
  await ready(page);
  await field(page).click();
  const before = await text(page);
  await page.keyboard.press("Control+f");
  const find = editor(page).getByRole("textbox", { name: "Find" });
  await expect(find).toBeFocused();
  await page.keyboard.type("Thirty-four bytes");
  await page.keyboard.press("Enter");
  await expect(editor(page).locator(".cm-searchMatch-selected").first()).toHaveText("Thirty-four bytes");
  expect(await axe(page, ".author-desk")).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(find).toHaveCount(0);
  await expect(field(page)).toBeFocused();
  // It is the match that is typed over.
  await page.keyboard.type("Forty bytes");
  expect(await text(page)).toBe(before.replace("Thirty-four bytes", "Forty bytes"));
  for (let i = 0; i < 20 && (await text(page)) !== before; i++) await page.keyboard.press("Control+z");
  expect(await text(page)).toBe(before);
  for (let i = 0; i < 3; i++) await page.keyboard.press("Control+z");
  expect(await text(page)).toBe(before);
});

test("a new chapter runs its figure and marks its exercise, and nobody has practised", async ({ page }) => {
  await page.goto("author/");
  await ready(page);
  await page.getByRole("button", { name: "New chapter" }).click();
  const preview = page.getByRole("region", { name: "as the site shows it" });
  await expect(preview.locator("h1")).toHaveText("My chapter");
  await expect(page.locator(".author-mistakes li")).toHaveCount(1);
  await expect(preview.locator('[data-widget="amdahl"]')).toBeVisible();
  const exercise = preview.locator('[data-exercise="first"]');
  await exercise.getByRole("textbox").fill("20");
  await exercise.getByRole("button", { name: "Check" }).click();
  await expect(exercise.locator(".answer.right")).toBeVisible();
  expect((await stored(page)).practice).toBeUndefined();

  // A file by another name is refused, and nothing is lost.
  const files = page.getByLabel("Open files");
  await files.setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("x") });
  await expect(page.getByText("notes.txt is none of a chapter’s files")).toBeVisible();
  await files.setInputFiles({ name: "exercises.toml", mimeType: "text/plain", buffer: Buffer.from("[[exercise]]\nid = ") });
  await expect(page.locator(".author-mistakes li", { hasText: "not TOML" })).toBeVisible();
  await expect(preview.locator("h1")).toHaveText("My chapter");

  await page.getByRole("link", { name: "Ringside" }).first().click();
  await expect.poll(async () => Object.keys((await stored(page)).exercises)).toEqual([]);
});

test("names that fit are offered, and the way out of the editor is said before it", async ({ page }) => {
  await page.goto("author/?chapter=04-activations");
  await ready(page);
  await expect(page.getByText("leaves the editor")).toBeVisible();
  await field(page).click();
  await page.keyboard.press("Control+End");
  const offered = editor(page).locator(".cm-tooltip-autocomplete li");
  for (const [typed, offer] of [["```widget amd", "amdahl"], ["`=amdahl lim", "limit"], ["[x](term:all-r", "all-reduce"], ["[x](source:amd", "amdahl-1967"]]) {
    await page.keyboard.press("Enter");
    await page.keyboard.type(typed, { delay: 20 });
    await expect(offered.filter({ hasText: offer }).first()).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(offered).toHaveCount(0);
  }
  await page.keyboard.press("Tab");
  await expect(field(page)).toBeFocused();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await expect(field(page)).not.toBeFocused();
});

test("of the manifest there is one's own entry, and one mistake in it is one mistake", async ({ page }) => {
  await page.goto("author/");
  await ready(page);
  await page.getByLabel("Slug of a new one").fill("A b");
  await page.getByRole("button", { name: "New chapter" }).click();
  await expect(page.getByText("cannot stand in an address")).toBeVisible();
  await page.getByLabel("Slug of a new one").fill("law-of-amdahl");
  await page.getByRole("button", { name: "New chapter" }).click();
  await expect(page.getByLabel("Chapter", { exact: true })).toHaveValue(/^\d+-law-of-amdahl$/);
  await page.getByRole("radiogroup", { name: "File" }).getByRole("radio", { name: /course.toml/ }).check();
  await field(page, "course.toml").waitFor();
  const entry = await text(page);
  expect(entry.startsWith("[[part.chapter]]\nslug = \"law-of-amdahl\"")).toBe(true);
  expect(entry.split("\n").length).toBeLessThan(20);
  await editor(page).evaluate((element: HTMLTextAreaElement) => {
    element.value = element.value.replace('minutes = 30', 'minutes = [ 30');
    element.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await expect(mistakes(page)).toHaveCount(1);
  await expect(mistakes(page)).toContainText("not TOML");
});

test("a draft travels in a link by what it changes, and does not replace one's own unasked", async ({ page, browser }) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("author/?chapter=04-activations");
  await ready(page);
  await edit(page, "lede =", "# größe\nlede =");
  await page.getByRole("button", { name: "Copy a link to this draft" }).click();
  await expect(page.getByText(/a link of \d{2,3} characters that holds what you changed/)).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toContain("/author/#draft=");

  const other = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  await other.goto(link);
  await expect(other.getByText("The draft of 04-activations is in the editor. It changes chapter.md from line 3.")).toBeVisible();
  expect(await text(other)).toBe(await text(page));
  expect(new URL(other.url()).hash).toBe("");
  await edit(other, "größe", "mine");
  await other.goto("about:blank");
  await other.goto(link);
  await other.getByRole("button", { name: "Keep mine" }).click();
  await expect.poll(() => text(other)).toContain("# mine");
  await other.goto("about:blank");
  await other.goto(link.slice(0, -40));
  await expect(other.getByText("The link is damaged")).toBeVisible();
  await other.goto(link.replace(/#.*/, "?chapter=04-activations"));
  await expect.poll(() => text(other)).toContain("# mine");
  await other.context().close();
});

test("without its script the editor is a plain field", async ({ page }) => {
  await page.route("**/author-editor.js", (route) => route.fulfill({ contentType: "text/javascript", body: "" }));
  await page.goto("author/?chapter=04-activations");
  await ready(page);
  const plain = page.getByLabel("Text of chapter.md");
  await plain.fill((await plain.inputValue()).replace("lede =", "lede"));
  await expect(mistakes(page).first()).toContainText("lede");
  await mistakes(page).first().getByRole("button").click();
  await expect(plain).toBeFocused();
});

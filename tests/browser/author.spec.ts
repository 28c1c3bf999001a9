// An author edits a chapter, is told of a mistake in it, and begins one of their own.
import { readFileSync } from "node:fs";
import { expect, ready, stored, test } from "./fixtures";

test("a chapter is edited, seen as it is typed, kept, downloaded and taken back", async ({ page }) => {
  await page.goto("author/?chapter=03-memory-accounting");
  await ready(page);
  const text = page.getByRole("textbox", { name: "Text of chapter.md" });
  const preview = page.getByRole("region", { name: "as the site shows it" });
  await expect(preview.locator("h1")).toHaveText("Where the memory goes");
  await expect(page.getByText("No mistakes.")).toBeVisible();

  const before = await text.inputValue();
  await text.fill(before.replace("## Sixteen bytes", "## Seventeen bytes").replace("zero=0`", "zerro=0`"));
  await expect(preview.getByRole("heading", { name: "Seventeen bytes" })).toBeVisible();
  const mistake = page.locator(".author-mistakes li", { hasText: "zerro" }).first();
  await expect(mistake).toContainText("zero");
  await mistake.getByRole("button").click();
  expect(await text.evaluate((t: HTMLTextAreaElement) => t.value.slice(t.selectionStart, t.selectionEnd))).toContain("zerro");

  await page.reload();
  await ready(page);
  await expect(preview.getByRole("heading", { name: "Seventeen bytes" })).toBeVisible();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download chapter.md" }).click();
  expect(readFileSync(await (await download).path(), "utf8")).toContain("Seventeen bytes");

  await page.getByRole("button", { name: "Discard my changes" }).click();
  await expect(preview.getByRole("heading", { name: "Sixteen bytes" })).toBeVisible();
  await page.getByRole("button", { name: "Put my changes back" }).click();
  await expect(preview.getByRole("heading", { name: "Seventeen bytes" })).toBeVisible();
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

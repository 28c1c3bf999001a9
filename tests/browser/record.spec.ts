// The record: what was shown, on paper and in a link whose answers are marked again.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { axe, expect, ready, test } from "./fixtures";

const printed = readFileSync(join(__dirname, "../../content/labs/02-ddp/output.txt"), "utf8");

test("what was solved and measured is in it, and the link holds it for whoever marks it again", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.addInitScript((pasted) => {
    if (localStorage.getItem("ringside.store")) return;
    const solved = { input: "7.5 GB", checked: true, right: true, solved: true, tries: 1 };
    const exercises = { "memory-accounting/zero-3": solved, "memory-accounting/gone": solved };
    localStorage.setItem("ringside.store", JSON.stringify({ version: 2, exercises, labs: { ddp: { pasted } }, missions: { "fit-it/7": { run: "tp:8;answer:bf16" } } }));
  }, printed);
  await page.goto("record/");
  await ready(page);
  await expect(page.locator(".record")).toContainText("0 skills shown, 1 exercise, 1 lab");
  await expect(page.getByRole("heading", { name: /Where the memory goes/ })).toContainText(/\d+% done · 0 of \d+ skills shown/);
  await expect(page.locator(".record")).toContainText("numbers as the model says");
  // A lab and a mission by their titles.
  await expect(page.locator('.record a[href="lab/ddp/"]')).toHaveText(/^02 [A-Z]/);
  const mission = page.locator('.record a[href^="mission/fit-it/"]');
  await expect(mission).toHaveText(/^01 [A-Z]/);
  await expect(page.locator(".record li", { has: page.locator('a[href^="mission/fit-it/"]') })).toContainText("· 2 answers · seed 7");
  expect(await axe(page, ".record")).toEqual([]);
  await page.getByLabel("Name").fill("Ada L.");
  await page.getByRole("button", { name: "Copy a link to it" }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toContain("/record/#r=");
  // Whoever gets it has done nothing here.
  await page.evaluate(() => localStorage.setItem("ringside.store", JSON.stringify({ version: 2 })));
  await page.goto("settings/");
  await page.goto(link);
  await ready(page);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Record of Ada L.");
  await page.getByRole("button", { name: "Mark every answer again" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Marked again" })).toContainText("1 right");
  // An answer that is changed in the link is seen.
  await page.goto("settings/");
  await page.goto(link.replace("7.5%20GB", "9.5%20GB") + "&e=<script>");
  await ready(page);
  await expect(page.locator(".record").getByRole("alert")).toContainText("could not be read");
  await page.getByRole("button", { name: "Mark every answer again" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Marked again" })).toContainText("1 not right");
  await page.goto("settings/");
  await page.goto("record/#r=nothing");
  await ready(page);
  await expect(page.getByRole("alert")).toContainText("no record");
});

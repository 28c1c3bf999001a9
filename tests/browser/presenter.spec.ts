// Two windows of a talk: in step through whatever is done in either, and when one is loaded anew or opened again.
import type { BrowserContext, Page } from "@playwright/test";
import { axe, expect, ready, test } from "./fixtures";

const DECK = "presenter/?chapter=memory-accounting";
const AUDIENCE = "presenter/?audience";

async function open(context: BrowserContext, path: string) {
  const page = await context.newPage();
  await page.goto(path);
  await ready(page);
  return page;
}

/** What a window shows: the slide, the figure with its state and a number of it, or the exercise; and whether it is blank. */
const shown = (page: Page) =>
  page.evaluate(() => {
    const figure = document.querySelector("main [data-widget]");
    const question = document.querySelector(".room-question:not([hidden])");
    const at = document.querySelector("[data-at]")?.getAttribute("data-at");
    const blank = document.querySelector('.room-blank, .presenter-bar [aria-pressed="true"]') !== null;
    const total = figure?.querySelector('output[data-quantity="total"]')?.getAttribute("data-value") ?? null;
    return JSON.stringify([at, blank, figure?.getAttribute("data-query") ?? null, total, figure ? null : (question?.textContent ?? "").trim().slice(0, 60)]);
  });

/** Numbers that look random, and are the same in every run. */
function random(seed: number) {
  return (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * below);
  };
}

test("presenter and audience stay in step through fifty actions, reloads and a window that was lost", async ({ context }) => {
  let lead = await open(context, DECK);
  let room = await open(context, AUDIENCE);
  const pick = random(20261121);
  const slider = async (page: Page) => {
    const sliders = page.locator('main [data-widget] input[type="range"]:visible');
    if ((await sliders.count()) === 0) return;
    await sliders.first().focus();
    await page.keyboard.press(pick(2) ? "ArrowRight" : "ArrowLeft");
  };
  const actions: (() => Promise<unknown>)[] = [
    () => lead.keyboard.press("PageDown"),
    () => lead.keyboard.press("PageDown"),
    () => lead.keyboard.press("PageUp"),
    () => lead.keyboard.press(String(1 + pick(9))),
    () => lead.keyboard.press("b"),
    () => slider(lead),
    () => slider(room),
    () => room.keyboard.press("PageDown"),
    async () => (await lead.reload(), await ready(lead)),
    async () => (await room.reload(), await ready(room)),
    async () => (await room.close(), (room = await open(context, AUDIENCE))),
    async () => (await lead.close(), (lead = await open(context, "presenter/"))),
  ];
  await expect.poll(() => shown(room)).toBe(await shown(lead));
  for (let i = 0; i < 50; i++) {
    // Opening a window takes a second; most of what is done in a talk does not.
    const which = i === 12 ? 11 : i === 25 ? 10 : i === 33 ? 8 : i === 41 ? 9 : pick(8);
    await actions[which]();
    await expect(async () => expect(await shown(room), `action ${i}, ${which}`).toBe(await shown(lead))).toPass({ timeout: 15_000 });
  }
});

test("the presenter sees notes, what is next and the answer, and the audience none of it", async ({ context }) => {
  const lead = await open(context, DECK);
  const room = await open(context, AUDIENCE);
  // The chapter begins with a prediction, then the figure, with notes.
  await expect(lead.locator(".presenter-question")).toContainText("480 GB");
  await expect(room.locator(".room-question:visible")).toHaveCount(1);
  expect(await room.locator("body").innerText()).not.toContain("480 GB");
  await lead.keyboard.press("PageDown");
  await expect(lead.locator(".presenter-notes")).toContainText("show of hands");
  await expect(lead.locator(".presenter-next")).toContainText("See it without sharding");
  await expect(room.locator("[data-widget]")).toBeVisible();
  expect(await room.locator("body").innerText()).not.toContain("show of hands");
  expect(await axe(lead)).toEqual([]);
  await lead.goto("chapter/memory-accounting/");
  await ready(lead);
  expect(await lead.locator("body").innerText()).not.toContain("show of hands");
});

test("a lecture list is run, kept as a link, and handed out with codes", async ({ page }) => {
  const list = "w/memory-breakdown/?params=30e9&zero=3 Sharded\nchapter/memory-accounting/?present=2\nw/nothing/ No such thing";
  await page.goto(`lecture/#list=${encodeURIComponent(list)}`);
  await ready(page);
  await expect(page.locator(".handout > li")).toHaveCount(2);
  await expect(page.locator(".handout > li").first()).toContainText("Sharded");
  await expect(page.locator(".handout .qr")).toHaveCount(2);
  await expect(page.locator(".message")).toContainText("w/nothing/");
  await expect(page.locator('.handout [data-widget] output[data-quantity="total"]').first()).toBeVisible();
  expect(await axe(page)).toEqual([]);
  await page.getByRole("link", { name: "Present it" }).click();
  await ready(page);
  await expect(page.locator(".presenter-place")).toHaveText("1 of 2");
  await expect(page.locator(".presenter-stage [data-widget]")).toHaveAttribute("data-query", /zero=3/);
});

test("a chapter prints its figures whole, without what is operated, with room to answer and the solutions", async ({ page }) => {
  await page.goto("chapter/memory-accounting/");
  await ready(page);
  await page.evaluate(() => {
    window.print = () => {
      document.documentElement.dataset.printed = document.querySelector(".solutions")?.textContent ?? "";
    };
  });
  await page.getByLabel("with solutions at the end").check();
  await page.getByRole("button", { name: "Print" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-printed", /480 GB/, { timeout: 60_000 });
  await expect(page.locator(".solutions")).toHaveCount(0);
  await page.emulateMedia({ media: "print" });
  await expect(page.locator("header.top")).toBeHidden();
  await expect(page.locator(".figure .controls").first()).toBeHidden();
  // A4 less its margins, in CSS pixels.
  const heights = await page.locator(".figure:visible").evaluateAll((all) => all.map((e) => [e.getBoundingClientRect().height, getComputedStyle(e).breakInside]));
  expect(heights.length).toBeGreaterThan(0);
  for (const [height, inside] of heights) {
    expect(height).toBeLessThan(1000);
    expect(inside).toBe("avoid");
  }
});

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
    const figure = document.querySelector("main [data-widget]:not([inert] *)");
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
    const sliders = page.locator('main [data-widget]:not([inert] *) input[type="range"]:visible');
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

test("the presenter sees the next state before the audience does: one figure, still and out of reach, or what is asked", async ({ context }) => {
  const list = "w/memory-breakdown/?params=30e9&zero=0 Unsharded\nw/memory-breakdown/?params=30e9&zero=3 Sharded\nchapter/memory-accounting/#exercise-zero-2";
  const lead = await open(context, `presenter/#list=${encodeURIComponent(list)}`);
  const room = await open(context, AUDIENCE);
  const total = (page: Page, within: string) => page.locator(`${within} output[data-quantity="total"]`).getAttribute("data-value");
  await expect(lead.locator(".presenter-next")).toHaveText("Sharded");
  const preview = lead.locator(".next-figure [data-widget]");
  await expect(preview).toHaveAttribute("data-query", /zero=3/);
  await expect(lead.locator(".next-figure")).toHaveAttribute("inert", "");
  await expect(lead.locator(".next-title")).toHaveText("Memory breakdown");
  expect(await axe(lead)).toEqual([]);
  const coming = await total(lead, ".next-figure");
  expect(await total(lead, ".presenter-stage")).not.toBe(coming);
  await expect(room.locator(".next-look")).toHaveCount(0);
  // What is looked at cannot be reached by the keyboard.
  for (let i = 0; i < 40; i++) {
    await lead.keyboard.press("Tab");
    expect(await lead.evaluate(() => document.activeElement!.closest(".next-figure"))).toBeNull();
  }
  await lead.keyboard.press("PageDown");
  await expect.poll(() => total(lead, ".presenter-stage")).toBe(coming);
  await expect(lead.locator(".presenter-next")).toHaveText("Exercise: One rank under ZeRO-2");
  await expect(lead.locator(".next-prompt")).toContainText("ZeRO");
  await expect(lead.locator(".next-figure")).toHaveCount(0);
  await lead.keyboard.press("PageDown");
  await expect(lead.locator(".presenter-next")).toHaveText("This is the last one.");
  await expect(lead.locator(".next-look")).toBeHidden();
  await lead.keyboard.press("PageUp");
  await expect(lead.locator(".next-prompt")).toBeVisible();
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
  // What comes alive on the way down is done with moving what stands below it.
  await page.getByLabel("with solutions at the end").scrollIntoViewIfNeeded();
  await ready(page);
  await page.getByLabel("with solutions at the end").check();
  await page.getByRole("button", { name: "Print" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-printed", /480 GB/, { timeout: 60_000 });
  await expect(page.locator(".solutions")).toHaveCount(0);
  await page.emulateMedia({ media: "print" });
  await expect(page.locator("header.top")).toBeHidden();
  await expect(page.locator(".figure .controls").first()).toBeHidden();
  // A figure that waits for its prediction is printed as it stands, without the button that shows it.
  await expect(page.locator(".figure.withheld .finding").first()).toBeVisible();
  await expect(page.locator(".figure :is(.deck, .figure-transport, .finding) button:visible")).toHaveCount(0);
  // A4 less its margins, in CSS pixels.
  const heights = await page.locator(".figure:visible").evaluateAll((all) => all.map((e) => [e.getBoundingClientRect().height, getComputedStyle(e).breakInside]));
  expect(heights.length).toBeGreaterThan(0);
  for (const [height, inside] of heights) {
    expect(height).toBeLessThan(1000);
    expect(inside).toBe("avoid");
  }
});

test("on paper every kind of exercise has what a pencil needs, and nothing to operate", async ({ page }) => {
  await page.goto("chapter/memory-accounting/");
  await ready(page);
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  await expect(page.locator(".exercise-slot:not(:has(.exercise))")).toHaveCount(0);
  await ready(page);
  await page.emulateMedia({ media: "print" });
  const of = (kind: string) => page.locator(`.exercise[data-kind="${kind}"]`).first();
  for (const kind of ["number", "choice", "order", "match", "label", "prediction", "task", "trace", "explain"]) {
    const exercise = of(kind);
    await expect(exercise.locator(".prompt"), kind).not.toBeEmpty();
    await expect(exercise.locator("button:visible, select:visible, textarea:visible, input:not([type=radio], [type=checkbox]):visible"), kind).toHaveCount(0);
    // Lines beside what they are for, or room under it all.
    const beside = ({ match: [".pair dd"], label: [".pair dd"], order: [".order li", "::before"] } as Record<string, string[]>)[kind];
    if (beside) {
      const drawn = await exercise.locator(beside[0]).evaluateAll((all, part) => all.map((e) => getComputedStyle(e, part).borderBottomStyle), beside[1]);
      expect(new Set(drawn), kind).toEqual(new Set(["solid"]));
    } else {
      const room = await exercise.evaluate((e) => parseFloat(getComputedStyle(e, "::after").height));
      expect(room, kind).toBeGreaterThan(kind === "explain" ? 200 : 90);
    }
  }
  for (const [kind, lines] of [
    ["choice", ".option"],
    ["order", ".order-text"],
    ["match", ".pair label"],
    ["match", ".partners li"],
    ["label", ".label-bar li"],
    ["label", ".pair label"],
    ["label", ".partners li"],
    ["task", ".goals li"],
    ["trace", ".evidence tr"],
    ["trace", ".option"],
  ]) {
    const found = of(kind).locator(lines);
    expect(await found.count(), lines).toBeGreaterThan(1);
    for (const line of await found.all()) await expect(line, `${kind} ${lines}`).toBeVisible();
  }
  // Lettered, since nothing else says which is which; the parts of a bar have letters themselves.
  await expect(of("match").locator(".partners")).toHaveAttribute("type", "A");
  await expect(of("label").locator(".partners")).toHaveAttribute("type", "1");
  const axes = page.locator(".sketch .chart-paper svg");
  await expect(axes.first()).toBeVisible();
  expect((await axes.first().boundingBox())!.width).toBeGreaterThan(200);
});

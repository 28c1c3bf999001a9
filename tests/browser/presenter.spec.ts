// Two windows of a talk: in step through whatever is done in either, and when one is loaded anew or opened again.
import type { BrowserContext, Page } from "@playwright/test";
import { axe, expect, ready, step, teach, test } from "./fixtures";

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

test("the presenter sees notes, what is next and the answer, and the audience the answer alone, when the presenter says so", async ({ context }) => {
  const lead = await open(context, DECK);
  const room = await open(context, AUDIENCE);
  await test.step("the room is shown the answer when the presenter says so, and not before", async () => {
    await expect(lead.locator(".presenter-question")).toContainText("480 GB");
    expect(await room.locator("body").innerText()).not.toContain("480 GB");
    const show = lead.getByRole("button", { name: "Show the answer to the room" });
    await show.click();
    await expect(room.locator(".room-answer")).toContainText("480 GB");
    await lead.getByRole("button", { name: "Hide the answer" }).click();
    await expect(room.locator(".room-answer")).toBeHidden();
    await show.click();
    await expect(room.locator(".room-answer")).toBeVisible();
    await lead.keyboard.press("PageDown");
    await expect(room.locator("[data-widget]")).toBeVisible();
    await expect(room.locator(".room-answer")).toHaveCount(0);
  });

  await test.step("the presenter sees notes and what is next, and the audience none of it", async () => {
    await lead.keyboard.press("PageUp");
    // The chapter begins with a prediction, then the figure, with notes.
    await expect(lead.locator(".presenter-question")).toContainText("480 GB");
    await expect(room.locator(".room-question:visible")).toHaveCount(1);
    expect(await room.locator("body").innerText()).not.toContain("480 GB");
    await lead.keyboard.press("PageDown");
    await expect(lead.locator(".presenter-notes")).toContainText("show of hands");
    await expect(lead.locator(".presenter-next")).toContainText("see it without sharding");
    await expect(room.locator("[data-widget]")).toBeVisible();
    expect(await room.locator("body").innerText()).not.toContain("show of hands");
    expect(await axe(lead)).toEqual([]);
    await lead.goto("chapter/memory-accounting/");
    await ready(lead);
    expect(await lead.locator("body").innerText()).not.toContain("show of hands");
  });
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
  await expect(page.locator("[role=alert] .message")).toContainText("w/nothing/");
  await expect(page.locator('.handout [data-widget] output[data-quantity="total"]').first()).toBeVisible();
  expect(await axe(page)).toEqual([]);
  await page.getByRole("link", { name: "Present it" }).click();
  await ready(page);
  await expect(page.locator(".presenter-place")).toHaveText("1 of 2");
  await expect(page.locator(".presenter-stage [data-widget]")).toHaveAttribute("data-query", /zero=3/);
});

test("a list is put in order by its buttons, and says how long the talk takes", async ({ page }) => {
  const list = "w/amdahl/?n=8 Eight\n// 5 min\n> ## Pause\nw/amdahl/?n=64 Many\n";
  await page.goto(`lecture/#list=${encodeURIComponent(list)}`);
  await ready(page);
  const rows = page.locator(".lecture-order li");
  await expect(rows.locator(".lecture-title")).toHaveText(["Eight", "Pause", "Many"]);
  await expect(page.locator(".lecture-sum")).toHaveText("3 lines: 5 min so far, and 2 lines without minutes.");
  await page.getByRole("button", { name: "Move Many up" }).click();
  await expect(rows.locator(".lecture-title")).toHaveText(["Eight", "Many", "Pause"]);
  await expect(page.getByRole("button", { name: "Move Many up" })).toBeFocused();
  await page.keyboard.press("Enter");
  // At the top, the other button has the focus.
  await expect(page.getByRole("button", { name: "Move Many down" })).toBeFocused();
  await expect(page.getByLabel("The list")).toHaveValue("w/amdahl/?n=64 Many\nw/amdahl/?n=8 Eight\n// 5 min\n> ## Pause\n");
  const minutes = page.getByRole("textbox", { name: "Minutes for Pause" });
  await minutes.fill("a while");
  await minutes.press("Tab");
  await expect(minutes).toHaveValue("");
  await minutes.fill("10 min");
  await minutes.press("Tab");
  await expect(page.getByLabel("The list")).toHaveValue(/> ## Pause\n\/\/ 10 min\n$/);
  // A line is dragged by its handle, so that the mouse selects the text of its field.
  await expect(rows.first()).not.toHaveAttribute("draggable", "true");
  await rows.filter({ hasText: "Pause" }).locator(".lecture-grip").dragTo(rows.first());
  await expect(rows.locator(".lecture-title")).toHaveText(["Pause", "Many", "Eight"]);
  await page.getByRole("button", { name: "Remove Many" }).click();
  await expect(page.locator(".lecture-sum")).toHaveText("2 lines, 15 min.");
  expect(await axe(page)).toEqual([]);
});

test("a chapter is printed whole, by the button and by Ctrl+P, with room to answer and nothing to operate", async ({ page }) => {
  test.slow();
  await page.goto("chapter/memory-accounting/");
  await ready(page);
  await step(page, "Ctrl+P prints what the button prints: every figure and option there, and nothing that waits to be uncovered", async () => {
    await page.evaluate(() => {
      window.print = () => {
        const missing = document.querySelectorAll(".exercise-slot:not(:has(.exercise))").length;
        document.documentElement.dataset.printed = String(missing);
      };
    });
    await page.keyboard.press("Control+p");
    await expect(page.locator("html")).toHaveAttribute("data-printed", "0", { timeout: 60_000 });
    await page.emulateMedia({ media: "print" });
    const covered = page.locator(".figure.withheld .finding").first();
    await expect(covered.locator("button")).toBeHidden();
    const says = await covered.evaluate((e) => getComputedStyle(e, "::before").content);
    expect(says.length).toBeGreaterThan(30);
    expect(says).not.toContain("committed to a prediction");
  });

  await step(page, "every kind of exercise has what a pencil needs, and nothing to operate", async () => {
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

  await step(page, "figures are whole, without what is operated, and the solutions are at the end", async () => {
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
});

const TEXTS = "> # What we saw\n>\n> - sixteen bytes\n> - $\\frac{16}{N}$\n\nw/memory-breakdown/?params=30e9&zero=0 Unsharded\nchapter/memory-accounting/#exercise-zero-2";

test("texts in Markdown stand between states, numbered with them in every window and on the handout", async ({ context }) => {
  const lead = await open(context, `presenter/#list=${encodeURIComponent(TEXTS)}`);
  const room = await open(context, AUDIENCE);
  const text = (page: Page) => page.locator(".room-text:visible");
  await expect(text(lead).getByRole("heading", { name: "What we saw" })).toBeVisible();
  await expect(text(room).getByRole("heading", { name: "What we saw" })).toBeVisible();
  await expect(text(room).locator("li")).toHaveCount(2);
  await expect(text(room).locator("math")).toHaveCount(1);
  await expect(lead.locator(".presenter-label")).toHaveText("1 · What we saw");
  await lead.keyboard.press("PageDown");
  await expect(lead.locator(".presenter-label")).toHaveText("2 · Unsharded");
  await expect(room.locator('[data-widget="memory-breakdown"]')).toBeVisible();
  await expect(text(room)).toHaveCount(0);
  await lead.keyboard.press("1");
  await expect(text(room)).toBeVisible();
  expect(await axe(lead)).toEqual([]);
  await lead.goto(`lecture/#list=${encodeURIComponent(TEXTS)}`);
  await ready(lead);
  await expect(lead.locator(".handout > li > h2")).toHaveText(["1", "2 · Unsharded", "3 · Exercise: One rank under ZeRO-2"]);
});

test("a text runs nothing that its author wrote", async ({ page }) => {
  await page.goto(`lecture/#list=${encodeURIComponent('> <img src=x onerror="document.title=1"> [a](javascript:alert(1))')}`);
  await ready(page);
  await expect(page.locator("[role=alert] .message")).toContainText("javascript");
  await expect(page.locator(".handout img, .handout a[href^=javascript]")).toHaveCount(0);
});

test("a picture is a slide, and is in the list's file but in no link", async ({ page }) => {
  await page.goto("lecture/");
  await ready(page);
  const png = await page.evaluate(() => {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 64;
    canvas.getContext("2d")!.fillRect(8, 8, 40, 40);
    return canvas.toDataURL("image/png").split(",")[1];
  });
  await page.getByLabel("Add a picture").setInputFiles({ name: "rack one.png", mimeType: "image/png", buffer: Buffer.from(png, "base64") });
  await expect(page.getByLabel("The list")).toHaveValue("![rack one](rack-one.png)\n");
  await expect(page.locator(".handout img")).toHaveAttribute("alt", "rack one");
  expect(await page.locator(".handout img").evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth))).toBe(64);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as a file" }).click();
  const path = await (await download).path();
  await expect(page).toHaveURL(/#list=/);
  expect(page.url().length).toBeLessThan(300);
  // Another tab has the list by its link, without the picture, and with it by its file.
  await page.evaluate(() => sessionStorage.clear());
  await page.reload();
  await ready(page);
  await expect(page.locator(".message:visible")).toContainText("not in this tab");
  await page.getByLabel("Open a file").setInputFiles(path);
  await expect(page.locator(".handout img")).toHaveCount(1);
  await page.getByLabel("Add a picture").setInputFiles({ name: "no.png", mimeType: "image/png", buffer: Buffer.from("not a picture") });
  await expect(page.locator(".lecture")).toContainText("no.png is no picture that this browser reads.");
});

test("a chapter comes into a lecture as its figures and predictions under one heading, and goes again at once", async ({ page }) => {
  await page.goto("lecture/");
  await ready(page);
  await page.getByLabel("Add a chapter’s slides").selectOption("memory-accounting");
  const pick = page.getByRole("group", { name: "Where the memory goes" });
  const boxes = pick.getByRole("checkbox");
  await expect(boxes).not.toHaveCount(0);
  const labels = (await pick.locator("label").allTextContents()).map((text) => text.trim());
  const chosen = await boxes.evaluateAll((all) => all.map((box) => (box as HTMLInputElement).checked));
  const first = labels.filter((_, at) => chosen[at]);
  expect(first.slice(0, 2)).toEqual(["Predict: Memory breakdown", "Memory breakdown"]);
  // No exercise comes unasked, and figures of one name are told apart.
  expect(first.filter((label) => label.startsWith("Exercise"))).toEqual([]);
  expect(new Set(first).size).toBe(first.length);
  expect(first.length).toBeLessThan(labels.length / 2);
  expect(await axe(page)).toEqual([]);
  await boxes.first().uncheck();
  await pick.getByRole("button", { name: `Add ${first.length - 1} slide` }).click();
  const rows = page.locator(".lecture-order .lecture-title");
  await expect(rows).toHaveText(["Where the memory goes", ...first.slice(1)]);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(rows).toHaveCount(0);
});

test("“Add to lecture” on figures and exercises fills the list, which is there again without a link", async ({ page }) => {
  await teach(page);
  await page.goto("w/memory-breakdown/?params=30e9&zero=3");
  await ready(page);
  await page.getByRole("button", { name: "Add to lecture" }).click();
  await expect(page.locator(".notice")).toContainText("one line");
  await page.goto("chapter/memory-accounting/#exercise-zero-2");
  await ready(page);
  const exercise = page.locator('[data-exercise="zero-2"]');
  await exercise.scrollIntoViewIfNeeded();
  await exercise.getByRole("button", { name: "Add to lecture" }).click();
  await expect(page.locator(".notice")).toContainText("2 lines");
  await page.getByRole("link", { name: "Open the lecture" }).click();
  await ready(page);
  await expect(page.getByLabel("The list")).toHaveValue(
    /^w\/memory-breakdown\/\?params=30e9&zero=3 Memory breakdown: \S[^\n]+\nchapter\/memory-accounting\/#exercise-zero-2 One rank under ZeRO-2\n$/,
  );
  await expect(page.locator(".handout > li")).toHaveCount(2);
  // A list that came with a link does not take its place.
  await page.goto(`lecture/#list=${encodeURIComponent("w/amdahl/ Theirs")}`);
  await page.reload();
  await ready(page);
  await expect(page.getByText("This list came with a link.")).toBeVisible();
  await page.goto("lecture/");
  await page.reload();
  await ready(page);
  await expect(page.getByLabel("The list")).toHaveValue(/zero-2/);
});

test("the presenter's pointer is over the same place in the room", async ({ context }) => {
  const lead = await open(context, "presenter/#list=" + encodeURIComponent("w/memory-breakdown/?params=30e9&zero=0 Unsharded"));
  const room = await open(context, AUDIENCE);
  await expect(room.locator("[data-widget]")).toBeVisible();
  await lead.bringToFront();
  const drawing = (page: Page) => page.locator("main [data-widget]:not([inert] *) [data-drawing]").boundingBox();
  const here = (await drawing(lead))!;
  await lead.getByRole("button", { name: "Pointer" }).click();
  await lead.mouse.move(here.x + here.width * 0.25, here.y + here.height * 0.5);
  const dot = room.locator(".room-pointer");
  await expect(dot).toBeVisible();
  const there = (await drawing(room))!;
  const box = (await dot.boundingBox())!;
  expect((box.x + box.width / 2 - there.x) / there.width).toBeCloseTo(0.25, 1);
  expect((box.y + box.height / 2 - there.y) / there.height).toBeCloseTo(0.5, 1);
  await lead.mouse.move(4, 4);
  await expect(dot).toHaveCount(0);
});

test("the clock counts down, and says when the time is over", async ({ page }) => {
  await page.clock.install({ time: new Date("2026-03-02T10:00:00") });
  await page.goto(DECK);
  await ready(page);
  const clock = page.getByRole("timer");
  await page.getByRole("textbox", { name: "Minutes" }).fill("45");
  await page.getByRole("textbox", { name: "Minutes" }).press("Enter");
  await page.getByRole("button", { name: "Restart the clock" }).click();
  await page.clock.runFor(61_000);
  await expect(clock).toHaveText(/^4[34]:\d\d left$/);
  await page.clock.fastForward("46:00");
  await page.clock.runFor(1500);
  await expect(clock).toHaveText(/over$/);
});

test("two talks at once do not disturb each other", async ({ context }) => {
  const list = (zero: number) => `presenter/#list=${encodeURIComponent(`w/memory-breakdown/?params=30e9&zero=${zero} One\nw/amdahl/?n=${8 + zero} Two`)}`;
  const first = await open(context, list(1));
  const roomOfFirst = await open(context, AUDIENCE);
  await expect(roomOfFirst.locator("[data-widget]")).toHaveAttribute("data-query", /zero=1/);
  const second = await open(context, list(2));
  // The button opens a window of the talk that it belongs to.
  const opened = second.waitForEvent("popup");
  await second.getByRole("button", { name: "Open the audience’s window" }).click();
  const roomOfSecond = await opened;
  await ready(roomOfSecond);
  await expect(roomOfSecond.locator("[data-widget]")).toHaveAttribute("data-query", /zero=2/);
  await expect(roomOfFirst.locator("[data-widget]")).toHaveAttribute("data-query", /zero=1/);
  await second.keyboard.press("PageDown");
  await expect(roomOfSecond.locator("[data-widget]")).toHaveAttribute("data-widget", "amdahl");
  await expect(roomOfFirst.locator("[data-widget]")).toHaveAttribute("data-query", /zero=1/);
  await expect(first.locator(".presenter-place")).toHaveText("1 of 2");
  await roomOfFirst.keyboard.press("PageDown");
  await expect(first.locator(".presenter-place")).toHaveText("2 of 2");
  await expect(roomOfFirst.locator("[data-widget]")).toHaveAttribute("data-query", /n=9/);
  await expect(roomOfSecond.locator("[data-widget]")).toHaveAttribute("data-query", /n=10/);
  // Loaded anew, each is where it was.
  await Promise.all([first.reload(), roomOfSecond.reload()]);
  await Promise.all([ready(first), ready(roomOfSecond)]);
  await expect(first.locator(".presenter-place")).toHaveText("2 of 2");
  await expect(roomOfSecond.locator("[data-widget]")).toHaveAttribute("data-query", /n=10/);
});

test("a chapter's states have one number each, projected and presented", async ({ page }) => {
  await page.goto(DECK);
  await ready(page);
  const all = page.locator(".presenter-all button");
  const names = await all.allInnerTexts();
  expect(new Set(names).size).toBe(names.length);
  const states = names.filter((name) => /^\d/.test(name)).length;
  expect(names.filter((name) => /^E\d/.test(name)).length).toBe(names.length - states);
  // The site is not around the talk.
  await expect(page.locator("header.top, .contents").first()).toBeHidden();
  const third = names.find((name) => name.startsWith("3 ·"))!;
  await page.goto("chapter/memory-accounting/?present=3");
  const bar = page.getByRole("toolbar", { name: "Projector" });
  await expect(bar).toContainText(`3 of ${states} · ${third.slice(4)}`);
});

test("a handout fills its sheets, under a title and the day", async ({ page }) => {
  test.setTimeout(240_000);
  const lines = ["w/memory-breakdown/?params=30e9&zero=0", "w/memory-breakdown/?params=30e9&zero=3", "w/amdahl/?n=64", "w/ring-all-reduce/?ranks=8", "w/zero-stepper/", "w/roofline/"];
  const exercises = ["zero-2", "grows-with-batch", "order-layouts"].map((id) => `chapter/memory-accounting/#exercise-${id}`);
  await page.goto(`lecture/#list=${encodeURIComponent([...lines, ...exercises].join("\n"))}`);
  await ready(page);
  await page.getByLabel("Title of the handout").fill("Memory, week 3");
  await page.evaluate(() => {
    window.print = () => (document.documentElement.dataset.printed = "1");
  });
  await page.getByRole("button", { name: "Print the handout" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-printed", "1", { timeout: 60_000 });
  await page.emulateMedia({ media: "print" });
  await expect(page.locator(".handout-title")).toHaveText("Memory, week 3");
  await expect(page.locator(".handout-date")).toHaveText(/^\d{4}-\d\d-\d\d$/);
  const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
  const sheets = (pdf.match(/\/Type\s*\/Page\b/g) ?? []).length;
  expect(sheets).toBeGreaterThan(0);
  expect(sheets).toBeLessThanOrEqual(5);
});

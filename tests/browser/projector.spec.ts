// A figure for the room: projected, stepped, blanked and resumed, from the keyboard alone.
import type { Page } from "@playwright/test";
import { contrast, expect, ready, test } from "./fixtures";
import { widgets } from "./site";

const root = (page: Page) => page.locator("html");
const figure = (page: Page) => page.locator("[data-projecting] [data-widget]:visible");
const bar = (page: Page) => page.getByRole("toolbar", { name: "Projector" });
const state = (page: Page) => figure(page).first().getAttribute("data-query");

/** The smallest text that is seen and is not scaled by a drawing, in pixels of the screen. */
const smallest = (page: Page) =>
  page.evaluate(() => {
    const zoom = Number(document.documentElement.style.getPropertyValue("--zoom"));
    const places = [...document.querySelectorAll<HTMLElement>(".projected .drawing *, .projected .finding *, .projected figcaption *, .projected .figure-head *")];
    const texts = places.filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.nodeValue!.trim()) && e.getClientRects().length && !e.closest(".visually-hidden, svg[viewBox], option, details:not([open]) > :not(summary)"));
    return Math.min(...texts.map((e) => parseFloat(getComputedStyle(e).fontSize) * zoom));
  });

test("from the home page to a projected, stepped, blanked and resumed figure, and back, by keys alone", async ({ page }) => {
  await page.goto("./");
  await ready(page);
  const withheld = await page.locator("[inert]").count();
  await page.keyboard.press("p");
  await expect(root(page)).toHaveAttribute("data-projecting", "");
  await expect(figure(page)).toHaveAttribute("data-widget", "memory-breakdown");
  await expect(bar(page).getByRole("button", { name: "The next state" })).toBeVisible();
  await page.keyboard.press("PageDown");
  await expect(bar(page)).toContainText("1 of ");
  await page.keyboard.press("PageDown");
  await expect(bar(page)).toContainText("2 of ");
  await expect(figure(page)).toHaveAttribute("data-query", /zero=0/);
  await page.keyboard.press("1");
  await expect(bar(page)).toContainText("1 of ");
  const blank = page.getByRole("button", { name: "The screen is blank" });
  await page.keyboard.press("b");
  await expect(blank).toBeVisible();
  await page.keyboard.press(".");
  await expect(blank).toHaveCount(0);
  await page.keyboard.press("h");
  await expect(bar(page)).toBeHidden();
  await expect(page.locator(".projected .controls")).toBeHidden();
  await page.keyboard.press("h");
  await expect(bar(page)).toBeVisible();
  await page.keyboard.press("p");
  await expect(root(page)).not.toHaveAttribute("data-projecting");
  await expect(page.locator("[data-behind]")).toHaveCount(0);
  await expect(page.locator("[inert]")).toHaveCount(withheld);
  await expect(page.locator("h1")).toBeVisible();
});

test("a chapter's states are its slides, and one is a link", async ({ page }) => {
  await page.goto("chapter/pipeline-parallel/?present=3");
  await expect(bar(page)).toContainText("3 of ");
  const third = await page.locator("[data-slot-widget], a.see").nth(2).getAttribute("data-query");
  const [name, value] = third!.split("&")[0].split("=");
  // What the figure waits for is asked in large type; hands are counted; the next step answers.
  const question = page.getByRole("group", { name: "Prediction" });
  await expect(question).toContainText("share of the step");
  await expect(figure(page).first()).toHaveClass(/withheld/);
  for (const key of ["+", "+", "+", "-", "Enter", "+"]) await page.keyboard.press(key);
  await expect(question.locator(".room-hands b")).toHaveText(["2", "1"]);
  expect(await contrast(page)).toEqual([]);
  await page.keyboard.press("ArrowRight");
  await expect(question).toHaveCount(0);
  await expect(bar(page)).toContainText("3 of ");
  await expect(figure(page).first()).not.toHaveClass(/withheld/);
  await expect.poll(() => state(page)).toContain(`${name}=${value}`);
  await page.keyboard.press("Space");
  await expect(page).toHaveURL(/present=4/);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("PageUp");
  await expect(page).toHaveURL(/present=2/);
  await page.keyboard.press("Escape");
  await expect(root(page)).not.toHaveAttribute("data-projecting");
  await expect(page).not.toHaveURL(/present/);
});

/** The share of pixels in which two pictures differ visibly. */
const different = (page: Page, a: Buffer, b: Buffer) =>
  page.evaluate(
    async (pictures) => {
      const data = async (text: string) => {
        const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
        const context = new OffscreenCanvas(image.width, image.height).getContext("2d")!;
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height).data;
      };
      const [one, other] = [await data(pictures[0]), await data(pictures[1])];
      let count = 0;
      for (let i = 0; i < one.length; i += 4)
        if (Math.max(...[0, 1, 2].map((c) => Math.abs(one[i + c] - other[i + c]))) > 40) count++;
      return (4 * count) / one.length;
    },
    [a.toString("base64"), b.toString("base64")],
  );

/** The screens that projectors have. */
const SCREENS = [
  { width: 1920, height: 1080 },
  { width: 1280, height: 720 },
  { width: 1024, height: 768 },
];

/** By how much what must be seen is cut off, below and on the right, and what it is: the whole drawing, or the part that the widget names with `data-seen`. */
const cut = (page: Page) =>
  page.evaluate(() => {
    const drawing = document.querySelector("[data-projecting] [data-widget] .drawing")!;
    const seen = drawing.getBoundingClientRect();
    const named = [...drawing.querySelectorAll("[data-seen]")].filter((e) => e.getClientRects().length);
    const boxes = named.map((e) => e.getBoundingClientRect());
    if (!named.length) return { below: drawing.scrollHeight - drawing.clientHeight, right: drawing.scrollWidth - drawing.clientWidth, high: seen.height };
    return {
      below: Math.max(...boxes.map((b) => b.bottom)) - seen.bottom,
      right: Math.max(...boxes.map((b) => b.right)) - seen.right,
      high: Math.min(...boxes.map((b) => b.height)),
    };
  });

for (const { id: widget } of widgets) {
  test(`${widget} can be read from the last row, shows what must be seen on every projector, and looks the same when it is frozen`, async ({ page }) => {
    // A window fills the screen after a press alone. The headless shell would do it unasked, and then not change its size.
    await page.addInitScript(() => (Element.prototype.requestFullscreen = () => Promise.reject(new TypeError("no press"))));
    await page.setViewportSize(SCREENS[0]);
    await page.goto(`w/${widget}/?present`);
    await expect(root(page)).toHaveAttribute("data-projecting", "");
    await ready(page);
    for (const screen of SCREENS) {
      await page.setViewportSize(screen);
      const where = `${screen.width}×${screen.height}`;
      const scale = Math.min(screen.width / 1920, screen.height / 1080);
      const width = async () => (await figure(page).first().boundingBox())!.width;
      await expect.poll(width, where).toBeCloseTo(screen.width, 0);
      await expect.poll(() => smallest(page), where).toBeGreaterThanOrEqual(19.9 * scale);
      await expect.poll(async () => (await cut(page)).below, `${where}: below`).toBeLessThanOrEqual(12);
      const { right, high } = await cut(page);
      expect(right, `${where}: on the right`).toBeLessThanOrEqual(2);
      expect(high, where).toBeGreaterThan(40);
      // The first sentence is seen whole, over the bar.
      const finding = (await figure(page).locator(".finding").boundingBox())!;
      expect(finding.y + finding.height, where).toBeLessThanOrEqual((await bar(page).boundingBox())!.y);
      if (screen === SCREENS[0]) expect(await contrast(page)).toEqual([]);
    }

    await test.step("frozen", async () => {
      const { width, height } = SCREENS[1];
      await page.setViewportSize({ width, height });
      await page.waitForTimeout(400);
      // What leads to more of it is the room's, and goes with the freeze.
      await page.getByRole("button", { name: "More below" }).evaluateAll((all) => all.forEach((mark) => (mark.style.visibility = "hidden")));
      const area = { x: 0, y: 0, width, height: 640 };
      const before = await page.screenshot({ clip: area });
      await page.keyboard.press("f");
      await expect(page.locator(".room-held figure")).toBeVisible();
      await page.waitForTimeout(200);
      const after = await page.screenshot({ clip: area });
      expect(await different(page, before, after)).toBeLessThan(0.002);
    });
  });
}

test("what is folded has a mark, and the next press visits it before the next state", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto("w/launch-doctor/?present");
  await expect(root(page)).toHaveAttribute("data-projecting", "");
  const mark = page.getByRole("button", { name: "More below" });
  await expect(mark).toBeVisible();
  const before = await state(page);
  const scrolled = () =>
    page.evaluate(() => Math.max(...[...document.querySelectorAll("[data-widget], .drawing, figcaption")].map((e) => e.scrollTop)));
  expect(await scrolled()).toBe(0);
  await page.keyboard.press("PageDown");
  await expect.poll(scrolled).toBeGreaterThan(50);
  expect(await state(page)).toBe(before);
  // The clicker goes back up too, and in the end on to what comes next.
  await page.keyboard.press("PageUp");
  await expect.poll(scrolled).toBe(0);
  for (let i = 0; i < 12 && (await mark.isVisible()); i++) {
    await page.keyboard.press("PageDown");
    await page.waitForTimeout(60);
  }
  await expect(mark).toHaveCount(0);
  await page.keyboard.press("PageDown");
  await expect(bar(page)).toContainText(/1 of \d/);
});

test("what is frozen stays while the figure goes on", async ({ page }) => {
  await page.goto("w/memory-breakdown/?present&params=30e9&zero=0");
  await expect(root(page)).toHaveAttribute("data-projecting", "");
  await expect(bar(page).getByRole("button", { name: "The next state" })).toBeVisible();
  const still = page.locator(".room-held output[data-quantity=total]");
  const live = page.locator('[data-widget] output[data-quantity="total"]').first();
  await page.keyboard.press("f");
  await expect(still).toBeVisible();
  const before = await still.textContent();
  await page.keyboard.press("3");
  await expect(live).not.toHaveText(before!);
  await expect(still).toHaveText(before!);
  await page.keyboard.press("f");
  await expect(still).toHaveCount(0);
  await expect(page).toHaveURL(/present/);
});

// What holds of every figure at once: everything that a person needs is on the first screen, and nothing moves under the hand. The list is
// the build's own.
import type { Locator, Page } from "@playwright/test";
import { expect, opened, ready, sound, test } from "./fixtures";
import { readable, root } from "./room";
import { places, routes, samples, widgets } from "./site";
import { widget } from "./widget";

const SCREENS = [
  { width: 1440, height: 900 },
  { width: 1280, height: 720 },
  { width: 1024, height: 768 },
];

/** What of a figure is not on the screen: its finding, its main controls, what plays it, and its drawing, whole or its upper 400 pixels. */
const missing = (figure: Locator) =>
  figure.evaluate((figure) => {
    const top = document.querySelector("header.top")?.getBoundingClientRect().bottom ?? 0;
    const seen = (element: Element, foot = innerHeight) => {
      const box = element.getBoundingClientRect();
      return Math.min(box.bottom, foot) - Math.max(box.top, top);
    };
    const isWhole = (element: Element) => seen(element) >= element.getBoundingClientRect().height - 1;
    const wrong: string[] = [];
    const finding = figure.querySelector(".finding")!;
    if (!isWhole(finding)) wrong.push("the finding");
    const fields = [...figure.querySelectorAll(".main-controls > :not(button)")].filter((field) => field.getClientRects().length);
    if (fields.length < 1 || fields.length > 4) wrong.push(`${fields.length} main controls`);
    fields.filter((field) => !isWhole(field)).forEach((field) => wrong.push(`the control ${field.textContent!.slice(0, 30)}`));
    // Another view of the same figure may have nothing that plays.
    const transport = [...figure.querySelectorAll(".figure-transport .transport")].find((e) => e.getClientRects().length);
    if (transport && !isWhole(transport)) wrong.push("what plays it");
    const drawing = figure.querySelector("[data-drawing]")!;
    const high = drawing.getBoundingClientRect().height;
    const foot = Math.min(innerHeight, transport?.getBoundingClientRect().top ?? innerHeight);
    const shown = seen(drawing, foot);
    if (high < 40 || shown < Math.min(400, high - 12)) wrong.push(`the drawing: ${Math.round(shown)} of ${Math.round(high)}`);
    if (document.documentElement.scrollWidth > innerWidth) wrong.push("what is beside the window");
    return wrong;
  });

/** What can't be told apart in colors of the reader's own: a part of the drawing, or what is pressed or chosen. */
const alike = (figure: Locator) =>
  figure.evaluate((figure) => {
    const wrong: string[] = [];
    const shown = (e: Element) => e.getClientRects().length > 0;
    const style = (e: Element) => getComputedStyle(e);
    const ground = style(figure).backgroundColor;
    for (const swatch of [...figure.querySelectorAll(".swatch")].filter(shown)) {
      const { backgroundColor, backgroundImage, outlineStyle, outlineColor } = style(swatch);
      if (outlineStyle === "none" || outlineColor === ground) wrong.push(`a swatch without a border: ${swatch.className}`);
      if (backgroundColor === ground && backgroundImage === "none") wrong.push(`an empty swatch: ${swatch.className}`);
    }
    for (const tile of [...figure.querySelectorAll(".tile")].filter(shown)) {
      if (style(tile).outlineStyle === "none") wrong.push("a tile without an outline");
    }
    const pressed = [...figure.querySelectorAll(".presets [aria-pressed=true]")].filter(shown)[0];
    const other = [...figure.querySelectorAll(".presets [aria-pressed=false]")].filter(shown)[0];
    if (pressed && other && style(pressed).backgroundColor === style(other).backgroundColor) wrong.push("a pressed example like another");
    for (const group of [...figure.querySelectorAll(".segmented")].filter(shown)) {
      const on = group.querySelector("input:checked + span");
      const off = group.querySelector("input:not(:checked) + span");
      if (on && off && style(on).backgroundColor === style(off).backgroundColor) wrong.push("a choice like another");
    }
    return wrong;
  });

/** Where everything is that is operated. */
const operated = (figure: Locator) =>
  figure.evaluate((figure) =>
    [...figure.querySelectorAll(".figure-presets button, .main-controls > *, .transport button, .transport input")].map((e) => {
      const box = e.getBoundingClientRect();
      return `${e.tagName} ${Math.round(box.x)} ${Math.round(box.y)}`;
    }),
  );

/** The first place of each figure. */
const firsts = widgets.flatMap(({ id }) => places.find((place) => place.widget === id) ?? []);
const placed = new Set(firsts.map(({ widget }) => widget));

for (const { id } of widgets) {
  const { figure } = widget(id);
  const { title } = routes.find(({ path }) => path === `w/${id}/`)!;

  // One page for all of it: what takes long is to open one.
  test(`${id}: read from the last row, all that is needed is seen, nothing moves under the hand, and axe finds nothing`, async ({ page }) => {
    await test.step("in front of a room", async () => {
      // A window fills the screen after a press alone. The headless shell would do it unasked, and then not change its size.
      await page.addInitScript(() => (Element.prototype.requestFullscreen = () => Promise.reject(new TypeError("no press"))));
      await page.setViewportSize({ width: 1920, height: 1080 });
      await page.goto(`w/${id}/?present`);
      await expect(root(page)).toHaveAttribute("data-projecting", "");
      await ready(page);
      await readable(page);
      await page.keyboard.press("p");
      await expect(root(page)).not.toHaveAttribute("data-projecting");
    });

    await page.setViewportSize(SCREENS[0]);
    await expect(figure(page).locator("output", { hasText: /NaN|undefined/ })).toHaveCount(0);
    // A class of another sheet's name would take a part of the drawing out of it.
    const loose = (figure: Element) => [...figure.querySelectorAll("*")].filter((e) => getComputedStyle(e).position === "fixed").map((e) => e.className);
    expect(await figure(page).evaluate(loose)).toEqual([]);
    await test.step("all that is needed is on the first screen", async () => {
      for (const screen of SCREENS) {
        await page.setViewportSize(screen);
        await expect.soft.poll(() => missing(figure(page)), JSON.stringify(screen)).toEqual([]);
      }
    });

    await test.step("on a phone what a control changes is seen while it is moved", async () => {
      await page.setViewportSize({ width: 390, height: 844 });
      for (const control of await figure(page).locator(".main-controls :is(input, select):visible").all()) {
        await control.scrollIntoViewIfNeeded();
        const shown = () =>
          control.evaluate((control) => {
            const drawing = control.closest("figure")!.querySelector("[data-drawing]")!.getBoundingClientRect();
            const deck = control.closest(".deck")!.getBoundingClientRect();
            const top = document.querySelector("header.top")!.getBoundingClientRect().bottom;
            return Math.min(drawing.bottom, deck.top) - Math.max(drawing.top, top);
          });
        await expect.soft.poll(shown, "pixels of the drawing over the control").toBeGreaterThan(120);
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      await page.evaluate(() => scrollTo(0, 0));
    });

    await test.step("no step moves what is operated", async () => {
      await page.setViewportSize(SCREENS[1]);
      const next = figure(page).getByRole("button", { name: "Step forward" });
      if (!(await next.count())) return;
      await figure(page).getByRole("button", { name: "To the start" }).click({ force: true });
      const before = await operated(figure(page));
      for (const button of [next, next, figure(page).getByRole("button", { name: "To the end" })]) {
        await button.click({ force: true });
        expect(await operated(figure(page))).toEqual(before);
      }
    });

    await test.step("no example pushes the drawing down where the controls stand over it", async () => {
      await page.setViewportSize(SCREENS[2]);
      const top = () => figure(page).locator("[data-drawing]").evaluate((e) => Math.round(e.getBoundingClientRect().top + scrollY));
      const before = await top();
      for (const example of await figure(page).locator(".figure-presets button").all()) {
        await example.click();
        await expect.poll(top, await example.innerText()).toBe(before);
      }
    });

    await test.step("in colors of the reader's own, what is told apart by color still is, and what is pressed looks pressed", async () => {
      await page.emulateMedia({ forcedColors: "active", colorScheme: "dark" });
      await expect(figure(page).locator(".drawing").first()).toBeVisible();
      expect(await alike(figure(page))).toEqual([]);
      await page.emulateMedia({ forcedColors: null, colorScheme: null });
    });

    // In light, and by all rules, it's looked at in its chapter; what its page has around it is the same for all.
    const elsewhere = placed.has(id) && id !== widgets[0].id;
    await test.step("its page is sound", async () => sound(page, title, elsewhere ? [] : ["light"], ["dark"]));
  });
}

for (const { path, title } of routes.filter(({ path }) => path.startsWith("chapter/"))) {
  test(`${path} is sound, and all that is needed of its figures is seen, before a prediction as well as after`, async ({ page }) => {
    test.slow();
    await page.setViewportSize(SCREENS[0]);
    await opened(page, path, samples.has(path));
    await page.locator("details.aside-fold").evaluateAll((all) => all.forEach((fold) => fold.setAttribute("open", "")));
    const there = firsts.filter((place) => place.path === path).map(({ anchor }) => page.locator(`.widget-slot[id="${anchor}"]`));
    const look = async (when: string, screen: { width: number; height: number }) => {
      await page.setViewportSize(screen);
      for (const slot of there) {
        // Figures above it may still find their size.
        const seen = async () => {
          await slot.evaluate((slot) => slot.scrollIntoView());
          return missing(slot.locator("[data-widget]"));
        };
        await expect.soft.poll(seen, `${await slot.getAttribute("id")} ${when}, ${JSON.stringify(screen)}`).toEqual([]);
      }
    };
    await test.step("before a prediction", async () => {
      // One further down comes when it is near.
      for (const slot of there) {
        await slot.scrollIntoViewIfNeeded();
        await expect(slot.locator("[data-widget]")).toBeVisible();
      }
      // The lowest.
      await look("before", SCREENS[1]);
    });
    await test.step("after it", async () => {
      for (const slot of there) {
        const uncover = slot.getByRole("button", { name: "Show it without a prediction" });
        if (await uncover.count()) {
          await expect(slot.locator("[data-widget]")).toHaveClass(/withheld/);
          await uncover.click();
        }
        await expect(slot.locator("[data-widget]")).not.toHaveClass(/withheld/);
      }
      // The narrowest.
      await look("after", SCREENS[2]);
    });
    await page.setViewportSize(SCREENS[0]);
    // In dark its figures are looked at on their own pages.
    await test.step("its page is sound", async () => sound(page, title, ["light"], []));
  });
}

test("other controls open when they are asked for, stay open, and open by themselves for a link that sets one", async ({ page }) => {
  const { figure, load } = widget("ring-all-reduce");
  const button = (page: Page) => figure(page).getByRole("button", { name: "More controls" });
  const node = (page: Page) => figure(page).locator('input[type="range"][name="node"]');
  await load(page, "");
  await expect(button(page)).toHaveAttribute("aria-expanded", "false");
  await expect(node(page)).toBeHidden();
  await button(page).click();
  await expect(node(page)).toBeVisible();
  await load(page, "ranks=4");
  await expect(node(page)).toBeVisible();
  await button(page).click();
  await load(page, "ranks=8");
  await expect(node(page)).toBeHidden();
  await load(page, "node=4");
  await expect(node(page)).toBeVisible();
  await expect(button(page)).toContainText("some are set");
});

test("at four times the speed messages arrive before the next step", async ({ page }) => {
  const { figure, open } = widget("ring-all-reduce");
  await open(page, "ranks=8");
  await figure(page).getByRole("button", { name: "Step forward" }).click();
  const flight = () =>
    page.evaluate(() => Math.max(...document.getAnimations().map((a) => Number(a.effect!.getComputedTiming().duration))));
  const slow = await flight();
  const speed = figure(page).getByRole("button", { name: /^Speed/ });
  await speed.click();
  await speed.click();
  await expect(speed).toHaveAccessibleName("Speed: 4×");
  await figure(page).getByRole("button", { name: "Step forward" }).click();
  // 14 steps in 16 s at normal speed, each at most 1.1 s.
  expect(await flight()).toBeLessThan(1100 / 4);
  expect(await flight()).toBeLessThan(slow);
});

test("an example doesn't lose what was set", async ({ page }) => {
  await page.goto("w/attention-schedule/?gpu=a100&head_dim=96");
  await ready(page);
  const presets = page.locator(".figure-presets button");
  const [back, busy] = [presets.filter({ hasText: "As it was" }), page.locator('[data-quantity="busy"]').first()];
  const before = (await busy.getAttribute("data-value"))!;
  await expect(back).toHaveCount(0);
  await presets.first().click();
  await expect(busy).not.toHaveAttribute("data-value", before);
  await presets.nth(1).click();
  await back.click();
  await expect(busy).toHaveAttribute("data-value", before);
  await expect(back).toHaveCount(0);
});

// What must hold of a figure in front of a room: it is read from the last row, whole on every projector, and the same when it is frozen.
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";

export const root = (page: Page) => page.locator("html");
export const figure = (page: Page) => page.locator("[data-projecting] [data-widget]:visible");
export const bar = (page: Page) => page.getByRole("toolbar", { name: "Projector" });

/** The smallest text that is seen and is not scaled by a drawing, in pixels of the screen. */
const smallest = (page: Page) =>
  page.evaluate(() => {
    const zoom = Number(document.documentElement.style.getPropertyValue("--zoom"));
    const places = [...document.querySelectorAll<HTMLElement>(".projected :is(.drawing, .finding, figcaption, .figure-head, .figure-presets, .controls, .figure-transport) *")];
    const texts = places.filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.nodeValue!.trim()) && e.getClientRects().length && !e.closest(".visually-hidden, svg[viewBox], option, details:not([open]) > :not(summary)"));
    return Math.min(...texts.map((e) => parseFloat(getComputedStyle(e).fontSize) * zoom));
  });

/** The size of the labels of a figure's pictures: of each the largest text, as what stands in its parts is made to fit. */
const labels = (page: Page) =>
  page.evaluate(() => {
    const pictures = [...document.querySelectorAll<SVGSVGElement>(".projected .drawing .chart > svg[viewBox]")].filter((svg) => svg.getClientRects().length);
    const sizes = pictures.map((svg) => [...svg.querySelectorAll("text")].map((text) => (parseFloat(getComputedStyle(text).fontSize) * svg.getBoundingClientRect().width) / svg.viewBox.baseVal.width));
    return Math.min(...sizes.filter((all) => all.length).map((all) => Math.max(...all)));
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

/** The shapes of screens that projectors have. One of 1280 × 720 is the first, smaller. */
const SCREENS = [
  { width: 1920, height: 1080 },
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

/** Measures the figure that is projected. */
export async function readable(page: Page) {
  for (const screen of SCREENS) {
    await page.setViewportSize(screen);
    const where = `${screen.width}×${screen.height}`;
    const scale = Math.min(screen.width / 1920, screen.height / 1080);
    const width = async () => (await figure(page).first().boundingBox())!.width;
    await expect.poll(width, where).toBeCloseTo(screen.width, 0);
    await expect.poll(() => smallest(page), where).toBeGreaterThanOrEqual(23.9 * scale);
    await expect.poll(() => labels(page), `${where}: labels of pictures`).toBeGreaterThanOrEqual(23.9 * scale);
    await expect.poll(async () => (await cut(page)).below, `${where}: below`).toBeLessThanOrEqual(12);
    const { right, high } = await cut(page);
    expect(right, `${where}: on the right`).toBeLessThanOrEqual(2);
    expect(high, where).toBeGreaterThan(40);
    // The first sentence is seen whole, over the bar.
    const finding = (await figure(page).locator(".finding").boundingBox())!;
    expect(finding.y + finding.height, where).toBeLessThanOrEqual((await bar(page).boundingBox())!.y);
  }

  // Everything else of a figure is copied; what is painted into a canvas has to be painted again.
  if (!(await figure(page).locator(".drawing canvas").count())) return;
  await test.step("frozen", async () => {
    await page.waitForTimeout(400);
    // What leads to more of it is the room's, and goes with the freeze.
    await page.getByRole("button", { name: "More below" }).evaluateAll((all) => all.forEach((mark) => (mark.style.visibility = "hidden")));
    const { width, height } = SCREENS[1];
    const area = { x: 0, y: 0, width, height: height - 80 };
    const before = await page.screenshot({ clip: area });
    await page.keyboard.press("f");
    await expect(page.locator(".room-held figure")).toBeVisible();
    await page.waitForTimeout(200);
    const after = await page.screenshot({ clip: area });
    expect(await different(page, before, after)).toBeLessThan(0.002);
    await page.keyboard.press("f");
  });
}

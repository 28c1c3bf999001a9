// A chart on the page: sharp, in the page's colours, read by pointer and keys, markup on paper and in pictures.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { axe, expect, ready, test } from "./fixtures";

const chart = (page: Page) => page.locator('[data-widget="amdahl"] .chart');
const reader = (page: Page) => chart(page).getByRole("slider", { name: "Values of the chart" });

const open = async (page: Page) => {
  await page.goto("w/amdahl/?serial=0.05&n=64");
  await ready(page);
  await expect(chart(page).getByRole("img")).toHaveAttribute("aria-label", /On 64: 15.4 by Amdahl/);
};

/** How many pixels of the canvas are painted, how many of them in the colour of the page's text, and how wide it is. */
const painted = (page: Page) =>
  chart(page).locator("canvas").evaluate((canvas: HTMLCanvasElement) => {
    // Of a copy: the browser warns of a canvas that is read often.
    const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
    const context = copy.getContext("2d", { willReadFrequently: true })!;
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const [red, green, blue] = getComputedStyle(canvas).color.match(/\d+/g)!.map(Number);
    let [all, text] = [0, 0];
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] < 128) continue;
      all += 1;
      if (data[i] === red && data[i + 1] === green && data[i + 2] === blue) text += 1;
    }
    return { all, text, colour: [red, green, blue], wide: canvas.width, shown: canvas.getBoundingClientRect().width * devicePixelRatio };
  });

test("it is drawn for the pixels that there are, and again when the page changes", async ({ page }) => {
  await open(page);
  await expect.poll(async () => (await painted(page)).text).toBeGreaterThan(100);
  const light = await painted(page);
  expect(light.all).toBeGreaterThan(5000);
  expect(light.wide).toBe(Math.round(light.shown));
  await page.emulateMedia({ colorScheme: "dark" });
  await expect.poll(async () => (await painted(page)).colour).not.toEqual(light.colour);
  await expect.poll(async () => (await painted(page)).text).toBeGreaterThan(100);
  await page.setViewportSize({ width: 700, height: 900 });
  await expect.poll(async () => (await painted(page)).wide).toBeLessThan(light.wide);
});

test("it is read by keys and by the pointer", async ({ page }) => {
  await open(page);
  await reader(page).focus();
  await page.keyboard.press("End");
  await expect(reader(page)).toHaveAttribute("aria-valuetext", /^Processors 65.536: Gustafson 62.259, Amdahl 20$/);
  await page.keyboard.press("Home");
  await expect(reader(page)).toHaveAttribute("aria-valuetext", "Processors 1: Gustafson 1, Amdahl 1, with its cost 1");
  await page.keyboard.press("Escape");
  await expect(chart(page).locator(".chart-reading")).toBeHidden();
  const box = (await reader(page).boundingBox())!;
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.5);
  await expect(chart(page).locator(".chart-reading")).toContainText("Amdahl");
  await page.mouse.move(box.x + box.width * 0.6, box.y - 40);
  await expect(chart(page).locator(".chart-reading")).toBeHidden();
  expect(await axe(page)).toEqual([]);
});

test("on paper and in a picture it is markup", async ({ page }) => {
  await open(page);
  await page.emulateMedia({ media: "print" });
  const paper = chart(page).locator(".chart-paper svg");
  await expect(paper).toBeVisible();
  await expect(paper.locator("text", { hasText: /^Gustafson$/ })).toHaveCount(1);
  await page.emulateMedia({ media: "screen" });
  await page.getByRole("button", { name: "Share" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as SVG" }).click();
  const svg = readFileSync((await (await download).path())!, "utf8");
  expect(svg).toContain("Gustafson");
  expect(svg).not.toContain("<image");
  expect(svg).not.toContain("var(");
});

test("a chapter has the chart of a figure before its code is there", async ({ request }) => {
  const page = await (await request.get("chapter/roofline/")).text();
  expect(page).toMatch(/class="still[^"]*">\s*<svg/);
});

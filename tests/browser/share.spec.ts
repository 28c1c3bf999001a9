// A figure to take along: a link, a picture, and a frame in a page of another origin.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test as plain } from "@playwright/test";
import { axe, expect, ready, test } from "./fixtures";

test("a figure is shared as a link, a frame, an SVG and a PNG", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("w/memory-breakdown/?params=30e9&dp=64");
  await ready(page);
  await page.keyboard.press("c");
  await expect(page.locator(".notice")).toContainText("params=30");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/w\/memory-breakdown\/\?.*dp=64/);

  await page.getByRole("button", { name: "Share" }).click();
  const sheet = page.getByRole("dialog", { name: "Share this figure" });
  await expect(sheet.getByLabel("In a page of your own", { exact: true })).toHaveValue(/<iframe src="[^"]*dp=64&amp;embed=/);
  expect(await axe(page, "dialog[open]")).toEqual([]);

  const save = async (name: string) => {
    const download = page.waitForEvent("download");
    await sheet.getByRole("button", { name }).click();
    return readFileSync((await (await download).path())!);
  };
  const svg = (await save("Save as SVG")).toString();
  expect(svg).not.toContain("foreignObject");
  const facts = await page.evaluate((text) => {
    // A parser in the page holds the typeface to the policy of the page.
    const parsed = new DOMParser().parseFromString(text.replace(/<style>.*?<\/style>/s, ""), "image/svg+xml");
    return {
      broken: parsed.querySelector("parsererror")?.textContent ?? "",
      width: parsed.documentElement.getAttribute("width"),
      text: parsed.documentElement.textContent,
      shapes: parsed.querySelectorAll("rect").length,
      left: parsed.querySelectorAll("[class]").length,
    };
  }, svg);
  expect(facts.broken).toBe("");
  expect(facts.width).toBe("1920");
  expect(facts.shapes).toBeGreaterThan(10);
  expect(facts.left).toBe(0);
  const finding = await page.locator(".finding b").textContent();
  expect(facts.text!.replace(/\s/g, "")).toContain(finding!.replace(/\s/g, ""));
  expect(facts.text).toContain("dp=64");
  const png = await save("Save as PNG");
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  expect(png.readUInt32BE(16)).toBe(1920);

  await page.keyboard.press("Escape");
  await expect(sheet).toHaveCount(0);
});

// The page around the frame is of another origin, which every other test forbids.
plain("a figure in a page of another origin says what it shows, and does what it is told", async ({ page, baseURL }) => {
  const host = `<!doctype html><title>Host</title><iframe src="${baseURL}w/memory-breakdown/?params=30e9&zero=3&dp=64&embed" width="900" height="600"></iframe>
    <script>heard = []; addEventListener("message", (e) => heard.push({ origin: e.origin, ...e.data }))</script>`;
  const other = createServer((_, response) => response.setHeader("content-type", "text/html").end(host)).listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
  type Heard = { origin: string; type: string; height?: number; message?: string; query?: string; problems?: string[]; quantities?: Record<string, number> };
  const heard = (type: string) => page.evaluate((type) => (window as unknown as { heard: Heard[] }).heard.filter((m) => m.type === type), type);
  const tell = (message: unknown) => page.evaluate((message) => frames[0].postMessage(message, "*"), message);

  await expect.poll(async () => (await heard("ready")).length, { timeout: 30_000 }).toBe(1);
  expect((await heard("ready"))[0].origin).toBe(new URL(baseURL!).origin);
  await expect.poll(async () => (await heard("state")).at(-1)?.quantities?.total).toBe(7.5e9);
  await expect.poll(async () => (await heard("size")).at(-1)?.height).toBeGreaterThan(300);
  await expect(page.frameLocator("iframe").locator("header.top")).toBeHidden();

  await tell({ source: "ringside", type: "set", parameters: { zero: 0 } });
  await expect.poll(async () => (await heard("state")).at(-1)?.quantities?.total).toBe(480e9);
  await expect(page.frameLocator("iframe").locator('output[data-quantity="total"]')).toHaveAttribute("data-value", "480000000000");
  await tell({ source: "ringside", type: "set", parameters: { zero: 9 } });
  await expect.poll(async () => (await heard("state")).at(-1)?.problems?.join()).toContain("zero");
  await tell({ source: "ringside", type: "set", parameters: { zero: {} } });
  await expect.poll(async () => (await heard("error")).at(-1)?.message).toContain("zero");
  const before = (await heard("state")).length;
  await tell("hello");
  await tell({ type: "set", parameters: { zero: 1 } });
  await tell({ source: "ringside", type: "get" });
  await expect.poll(async () => (await heard("state")).length).toBe(before + 1);
  expect((await heard("state")).at(-1)?.problems?.join()).toContain("zero");
  await expect(page.frameLocator("iframe").getByRole("link", { name: "Open in Ringside" })).toHaveAttribute("href", /zero=9/);
  other.close();
});

// That each of them names what is there is content/tests/real_content.rs's to check.
test("a link from an older version still opens", async ({ page }) => {
  const links = readFileSync(join(__dirname, "../fixtures/links/earlier.txt"), "utf8").split("\n").filter((line) => line && !line.startsWith("#"));
  const addresses = links.map((line) => line.slice(line.indexOf(" ") + 1));
  const state = addresses.find((address) => /^w\/.*optimizer=adam8bit/.test(address))!;
  await page.goto(state);
  await ready(page);
  for (const pair of new URLSearchParams(state.split("?")[1])) {
    const now = new URLSearchParams((await page.locator("[data-widget]").getAttribute("data-query"))!);
    expect([pair[0], now.get(pair[0])]).toEqual(pair);
  }
  await expect(page.locator(".problems")).toHaveCount(0);
  await expect(page.locator(".notice")).toHaveCount(0);
  const exercise = addresses.find((address) => address.includes("#exercise-"))!;
  await page.goto(exercise);
  await ready(page);
  await expect(page.locator(new URL(page.url()).hash)).toBeInViewport();
});

// Paper votes: cards as the site prints them, held before a camera that plays a file.
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as plain, type Page } from "@playwright/test";
import { axe, expect, NARROW, overflow, ready, test } from "./fixtures";
import config from "./playwright.config";

const FILM = join(tmpdir(), `ringside-cards-${process.pid}.mjpeg`);
const { args = [], ...launch } = config.use!.launchOptions!;
test.use({
  // The headless shell has nobody to ask, and refuses the camera without the fake dialog.
  launchOptions: { ...launch, args: [...args, "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream", `--use-file-for-fake-video-capture=${FILM}`] },
});

/** Cards and how many quarter turns counterclockwise each is held: A, B, C, D. */
const HELD: [card: number, turns: number][] = [[1, 0], [2, 0], [3, 0], [17, 1], [25, 1], [31, 2], [40, 3], [50, 0]];
const TALK = `presenter/#list=${encodeURIComponent("chapter/zero-and-fsdp/#exercise-not-zero-two\n")}`;

/** Films these cards, as the page prints them. */
async function film(page: Page, held = HELD) {
  await page.goto("cards/");
  await ready(page);
  await page.getByLabel("Cards handed out").fill("60");
  await page.getByLabel("Cards handed out").press("Tab");
  await expect(page.locator(".cards-sheets svg")).toHaveCount(60);
  const cards = await page.locator(".cards-sheets svg").evaluateAll((all) => all.map((svg) => svg.outerHTML));
  await page.getByLabel("Cards handed out").fill("40");
  await page.getByLabel("Cards handed out").press("Tab");
  const studio = await page.context().newPage();
  await studio.setViewportSize({ width: 1280, height: 720 });
  const card = ([card, turns]: [number, number], at: number) =>
    `<div style="position:absolute;width:84px;left:${90 + (at % 4) * 290}px;top:${120 + Math.floor(at / 4) * 280}px;transform:perspective(400px) rotateY(${15 - 5 * at}deg) rotate(${7 - 2 * at - 90 * turns}deg)">${cards[card - 1]}</div>`;
  await studio.setContent(`<body style="margin:0;background:linear-gradient(90deg,#777,#333)">${held.map(card).join("")}</body>`);
  const frame = await studio.screenshot({ type: "jpeg", quality: 80 });
  writeFileSync(FILM, Buffer.concat([frame, frame]));
  await studio.close();
}

const counter = (page: Page) => page.getByRole("region", { name: "Paper votes" });
const count = (page: Page) => page.getByRole("button", { name: "Count cards with the camera" });
const sums = (page: Page) => counter(page).locator(".card-sum");

test("a room's cards are counted in the presenter's window, and the count is taken for hands", async ({ context }) => {
  const lead = await context.newPage();
  await lead.addInitScript(() => {
    const devices = navigator.mediaDevices;
    const open = devices.getUserMedia.bind(devices);
    devices.getUserMedia = async (wanted) => ((window as any).stream = await open(wanted));
  });
  const workers: string[] = [];
  lead.on("request", (request) => /card-worker/.test(request.url()) && workers.push(request.url()));
  await film(lead);
  await lead.goto(TALK);
  await ready(lead);
  const room = await context.newPage();
  await room.goto("presenter/?audience");
  await ready(room);
  await lead.bringToFront();
  await lead.getByRole("button", { name: "Show of hands" }).click();
  expect(workers).toEqual([]);
  await count(lead).focus();
  await lead.keyboard.press("Enter");
  await expect(counter(lead).getByRole("status").first()).toHaveText("7 of 40 cards counted", { timeout: 60_000 });
  await expect(sums(lead)).toHaveText(["3", "2", "1", "1"]);
  await expect(counter(lead)).toContainText("only cards 1 to 40 were handed out: 50.");
  await expect(counter(lead).locator("polygon")).toHaveCount(8);
  expect(workers.length).toBeGreaterThan(0);
  expect(await axe(lead)).toEqual([]);
  // Nothing is the room's before it is taken.
  await expect(room.locator(".room-counted .hands-count").first()).toHaveText("0");
  await counter(lead).getByRole("button", { name: "Take this count" }).focus();
  await lead.keyboard.press("Enter");
  await expect(counter(lead)).toHaveCount(0);
  await expect(count(lead)).toBeFocused();
  await expect(room.locator(".room-counted .hands-count").first()).toHaveText("3");
  await expect(room.locator(".room-counted .hands-count").nth(1)).toHaveText("2");
  expect(await lead.evaluate(() => (window as any).stream.getTracks().map((track: MediaStreamTrack) => track.readyState))).toEqual(["ended"]);
});

test("cards answer a projected prediction", async ({ page }) => {
  await film(page);
  await page.setViewportSize({ width: 1920, height: 1080 });
  await page.goto("chapter/pipeline-parallel/?present=3");
  const question = page.getByRole("group", { name: "Prediction" });
  await expect(question).toContainText("share of the step");
  await count(page).click();
  await expect(sums(page)).toHaveText(["3", "2", "1", "1"], { timeout: 60_000 });
  expect(await axe(page)).toEqual([]);
  await counter(page).getByRole("button", { name: "Take this count" }).click();
  await expect(question.locator(".hands-count")).toHaveText(["3", "2", "1", "1"]);
});

// A download that fails is in the console.
plain("a camera that is missing or refused and a reader that doesn't come are said, and can be tried again", async ({ page }) => {
  await film(page, []);
  await page.addInitScript(() => {
    const devices = navigator.mediaDevices;
    const open = devices.getUserMedia.bind(devices);
    devices.getUserMedia = async (wanted) => {
      const why = sessionStorage.getItem("refuse");
      if (why) throw new DOMException("", why);
      return open(wanted);
    };
  });
  await page.goto(TALK);
  await ready(page);
  const refuse = (why: string) => page.evaluate((why) => sessionStorage.setItem("refuse", why), why);
  await refuse("NotFoundError");
  await page.getByRole("button", { name: "Show of hands" }).click();
  await count(page).click();
  await expect(counter(page).getByRole("alert")).toContainText("has no camera");
  await refuse("NotAllowedError");
  const again = counter(page).getByRole("button", { name: "Try again" });
  await again.click();
  await expect(counter(page).getByRole("alert")).toContainText("didn’t give this page the camera");
  expect(await axe(page)).toEqual([]);
  await refuse("");
  await page.route("**/card-worker*", (route) => route.abort());
  await again.click();
  await expect(counter(page).getByRole("alert")).toContainText("could not be downloaded");
  await page.unroute("**/card-worker*");
  await again.click();
  // A room without cards.
  await expect(counter(page).getByRole("status").first()).toHaveText("0 of 40 cards counted", { timeout: 60_000 });
  await expect(counter(page)).toContainText("No card is counted yet.", { timeout: 60_000 });
  await expect(counter(page).getByRole("button", { name: "Take this count" })).toBeDisabled();
  await counter(page).getByRole("button", { name: "Stop counting" }).click();
  await expect(counter(page)).toHaveCount(0);
});

test("the page with the cards prints them alone, and fits small screens", async ({ page, request }) => {
  await page.goto("cards/");
  await ready(page);
  await expect(page.locator(".cards-sheets svg")).toHaveCount(40);
  expect(await axe(page)).toEqual([]);
  for (const size of NARROW) {
    await page.setViewportSize(size);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
  }
  await page.emulateMedia({ media: "print" });
  await expect(page.locator("h1")).toBeHidden();
  const width = () => page.locator(".cards-sheets li").first().evaluate((card) => card.getBoundingClientRect().width);
  const two = await width();
  await page.emulateMedia({ media: "screen" });
  await page.getByRole("radio", { name: /^4 per sheet/ }).check();
  await page.emulateMedia({ media: "print" });
  expect(await width()).toBeLessThan(two);
  // Only where something is shown to a room.
  const policy = async (path: string) => (await request.get(path)).headers()["permissions-policy"];
  expect(await policy("cards/")).toContain("camera=()");
  expect(await policy("presenter/")).toContain("camera=(self)");
});

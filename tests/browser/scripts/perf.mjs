// Makes a gesture on the figure of `url` and prints, as JSON, how long each of its frames kept the main thread busy.
import { input, launch, ready } from "./launch.mjs";
import { synthetic } from "./synthetic-trace.mjs";

const GESTURES = {
  /** The first slider, to and fro. */
  async drag(page) {
    const box = await page.locator("input[type=range]").first().boundingBox();
    return swing(page, box, 10, box.y + box.height / 2);
  },
  /** The timeline, zoomed in by half. */
  async pan(page) {
    const timeline = page.locator(".timeline").first();
    await page.getByRole("button", { name: "Zoom in" }).click();
    await timeline.scrollIntoViewIfNeeded();
    const box = await timeline.boundingBox();
    return swing(page, box, 60, box.y + Math.min(box.height, 400) / 2);
  },
  /** The transport, from the start and at its fastest. */
  async play(page) {
    const speed = page.getByRole("button", { name: /^Speed/ });
    for (let i = 0; i < 2; i++) await speed.click();
    await page.getByRole("slider", { name: "Step" }).focus();
    await page.keyboard.press("Home");
    return async () => {
      await page.keyboard.press("Space");
      await page.waitForTimeout(4000);
    };
  },
  /** Every kernel, on the GPU. */
  async run(page) {
    const all = page.getByRole("button", { name: /^Run all/ });
    return async () => {
      await all.click();
      await page.waitForTimeout(8000);
    };
  },
  /** A trace of 200,000 events in the viewer: zoomed in to a thousandth and out again, and moved along, by keys. */
  async trace(page) {
    const file = { name: "rank0.pt.trace.json", mimeType: "application/json", buffer: Buffer.from(synthetic(200_000)) };
    await page.getByLabel("Choose files").setInputFiles(file);
    await page.getByRole("button", { name: "Back to the simulated trace" }).waitFor({ timeout: 120_000 });
    const frame = page.locator(".trace-frame");
    await frame.scrollIntoViewIfNeeded();
    await frame.focus();
    return async () => {
      for (const key of "wwwwwwwwdddddaaaaawwwwwwwwdddddddddsssssssssssssssss") await page.keyboard.press(key, { delay: 20 });
    };
  },
};
/** What the main thread does for a page. */
const WORK = new Set(["EventDispatch", "FunctionCall", "TimerFire", "FireAnimationFrame", "RunMicrotasks", "UpdateLayoutTree", "Layout", "PrePaint", "Paint", "Layerize", "Commit", "HitTest"]);

const gesture = GESTURES[input.gesture];
const begins = { drag: "input", pan: "pointermove", trace: "keydown" }[input.gesture];
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
await page.goto(input.url);
await ready(page);
const act = await gesture(page);
const session = await page.context().newCDPSession(page);
const events = [];
session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["devtools.timeline", "toplevel"] } });
const beats = page.evaluate(beat);
await act();
await page.evaluate(() => (window.beating = false));
const between = (await beats).slice(1);
const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
await session.send("Tracing.end");
await complete;
await browser.close();

const frames = begins ? answers(begins) : portions();
console.log(JSON.stringify({
  frames: frames.length,
  elapsed: summary(frames.map((frame) => frame.elapsed)),
  work: summary(frames.map((frame) => frame.work)),
  between: summary(between),
}));

/** Presses at the middle of `box` and gives the motion that swings from there, `margin` short of its ends. */
async function swing(page, box, margin, y) {
  const at = (part) => box.x + margin + (box.width - 2 * margin) * part;
  await page.mouse.move(at(0.5), y);
  await page.mouse.down();
  return async () => {
    for (let i = 0; i < 240; i++) await page.mouse.move(at(0.5 + 0.45 * Math.sin(i / 12)), y);
    await page.mouse.up();
  };
}

/** In the page: milliseconds between frames, until it is told to stop. */
function beat() {
  window.beating = true;
  return new Promise((resolve) => {
    const between = [];
    let before = performance.now();
    const next = () => {
      const now = performance.now();
      between.push(now - before);
      before = now;
      if (window.beating) requestAnimationFrame(next);
      else resolve(between);
    };
    requestAnimationFrame(next);
  });
}

/** Events of the renderer's main thread, which is the one that fires the page's frames; and the last that it does for one:
    not every Chromium traces the commit. */
function thread() {
  const { pid, tid } = events.find((e) => e.name === "FireAnimationFrame") ?? {};
  const main = events.filter((e) => e.pid === pid && e.tid === tid && e.ph === "X").sort((a, b) => a.ts - b.ts);
  return { main, last: main.some((e) => e.name === "Commit") ? "Commit" : "Layerize" };
}

/** From the first event of this type in a frame to the end of its script, style, layout and paint, in milliseconds: the time that
    went by, and the time in which the main thread was at work. The difference is time in which it waited: for a processor, or for
    other processes of the browser. */
function answers(type) {
  const { main, last } = thread();
  const frames = [];
  for (const e of main) {
    if (e.name === "EventDispatch" && e.args?.data?.type === type) {
      if (frames.at(-1)?.done ?? true) frames.push({ start: e.ts, end: e.ts, work: 0, done: false });
    }
    const frame = frames.at(-1);
    if (frame && !frame.done && WORK.has(e.name)) {
      // What lies within another piece of work is part of it.
      if (e.ts >= frame.end) frame.work += e.tdur / 1000;
      frame.end = Math.max(frame.end, e.ts + e.dur);
      if (e.name === last) frame.done = true;
    }
  }
  return frames.map((f) => ({ elapsed: (f.end - f.start) / 1000, work: f.work }));
}

/** What the main thread did from the end of one frame to the end of the next, in milliseconds. */
function portions() {
  const { main, last } = thread();
  const frames = [{ elapsed: 0, work: 0 }];
  let until = 0;
  for (const e of main) {
    if (!WORK.has(e.name)) continue;
    const frame = frames.at(-1);
    if (e.ts >= until) {
      frame.elapsed += e.dur / 1000;
      frame.work += e.tdur / 1000;
    }
    until = Math.max(until, e.ts + e.dur);
    if (e.name === last) frames.push({ elapsed: 0, work: 0 });
  }
  return frames.slice(0, -1);
}

function summary(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const quantile = (q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? null;
  return { p50: quantile(0.5), p95: quantile(0.95), max: sorted.at(-1) ?? null };
}

// Drags the first slider of `url` and prints, as JSON, how long each frame kept the main thread busy: from the first input
// event of the frame to the end of its script, style, layout and paint.
import { input, launch, ready } from "./launch.mjs";

const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
await page.goto(input.url);
await ready(page);
const box = await page.locator("input[type=range]").first().boundingBox();
const y = box.y + box.height / 2;
const at = (part) => box.x + 10 + (box.width - 20) * part;
await page.mouse.move(at(0.5), y);
await page.mouse.down();

const session = await page.context().newCDPSession(page);
const events = [];
session.on("Tracing.dataCollected", ({ value }) => events.push(...value));
await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["devtools.timeline", "toplevel"] } });
for (let i = 0; i < 240; i++) {
  await page.mouse.move(at(0.5 + 0.45 * Math.sin(i / 12)), y);
}
await page.mouse.up();
const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
await session.send("Tracing.end");
await complete;
await browser.close();

// The renderer's main thread is the one that dispatches the input events.
const dispatched = events.filter((e) => e.name === "EventDispatch" && e.args?.data?.type === "input");
const { pid, tid } = dispatched[0] ?? {};
const main = events.filter((e) => e.pid === pid && e.tid === tid && e.ph === "X").sort((a, b) => a.ts - b.ts);
const work = new Set(["EventDispatch", "FunctionCall", "TimerFire", "FireAnimationFrame", "RunMicrotasks", "UpdateLayoutTree", "Layout", "PrePaint", "Paint", "Layerize", "Commit", "HitTest"]);
// The last thing that the main thread does for a frame; not every Chromium traces the commit.
const last = main.some((e) => e.name === "Commit") ? "Commit" : "Layerize";
const frames = [];
for (const e of main) {
  if (e.name === "EventDispatch" && e.args?.data?.type === "input") {
    if (frames.at(-1)?.done ?? true) frames.push({ start: e.ts, end: e.ts + e.dur, done: false });
  }
  const frame = frames.at(-1);
  if (frame && !frame.done && work.has(e.name)) {
    frame.end = Math.max(frame.end, e.ts + e.dur);
    if (e.name === last) frame.done = true;
  }
}
const times = frames.map((f) => (f.end - f.start) / 1000).sort((a, b) => a - b);
const quantile = (q) => times[Math.min(times.length - 1, Math.floor(q * times.length))] ?? null;
console.log(JSON.stringify({ frames: times.length, p50: quantile(0.5), p95: quantile(0.95), max: times.at(-1) ?? null }));

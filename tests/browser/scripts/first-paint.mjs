// Opens `url` once, cold, on a slow machine with "fast 4G", and prints as JSON when something of it was first painted, in
// milliseconds, and how much moved while it came to life.
import { input, launch, ready } from "./launch.mjs";

// What the developer tools of Chromium call Fast 4G, and four times slower than this machine.
const network = { offline: false, latency: 165, downloadThroughput: (9e6 * 0.9) / 8, uploadThroughput: (1.5e6 * 0.9) / 8 };

const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
await page.addInitScript(() => {
  window.moved = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.moved += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
});
const session = await page.context().newCDPSession(page);
await session.send("Network.enable");
await session.send("Network.emulateNetworkConditions", network);
await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
await page.goto(input.url, { timeout: 120_000 });
await ready(page);
await page.waitForTimeout(500);
const painted = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null);
const moved = await page.evaluate(() => window.moved);
await browser.close();
console.log(JSON.stringify({ painted, moved }));

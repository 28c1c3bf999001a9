// Chromium as the tests start it, for scripts.
import { chromium } from "@playwright/test";

export const input = JSON.parse(process.argv[2]);

export function launch() {
  const args = ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--font-render-hinting=none"];
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  return chromium.launch({ executablePath: process.env.CHROME || undefined, args });
}

const complete = (page) => page.waitForSelector('html[data-ready="1"]', { state: "attached", timeout: 60_000 });

/** The page can be read. */
export async function readable(page) {
  await complete(page);
  await page.evaluate(() => document.fonts.ready);
}

/** Somebody is there, and the page shows all that belongs to it. */
export async function ready(page) {
  await complete(page);
  await page.evaluate(() => {
    window.dispatchEvent(new Event("scroll"));
    return new Promise(requestAnimationFrame);
  });
  await readable(page);
}

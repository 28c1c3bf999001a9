// Chromium as the tests start it, for scripts.
import { chromium } from "@playwright/test";

export const input = JSON.parse(process.argv[2]);

export function launch() {
  const args = ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  return chromium.launch({ executablePath: process.env.CHROME || undefined, args });
}

export async function ready(page) {
  await page.waitForSelector('html[data-ready="1"]', { state: "attached", timeout: 60_000 });
  await page.evaluate(() => document.fonts.ready);
}

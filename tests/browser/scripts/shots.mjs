// Writes a picture of every page in `pages` under `out`; prints the names, as JSON.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { input, launch, ready } from "./launch.mjs";

const looks = [
  { name: "light", viewport: { width: 1440, height: 900 }, colorScheme: "light", fullPage: true },
  { name: "dark", viewport: { width: 1440, height: 900 }, colorScheme: "dark", fullPage: true },
  { name: "360x780", viewport: { width: 360, height: 780 }, colorScheme: "light", fullPage: true },
  { name: "1920x1080", viewport: { width: 1920, height: 1080 }, colorScheme: "light", fullPage: false },
];
mkdirSync(input.out, { recursive: true });
const browser = await launch();
const written = [];
for (const { name, viewport, colorScheme, fullPage } of looks) {
  const page = await browser.newPage({ viewport, colorScheme, reducedMotion: "reduce" });
  for (const path of input.pages) {
    await page.goto(input.url + path);
    await ready(page);
    const file = `${path.replace(/\/$/, "").replaceAll("/", "-") || "home"}-${name}.png`;
    await page.screenshot({ path: join(input.out, file), fullPage });
    written.push(file);
  }
  await page.close();
}
await browser.close();
console.log(JSON.stringify(written));

// A newcomer's first ten minutes, a picture every ten seconds, on one sheet: `node scripts/minutes.mjs '{"url": …, "out": …}'`.
//
// What somebody would do in ten seconds is done at once. A step that can't be done says so on the sheet and is skipped.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { input, launch, ready } from "./launch.mjs";

const go = (path) => async (page) => {
  await page.goto(input.url + path);
  await ready(page);
};
const press = (role, name) => async (page) => page.getByRole(role, { name }).first().click({ timeout: 4000 });
const scroll = (pages) => async (page) => page.evaluate((pages) => scrollBy(0, pages * innerHeight), pages);
const fill = (where, text) => async (page) => {
  const field = page.locator(where).first();
  await field.fill(text, { timeout: 4000 });
  await field.press("Enter");
};
const ask = (text) => async (page) => {
  await page.locator("[data-island=ask] input").focus();
  await page.locator("[data-island=ask]").getByRole("combobox").fill(text);
};
const unsure = press("button", "I don’t know");
const decide = async (page) => {
  const option = page.locator("#mission-decision form input[type=radio]").first();
  if (await option.count()) await option.check({ force: true });
  else await page.locator("#mission-decision").getByLabel(/Your answer/).fill("480 GB", { timeout: 2000 }).catch(() => {});
  await page.locator("[data-decide]").click({ timeout: 4000 });
};

const steps = [
  ["Home", go("")],
  ["Guess", press("button", "128")],
  ["Guess again", press("button", "No number is enough")],
  ["What it is", scroll(0.8)],
  ["Further down", scroll(0.9)],
  ["A question", async (page) => (await go("")(page), await ask("7B LoRA on one 24 GB card")(page))],
  ["The answer", async (page) => page.locator("[data-island=ask] a.answer").first().click({ timeout: 4000 })],
  ["Its figure", scroll(0.5)],
  ["An example", async (page) => page.locator(".figure-presets button").nth(1).click({ timeout: 4000 })],
  ["Memory", go("w/memory-breakdown/?params=70e9&zero=0&dp=8")],
  ["A change that fits", async (page) => page.locator("main button", { hasText: /Make (this change|it fit)/ }).first().click({ timeout: 4000 })],
  ["Why", scroll(0.6)],
  ["Chapter 3", go("chapter/memory-accounting/")],
  ["A prediction", fill('.exercise[data-kind="prediction"] input[type="text"]', "60 GB")],
  ["What it says", scroll(0.5)],
  ["Reading", scroll(0.9)],
  ["Reading", scroll(0.9)],
  ["Reading", scroll(0.9)],
  ["A link into the figure", async (page) => page.locator("a.see").first().click({ timeout: 4000 })],
  ["Back", async (page) => page.goBack()],
  ["Reading", scroll(0.9)],
  ["An exercise", go("chapter/memory-accounting/#exercise-zero-2")],
  ["A wrong answer", fill('[data-exercise="zero-2"] input[type="text"]', "60 GB")],
  ["A hint", async (page) => page.locator('[data-exercise="zero-2"]').getByRole("button", { name: "Hint" }).click({ timeout: 4000 })],
  ["A right answer", fill('[data-exercise="zero-2"] input[type="text"]', "8.67 GB")],
  ["Home again", go("")],
  ["Placement", go("placement/")],
  ["The first question", press("button", "Start")],
  ["Not known", unsure],
  ["Not known", unsure],
  ["What it found", scroll(0.5)],
  ["Home, placed", go("")],
  ["Practice", go("practice/now/")],
  ["A try", fill(".exercise input", "10")],
  ["Another", fill(".exercise input", "10")],
  ["Enough", press("button", "Finish")],
  ["Missions", go("mission/")],
  ["Mission 1", go("mission/fit-it/")],
  ["The board", scroll(0.7)],
  ["A decision", decide],
  ["What it did", scroll(-0.4)],
  ["Another decision", decide],
  ["What it did", scroll(-0.4)],
  ["Search", go("")],
  ["An error", ask("CUDA out of memory. Tried to allocate 2.00 GiB")],
  ["Its page", async (page) => page.locator("[data-island=ask]").getByRole("option").first().click({ timeout: 4000 })],
  ["All figures", go("w/")],
  ["All-reduce", go("w/ring-all-reduce/")],
  ["Played", press("button", /^Play/)],
  ["Its steps", async (page) => page.waitForTimeout(1500)],
  ["A run of one's own", go("run/")],
  ["A sample", async (page) => page.locator("main button", { hasText: "Llama" }).first().click({ timeout: 4000 })],
  ["What it reads", scroll(0.7)],
  ["What it found", scroll(0.7)],
  ["Settings", go("settings/")],
  ["Dark", async (page) => page.emulateMedia({ colorScheme: "dark" })],
  ["Home, dark", go("")],
  ["A figure", go("w/attention-schedule/?groups=2&ahead=true")],
  ["On another GPU", press("button", "The same on a B200")],
];

const looks = [
  { name: "desktop", viewport: { width: 1440, height: 900 }, columns: 6, wide: 320 },
  { name: "phone", viewport: { width: 390, height: 844 }, columns: 12, wide: 150 },
];
const browser = await launch();
const wrong = [];
for (const { name, viewport, columns, wide } of looks) {
  const page = await browser.newPage({ viewport, colorScheme: "light" });
  page.on("console", (message) => message.type() === "error" && wrong.push(`${name}: ${message.text()}`));
  const cells = [];
  for (const [i, [title, act]] of steps.entries()) {
    const skipped = await act(page).then(() => "", () => " (not done)");
    if (skipped) wrong.push(`${name}: ${title}${skipped}`);
    await page.waitForTimeout(900);
    const picture = (await page.screenshot({ type: "jpeg", quality: 80 })).toString("base64");
    const time = `${Math.floor(i / 6)}:${String((i % 6) * 10).padStart(2, "0")}`;
    cells.push(`<figure><img src="data:image/jpeg;base64,${picture}"><figcaption>${time} ${title}${skipped}</figcaption></figure>`);
  }
  await page.close();
  const sheet = await browser.newPage({ viewport: { width: columns * (wide + 8) + 8, height: 800 } });
  await sheet.setContent(`<style>body{margin:8px;display:grid;gap:8px;grid-template-columns:repeat(${columns},${wide}px);font:11px sans-serif}figure{margin:0}img{width:100%;border:1px solid #ccc}</style>${cells.join("")}`);
  writeFileSync(join(input.out, `minutes-${name}.jpg`), await sheet.screenshot({ type: "jpeg", quality: 60, fullPage: true }));
  await sheet.close();
}
await browser.close();
console.log(JSON.stringify(wrong));

// What learners and instructors do most, in Firefox.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { attribute, expect, press, quantity, ready, test, text } from "./fixtures";

const CHAPTER = "chapter/memory-accounting/";

test("a slider changes what the figure says, and the address", async ({ open }) => {
  const page = await open("w/memory-breakdown/?params=30e9&zero=3&dp=64");
  expect(await quantity(page, "total")).toBe(7.5e9);
  await page.focus('input[type="range"][name="dp"]');
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => quantity(page, "total")).toBeLessThan(7.5e9);
  await expect.poll(() => new URL(page.url()).searchParams.get("dp")).not.toBe("64");
});

test("a config.json of one's own is read", async ({ open }) => {
  const page = await open("w/memory-breakdown/?zero=0");
  await page.locator("details.own-model > summary").click();
  const config = readFileSync(join(__dirname, "../../fixtures/configs/llama-3-8b.json"), "utf8");
  await page.locator("details.own-model textarea").fill(config);
  await expect.poll(() => quantity(page, "params")).toBe(8030261248);
});

test("what was solved stays solved", async ({ open }) => {
  const page = await open(`${CHAPTER}#exercise-zero-2`);
  const exercise = '[data-exercise="zero-2"]';
  const field = `${exercise} input[type="text"]`;
  await page.locator(field).fill("8.67 GB");
  await press(page, "Check", exercise);
  await expect.poll(() => text(page, exercise)).toContain("That is ZeRO-3");
  await page.locator(field).fill("33.6 GB");
  await press(page, "Check", exercise);
  await page.waitForSelector(`${exercise} .answer.right`);
  await page.reload();
  await ready(page);
  await page.waitForSelector(`${exercise} .answer.right`);
  expect(await page.$eval(field, (input) => input.value)).toBe("33.6 GB");
});

test("search opens by its key, which Firefox has a use for itself", async ({ open }) => {
  const page = await open("");
  await page.keyboard.press("/");
  await page.waitForSelector("dialog[open] input:focus");
  await page.keyboard.type("bubble");
  await page.waitForSelector('dialog[open] [role="option"]');
  await page.keyboard.press("Enter");
  await expect.poll(() => new URL(page.url()).pathname).not.toBe("/");
});

test("what is typed into the editor of kernels is no shortcut", async ({ open }) => {
  const page = await open("w/kernel-workbench/");
  await page.locator("code-editor >>> .cm-activeLine").click();
  await page.keyboard.type("// cpt[");
  await expect.poll(() => page.$eval("code-editor", (editor) => (editor as unknown as { value: string }).value)).toContain("// cpt[");
});

test("a figure is projected, stepped, blanked and put back by keys alone", async ({ open }) => {
  const page = await open("");
  const bar = '[role="toolbar"][aria-label="Projector"]';
  await page.keyboard.press("p");
  await page.waitForSelector("html[data-projecting]");
  await page.waitForSelector(`${bar} ::-p-aria(The next state)`);
  await page.keyboard.press("PageDown");
  await expect.poll(() => text(page, bar)).toContain("1 of ");
  await page.keyboard.press("b");
  await page.waitForSelector(".room-blank");
  await page.keyboard.press(".");
  await page.waitForSelector(".room-blank", { hidden: true });
  await page.keyboard.press("p");
  await page.waitForSelector("html:not([data-projecting])");
  expect(await page.$$("[data-behind], [inert]")).toHaveLength(0);
});

test("a kernel is run and checked, on the GPU or in place of it", async ({ open }) => {
  const page = await open("w/matmul-kernels/?kernel=tiled&m=65&n=33&k=17");
  const offered = await page.evaluate(async () => {
    const gpu = (navigator as unknown as { gpu?: { requestAdapter(): Promise<unknown> } }).gpu;
    return gpu ? Boolean(await gpu.requestAdapter()) : null;
  });
  await page.locator(".figure-transport .bench-actions button").click();
  await expect.poll(() => quantity(page, "verified"), { timeout: 30_000 }).toBe(1);
  const said = await text(page, ".figure-below");
  const why = { null: "This browser has no WebGPU here.", false: "This browser knows WebGPU but offers no GPU." };
  if (offered) for (const reason of Object.values(why)) expect(said).not.toContain(reason);
  else expect(said).toContain(offered === null ? why.null : why.false);
});

test("a figure is saved as SVG and PNG", async ({ open, firefox }) => {
  const page = await open("w/memory-breakdown/?params=30e9&dp=64");
  await page.keyboard.press("c");
  await expect.poll(() => text(page, ".notice")).toContain("params=30");
  await press(page, "Share");
  const save = async (kind: string) => {
    const file = join(firefox.downloads, `memory-breakdown.${kind.toLowerCase()}`);
    await press(page, `Save as ${kind}`, "dialog[open]");
    await expect.poll(() => existsSync(file) && !existsSync(`${file}.part`)).toBe(true);
    return readFileSync(file);
  };
  const svg = (await save("SVG")).toString();
  expect(svg).toMatch(/^<svg [^>]*width="1920"/);
  expect(svg).toContain((await text(page, ".finding b"))!.split(/\s/)[0]);
  const png = await save("PNG");
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  expect(png.readUInt32BE(16)).toBe(1920);
});

test("presenter and audience stay in step in two windows", async ({ open }) => {
  const lead = await open("presenter/?chapter=memory-accounting");
  const room = await open("presenter/?audience", "window");
  const at = () => attribute(room, "[data-at]", "data-at");
  await lead.bringToFront();
  const first = await at();
  await lead.keyboard.press("PageDown");
  await expect.poll(at).not.toBe(first);
  const state = () => attribute(room, "main [data-widget]", "data-query");
  const before = await state();
  await lead.keyboard.press("PageDown");
  await expect.poll(state).not.toBe(before);
  expect(await state()).toBe(await attribute(lead, "main [data-widget]", "data-query"));
});

test("a chapter prints with all of its exercises", async ({ open }) => {
  const page = await open(CHAPTER);
  const slots = (await page.$$("[data-slot-exercise]")).length;
  expect((await page.$$("[data-exercise]")).length).toBeLessThan(slots);
  const pdf = Buffer.from(await page.pdf({ format: "A4" }));
  expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
  expect(await page.$$("[data-exercise]")).toHaveLength(slots);
});

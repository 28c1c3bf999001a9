// The workbench, on the GPU that Chromium makes of software: solutions are right, beginnings are not, and no text takes the GPU
// away. Where Chromium offers no adapter, what needs one is skipped.
import type { Locator, Page } from "@playwright/test";
import { axe, expect, gpu, ready, step, stored, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, quantity, parameter, rest } = widget("kernel-workbench");
const editor = (page: Page): Locator => figure(page).locator("code-editor");
const content = (page: Page): Locator => editor(page).getByRole("textbox", { name: /^The body of the kernel/ });
const check = (page: Page) => page.getByRole("button", { name: "Check, then time" }).click();
const verdict = (page: Page) => figure(page).locator(".verdict");

/** Puts a text into the editor, as if it had been typed. */
async function write(within: Page | Locator, text: string) {
  await within.getByRole("textbox", { name: /^The body of the kernel/ }).waitFor();
  await within.locator("code-editor").evaluate((element: HTMLTextAreaElement, text) => {
    element.value = text;
    element.dispatchEvent(new Event("input", { bubbles: true }));
  }, text);
}

/** A puzzle for each thing that a GPU does of its own: one value per invocation, shared memory, a barrier in a loop, products in tiles,
    subgroups. Every solution is run in the interpreter: shaders/glass/tests/agree.rs. */
const RUN = ["map", "sum", "scan", "matmul", "online-softmax", "subgroup-softmax", "compact"];

// That every beginning is wrong is seen in the interpreter too.
test("the browser’s compiler takes every solution, and one of each kind is right on a GPU", async ({ page }) => {
  // So that the editor shows every line of its text.
  await page.setViewportSize({ width: 1280, height: 3000 });
  await open(page, "puzzle=map");
  await gpu(page);
  const puzzles = figure(page).locator(".puzzles button").filter({ hasNotText: "Your own kernel" });
  const verified = figure(page).locator('[data-quantity="verified"]');
  const count = await puzzles.count();
  expect(count).toBeGreaterThanOrEqual(10);
  const run: string[] = [];
  let puzzle = "";
  for (let i = 0; i < count; i++) {
    await puzzles.nth(i).click();
    // The address follows a moment later.
    await expect.poll(() => parameter(page, "puzzle")).not.toBe(puzzle);
    puzzle = parameter(page, "puzzle")!;
    await content(page).waitFor();
    if (i === 0) {
      await check(page);
      await expect(verdict(page)).toContainText(/Wrong with|It doesn’t compile/);
      await expect(verified).toHaveAttribute("data-value", "0");
    } else {
      // Nothing is left of the puzzle before.
      await expect(verified).toHaveCount(0);
    }
    await page.getByRole("button", { name: /^Show a solution/ }).click();
    await page.getByRole("button", { name: "Look it up" }).click();
    const solution = await figure(page).getByLabel("The kernel in WGSL").innerText();
    await write(page, solution);
    const whole = await content(page).innerText();
    expect(whole).toContain(solution.trim().split("\n").at(-1)!.trim());
    const said = await page.evaluate(async (code) => {
      // The library of types that this folder has knows no WebGPU.
      const adapter = await (navigator as any).gpu.requestAdapter();
      const features = ["subgroups", "shader-f16"].filter((feature) => adapter.features.has(feature));
      const device = await adapter.requestDevice({ requiredFeatures: features });
      const { messages } = await device.createShaderModule({ code }).getCompilationInfo();
      device.destroy();
      return messages.filter(({ type }: { type: string }) => type === "error").map(({ message }: { message: string }) => message);
    }, whole);
    expect(said, puzzle).toEqual([]);
    if (!RUN.includes(puzzle)) continue;
    run.push(puzzle);
    await check(page);
    await expect(verdict(page), puzzle).toContainText("Right, at all", { timeout: 60_000 });
    await expect(verified).toHaveAttribute("data-value", "1");
  }
  expect(run).toEqual(RUN);
  await expect(rest(page)).toContainText(`Solved so far: 0 of ${count}`);
});

test("a kernel is written with the keyboard, mended where the compiler points, and kept with its best time", async ({ page }) => {
  await open(page, "puzzle=map");
  await gpu(page);
  await content(page).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("  let i = id.x;\n  out[i] = b[i] + 10.0;");
  await page.keyboard.press("Control+Enter");
  const line = verdict(page).getByRole("button", { name: "Line 9" });
  await expect(verdict(page)).toContainText("It doesn’t compile");
  await line.click();
  await expect(content(page)).toBeFocused();
  await expect(editor(page).locator(".bad")).toHaveText("b");
  // What is given cannot be changed.
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("x");
  await expect(editor(page).locator(".cm-line").first()).toHaveText(/^struct Sizes/);
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("  let i = id.x;\n  out[i] = a[i] + 10.0;");
  await page.keyboard.press("Control+Enter");
  await expect(verdict(page)).toContainText("Right, at all");
  expect(await quantity(page, "best-time")).toBeGreaterThan(0);
  // Tab indents; Escape and Tab leave.
  await content(page).focus();
  await page.keyboard.press("Tab");
  await expect(content(page)).toBeFocused();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await expect(content(page)).not.toBeFocused();
  expect(await axe(page, "figure")).toEqual([]);
  await expect.poll(async () => (await stored(page)).workbench.map.solved).toBe(true);
  await page.reload();
  await ready(page);
  await expect(content(page)).toContainText("out[i] = a[i] + 10.0;");
  await expect(figure(page).locator(".puzzles button", { hasText: "Map" })).toContainText("solved");
});

test("what is typed is no shortcut, long lines go under their numbers, and a loop without end is broken off", async ({ page }) => {
  await step(page, "what is typed into the editor is no shortcut", async () => {
    await open(page, "puzzle=map");
    await editor(page).locator(".cm-activeLine").click();
    await page.keyboard.type("// cpt[");
    await expect.poll(() => editor(page).evaluate((e: HTMLTextAreaElement) => e.value)).toContain("// cpt[");
  });

  await step(page, "a long line goes under the line numbers and is not seen there", async () => {
    await open(page, "puzzle=map");
    const gutters = page.locator(".cm-gutters").first();
    await expect(gutters).toBeVisible();
    const [numbers, editor] = await gutters.evaluate((element) => [
      getComputedStyle(element).backgroundColor,
      getComputedStyle(element.closest(".cm-editor")!).backgroundColor,
    ]);
    expect(numbers).toBe(editor);
    expect(numbers).not.toMatch(/, 0\)$|transparent/);
  });

  await step(page, "a loop that does not end is broken off, and the next text runs", async () => {
    await open(page, "puzzle=guard");
    await gpu(page);
    await write(page, "  loop { }");
    await check(page);
    await expect(verdict(page)).toContainText("It doesn’t compile");
    const endless = "  var i = id.x;\n  while (true) { i++; out[0] = f32(i); }";
    await write(page, endless);
    await check(page);
    await expect(verdict(page)).toContainText("a loop went round more than 32768 times");
    await expect(content(page)).toContainText("while (true)");
    await write(page, "  if (id.x < sizes.n) { out[id.x] = 2.0 * a[id.x]; }");
    await check(page);
    await expect(verdict(page)).toContainText("Right, at all");
  });
});

test("a worker of which nothing is heard is ended, the text is kept, and the next check starts another", async ({ page }) => {
  const deaf = "postMessage(Uint8Array.of(0));";
  await page.route("**/gpu-worker-start-*.js", (route) => route.fulfill({ contentType: "text/javascript", body: deaf }));
  await page.clock.install();
  await open(page, "puzzle=guard");
  const text = "  if (id.x < sizes.n) { out[id.x] = 2.0 * a[id.x]; }";
  await write(page, text);
  await check(page);
  await expect.poll(() => page.workers().length).toBe(1);
  await page.clock.runFor(16_000);
  await expect(verdict(page)).toContainText("Nothing was heard of it for 15 seconds");
  await expect.poll(() => page.workers().length).toBe(0);
  await expect(content(page)).toContainText("out[id.x] = 2.0 * a[id.x]");
  await page.unroute("**/gpu-worker-start-*.js");
  await gpu(page);
  await check(page);
  await expect(verdict(page)).toContainText("Right, at all");
});

test("without WebGPU and without the editor there is a plain field, and the interpreter checks it", async ({ page }) => {
  await page.route("**/gpu-worker-start-*.js", async (route) => {
    const response = await route.fetch();
    const hide = "Object.defineProperty(WorkerNavigator.prototype, 'gpu', { value: undefined });\n";
    await route.fulfill({ response, body: hide + (await response.text()) });
  });
  await page.route("**/code-editor.js", (route) => route.fulfill({ contentType: "text/javascript", body: "" }));
  await open(page, "puzzle=softmax");
  await figure(page).getByLabel("The body of the kernel Row softmax").fill("  out[0] = 1.0;");
  await check(page);
  await expect(verdict(page)).toContainText("Data race on out[0]", { timeout: 30_000 });
  await expect(verdict(page)).toContainText("the values come out right here, where lanes run in a fixed order. On a GPU these mistakes can change the result.");
  await expect(figure(page).locator(".workbench")).toContainText("This browser has no WebGPU here.");
  const solution = [
    "  for (var i = local.x; i < sizes.cols; i += 64u) {",
    "    let row = group.x * sizes.cols;",
    "    var most = -3.4e38;",
    "    for (var j = 0u; j < sizes.cols; j++) { most = max(most, a[row + j]); }",
    "    var sum = 0.0;",
    "    for (var j = 0u; j < sizes.cols; j++) { sum += exp(a[row + j] - most); }",
    "    out[row + i] = exp(a[row + i] - most) / sum;",
    "  }",
  ].join("\n");
  await figure(page).getByLabel("The body of the kernel Row softmax").fill(solution);
  await check(page);
  await expect(verdict(page)).toContainText("Right, at all", { timeout: 30_000 });
  await expect(rest(page)).toContainText("The interpreter checked it, so there is no time to show.");
  await figure(page).getByLabel("The body of the kernel Row softmax").fill("  out[0] = 1.0;");
  await expect.poll(async () => (await stored(page)).workbench.softmax.text).toBe("  out[0] = 1.0;");
  await page.getByRole("button", { name: "Hint" }).click();
  await expect(figure(page).locator(".hints li")).toHaveCount(1);
});

test("an exercise takes the verdict of the workbench", async ({ page }) => {
  await page.goto("chapter/matmul-kernels/#exercise-write-transpose");
  await ready(page);
  await gpu(page);
  const exercise = page.locator('[data-exercise="write-transpose"]');
  await exercise.getByRole("button", { name: "Open the workbench" }).click();
  await expect(exercise.locator(".puzzles")).toHaveCount(0);
  const attempt = async () => (await stored(page))?.exercises["matmul-kernels/write-transpose"] ?? {};
  const said = exercise.locator(".verdict");
  const run = exercise.getByRole("button", { name: "Check, then time" });
  await write(exercise, "  let row = id.y;");
  await run.click();
  await expect(said).toContainText("It doesn’t compile");
  await expect.poll(async () => (await attempt()).tries).toBe(1);
  expect((await attempt()).right).toBe(false);
  await write(exercise, "  let at = group.xy * 16u + local.xy;\n  if (at.y < sizes.rows && at.x < sizes.cols) {\n    out[at.x * sizes.rows + at.y] = a[at.y * sizes.cols + at.x];\n  }");
  await run.click();
  await expect(said).toContainText("Right, at all");
  await expect(exercise.locator(".answer.right")).toContainText("No arithmetic at all");
  expect(await attempt()).toMatchObject({ tries: 2, right: true, solved: true });
});

// What the trial froze the browser with, or was told to be right: each is found out, the page paints meanwhile, and no time is kept.
const hostile: [string, string, string, RegExp][] = [
  ["a loop at the timed size only", "map", "  while (sizes.n > 400u) { if (a[0] == -77.0) { break; } out[id.x] += 1.0; }\n  out[id.x] = a[id.x] + 10.0;", /n = 1048576 a loop went round more than \d+ times/],
  ["its own answer in the output", "guard", "  if (id.x < sizes.n && out[id.x] < -1e30) { out[id.x] = 2.0 * a[id.x]; }", /Wrong with n = 1048576/],
  ["nothing at the timed size", "map", "  if (sizes.n > 400u) { return; }\n  out[id.x] = a[id.x] + 10.0;", /Wrong with n = 1048576/],
  ["a barrier in divergence", "guard", "  if (id.x < 3u) { workgroupBarrier(); }", /It doesn’t compile/],
  ["loops nested through functions", "map", "  f(); }\nfn g() { for (var i = 0u; i < 30000u; i++) { out[i % 7u] = 1.0; } }\nfn f() { for (var i = 0u; i < 30000u; i++) { g(); }", /a loop went round more than \d+ times/],
  ["a second entry point", "guard", "  out[0] = 1.0; }\n@compute @workgroup_size(256) fn other() { ", /Only main is run/],
  ["a comment that ends at U+2028", "map", "  // x\u2028 loop { out[0] = 1.0; if (a[0] == -77.0) { break; } }", /a loop went round more than \d+ times/],
  ["every invocation just below the limit", "guard", "  var x = 0.0;\n  for (var i = 0u; i < 32000u; i++) { x = fma(x, 0.5, a[(i + id.x) % sizes.n]); }\n  if (id.x < sizes.n) { out[id.x] = 2.0 * a[id.x] + x * 1e-30; }", /it was stopped after|Right, at all/],
];
test("the page paints while whatever runs, and what is wrong with it is found out", async ({ page }) => {
  test.setTimeout(300_000);
  await open(page, "puzzle=map");
  await gpu(page);
  await page.evaluate(() => {
    const counted = window as unknown as { frames: number };
    const frame = () => {
      counted.frames++;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  for (const [name, puzzle, text, said] of hostile) {
    await test.step(name, async () => {
      // The two puzzles take turns: nothing is left of the one before.
      await open(page, `puzzle=${puzzle}`);
      await expect(verdict(page).filter({ hasText: said })).toHaveCount(0);
      await write(page, text);
      await page.evaluate(() => void ((window as unknown as { frames: number }).frames = 0));
      await check(page);
      await expect(verdict(page)).toContainText(said, { timeout: 60_000 });
      expect(await page.evaluate(() => (window as unknown as { frames: number }).frames)).toBeGreaterThan(10);
      if (!(await verdict(page).innerText()).includes("Right")) {
        expect((await stored(page)).workbench?.[puzzle]?.best ?? []).toEqual([]);
      }
    });
  }
});

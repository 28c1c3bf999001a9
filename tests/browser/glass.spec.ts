// A kernel under glass: it is stepped forth and back, a race is found at its line, and a rung of a ladder opens too. No GPU is needed.
import type { Page } from "@playwright/test";
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open } = widget("kernel-workbench");
const glass = (page: Page) => page.getByRole("region", { name: "The kernel, step by step" });

/** Puts a text into the editor, as if it had been typed. */
async function write(page: Page, text: string) {
  await page.getByRole("textbox", { name: /^The body of the kernel/ }).waitFor();
  await figure(page).locator("code-editor").evaluate((element: HTMLTextAreaElement, text) => {
    element.value = text;
    element.dispatchEvent(new Event("input", { bubbles: true }));
  }, text);
}

const sum = (barrier: string) => `  let i = group.x * 64u + local.x;
  var value = 0.0;
  if (i < sizes.n) { value = a[i]; }
  part[local.x] = value;
  ${barrier}
  for (var half = 32u; half > 0u; half /= 2u) {
    if (local.x < half) { part[local.x] += part[local.x + half]; }
    workgroupBarrier();
  }
  if (local.x == 0u) { out[group.x] = part[0]; }`;

test("kernels are stepped, raced and refused, each at its line", async ({ page }) => {
  await step(page, "a sound kernel is stepped line by line, to a barrier, to the end and back", async () => {
    await open(page, "puzzle=sum");
    await write(page, sum("workgroupBarrier();"));
    await page.getByRole("button", { name: "Step it" }).click();
    const it = glass(page);
    await expect(it).toContainText("✓ This run, at these sizes, has no data races, no out-of-bounds indices", { timeout: 30_000 });
    await expect(it).toContainText("Other sizes or inputs may differ.");
    const place = it.locator(".transport-place");
    await expect(place).toContainText("Step 0 of");
    const forward = it.getByRole("button", { name: "Step forward" });
    await forward.click();
    await forward.click();
    await expect(place).toContainText("Step 2 of");
    await expect(it.getByRole("button", { name: /^Warp 0: line \d+, 32 of 32 lanes active/ })).toBeVisible();
    await it.getByRole("button", { name: "Run to next barrier" }).click();
    await expect(it.getByText(/^Workgroup memory: part/)).toBeVisible();
    await expect(it.locator(".glass-shared .w1").first()).toBeVisible();
    await expect(it.getByRole("rowheader", { name: "value", exact: true })).toBeVisible();
    const cells = it.locator(".glass-code tr").filter({ hasText: "part[local.x] = value;" }).locator("td");
    await expect(cells.nth(1)).toHaveText("1 pass");
    await expect(cells.nth(2)).toHaveText("part[local.x] = value;");
    const there = await place.innerText();
    await forward.click();
    await it.getByRole("button", { name: "Step back" }).click();
    await expect(place).toHaveText(there);
    await it.getByRole("button", { name: "To the end" }).click();
    await expect(it).toContainText("The kernel has ended");
    await expect(it.getByRole("link", { name: "Open this kernel in the roofline" })).toHaveAttribute("href", /roofline\/\?op=kernel&flop=\d+&bytes=\d+/);
    await expect(it.getByRole("link", { name: "Open this kernel in the occupancy figure" })).toHaveAttribute("href", /occupancy\/\?block_size=64/);
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "a race is found at its line, with both invocations named", async () => {
    await open(page, "puzzle=sum");
    await write(page, sum(""));
    await page.getByRole("button", { name: "Step it" }).click();
    const found = glass(page).locator(".glass-findings li").filter({ hasText: "Data race" }).first();
    await expect(found).toContainText(/Data race on part\[\d+\]: invocation \d+ of workgroup \d+ (reads|writes) it, invocation \d+/, { timeout: 30_000 });
    await expect(found).toHaveText(/^Line \d+ Data race on/);
    const line = await found.getByRole("button").innerText();
    const group = /of workgroup (\d+)/.exec(await found.innerText())?.[1];
    await found.getByRole("button").click();
    await expect(glass(page).locator(".glass-code .looked th")).toHaveText(line.replace("Line ", ""));
    await expect(glass(page).getByText(`main, workgroup ${group}`, { exact: true })).toBeVisible();
    await page.getByRole("button", { name: "Close the stepper" }).click();
    await expect(glass(page)).toHaveCount(0);
  });

  await step(page, "what does not compile says why, and a rung of a ladder opens", async () => {
    await open(page, "puzzle=sum");
    await write(page, "  out[0] = nothing;");
    await page.getByRole("button", { name: "Step it" }).click();
    await expect(glass(page)).toContainText("The kernel can’t be stepped.", { timeout: 30_000 });
    await page.goto("w/matmul-kernels/?kernel=tiled");
    await page.getByRole("button", { name: "Step it" }).click();
    await expect(glass(page)).toContainText("Simulated on the CPU with m = 40, n = 40, k = 20", { timeout: 30_000 });
    // So does one of an operation, which closes once another is chosen; and what it counted lies on the roof.
    await page.goto("w/kernel-fusion/");
    await page.getByRole("button", { name: "Step it" }).click();
    await expect(glass(page)).toContainText("Simulated on the CPU", { timeout: 30_000 });
    await page.getByRole("radio", { name: "Unfused" }).check({ force: true });
    await expect(glass(page)).toHaveCount(0);
    await page.goto("w/roofline/?op=kernel&flop=8000000&bytes=1000000");
    await expect(page.locator("figure .finding")).toContainText("Your kernel does 8 FLOP per byte");
    await expect(page.getByRole("button", { name: "Your kernel" })).toHaveAttribute("aria-pressed", "true");
  });
});

const scale = `struct Sizes { n: u32, alpha: f32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(0) @binding(2) var<uniform> sizes: Sizes;
@compute @workgroup_size(64)
fn scale(@builtin(global_invocation_id) id: vec3u) {
  out[id.x] = sizes.alpha * a[id.x];
}
@compute @workgroup_size(64)
fn other(@builtin(global_invocation_id) id: vec3u) { out[id.x] = 1.0; }`;

test("a kernel of one’s own is pasted, stepped and given other inputs", async ({ page }) => {
  const paste = async (text: string) => {
    await page.getByRole("textbox", { name: "Your kernel" }).waitFor();
    await figure(page).locator("code-editor").evaluate((element: HTMLTextAreaElement, text) => {
      element.value = text;
      element.dispatchEvent(new Event("input", { bubbles: true }));
    }, text);
  };
  const given = page.getByRole("group", { name: "Inputs and workgroups" });
  const row = (name: string) => given.getByRole("group", { name, exact: true });
  const last = (name: string) => glass(page).getByRole("region", { name: `Values of ${name} after the run` }).locator("td");

  await step(page, "what stands there runs as it is, and races without its barrier", async () => {
    await open(page, "puzzle=map");
    await page.getByRole("button", { name: "Your own kernel" }).click();
    await expect(row("a").getByLabel("Length")).toHaveValue("128", { timeout: 30_000 });
    await page.getByRole("button", { name: "Step it" }).click();
    await expect(glass(page)).toContainText("✓ This run, at these sizes, has no data races", { timeout: 30_000 });
    await expect(glass(page)).toContainText("2 × 1 × 1 workgroups");
    const text = await page.getByRole("textbox", { name: "Your kernel" }).innerText();
    await paste(text.replace("workgroupBarrier();", ""));
    await page.getByRole("button", { name: "Step it" }).click();
    await expect(glass(page).locator(".glass-findings li").first()).toContainText("Data race on block[");
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "a pasted text brings its own rows, whose values are what it runs on", async () => {
    await paste(scale);
    await expect(row("sizes").getByLabel("n: u32, alpha: f32")).toHaveValue("128, 1");
    await page.getByRole("button", { name: "Step it" }).click();
    await expect(glass(page)).toContainText("✓ This run", { timeout: 30_000 });
    // What is changed is run at once, and the focus goes on to the next field.
    await row("a").getByLabel("Filled with").selectOption("Typed values");
    await row("a").getByLabel("Values").fill("1, 2.5, -3");
    await row("sizes").getByLabel("n: u32, alpha: f32").fill("3, 2");
    await page.keyboard.press("Tab");
    await expect(last("out").nth(1)).toHaveText("5[1]");
    await expect(last("out").nth(2)).toHaveText("−6[2]");
    await row("a").getByLabel("Length").fill("127");
    await page.keyboard.press("Tab");
    await expect(row("a").getByLabel("Filled with")).toBeFocused();
    await expect(glass(page).locator(".glass-findings li").first()).toHaveText(/^Line 7 a\[127\] is out of bounds/);
    await row("a").getByLabel("Values").fill("1, two");
    await page.keyboard.press("Tab");
    await expect(row("a").getByRole("alert")).toHaveText("“two” isn’t a number. Type numbers separated by commas: 1, 2.5, -3.");
    await given.getByLabel("Entry point").selectOption("other");
    await expect(row("sizes")).toHaveCount(0);
    await expect(last("out").first()).toHaveText("1[0]");
  });

  await step(page, "text and inputs are there after a reload, and what can’t be run says why at its line", async () => {
    await page.reload();
    await expect(given.getByLabel("Entry point")).toHaveValue("other", { timeout: 30_000 });
    await given.getByLabel("Entry point").selectOption("scale");
    await expect(row("a").getByLabel("Length")).toHaveValue("127");
    await paste(scale.replace("alpha * a", "beta * a"));
    await expect(figure(page).locator(".verdict")).toContainText("It can’t be run yet.", { timeout: 30_000 });
    await expect(figure(page).locator(".verdict").getByRole("button", { name: "Line 7" })).toBeVisible();
    await page.getByRole("button", { name: "Reset the kernel" }).click();
    await expect(figure(page).locator(".verdict")).toBeEmpty();
    await expect(row("a").getByLabel("Length")).toHaveValue("128");
  });
});

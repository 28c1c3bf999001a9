// The widget `memory-breakdown` as an instructor's link, a learner's mouse and a practitioner's config.json meet it.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { axe, expect, overflow, ready, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, more, open, quantity } = widget("memory-breakdown");

const fixtures = join(__dirname, "..", "fixtures");
const config = (name: string) => readFileSync(join(fixtures, "configs", name), "utf8");

test("a state is computed, linked, moved by sliders and keys, and leads out of what is impossible", async ({ page }) => {
  await step(page, "answers the question of the reading map", async () => {
    await open(page, "params=30e9&dtype=bf16&zero=3&dp=64");
    expect(await quantity(page, "params")).toBe(30e9);
    expect(await quantity(page, "total")).toBe(7.5e9);
    await open(page, "params=30e9&dtype=bf16&zero=0");
    expect(await quantity(page, "weights")).toBe(60e9);
    expect(await quantity(page, "optimizer")).toBe(360e9);
    expect(await quantity(page, "total")).toBe(480e9);
  });

  await step(page, "writes its state into the address and reads it back", async () => {
    await open(page, "params=30e9&dp=64&zero=0");
    await figure(page).locator('input[name="zero"][value="2"], [data-zero="2"]').first().check({ force: true });
    await expect.poll(() => new URL(page.url()).searchParams.get("zero")).toBe("2");
    const total = await quantity(page, "total");
    await page.reload();
    await ready(page);
    expect(await quantity(page, "total")).toBe(total);
  });

  await step(page, "a link is never executed", async () => {
    await open(page, `model=${encodeURIComponent("<img src=x onerror=alert(1)>")}`);
    await expect(page.locator(".problems")).toContainText("<img");
    await expect(page.locator(".problems img")).toHaveCount(0);
  });

  await step(page, "a slider of the size varies one's own model, says so, and leads back", async () => {
    await open(page, "");
    await page.locator("details.own-model summary").click();
    await page.locator("details.own-model textarea").fill(config("llama-3-8b.json"));
    const model = figure(page).locator('select[name="model"]');
    await expect(model).toHaveValue("custom");
    const size = figure(page).locator('input[type="range"][name="params"]');
    const total = await figure(page).locator('output[data-quantity="params"]').first().getAttribute("data-value");
    await size.focus();
    await page.keyboard.press("ArrowRight");
    await expect(model).toHaveValue("custom");
    const varied = figure(page).locator(".varied");
    await expect(varied).toContainText(/Your config.json with \d+ layers instead of 32/);
    await expect(figure(page).locator('output[data-quantity="params"]').first()).not.toHaveAttribute("data-value", total!);
    await varied.getByRole("button", { name: "Back to 32" }).click();
    await expect(figure(page).locator('output[data-quantity="params"]').first()).toHaveAttribute("data-value", total!);
    await expect(varied).toHaveText("");
  });

  await step(page, "works with the keyboard alone", async () => {
    await open(page, "params=30e9&zero=0&dp=64");
    const slider = page.locator('input[type="range"][name="dp"]');
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => new URL(page.url()).searchParams.get("dp")).not.toBe("64");
    await page.locator('input[name="zero"]').first().focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => new URL(page.url()).searchParams.get("zero")).toBe("1");
  });

  await step(page, "says what would have to divide what, and keeps the stages to choose from", async () => {
    await open(page, LLAMA.replace("tp=8", "tp=3"));
    const figure = page.locator('[data-widget="memory-breakdown"]');
    await expect(figure.locator('[role="alert"]', { hasText: "128 heads cannot be split over 3" })).toBeVisible();
    expect(await quantity(page, "total")).toBeGreaterThan(0);
  });

  await step(page, "serves: weights, a KV cache and one bar", async () => {
    await open(page, "model=llama-3-8b&mode=inference&seq=8192&mbs=16&dp=1");
    const figure = page.locator('[data-widget="memory-breakdown"]');
    expect(await quantity(page, "kv-cache")).toBe(131072 * 8192 * 16);
    expect(await quantity(page, "total")).toBe(131072 * 8192 * 16 + 2 * 8030261248);
    await expect(figure.locator(".bar-row:visible")).toHaveCount(1);
    await more(page);
    await figure.locator('input[name="mode"][value="training"]').check({ force: true });
    await expect(figure.locator(".bar-row:visible")).toHaveCount(4);
  });

  await step(page, "a slider that leads into an impossible state leads out of it again", async () => {
    await open(page, "model=mixtral-8x7b&ep=8&dp=8");
    const ranks = page.getByRole("slider", { name: "Data-parallel ranks" });
    const impossible = page.getByRole("alert").filter({ hasText: "Not possible" });
    await expect(impossible).toHaveCount(0);
    await ranks.press("ArrowLeft");
    await expect(impossible).toBeVisible();
    await expect(ranks).toHaveAttribute("aria-valuetext", "4");
    await page.getByRole("radio", { name: /^ZeRO-3/ }).check();
    await expect(page.locator(".bar-row.selected input")).toHaveAttribute("value", "3");
    await ranks.press("ArrowRight");
    await expect(impossible).toHaveCount(0);
  });
});

test.describe("with a config.json of one's own", () => {
  const paste = async (page: Page, text: string) => {
    const details = page.locator("details.own-model");
    if (!(await details.evaluate((d: HTMLDetailsElement) => d.open))) await details.locator("summary").click();
    await details.locator("textarea").fill(text);
  };

  test("it is counted, asked about or refused, and what was there stays", async ({ page }) => {
    await step(page, "counts it to the parameter, and a link reopens it", async () => {
      await open(page, "zero=0");
      await paste(page, config("llama-3-8b.json"));
      await expect(page.locator("details.own-model .read")).toContainText("llama");
      expect(await quantity(page, "params")).toBe(8030261248);
      await expect.poll(() => page.url()).toContain("hidden_size=4096");
      await page.reload();
      await ready(page);
      expect(await quantity(page, "params")).toBe(8030261248);
    });

    await step(page, "takes a chosen file too", async () => {
      await open(page, "zero=0");
      await page.locator("details.own-model > summary").click();
      await page.locator('details.own-model input[type="file"]').setInputFiles(join(fixtures, "configs", "mixtral-8x7b-v0.1.json"));
      await expect.poll(() => quantity(page, "params")).toBe(46702792704);
    });

    await step(page, "says what is wrong with a bad one, or with what is none, and changes nothing", async () => {
      await open(page, "params=30e9&zero=0");
      const bad = readdirSync(join(fixtures, "configs", "bad")).filter((n) => n.endsWith(".json")).map((n) => config(join("bad", n)));
      const message = page.locator("details.own-model .message");
      for (const text of [...bad, "{", "[]", "null", "3", '{"model_type": 3}', "hello", '{"a":'.repeat(500)]) {
        await paste(page, text);
        await expect(message).toBeVisible();
        await expect(message).not.toContainText(/NaN|Infinity|undefined/);
        expect(await quantity(page, "params")).toBe(30e9);
        await expect(page.locator("details.own-model textarea")).toHaveValue(text);
        await paste(page, "");
        await expect(message).toBeHidden();
      }
      expect(await quantity(page, "params")).toBe(30e9);
    });

    await step(page, "names the missing field", async () => {
      await open(page, "zero=0");
      await paste(page, config("bad/missing_hidden_size.json"));
      await expect(page.locator("details.own-model .message")).toContainText("hidden_size is missing");
    });

    await step(page, "asks before it guesses an unknown family", async () => {
      await open(page, "params=30e9&zero=0");
      await paste(page, config("bad/unknown_model_type.json"));
      await page.locator("details.own-model .message button", { hasText: "llama" }).click();
      expect(await quantity(page, "params")).toBe(8030261248);
      await expect.poll(() => page.url()).toContain("hidden_size=4096");
    });

    await step(page, "refuses a file of 5 MB from its size alone", async () => {
      await open(page, "params=30e9&zero=0");
      await page.locator("details.own-model > summary").click();
      const deep = `{"model_type":"llama","x":${'{"a":'.repeat(833000)}1${"}".repeat(833000)}}`;
      await page.locator('details.own-model input[type="file"]').setInputFiles({ name: "config.json", mimeType: "application/json", buffer: Buffer.from(deep) });
      await expect(page.locator("details.own-model .message")).toContainText("MB");
      expect(await quantity(page, "params")).toBe(30e9);
    });
  });
});

const LLAMA = "model=llama-3.1-405b&tp=8&sp=true&pp=16&dp=128&microbatches=16&seq=8192&zero=1";

test("its layout leaves as flags, and axe finds nothing with everything unfolded, on a phone too", async ({ page, context }) => {
  await step(page, "takes a whole layout, names the fullest stage and writes its flags", async () => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await open(page, LLAMA);
    const figure = page.locator('[data-widget="memory-breakdown"]');
    await expect(figure.locator(".stages")).toContainText("Stage 1 of 16 is the fullest");
    expect(await quantity(page, "activations")).toBeGreaterThan(60e9);
    await figure.locator("details.export > summary").click();
    await figure.getByRole("button", { name: "Copy", exact: true }).click();
    const flags = await page.evaluate(() => navigator.clipboard.readText());
    expect(flags.split(/\s*\n\s*/)).toEqual(expect.arrayContaining(["--tensor-model-parallel-size 8", "--sequence-parallel", "--num-layers 126"]));
    await figure.locator('input[name="export"][value="deepspeed"]').check({ force: true });
    // It would not start so: why is said in place of the text.
    await expect(figure.locator("details.export .message")).toBeVisible();
    await expect(figure.locator("details.export pre")).toBeHidden();
  });

  await step(page, "has nothing that axe finds with everything unfolded, and fits a phone", async () => {
    await open(page, LLAMA);
    const figure = page.locator('[data-widget="memory-breakdown"]');
    await figure.locator("details").evaluateAll((all) => all.forEach((d) => ((d as HTMLDetailsElement).open = true)));
    expect(await axe(page, "figure")).toEqual([]);
    await page.setViewportSize({ width: 360, height: 800 });
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
  });
});

// The widget `model-anatomy`: links, the picture by mouse and keyboard, sizes that move, a config.json of one's own.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { axe, contrast, expect, overflow, ready, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, quantity, parameter } = widget("model-anatomy");

const configs = join(__dirname, "..", "fixtures", "configs");
const config = (name: string) => readFileSync(join(configs, name), "utf8");

test("a model is counted to the parameter, drawn to scale, and its sizes move by pointer and keys", async ({ page }) => {
  await step(page, "counts models to the parameter, and what a token costs", async () => {
    await open(page, "model=llama-3-8b&seq=8192");
    expect(await quantity(page, "params")).toBe(8030261248);
    expect(await quantity(page, "params-embedding")).toBe(128256 * 4096);
    expect(await quantity(page, "params-attention")).toBe(32 * (2 * 4096 * 4096 + 2 * 1024 * 4096));
    expect(await quantity(page, "params-mlp")).toBe(32 * 3 * 14336 * 4096);
    // Every matrix twice, the table that is looked up not at all, and half of the attention matrix of 8192 tokens.
    const weights = 8030261248 - 128256 * 4096 - 65 * 4096;
    expect(await quantity(page, "flops-per-token")).toBe(2 * weights + 32 * 2 * 2 * 4096 * 4096);
    await open(page, "model=mixtral-8x7b");
    expect(await quantity(page, "params")).toBe(46702792704);
    expect(await quantity(page, "params-active")).toBe(12748853248);
  });

  await step(page, "areas are to scale", async () => {
    await open(page, "model=llama-3-8b");
    const area = async (id: string) => {
      const box = (await figure(page).locator(`.map .tile:has(input[value="${id}"])`).boundingBox())!;
      return box.width * box.height;
    };
    const q = await area("q_proj");
    expect(await area("k_proj")).toBeCloseTo(q / 4, -2);
    expect((await area("gate_proj")) / q).toBeCloseTo(14336 / 4096, 1);
  });

  await step(page, "writes its state into the address and reads it back", async () => {
    await open(page, "model=gpt2&seq=1024");
    await figure(page).locator('input[name="show"][value="flops"]').check({ force: true });
    await figure(page).locator('input[name="piece"][value="up_proj"]').check({ force: true });
    await figure(page).locator('input[name="sweep"][value="vocab_size"]').check({ force: true });
    await expect.poll(() => parameter(page, "sweep")).toBe("vocab_size");
    expect([parameter(page, "show"), parameter(page, "piece"), parameter(page, "seq")]).toEqual(["flops", "up_proj", "1024"]);
    await page.reload();
    await ready(page);
    await expect(figure(page).locator('input[name="piece"][value="up_proj"]')).toBeChecked();
    await expect(figure(page).locator(".anatomy-piece")).toContainText("MLP.c_fc");
    expect(await quantity(page, "params")).toBe(124439808);
  });

  await step(page, "a size that is moved and brought back is the model again", async () => {
    await open(page, "model=llama-3-8b");
    const slider = figure(page).locator('input[type="range"][name="hidden_size"]');
    await slider.focus();
    await page.keyboard.press("Home");
    await expect.poll(() => parameter(page, "model")).toBe("custom");
    await expect.poll(() => parameter(page, "hidden_size")).toBe("256");
    expect(await quantity(page, "params")).toBeLessThan(1e9);
    for (let i = 0; i < 16; i++) await page.keyboard.press("ArrowRight");
    await expect.poll(() => parameter(page, "model")).toBe("llama-3-8b");
    expect(await quantity(page, "params")).toBe(8030261248);
  });

  await step(page, "a model keeps its sizes when it is chosen after another was moved", async () => {
    await open(page, "model=llama-3-8b&num_hidden_layers=16");
    await figure(page).locator('select[name="model"]').selectOption("gpt2");
    await expect.poll(() => quantity(page, "params")).toBe(124439808);
  });

  await step(page, "works with the keyboard alone", async () => {
    await open(page, "model=deepseek-v3&piece=q_a_proj");
    await figure(page).locator('input[name="piece"][value="q_a_proj"]').focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => parameter(page, "piece")).not.toBe("q_a_proj");
    await figure(page).locator('input[name="kind"][value="up_proj"]').check({ force: true });
    await expect(figure(page).locator(".map-head")).toContainText("dense layers");
    await figure(page).locator('input[name="show"][value="params"]').focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => parameter(page, "show")).toBe("flops");
  });

  await step(page, "takes a config.json, and says what is wrong with a bad one", async () => {
    await open(page, "model=gpt2");
    await figure(page).locator("details.own-model > summary").click();
    const box = figure(page).locator("details.own-model textarea");
    for (const bad of readdirSync(join(configs, "bad")).filter((n) => n.endsWith(".json"))) {
      await box.fill(config(join("bad", bad)));
      await expect(figure(page).locator("details.own-model .message")).toBeVisible();
      expect(await quantity(page, "params")).toBe(124439808);
      await box.fill("");
    }
    await box.fill(config("deepseek-v3.json"));
    await expect.poll(() => quantity(page, "params")).toBe(671026419200);
  });
});

for (const [name, query] of [
  ["experts, a piece chosen", "model=deepseek-v3&piece=expert_up_proj"],
  ["FLOPs over sequences", "model=gpt2&show=flops&sweep=seq&piece=scores"],
  ["a piece that the model does not have", "model=gpt2&piece=router"],
]) {
  test(`axe finds nothing: ${name}`, async ({ page }) => {
    await open(page, query);
    await figure(page).locator("details.numbers > summary").click();
    expect(await axe(page, "figure")).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await contrast(page, "figure"), "dark").toEqual([]);
    await page.setViewportSize({ width: 360, height: 780 });
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
  });
}

test("chapter 02: a prediction opens the figure, and the text moves it", async ({ page }) => {
  await page.goto("chapter/transformer-anatomy/");
  await ready(page);
  await expect(figure(page)).toHaveClass(/withheld/);
  const prediction = page.locator('[data-exercise="predict-gpt2"]');
  await prediction.getByRole("textbox").fill("85 M");
  await prediction.getByRole("button", { name: "Commit" }).click();
  await expect(prediction).toContainText("Those are the blocks");
  await expect(figure(page)).not.toHaveClass(/withheld/);
  await page.locator("a.see", { hasText: "See up_proj" }).click();
  await expect(figure(page).locator('input[name="piece"][value="up_proj"]')).toBeChecked();
  await expect(figure(page).locator(".anatomy-piece")).toContainText("3,072 × 768");
  await page.locator("a.see", { hasText: "the areas by FLOPs" }).click();
  await expect(figure(page).first().locator('input[name="show"][value="flops"]')).toBeChecked();
});

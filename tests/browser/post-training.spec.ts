// Chapter 23: four models in phases, a policy that fools its reward model, adapters, rows of tokens.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

test.describe("rlhf-memory", () => {
  const { figure, finding, rest, more, open, quantity, parameter } = widget("rlhf-memory");

  test("a step is played by method, and what does not fit or cannot be grouped is said", async ({ page }) => {
    await step(page, "a step is played phase by phase, and the drawing does not jump", async () => {
      await open(page, "method=ppo&model=llama-3-8b&gpus=8&step=1");
      const drawing = figure(page).locator(".rlhf");
      await expect(drawing.locator(".lane")).toHaveCount(4);
      await expect(drawing.locator(".rlhf-heads li")).toHaveCount(8);
      await expect(drawing.locator(".rlhf-heads li.now")).toContainText("Weights to the engine");
      const before = await drawing.boundingBox();
      await figure(page).getByRole("slider", { name: "Step", exact: true }).focus();
      await page.keyboard.press("ArrowRight");
      await expect(drawing.locator(".rlhf-heads li.now")).toContainText("Generate answers");
      await page.keyboard.press("End");
      await expect(drawing.locator(".rlhf-heads li.now")).toContainText("Train the critic");
      expect((await drawing.boundingBox())?.height).toBe(before?.height);
      expect(await axe(page, "figure")).toEqual([]);
    });

    await step(page, "a method without a critic has a lane less, and adapters take the states away", async () => {
      await open(page, "method=ppo&model=llama-3-8b&gpus=8");
      const ppo = await quantity(page, "states");
      await figure(page).getByRole("combobox", { name: "Method" }).selectOption("grpo");
      await expect(figure(page).locator(".rlhf .lane")).toHaveCount(3);
      expect(await quantity(page, "states")).toBeLessThan(0.7 * ppo);
      await figure(page).getByRole("button", { name: "through adapters" }).click();
      await expect.poll(() => quantity(page, "states")).toBeLessThan(0.25 * ppo);
      await expect(figure(page).locator(".rlhf")).toContainText("the policy, adapter off");
    });

    await step(page, "what does not fit is said, and swapping makes it fit", async () => {
      await open(page, "method=ppo&model=llama-3-8b&gpus=4");
      await expect(finding(page)).toContainText("Does not fit");
      await more(page);
      await figure(page).getByRole("combobox", { name: "Model placement" }).selectOption("swapped");
      await expect.poll(() => parameter(page, "placement")).toBe("swapped");
      await expect(finding(page)).toContainText("Fits.");
      await expect(rest(page)).toContainText("Generating");
    });

    await step(page, "GPUs that cannot be grouped are said, and no drawing of another state stays", async () => {
      await open(page, "method=ppo&gpus=8&gen-tp=3");
      await expect(figure(page).getByRole("alert").filter({ hasText: "cannot be grouped by 3" })).toBeVisible();
      await expect(figure(page).locator(".rlhf .whole svg")).toBeHidden();
    });
  });
});

test.describe("policy-update", () => {
  const { figure, finding, open, quantity, parameter } = widget("policy-update");

  test("the reward is hacked without a penalty, update by update, and a group that agrees teaches nothing", async ({ page }) => {
    await step(page, "without a penalty the reward is hacked, with one it is not", async () => {
      await open(page, "view=policy&beta=0.3&updates=200");
      expect(await quantity(page, "hack")).toBeLessThan(0.5);
      await figure(page).getByRole("button", { name: "no penalty: hacked" }).click();
      await expect(figure(page).locator(".finding-rest")).toContainText("The reward is hacked");
      await expect.poll(() => quantity(page, "hack")).toBeGreaterThan(0.9);
      await expect(figure(page).locator(".answers tbody tr")).toHaveCount(6);
      expect(await axe(page, "figure")).toEqual([]);
    });

    await step(page, "updates are stepped through", async () => {
      await open(page, "view=policy&beta=0&updates=200&step=1");
      const first = await quantity(page, "hack");
      const slider = figure(page).getByRole("slider", { name: "Step", exact: true });
      await slider.focus();
      await page.keyboard.press("End");
      await expect.poll(() => quantity(page, "hack")).toBeGreaterThan(first);
      await expect.poll(() => parameter(page, "step")).toBe("200");
    });

    await step(page, "a group that agrees teaches nothing", async () => {
      await open(page, "view=group&algorithm=grpo&group=8&right=0");
      await expect(finding(page)).toContainText("every advantage is 0");
    });
  });
});

test("lora-adapters: states vanish, weights stay, and rank is linear", async ({ page }) => {
  const { figure, finding, open, quantity } = widget("lora-adapters");
  await open(page, "view=memory&model=llama-3-8b&rank=16");
  expect(await quantity(page, "lora-states")).toBeLessThan(0.01 * (await quantity(page, "full-states")));
  expect(await quantity(page, "lora-weights")).toBeGreaterThan(await quantity(page, "full-weights"));
  const trained = await quantity(page, "trained");
  await figure(page).getByRole("slider", { name: /^Rank/ }).focus();
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => quantity(page, "trained")).toBe(2 * trained);
  await figure(page).getByRole("radio", { name: "Serving" }).check({ force: true });
  await expect(finding(page)).toContainText("on one base");
  expect(await axe(page, "figure")).toEqual([]);
});

test("sft-packing: packing takes the padding away, and short rows cut answers", async ({ page }) => {
  const { figure, finding, open, quantity } = widget("sft-packing");
  await open(page, "layout=padded&row=96");
  const padding = await quantity(page, "padding");
  await figure(page).getByRole("button", { name: "packed", exact: true }).click();
  await expect.poll(() => quantity(page, "padding")).toBeLessThan(0.5 * padding);
  await figure(page).getByRole("button", { name: "rows too short" }).click();
  await expect(figure(page).locator(".finding-rest")).toContainText("had no room");
  // The sixth of eight conversations loses its answer.
  for (let i = 0; i < 2; i++) await figure(page).getByRole("button", { name: "Step back" }).click();
  await expect(figure(page).locator(".packing-text .gone").first()).toBeVisible();
  expect(await axe(page, "figure")).toEqual([]);
});

test.describe("rl-pipeline", () => {
  const { figure, finding, rest, open, quantity, parameter } = widget("rl-pipeline");

  test("waiting falls away from layout to layout, and samples get older", async ({ page }) => {
    await open(page, "layout=sync");
    await expect(finding(page)).toContainText("Every step waits");
    await expect(figure(page).locator(".one-picture svg")).toBeVisible();
    const waits = await quantity(page, "rate");
    expect(await quantity(page, "oldest")).toBe(0);
    await figure(page).getByRole("button", { name: "Interrupt and go on" }).click();
    await expect.poll(() => parameter(page, "layout")).toBe("partial");
    await expect.poll(() => quantity(page, "rate")).toBeGreaterThan(2 * waits);
    expect(await quantity(page, "oldest")).toBeGreaterThan(1);
    await expect(rest(page)).toContainText("old on average");
    expect(await axe(page, "figure")).toEqual([]);
  });

  test("the bound is offered where generation runs ahead, and a bound of no version is synchronous", async ({ page }) => {
    await open(page, "layout=sync");
    await expect(figure(page).getByRole("slider", { name: "Staleness bound, versions" })).toHaveCount(0);
    const waits = await quantity(page, "rate");
    await open(page, "layout=partial&bound=0");
    expect(await quantity(page, "rate")).toBeCloseTo(waits, 6);
    await figure(page).getByRole("slider", { name: "Staleness bound, versions" }).press("End");
    await expect.poll(() => quantity(page, "rate")).toBeGreaterThan(waits);
  });
});

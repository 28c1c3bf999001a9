// The widget `fill-in-the-middle`: sentinels of each model, a document of one's own, and what the tokenizer does at the cut.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, finding, open, parameter, quantity } = widget("fill-in-the-middle");
const sequence = "[aria-label='The sequence that the model sees']";

test("prompts have their model's sentinels, and what is typed or selected is the prompt and the hole", async ({ page }) => {
  await step(page, "each model has its own sentinels, and a model of one order says so", async () => {
    await open(page, "view=train&format=starcoder2&order=psm");
    const text = figure(page).locator(sequence);
    await expect(text).toContainText("<fim_prefix>");
    await figure(page).getByRole("combobox", { name: "Sentinel format" }).selectOption("deepseek-coder");
    await expect(text).toContainText("<｜fim▁begin｜>");
    await open(page, "view=train&format=mellum&order=psm");
    await expect(text).toContainText("<filename>");
    await expect(figure(page)).toContainText("Mellum documents SPM alone");
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "what is typed is the prompt, and what is selected is the hole", async () => {
    await open(page, "view=editor&format=qwen2.5-coder&pick=none");
    const field = figure(page).getByRole("textbox", { name: /^The document/ });
    await field.fill("def f(x):\n    return MIDDLE\n# end\n");
    await field.evaluate((field: HTMLTextAreaElement) => field.setSelectionRange(21, 27));
    await field.press("Shift+End");
    await field.evaluate((field: HTMLTextAreaElement) => {
      field.setSelectionRange(21, 27);
      field.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
    });
    await expect.poll(() => parameter(page, "from")).toBe("21");
    const text = figure(page).locator(sequence);
    await expect(text).toHaveText("<|fim_prefix|>def f(x):\n    return <|fim_suffix|>\n# end\n<|fim_middle|>");
    await figure(page).getByRole("button", { name: "As it was" }).click();
    await expect(field).toHaveValue(/^from shop\.cart/);
  });

  await step(page, "one line is remarked on and kept", async () => {
    await open(page, "");
    const field = figure(page).getByRole("textbox", { name: /^The document/ });
    await field.fill("one line");
    await expect(figure(page).getByRole("status").first()).toContainText("at least two lines");
    await expect(field).toHaveValue("one line");
  });

  await step(page, "a hole inside a word cuts a token, and pieces come one by one", async () => {
    await open(page, "view=tokens&cut=own&from=218&to=237");
    expect(await quantity(page, "split")).toBe(1);
    await expect(figure(page).locator(".fim-tokens .token.cut").first()).toHaveText("return");
    await open(page, "view=train&step=0");
    await expect(figure(page).locator(`${sequence} .later`)).toHaveCount(7);
    await figure(page).getByRole("button", { name: "Step forward" }).click();
    await expect(figure(page).locator(`${sequence} .later`)).toHaveCount(6);
    await expect(finding(page)).toContainText("move to the end");
  });
});

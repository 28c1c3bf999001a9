// The widget `kv-compression`: kinds of attention and published models as bars, one step, and the requests that fit.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, finding, open, quantity, parameter } = widget("kv-compression");

test("bars, published models and charts agree, and one that is pressed is looked at", async ({ page }) => {
  await step(page, "bars are to scale, and pressing one looks at it", async () => {
    await open(page, "model=deepseek-v3");
    expect(await quantity(page, "bytes-per-token")).toBe(70_272);
    const bar = (name: RegExp) => figure(page).getByRole("button", { name });
    await expect(bar(/^multi-head latent, as published/)).toHaveAttribute("aria-pressed", "true");
    await expect(bar(/^multi-head latent/)).toHaveAccessibleName(/70,272 B a token, 576 MB a sequence/);
    await bar(/^grouped-query/).click();
    await expect.poll(() => parameter(page, "attention")).toBe("gqa");
    expect(await quantity(page, "bytes-per-token")).toBe(61 * 8 * (192 + 128) * 2);
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "DeepSeek-V2’s 93.3% is MLA and six bits", async () => {
    await open(page, "model=deepseek-v2");
    expect(await quantity(page, "saved")).toBeCloseTo(0.822, 3);
    await figure(page).getByRole("button", { name: "in 6 bits" }).click();
    await expect.poll(() => quantity(page, "saved")).toBeCloseTo(0.933, 3);
  });

  await step(page, "published models are sorted, and one can be picked", async () => {
    await open(page, "view=models&context=131072");
    const rows = figure(page).locator(".presses").getByRole("button");
    await expect(rows).toHaveCount(16);
    await expect(rows.first()).toHaveAccessibleName(/^GPT-3/);
    await figure(page).getByRole("button", { name: /^Gemma 2 27B: .* a token/ }).click();
    await expect.poll(() => parameter(page, "model")).toBe("gemma-2-27b");
    await expect(finding(page)).toContainText("131,072 tokens");
  });

  await step(page, "a step and the requests that fit are charts", async () => {
    for (const view of ["step", "requests"]) {
      await open(page, `model=deepseek-v3&view=${view}`);
      await expect(figure(page).locator(".chart")).toBeVisible();
      expect(await axe(page, "figure")).toEqual([]);
    }
    expect(await quantity(page, "requests")).toBeGreaterThan(1);
  });
});

// The figures of chapter 05: bits to flip, a run that dies in fp16, a scaler, and scales.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

test.describe("float-bits", () => {
  const { figure, open, parameter, quantity } = widget("float-bits");

  test("bits are flipped, numbers typed, sums and gradients shown", async ({ page }) => {
    await step(page, "a bit is flipped by a press and by keys, and the address says which number it is", async () => {
      await open(page, "value=1&format=fp16&other=bf16");
      const row = figure(page).locator('[data-row="0"]');
      await expect(row.locator("code")).toHaveText("0x3c00");
      await row.getByRole("button", { name: "mantissa bit 9" }).click();
      await expect.poll(() => parameter(page, "value")).toBe("1.5");
      await expect(row.locator("code")).toHaveText("0x3e00");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Space");
      await expect.poll(() => parameter(page, "value")).toBe("1.75");
      await page.keyboard.press("Home");
      await page.keyboard.press("Enter");
      await expect.poll(() => parameter(page, "value")).toBe("-1.75");
      // The other format's bits change the same number.
      await figure(page).locator('[data-row="1"]').getByRole("button", { name: "sign bit 15" }).click();
      await expect.poll(() => parameter(page, "value")).toBe("1.75");
    });

    await step(page, "a number is typed; what is none stays, with a message", async () => {
      await open(page, "");
      const field = figure(page).getByLabel("Number", { exact: true });
      await field.fill("70000");
      await field.press("Enter");
      await expect(figure(page).locator(".finding")).toContainText("fp16 makes ∞ of it");
      await field.fill("seventy");
      await field.press("Enter");
      await expect(figure(page).getByRole("alert").filter({ hasText: "such as 0.1 or 6e-8" })).toBeVisible();
      await expect(field).toHaveValue("seventy");
      await field.press("Escape");
      await expect(field).toHaveValue("70000");
      await field.fill("0x7e01");
      await field.press("Enter");
      await expect(figure(page).locator('[data-row="0"]')).toContainText("NaN");
    });

    await step(page, "sums and gradients are shown when they are asked for", async () => {
      await open(page, "");
      await figure(page).getByRole("radio", { name: "Sum", exact: true }).check({ force: true });
      await expect(figure(page).locator(".chart")).toBeVisible();
      expect(await quantity(page, "other-sum")).toBe(1);
      await figure(page).getByRole("radio", { name: "Gradients", exact: true }).check({ force: true });
      await expect(figure(page).locator(".chart canvas")).toBeVisible();
      expect(await quantity(page, "lost")).toBeGreaterThan(0.3);
      expect(await axe(page, "figure")).toEqual([]);
    });
  });
});

test.describe("loss-scaling", () => {
  const { figure, open, parameter, quantity } = widget("loss-scaling");

  test("a loss is scaled until it learns, and an overflow is forgiven", async ({ page }) => {
    await step(page, "fp16 learns nothing until its loss is scaled, and the figure says what died", async () => {
      await open(page, "");
      await expect(figure(page).locator(".finding-rest")).toContainText("dies of zeros");
      expect(await quantity(page, "loss")).toBeGreaterThan(1.5);
      await figure(page).getByRole("radio", { name: "fixed", exact: true }).check({ force: true });
      await expect.poll(() => quantity(page, "loss")).toBeLessThan(0.1);
      await open(page, "scaling=pytorch&qk=128&logits=false");
      await expect(figure(page).locator("td.fate.first")).toContainText("first");
      await expect(figure(page).locator(".operations tbody tr").filter({ hasText: "attention logits" })).toContainText("NaN");
    });

    await step(page, "a step is made to overflow, and hysteresis forgives it", async () => {
      await open(page, "view=scaler&scaling=megatron&overflows=0000");
      await figure(page).getByRole("button", { name: "Step 2 overflows" }).click();
      await expect.poll(() => parameter(page, "overflows")).toBe("0100");
      expect(await quantity(page, "scale-after")).toBe(65536);
      await figure(page).getByRole("button", { name: "Step 4 overflows" }).click();
      await expect.poll(() => quantity(page, "scale-after")).toBe(32768);
      await figure(page).getByRole("button", { name: "Add a step" }).click();
      await expect.poll(() => parameter(page, "overflows")).toBe("01010");
      expect(await axe(page, "figure")).toEqual([]);
    });
  });
});

test.describe("quantization", () => {
  const { figure, open, parameter, quantity } = widget("quantization");

  test("a finer scale confines an outlier", async ({ page }) => {
    await open(page, "recipe=int8-tensor");
    expect(await quantity(page, "error")).toBeGreaterThan(0.5);
    await figure(page).getByRole("button", { name: "int8, one scale a column" }).click();
    await expect.poll(() => parameter(page, "recipe")).toBe("int8-column");
    await expect.poll(() => quantity(page, "error")).toBeLessThan(0.02);
    expect(await axe(page, "figure")).toEqual([]);
  });
});

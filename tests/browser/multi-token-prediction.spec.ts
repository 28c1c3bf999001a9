// The widget `multi-token-prediction`: drafting pays where arithmetic is idle, and not on a full server.
import { axe, expect, test } from "./fixtures";
import { widget } from "./widget";

const { figure, finding, open, quantity } = widget("multi-token-prediction");

test("a poor draft is better short, and a full server is slower with one", async ({ page }) => {
  await open(page, "model=llama-3-70b&drafted=8&alpha=0.5&batch=1");
  const long = await quantity(page, "speedup");
  const best = await quantity(page, "best");
  expect(best).toBeLessThan(8);
  const slider = figure(page).getByRole("slider", { name: /^Tokens drafted/ });
  await slider.focus();
  for (let n = 8; n > best; n -= 1) await page.keyboard.press("ArrowLeft");
  await expect.poll(() => quantity(page, "speedup")).toBeGreaterThan(long);
  await figure(page).getByRole("button", { name: "a full server" }).click();
  await expect.poll(() => quantity(page, "speedup")).toBeLessThan(1);
  await expect(finding(page)).toContainText("times as fast");
  expect(await axe(page, "figure")).toEqual([]);
});

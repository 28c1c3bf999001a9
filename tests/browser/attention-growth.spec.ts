// The widget `attention-growth`: a sequence that is played, heads that share, and heads that cannot.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, parameter, quantity, finding } = widget("attention-growth");

test("a sequence grows by keys, fewer heads keep less, and heads that cannot be shared are named", async ({ page }) => {
  await step(page, "a sequence grows by keys: scores by the square, the cache by the line", async () => {
    await open(page, "heads=32&kv_heads=8&seq=8192&step=16");
    await expect(figure(page).locator(".transport-place")).toHaveText(/^4.096 of 8.192 tokens$/);
    // 32 heads of 4096 · 4097 / 2 pairs; 2 · 32 layers · 8 heads of 128 in two bytes.
    expect(await quantity(page, "scores")).toBe(32 * 4096 * 4097 / 2);
    expect(await quantity(page, "cache")).toBe(4096 * 131072);
    await page.keyboard.press("End");
    await expect.poll(() => parameter(page, "step")).toBe("32");
    expect(await quantity(page, "scores")).toBe(32 * 8192 * 8193 / 2);
    expect(await quantity(page, "cache")).toBe(8192 * 131072);
    await page.keyboard.press("Home");
    await expect(finding(page)).toContainText("Nothing is there to be scored");
  });

  await step(page, "fewer heads of keys make a smaller cache, and no fewer scores", async () => {
    await open(page, "heads=32&kv_heads=32&step=16");
    const [scores, cache] = [await quantity(page, "scores"), await quantity(page, "cache")];
    const heads = figure(page).getByRole("slider", { name: "Key–value heads" });
    await heads.focus();
    await heads.press("Home");
    await expect.poll(() => parameter(page, "kv_heads")).toBe("1");
    expect(await quantity(page, "cache")).toBe(cache / 32);
    expect(await quantity(page, "scores")).toBe(scores);
    expect(await quantity(page, "intensity")).toBe(32);
    // Query heads are dragged to a number that eight do not divide.
    await open(page, "heads=32&kv_heads=8&step=16");
    const queries = figure(page).getByRole("slider", { name: "Query heads" });
    await queries.focus();
    await queries.press("Home");
    await expect.poll(() => parameter(page, "heads")).toBe("1");
    expect(await quantity(page, "intensity")).toBe(1);
    await expect(page.getByText("cannot share")).toHaveCount(0);
    // One request leaves most of a GPU idle while it decodes, until its keys are split.
    await open(page, "heads=32&kv_heads=8&seq=131072&step=32");
    const whole = await quantity(page, "decode-time");
    await expect(figure(page).getByText("8 blocks of work for the 132 SMs")).toBeVisible();
    await figure(page).getByRole("button", { name: "The same, keys split 16 times" }).click();
    await expect.poll(() => quantity(page, "decode-blocks")).toBe(128);
    expect(await quantity(page, "decode-time")).toBeLessThan(whole / 7);
  });

  await step(page, "heads that cannot be shared evenly are named, and the rest is kept", async () => {
    await open(page, "heads=32&kv_heads=12&layers=80");
    await expect(page.getByText("32 query heads cannot share 12 heads of keys and values evenly; 8 is used.")).toBeVisible();
    expect(await quantity(page, "cache-token")).toBe(2 * 80 * 8 * 128 * 2);
    expect(await axe(page, "figure")).toEqual([]);
  });
});

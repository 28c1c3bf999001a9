// The widget `activation-memory`: what a step keeps, as a link, a mouse and a keyboard meet it.
import { axe, contrast, expect, overflow, ready, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, quantity } = widget("activation-memory");

test("keeps what the link says, stage by stage, by keys too, and axe finds nothing with everything unfolded", async ({ page }) => {
  await step(page, "keeps 34sbh + 5as²b of a layer, and 2sbh when all is recomputed", async () => {
    const gpt3 = "model=gpt3-175b&seq=2048";
    await open(page, gpt3);
    expect(await quantity(page, "activations-per-layer")).toBe(2048 * 12288 * (34 + 80));
    await open(page, `${gpt3}&recompute=full`);
    expect(await quantity(page, "activations-per-layer")).toBe(2 * 2048 * 12288);
    await expect(figure(page).locator(".layer-terms .dropped")).toHaveCount(13);
  });

  await step(page, "writes its state into the address and reads it back", async () => {
    await open(page, "model=llama-3-8b&seq=4096");
    await figure(page).locator('input[name="flash"][value="true"]').check({ force: true });
    await figure(page).locator('input[name="recompute"][value="full"]').check({ force: true });
    await expect.poll(() => new URL(page.url()).searchParams.get("recompute")).toBe("full");
    expect(new URL(page.url()).searchParams.get("flash")).toBe("true");
    const peak = await quantity(page, "activations-peak");
    await page.reload();
    await ready(page);
    expect(await quantity(page, "activations-peak")).toBe(peak);
  });

  await step(page, "says what would have to divide what, and shows no number of another state", async () => {
    await open(page, "model=gpt3-175b&seq=2048&tp=7");
    await expect(figure(page).locator('[role="alert"]', { hasText: "96 heads cannot be split over 7" })).toBeVisible();
    await expect(figure(page).locator("output[data-quantity][data-value]")).toHaveCount(0);
  });

  await step(page, "draws the stages of a pipeline and says why the first keeps the most", async () => {
    await open(page, "model=gpt3-175b&seq=2048&tp=8&pp=8&microbatches=64");
    await expect(figure(page).locator(".stages")).toContainText("12 layers × 8 in flight");
    expect(await quantity(page, "in-flight")).toBe(8);
    await open(page, "model=gpt3-175b&seq=2048");
    await expect(figure(page).locator(".stages")).toHaveCount(0);
  });

  await step(page, "works with the keyboard alone", async () => {
    await open(page, "model=llama-3-8b&seq=4096");
    await figure(page).locator('input[type="range"][name="seq"]').focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => new URL(page.url()).searchParams.get("seq")).toBe("8192");
    await figure(page).locator('input[name="recompute"]').first().focus();
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => new URL(page.url()).searchParams.get("recompute")).toBe("selective");
    const offload = figure(page).locator("details.offload > summary");
    await offload.focus();
    await page.keyboard.press("Enter");
    await expect(figure(page).locator("details.offload").getByText("Optimizer states")).toBeVisible();
  });

  await step(page, "has nothing that axe finds with everything unfolded, and fits a phone", async () => {
    await open(page, "model=llama-3.1-405b&tp=8&sp=true&pp=16&microbatches=16&recompute=full&flash=true");
    await figure(page).locator("details").evaluateAll((all) => all.forEach((d) => ((d as HTMLDetailsElement).open = true)));
    expect(await axe(page, "figure")).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await contrast(page, "figure"), "dark").toEqual([]);
    await page.setViewportSize({ width: 360, height: 800 });
    await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
  });
});

// The widget `context-parallel`: a ring that is stepped, a split that is mended, and heads that are too few.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, parameter, quantity, finding, more } = widget("context-parallel");

test("zig-zag pieces keep ranks busy, and rings and heads have their limits", async ({ page }) => {
  await step(page, "contiguous pieces leave ranks idle, and the zig-zag does not", async () => {
    await open(page, "method=ring&split=contiguous&ranks=8&seq=65536&step=0");
    const drawing = figure(page).locator(".context-parallel");
    expect(await quantity(page, "idle")).toBeCloseTo(1 - 8 / 15, 6);
    // Before the first step nobody has computed; in the third two ranks hold keys of the future alone.
    await expect(drawing.locator(".matrix path.now")).toHaveAttribute("d", "");
    for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowRight");
    await expect.poll(() => parameter(page, "step")).toBe("3");
    await expect(figure(page).locator(".transport-place")).toHaveText("Step 3 of 8");
    await expect(drawing.locator(".matrix path.vain")).not.toHaveAttribute("d", "");
    await expect(finding(page)).toContainText("from 2 places before it in the ring");
    // Eight blocks of two ranks in vain, 24 of six computed.
    const blocks = (name: string) => drawing.locator(`.matrix path.${name}`).evaluate((path) => path.getAttribute("d")?.match(/M/g)?.length ?? 0);
    expect([await blocks("vain"), await blocks("now")]).toEqual([8, 24]);
    await figure(page).getByRole("radio", { name: "zig-zag" }).check();
    await expect.poll(() => parameter(page, "split")).toBe("zigzag");
    expect(await quantity(page, "idle")).toBe(0);
    expect(await quantity(page, "imbalance")).toBeCloseTo(1, 9);
    await figure(page).getByRole("button", { name: "To the end" }).click();
    await expect(figure(page).locator(".transport-place")).toHaveText("Step 8 of 8");
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "a ring over a network waits, and Ulysses runs out of heads", async () => {
    await open(page, "method=ring&ranks=4&seq=16384&node=1");
    const exposed = await quantity(page, "time-exposed");
    expect(exposed).toBeGreaterThan(0);
    await more(page);
    await figure(page).getByRole("slider", { name: "Ranks per node" }).press("End");
    await expect.poll(() => quantity(page, "time-exposed")).toBeLessThan(exposed / 10);
    // One row of the comparison is that of the figure.
    await expect(figure(page).locator("tr[aria-current=true]")).toHaveText(/ring, zig-zag/);
    await open(page, "method=ulysses&ranks=16&heads=8&kv_heads=8");
    await expect(figure(page).locator("[role=alert] .message").filter({ hasText: "At most 8 ranks can" })).toBeVisible();
    // Fewer ranks have heads enough.
    const ranks = figure(page).getByRole("slider", { name: "Ranks", exact: true });
    await ranks.press("ArrowLeft");
    await expect.poll(() => parameter(page, "ranks")).toBe("8");
    await expect(figure(page).locator("[role=alert] .message")).toHaveCount(0);
    expect(await quantity(page, "idle")).toBeGreaterThan(0);
  });
});

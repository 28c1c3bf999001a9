// The widget `zero-stepper`: events by every means, what each rank holds, the strategies beside each other.
import type { Page } from "@playwright/test";
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, open, parameter, finding, rest } = widget("zero-stepper");

const place = (page: Page) => figure(page).locator(".transport-place");
const quantity = (page: Page, id: string) => figure(page).locator(`output[data-quantity="${id}"]`);

test("events, strategies and the table agree, and eight ranks fit a narrow screen without motion", async ({ page }) => {
  await step(page, "a link to an event arrives there; keys, buttons and the curve move on from it", async () => {
    await open(page, "strategy=zero3&ranks=4&layers=4&step=3");
    await expect(place(page)).toHaveText("Event 3 of 34");
    await expect(finding(page)).toContainText("Event 3 of 34, forward pass: every rank runs layer");
    // Its own 72 parameters, and 54 of the others for each of two layers.
    await expect(quantity(page, "params-held")).toHaveAttribute("data-value", "180");
    await page.keyboard.press("ArrowRight");
    await expect(place(page)).toHaveText("Event 4 of 34");
    await expect(quantity(page, "params-held")).toHaveAttribute("data-value", "126");
    await page.keyboard.press("End");
    await expect(rest(page)).toContainText("those of a single rank’s step");
    await expect.poll(() => parameter(page, "step")).toBe("34");
    await figure(page).getByRole("button", { name: "Step back" }).click();
    await expect(place(page)).toHaveText("Event 33 of 34");
    const curve = figure(page).locator(".memory-axis");
    await curve.scrollIntoViewIfNeeded();
    const box = (await curve.boundingBox())!;
    await curve.click({ position: { x: box.width / 70, y: box.height / 2 } });
    await expect(place(page)).toHaveText("Before the first of 34 events");
  });

  await step(page, "the strategies are compared, and one in the table is shown when it is chosen", async () => {
    await open(page, "strategy=ddp&ranks=4");
    await expect(quantity(page, "volume-over-params")).toHaveAttribute("data-value", "1.5");
    const row = (name: string) => figure(page).locator(".strategies tbody tr").filter({ hasText: name });
    await expect(row("FULL_SHARD")).toContainText("2.25");
    await expect(row("✓")).toHaveCount(7);
    await row("FULL_SHARD").getByRole("button").click();
    await expect.poll(() => parameter(page, "strategy")).toBe("full-shard");
    await expect(quantity(page, "volume-over-params")).toHaveAttribute("data-value", "2.25");
    await expect(quantity(page, "matches-single-rank")).toHaveAttribute("data-value", "1");
    await open(page, "strategy=hybrid-shard&ranks=5&node=2");
    await expect(figure(page).getByRole("alert").filter({ hasText: "5 ranks are no multiple of 2" })).toBeVisible();
  });

  await step(page, "the numbers are there as a table: what is gathered is the same on all ranks", async () => {
    await open(page, "strategy=zero3&ranks=3&step=1");
    await figure(page).locator("summary", { hasText: "The numbers" }).click();
    const row = (name: string) => figure(page).locator("tbody tr").filter({ hasText: name }).locator("td");
    await expect(row("parameters, rank 2")).toHaveCount(3);
    const first = await row("parameters, rank 0").allTextContents();
    expect(first.map(Number).every(Number.isFinite)).toBe(true);
    await expect(row("parameters, rank 2")).toHaveText(first);
    await expect(row("first moment, rank 1")).toHaveText(["–", /\d/, "–"]);
  });

  await step(page, "eight ranks and layers on a narrow screen, for those who want no motion", async () => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.setViewportSize({ width: 360, height: 780 });
    await open(page, "strategy=hybrid-shard&ranks=8&node=4&layers=8&step=40");
    await expect(place(page)).toHaveText("Event 40 of 74");
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect(await axe(page, "figure")).toEqual([]);
  });
});

// The widget `continuous-batching`: the schedule is stepped through, policies are compared, and requests of one's own are read.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, finding, rest, open, quantity, parameter } = widget("continuous-batching");

const TEN_BLOCKS = "policy=prefill-first&rate=0&blocks=10&requests=3&prompt=40&output=40&lengths=equal&tokens=512";

test("requests give way, slots stay, the rate is swept, and one’s own requests are read", async ({ page }) => {
  await step(page, "in ten blocks the third request gives way, and the step says so", async () => {
    await open(page, `${TEN_BLOCKS}&step=10`);
    expect(await quantity(page, "steps")).toBe(71);
    expect(await quantity(page, "preemptions")).toBe(1);
    await expect(figure(page).locator(".batching-step")).toContainText("3 lost their blocks");
    await expect(rest(page)).toContainText("Once a request lost its blocks");
    await figure(page).getByRole("slider", { name: "Step", exact: true }).focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await expect(figure(page).locator(".batching-step")).toContainText("120 tokens of the prompts of requests 1, 2 and 3");
    expect(await quantity(page, "free")).toBe(1);
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "a static batch keeps slots of requests that have ended", async () => {
    await open(page, "policy=static&rate=0&trace=32,20;32,20;32,100");
    expect(await quantity(page, "padding")).toBeGreaterThan(0.4);
    await expect(figure(page).locator(".batching .padding")).toHaveCount(2);
    await figure(page).getByRole("combobox", { name: "Batching" }).selectOption("prefill-first");
    await expect.poll(() => parameter(page, "policy")).toBe("prefill-first");
    await expect(figure(page).locator(".batching .padding")).toHaveCount(0);
  });

  await step(page, "the rate is swept, and the chart has its knee", async () => {
    await open(page, "view=goodput");
    await expect(finding(page)).toContainText("requests per second");
    expect(await quantity(page, "knee")).toBeGreaterThan(0);
    await figure(page).getByRole("radio", { name: "Latency" }).check({ force: true });
    await expect.poll(() => parameter(page, "view")).toBe("latency");
  });

  await step(page, "requests of one’s own are read, and a wrong line has its message", async () => {
    await open(page);
    await figure(page).getByText("Your own requests").click();
    const field = figure(page).locator(".lined textarea");
    await field.fill("512 64\n128");
    await expect(figure(page).locator(".lined-remarks")).toContainText("prompt output");
    await expect(field).toHaveValue(/128$/);
    expect(await quantity(page, "requests-there")).toBe(1);
    await figure(page).getByRole("button", { name: "Azure’s form" }).click();
    await expect(figure(page).locator(".lined-remarks li")).toHaveCount(0);
    expect(await quantity(page, "requests-there")).toBe(5);
  });
});

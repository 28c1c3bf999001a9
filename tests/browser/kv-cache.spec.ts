// The widget `kv-cache`: requests on a pool, step by step; what attention reads; the requests that fit.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, finding, open, quantity, parameter } = widget("kv-cache");
const six = "requests=7:14,13:9,5:18,10:7,9:13,6:10&blocks=24&block=4&longest=32";

test("blocks, samples, the table, the bits and one’s own requests decide what is served", async ({ page }) => {
  await step(page, "blocks run all six requests where rooms run three", async () => {
    await open(page, `keeper=longest&${six}&step=9`);
    expect(await quantity(page, "running")).toBe(3);
    await expect(figure(page).locator(".kv-tables li.waits")).toHaveCount(3);
    const before = await quantity(page, "mean-utilisation");
    await figure(page).getByRole("combobox", { name: "Memory" }).selectOption("vllm-0.2");
    await expect.poll(() => quantity(page, "most-running")).toBe(6);
    expect(await quantity(page, "mean-utilisation")).toBeGreaterThan(1.5 * before);
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "samples share until they write, step by step", async () => {
    await open(page, "keeper=vllm-0.2&requests=10:12*3&blocks=18&block=4&step=1");
    expect(await quantity(page, "used-blocks")).toBe(3);
    await figure(page).getByRole("slider", { name: "Step", exact: true }).focus();
    await page.keyboard.press("ArrowRight");
    await expect(figure(page).locator(".kv-step")).toContainText("it is copied to block");
    expect([await quantity(page, "used-blocks"), await quantity(page, "table-blocks")]).toEqual([5, 9]);
    await expect(figure(page).locator(".kv-pool text.many").first()).toHaveText("A×3");
    await expect.poll(() => parameter(page, "step")).toBe("2");
  });

  await step(page, "attention reads a table block by block", async () => {
    await open(page, `view=walk&keeper=vllm-0.2&${six}&step=9&at=1`);
    await expect(figure(page).locator(".kv-walk li.now b")).toHaveText("23");
    await figure(page).getByRole("button", { name: "Step forward" }).click();
    await expect(figure(page).locator(".kv-walk li.now b")).toHaveText("22");
    await figure(page).getByRole("group", { name: "The sequence that is read" }).getByRole("button", { name: "B" }).click();
    await expect.poll(() => parameter(page, "sequence")).toBe("2");
    await expect(finding(page)).toContainText("Block 5 of B’s table lies at 13");
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "half the bits of the cache, twice the requests", async () => {
    await open(page, "view=fit&model=llama-3-8b&block=16&tokens=2048&longest=16384");
    const before = await quantity(page, "requests-paged");
    expect([before, await quantity(page, "requests-reserved")]).toEqual([224, 28]);
    await open(page, "view=fit&model=llama-3-8b&block=16&tokens=2048&longest=16384&kv-bits=8");
    expect([2 * before, 2 * before + 1]).toContain(await quantity(page, "requests-paged"));
    await figure(page).getByRole("combobox", { name: "Model" }).selectOption("llama-2-7b");
    // 32 heads of keys and values instead of 8, in one byte.
    await expect.poll(() => quantity(page, "bytes-per-token")).toBe(262_144);
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "requests of one’s own are read, and a wrong one has its message", async () => {
    await open(page, "keeper=vllm-0.2&blocks=24");
    await figure(page).getByText("Your own requests").click();
    const field = figure(page).getByRole("textbox", { name: /^One to a line/ });
    await field.fill("12:4\n30:6*2");
    await expect.poll(() => quantity(page, "steps")).toBe(7);
    await field.fill("12:4\nthirty");
    await expect(figure(page).locator(".kv-requests")).toContainText("A request is written as");
    await expect(field).toHaveValue("12:4\nthirty");
  });
});

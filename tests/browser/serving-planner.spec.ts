// The widget `serving-planner`: users and a promise become GPUs and money, and what is impossible says why.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, finding, rest, open, quantity } = widget("serving-planner");

test("a promise is planned for, refused or made cheaper, and stands beside a measurement", async ({ page }) => {
  await step(page, "500 users at 50 ms a token: fewer GPUs in fp8", async () => {
    await open(page, "model=llama-3-70b&users=500&token=0.05");
    const gpus = await quantity(page, "gpus");
    expect(gpus).toBe((await quantity(page, "replicas")) * (await quantity(page, "replica-gpus")));
    await expect(finding(page)).toContainText("500 users at 50 ms per token");
    await figure(page).getByRole("button", { name: "70B in fp8", exact: true }).click();
    await expect.poll(() => quantity(page, "gpus")).toBeLessThan(gpus);
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "GPUs that are too few get a verdict, and a button makes the cheapest change", async () => {
    await open(page, "model=llama-3-70b&users=500&token=0.05&have=8");
    const decision = figure(page).locator(".decision");
    await expect(decision).toContainText("Not enough GPUs.");
    await expect(decision).toContainText("Cheapest change found:");
    await decision.getByRole("button", { name: "Make this change" }).click();
    await expect(decision).toContainText("Meets the targets.");
  });

  await step(page, "a promise that one GPU cannot keep is refused, and the plan stays", async () => {
    await open(page, "model=llama-3-70b&users=500&token=0.05");
    const gpus = await quantity(page, "gpus");
    await open(page, "model=llama-3-70b&users=500&token=0.001");
    await expect(figure(page).getByText("Not possible:")).toContainText("A single user gets a token every");
    expect(gpus).toBeGreaterThan(0);
  });

  await step(page, "MLPerf’s measurement stands in the chart", async () => {
    await open(page, "model=llama-2-70b&users=3344&token=0.155&tp=2&quant=fp8&kv-bits=8&prompt=294&output=290");
    expect(await quantity(page, "replicas")).toBe(4);
    await expect(rest(page)).toContainText("then the cache is full");
  });
});

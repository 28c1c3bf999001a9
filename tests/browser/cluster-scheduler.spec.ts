// The widget `cluster-scheduler`: what a scheduler decides is stepped through, on lists that it has and on one's own.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, finding, open, quantity, parameter } = widget("cluster-scheduler");

test("jobs pass, wait and are followed, and one’s own are read", async ({ page }) => {
  await step(page, "backfill lets a job pass the one that waits, and the steps say so", async () => {
    await open(page, "trace=hole&policy=fcfs&job=3");
    const waited = await quantity(page, "job-wait");
    expect(waited).toBe(5 * 3600 + 40 * 60);
    await figure(page).getByRole("combobox", { name: "Scheduler" }).selectOption("easy");
    expect(await quantity(page, "job-wait")).toBe(0);
    await figure(page).getByRole("slider", { name: "Step", exact: true }).focus();
    await page.keyboard.press("Home");
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
    await expect(figure(page).locator(".cluster-step")).toContainText("eval starts, ahead of its turn");
    await expect(figure(page).locator(".cluster-queue li").first()).toContainText("ablation 8×8, at 4:00:00");
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "spread notebooks leave no node whole, and the nodes show their scores", async () => {
    await open(page, "trace=notebooks&policy=kubernetes&placement=spread&step=9");
    expect([await quantity(page, "free-gpus"), await quantity(page, "free-nodes")]).toEqual([48, 0]);
    await expect(figure(page).locator(".cluster .gpu.free")).toHaveCount(48);
    await expect(figure(page).locator(".cluster .score")).toHaveText(Array(8).fill("–"));
    await figure(page).getByRole("combobox", { name: "Node placement" }).selectOption("pack");
    await expect.poll(() => parameter(page, "placement")).toBe("pack");
    await expect(finding(page)).toContainText("Kubernetes");
  });

  await step(page, "a job is followed from the table", async () => {
    await open(page, "trace=day&policy=easy");
    await figure(page).locator(".cluster-jobs").first().getByRole("button", { name: "rlhf" }).click();
    await expect.poll(() => parameter(page, "job")).toBe("7");
    await expect(figure(page).locator(".cluster .ran:not(.aside)").first()).toHaveAttribute("data-job", "7");
  });

  await step(page, "jobs of one’s own are read, and each wrong line has its message", async () => {
    await open(page, "policy=easy");
    await figure(page).getByText("Your own jobs").click();
    const field = figure(page).locator("textarea");
    await field.fill("#!/bin/bash\n#SBATCH --nodse=2\n#SBATCH --time=1:00:00\n#!/bin/bash\n#SBATCH -J good -N 2 --gpus-per-node=8\n#SBATCH -t 30");
    await expect(figure(page).locator(".lined-remarks li")).toHaveCount(1);
    await expect(figure(page).locator(".lined-remarks")).toContainText("did you mean “nodes”");
    await expect(figure(page).locator(".lined-numbers .wrong")).toHaveText("2");
    expect(await quantity(page, "jobs")).toBe(1);
    await expect(field).toHaveValue(/nodse/);
    await figure(page).getByRole("button", { name: "sacct lines" }).click();
    await expect(figure(page).locator(".lined-remarks li")).toHaveCount(0);
    expect(await quantity(page, "jobs")).toBe(3);
  });
});

// The widget `launch-doctor`: a launch is read, repaired and pasted, and what its processes print follows.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, finding, open, quantity, parameter } = widget("launch-doctor");

test("every cause of a failed launch is told, when it is asked for, and repaired", async ({ page }) => {
  await step(page, "a launch that hangs is repaired by one word", async () => {
    await open(page, "case=1");
    await expect(finding(page)).toContainText("The job hangs");
    await expect(figure(page).locator(".launch-log")).toContainText("RendezvousTimeoutError");
    const field = figure(page).locator("textarea");
    await field.fill((await field.inputValue()).replace("\ntorchrun", "\nsrun torchrun"));
    await expect(finding(page)).toContainText("It trains: 16 processes on 2 nodes");
    expect(await quantity(page, "training")).toBe(16);
    await figure(page).getByRole("button", { name: "11: rank on gpu02, GPU 3" }).click();
    await expect(figure(page).locator(".launch-process")).toContainText("gpu02");
    expect(await quantity(page, "rank")).toBe(11);
    await figure(page).getByRole("button", { name: "As it was" }).click();
    await expect(finding(page)).toContainText("The job hangs");
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "what is wrong is withheld until it is asked for", async () => {
    await open(page, "case=9");
    await expect(figure(page).locator(".launch-log")).toContainText("no socket interface found");
    await expect(figure(page).locator(".lined-remarks li")).toHaveCount(0);
    await figure(page).getByRole("button", { name: "Say what is wrong" }).click();
    await expect(figure(page).locator(".lined-remarks")).toContainText("They have eth0 and ib0");
  });

  await step(page, "two processes on one GPU, and two models on two nodes, are seen", async () => {
    await open(page, "case=4");
    await expect(figure(page).locator(".launch-gpu.crowded")).toHaveCount(8);
    await figure(page).getByRole("combobox", { name: "Launch" }).selectOption("18");
    await expect.poll(() => parameter(page, "case")).toBe("18");
    await expect(finding(page)).toContainText("nothing complains");
    await expect(figure(page).locator(".launch-gpu.trains.other")).toHaveCount(8);
  });

  await step(page, "Ray tries again and again until its nodes find each other", async () => {
    await open(page, "case=21");
    await expect(finding(page)).toContainText("The job hangs: no error for 30 s");
    const log = figure(page).locator(".launch-log");
    await expect(log).toContainText("The worker group startup timed out after 30.0 seconds waiting for 16 workers");
    const field = figure(page).locator("textarea");
    await field.fill((await field.inputValue()).replace("localhost", "$head"));
    await expect(finding(page)).toContainText("It trains: 16 processes on 2 nodes");
    await expect(log).toContainText("resources: [{'GPU': 1}] * 16");
    await field.fill((await field.inputValue()).replace(" --use-gpu", ""));
    await expect(finding(page)).toContainText("nothing complains");
    await expect(log).toContainText("[{'CPU': 1}] * 16");
  });

  await step(page, "with DETAIL ranks that run another program are named, without it all wait", async () => {
    await open(page, "case=23");
    const log = figure(page).locator(".launch-log");
    await expect(log).toContainText("10:00 without a line");
    await expect(log).toContainText("Watchdog caught collective operation timeout");
    const field = figure(page).locator("textarea");
    await field.fill((await field.inputValue()).replace("value: OFF", "value: DETAIL"));
    await expect(log).toContainText("Detected mismatch between collectives on ranks. Rank 8 is running collective");
    await expect(finding(page)).toContainText("It fails");
    await field.fill((await field.inputValue()).replace("train:dev", "train@sha256:4f1c"));
    await expect(finding(page)).toContainText("It trains");
  });
});

test("a script of one’s own and the record of a run are checked, and nothing is lost", async ({ page }) => {
  await step(page, "a script of one’s own is checked line by line, and nothing of it is lost", async () => {
    await open(page, "case=own");
    const field = figure(page).locator("textarea");
    const script = "#!/bin/bash\n#SBATCH --nodes=2 --gpus-per-node=8\nsrun torchrun --nproc-per-nodes=8 train.py";
    await field.fill(script);
    await expect(figure(page).locator(".lined-remarks")).toContainText("Line 3");
    await expect(figure(page).locator(".lined-remarks")).toContainText("nproc-per-node");
    await expect(field).toHaveValue(script);
    // The address follows once the hand rests.
    await expect.poll(() => parameter(page, "script")).toContain("nproc-per-nodes");
    await page.reload();
    await expect(figure(page).locator("textarea")).toHaveValue(script);
  });

  await step(page, "what a run records is a checklist that the launch fills", async () => {
    await open(page, "case=torchrun&show=record");
    await expect(finding(page)).toContainText("1 of 8 items are recorded");
    const items = figure(page).locator(".launch-record > li");
    await expect(items).toHaveCount(8);
    await expect(figure(page).locator(".launch-record > li.missing")).toHaveCount(6);
    const field = figure(page).locator("textarea");
    await field.fill((await field.inputValue()).replace("train.py", "train.py --seed=7"));
    await expect(items.filter({ hasText: "randomness" })).toContainText("recorded");
    expect(await quantity(page, "recorded")).toBe(2);
    await figure(page).getByRole("combobox", { name: "Launch" }).selectOption("recorded");
    await expect(finding(page)).toContainText("8 of 8 items are recorded");
    expect(await quantity(page, "repeatable")).toBe(1);
    expect(await axe(page, "figure")).toEqual([]);
  });
});

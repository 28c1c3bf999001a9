// The figures of chapter 21: weeks of failures, the interval that loses least, a run resumed without something, shards for other ranks.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

test.describe("failure-campaign", () => {
  const { figure, open, parameter, quantity, finding } = widget("failure-campaign");

  test("weeks are played, measures and sizes change them, and a log of one's own counts", async ({ page }) => {
    await step(page, "the weeks are played event by event, and each says what happened", async () => {
      await open(page, "");
      await expect(finding(page)).toContainText("85.1% of the 54 days is useful work");
      const event = figure(page).locator(".campaign-event");
      await figure(page).getByRole("button", { name: "To the start" }).click();
      await expect.poll(() => parameter(page, "event")).toBe("1");
      await expect(event).toContainText("day 1, 01:25. node 92: Silent data corruption");
      await figure(page).getByRole("button", { name: "Step forward" }).click();
      await expect(event).toContainText("day 1, 06:04");
      expect(await axe(page, "figure")).toEqual([]);
    });

    await step(page, "what a job does about it changes where the time goes", async () => {
      await open(page, "");
      const before = await quantity(page, "useful");
      await figure(page).getByRole("button", { name: "every 5 minutes" }).click();
      await expect.poll(() => quantity(page, "useful")).toBeGreaterThan(0.9);
      expect(before).toBeLessThan(0.9);
      await figure(page).getByRole("button", { name: "no spare nodes" }).click();
      await expect.poll(() => quantity(page, "waiting")).toBeGreaterThan(0.5);
      await figure(page).getByRole("button", { name: "drop a replica instead" }).click();
      await expect.poll(() => quantity(page, "waiting")).toBe(0);
    });

    await step(page, "interval, target and size are views of the same job", async () => {
      await open(page, "");
      await figure(page).getByRole("combobox", { name: "Show" }).selectOption("interval");
      await expect(finding(page)).toContainText("Young’s formula says 5.47 min");
      expect(Math.abs((await quantity(page, "found")) / (await quantity(page, "daly")) - 1)).toBeLessThan(0.3);
      await figure(page).getByRole("combobox", { name: "Show" }).selectOption("target");
      await expect(finding(page)).toContainText("a recovery may take");
      await figure(page).getByRole("combobox", { name: "Show" }).selectOption("size");
      await expect(finding(page)).toContainText("makes a job of");
      await expect(figure(page).locator(".chart canvas").first()).toBeVisible();
      await expect(figure(page).getByRole("row", { name: /^Faulty GPU/ })).toContainText(/143.?470/);
      await figure(page).getByRole("combobox", { name: "Show" }).selectOption("storage");
      await expect(finding(page)).toContainText("at the pace of storage, 2 TB/s");
      expect(await axe(page, "figure")).toEqual([]);
    });

    await step(page, "a log of one's own counts; one that is wrong says where and stays", async () => {
      await open(page, "");
      await figure(page).getByText("A run of your own").click();
      const field = figure(page).getByLabel("One entry a line");
      await field.fill("START\nCOMPUTE_END soon");
      await figure(page).getByRole("button", { name: "Read it" }).click();
      await expect(figure(page).getByText("entry 2 needs its seconds")).toBeVisible();
      await expect(field).toHaveValue("START\nCOMPUTE_END soon");
      await field.fill("START\nCOMPUTE_END 3000\nCHECKPOINT_START\nCHECKPOINT_END 60");
      await figure(page).getByRole("button", { name: "Read it" }).click();
      await expect.poll(() => quantity(page, "mtbf")).toBe(3060);
      expect(await quantity(page, "cost")).toBe(60);
    });

    await step(page, "what cannot be lived through is said", async () => {
      await open(page, "rates=own&gpu-mtbf=100&gpus=131072");
      await expect(figure(page).getByText("Not possible")).toContainText("fewer days or GPUs");
    });
  });
});

test.describe("checkpoint-resume", () => {
  const { figure, open, quantity, finding } = widget("checkpoint-resume");

  test("a run is the same to the last bit with everything, and other ranks read its pieces", async ({ page }) => {
    await step(page, "with everything the run is the same to the last bit, and not without", async () => {
      await open(page, "missing=nothing");
      await expect(finding(page)).toContainText("the same to the last bit");
      expect(await quantity(page, "same")).toBe(1);
      await figure(page).getByRole("combobox", { name: "Missing from the checkpoint" }).selectOption("scaler");
      await expect.poll(() => quantity(page, "skipped")).toBeGreaterThan(3);
      expect(await quantity(page, "same")).toBe(0);
      expect(await axe(page, "figure")).toEqual([]);
    });

    await step(page, "other ranks read the pieces that overlap theirs", async () => {
      await open(page, "view=reshard&from=8&to=6&rank=2");
      await expect(finding(page)).toContainText("rank 2 needs files 2 to 3");
      expect(await quantity(page, "files")).toBe(2);
      await expect(figure(page).getByRole("img", { name: "Rank 2 reads files 2 to 3" })).toBeVisible();
      expect(await axe(page, "figure")).toEqual([]);
    });
  });
});

// An SM with the blocks of a kernel in it: what runs out, what does not launch, and an SM set by hand.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, finding, more, open, parameter, quantity, rest } = widget("occupancy");

test("what runs out is named, bytes make up for warps, and an SM is set by hand", async ({ page }) => {
  await step(page, "what runs out is named, drawn and counted, and fewer registers make room", async () => {
    await open(page, "gpu=h100&block_size=256&regs_per_thread=64&dynamic_smem=16384");
    await expect(finding(page)).toContainText("Registers limit an SM to 4 blocks");
    await expect(figure(page).locator(".slot.even, .slot.odd")).toHaveCount(32);
    await expect(figure(page).locator(".sm-room.limits")).toHaveText(/registers/);
    const registers = figure(page).getByRole("textbox", { name: "Registers per thread" });
    await registers.fill("32");
    await registers.press("Enter");
    await expect.poll(() => quantity(page, "active-warps")).toBe(64);
    await expect(figure(page).locator(".sm-room.limits")).toHaveCount(2);
    await expect(figure(page).locator(".occupancy-curve canvas")).toHaveCount(4);
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "a launch that fails says so in CUDA's words", async () => {
    await open(page, "gpu=a100&block_size=1024&regs_per_thread=65&dynamic_smem=0");
    await expect(finding(page)).toContainText("too many resources requested for launch");
    await expect(figure(page).locator(".sm-room.too-much")).toHaveText(/registers/);
    await open(page, "gpu=h100&block_size=256&regs_per_thread=64&dynamic_smem=65536&opt_in=false");
    await expect(finding(page)).toContainText("invalid argument");
    await expect(rest(page)).toContainText("cudaFuncSetAttribute");
  });

  await step(page, "bytes on their way make up for warps", async () => {
    await open(page, "gpu=h100&block_size=256&regs_per_thread=64&dynamic_smem=0");
    expect(await quantity(page, "bandwidth-reached")).toBeLessThan(1);
    await more(page);
    await figure(page).getByRole("radio", { name: "16 B", exact: true }).check({ force: true });
    await expect.poll(() => quantity(page, "bandwidth-reached")).toBe(1);
    await expect(rest(page)).toContainText("will not help");
  });

  await step(page, "an SM is set by hand, and another GPU has its own again", async () => {
    await open(page, "gpu=h100&block_size=256&regs_per_thread=64&dynamic_smem=0");
    await more(page);
    const threads = figure(page).getByRole("textbox", { name: "Threads per SM" });
    await expect(threads).toHaveValue(/2.?048/);
    await threads.fill("1024");
    await threads.press("Enter");
    await expect.poll(() => parameter(page, "max_threads_per_sm")).toBe("1024");
    expect(await quantity(page, "sm-warps")).toBe(32);
    await figure(page).locator('select[name="gpu"]').selectOption("a100-80");
    await expect.poll(() => parameter(page, "max_threads_per_sm")).toBeNull();
    expect(await quantity(page, "sm-warps")).toBe(64);
  });
});

// A run of one's own: what is brought is recognized, predictions stand next to it, and a link carries all of it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { NARROW, axe, expect, overflow, ready, step, test, visit } from "./fixtures";

const titan = readFileSync(join(__dirname, "../fixtures/runs/torchtitan-llama-3.1-8b-8xh100-compile.toml"), "utf8");
const log =
  "[titan] step:  4  loss:  7.6  grad_norm: 26.6  memory: 66.91GiB(37.51%)  tps: 5,050  tflops: 314.71  mfu: 13.99%";
const config = readFileSync(join(__dirname, "../fixtures/configs/llama-3-8b.json"), "utf8");
const topo = `\tGPU0\tGPU1\tGPU2\tNIC0\tCPU Affinity\tNUMA Affinity
GPU0\t X \tNV4\tSYS\tPIX\t0-31\t0
GPU1\tNV4\t X \tSYS\tNODE\t0-31\t0
GPU2\tSYS\tSYS\t X \tSYS\t32-63\t1
NIC0\tPIX\tNODE\tSYS\t X 
`;
const measured = '[data-row="tokens-per-gpu"] .measured';

const open = (page: Page, path = "run/") => visit(page, path);

async function paste(page: Page, text: string) {
  await page.getByLabel(/^Paste configurations/).fill(text);
  await page.getByRole("button", { name: "Read it" }).click();
}

test("a configuration and a log in any order give a verdict, and the link restores it", async ({ page }) => {
  await open(page);
  await paste(page, log);
  await expect(page.locator('.run-card[data-kind="log"]')).toContainText("torchtitan");
  await expect(page.getByText("What is missing:")).toBeVisible();
  await paste(page, config);
  await expect(page.locator('.run-card[data-kind="config"]')).toHaveCount(1);
  await paste(page, titan.replace(/\[measured\][^]*/, ""));
  await expect(page.getByText("What is missing:")).toHaveCount(0);
  await expect(page.locator(".run-verdict")).toContainText(/A step (takes|runs)/);
  await expect(page.locator('[data-row="step-time"] td').first()).toContainText("s");
  await expect(page.locator('[data-ledger="step-time"]')).toContainText("Unexplained");
  expect(await axe(page, ".run-page")).toEqual([]);
  expect(page.url()).toContain("#r=");
  const verdict = await page.locator(".run-verdict").innerText();
  await page.reload();
  await ready(page);
  await expect(page.locator(".run-verdict")).toHaveText(verdict);
  await expect(page.locator(".run-card")).toContainText("The link’s run");
  await expect(page.locator(".run-card")).toContainText("This link has the run’s settings");
});

test("what is brought is read or refused with a reason, removed and put back, opened, and kept as my setup", async ({ page }) => {
  await step(page, "a published run opens with one press, and its causes lead to figures in that state", async () => {
    await open(page);
    expect(await axe(page, ".run-page")).toEqual([]);
    await page.locator(".run-examples button", { hasText: "torch.compile" }).click();
    await expect(page.locator(".run-verdict")).toBeVisible();
    await expect(page.locator(".run-origin")).toContainText("torchtitan");
    const cause = page.locator('[data-ledger="step-time"] a').first();
    await expect(cause).toHaveAttribute("href", /^w\/[a-z-]+\/\?.+=/);
    await expect(page.locator(".run-next").getByRole("button", { name: "Copy the command" }).first()).toBeVisible();
  });

  await step(page, "topo -m draws the node and names the slow pairs", async () => {
    await open(page);
    await paste(page, topo);
    await expect(page.locator(".run-node .finding")).toContainText("2 of 3 GPU pairs, such as GPU0 and GPU2");
    await expect(page.locator(".node-drawing .gpu")).toHaveCount(3);
    await expect(page.locator(".node-drawing .cpu")).toHaveCount(2);
    await expect(page.locator(".node-drawing .switch")).toHaveCount(1);
    await expect(page.locator(".node-drawing line.slow")).toHaveCount(1);
    expect(await axe(page, ".run-node")).toEqual([]);
  });

  await step(page, "a card is removed with its numbers, and put back, by keyboard", async () => {
    await open(page);
    await paste(page, titan);
    await paste(page, log);
    // The torchtitan file measured 6,667, and the log, which came later, 5,050.
    await expect(page.locator(measured)).toContainText("5,050");
    await page.locator('.run-card[data-kind="log"]').getByRole("button", { name: /^Remove/ }).focus();
    await page.keyboard.press("Enter");
    await expect(page.locator(measured)).toContainText("6,667");
    await expect(page.getByRole("button", { name: "Put it back" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.locator(measured)).toContainText("5,050");
    await page.getByRole("button", { name: "Start over" }).click();
    await expect(page.locator(".run-card")).toHaveCount(0);
    await page.getByRole("button", { name: "Put it back" }).click();
    await expect(page.locator(".run-card")).toHaveCount(2);
    await page.locator('.run-card[data-kind="log"]').getByRole("button", { name: /^Edit/ }).click();
    const field = page.getByLabel(/^Paste configurations/);
    await expect(field).toBeFocused();
    await expect(field).toHaveValue(log);
    await expect(page.locator(measured)).toContainText("6,667");
    await page.keyboard.press("Control+Enter");
    await expect(page.locator(measured)).toContainText("5,050");
  });

  await step(page, "what can't be read is refused with a reason, and nothing is lost", async () => {
    await open(page);
    await paste(page, titan);
    await paste(page, "hello");
    await expect(page.locator(".run-card").first()).toHaveAttribute("data-outcome", "refused");
    // It may be mended where it stands.
    const box = page.getByLabel(/^Paste configurations/);
    await expect(box).toHaveValue("hello");
    await expect(box).toBeFocused();
    await expect(page.locator(measured)).toContainText("6,667");
    await page.getByLabel("Choose files").setInputFiles([
      { name: "empty.log", mimeType: "text/plain", buffer: Buffer.from("") },
      { name: "a.out", mimeType: "application/octet-stream", buffer: Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0]) },
    ]);
    await expect(page.locator(".run-card").filter({ hasText: "empty.log" })).toContainText("There is nothing in it.");
    await expect(page.locator(".run-card").filter({ hasText: "a.out" })).toContainText("binary");
    await expect(page.locator(measured)).toContainText("6,667");
    await page.locator(".run-file summary").click();
    await page.getByLabel("Everything above follows from this file").fill("[model]\nname = 7\n");
    await page.getByRole("button", { name: "Apply my edits" }).click();
    await expect(page.locator(".run-file [role=alert]")).toContainText("Line 2");
    await expect(page.locator(measured)).toContainText("6,667");
  });

  await step(page, "several files are read as they are chosen, long output piece by piece", async () => {
    await open(page);
    const long = `${"a line without numbers\n".repeat(100_000)}${log}\n`;
    await page.getByLabel("Choose files").setInputFiles([
      { name: "run.toml", mimeType: "application/toml", buffer: Buffer.from(titan) },
      { name: "train.log", mimeType: "text/plain", buffer: Buffer.from(long) },
    ]);
    await expect(page.locator(".run-card")).toHaveCount(2);
    await expect(page.locator(measured)).toContainText("5,050");
  });

  await step(page, "what is packed is read as what is in it", async () => {
    await open(page);
    const snapshot = '[{"total_size":7,"segment_type":"small","blocks":[{"size":7,"state":"inactive"}]}]';
    await page.getByLabel("Choose files").setInputFiles([
      { name: "run.toml.gz", mimeType: "application/gzip", buffer: gzipSync(titan) },
      { name: "train.log.gz", mimeType: "application/gzip", buffer: gzipSync(`${"a line without numbers\n".repeat(100_000)}${log}\n`) },
      { name: "snapshot.json.gz", mimeType: "application/gzip", buffer: gzipSync(snapshot) },
      { name: "cut.log.gz", mimeType: "application/gzip", buffer: gzipSync(log.repeat(100)).subarray(0, 60) },
    ]);
    await expect(page.locator(".run-card")).toHaveCount(4);
    await expect(page.locator(measured)).toContainText("5,050");
    await expect(page.locator('.run-card[data-kind="snapshot"]')).toContainText("snapshot.json.gz");
    await expect(page.locator(".run-card").filter({ hasText: "cut.log.gz" })).toContainText("is it damaged?");
  });

  await step(page, "an error log is handed to the log reader, which says what stopped the run", async () => {
    await open(page);
    await paste(
      page,
      "Traceback (most recent call last):\n  File \"train.py\", line 3, in <module>\n[  12.5] NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus.\nMyOwnError: seven\n",
    );
    const card = page.locator('.run-card[data-kind="errors"]');
    await expect(card.locator("h2")).toContainText("Error log");
    await expect(card).toHaveAttribute("data-outcome", "read");
    await expect(card.locator(".signs")).toContainText("fallen off the bus");
    await expect(card.locator(".signs")).toContainText("Not known here");
    await expect(card.locator(".signs")).toContainText("MyOwnError");
    expect(await axe(page, ".run-cards")).toEqual([]);
  });

  await step(page, "a launch that can't work leads the page, before what is predicted", async () => {
    await open(page);
    await paste(
      page,
      "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=8\nexport MASTER_ADDR=localhost\nsrun torchrun --nnodes=4 --nproc_per_node=8 --rdzv_id=1 --rdzv_backend=c10d --rdzv_endpoint=$MASTER_ADDR:29500 train.py --model_name_or_path meta-llama/Llama-3.1-70B --per_device_train_batch_size 1 --bf16 True --deepspeed ds.json --max_seq_length 8192\n",
    );
    const stops = page.locator(".run-stops");
    await expect(stops.locator("h2")).toContainText("It hangs");
    await expect(stops).toContainText("localhost is another host on every node");
    await expect(stops.getByRole("link")).toHaveAttribute("href", /^w\/launch-doctor\/\?.*script=/);
    await page.locator("#run-missing").getByLabel("GPU", { exact: true }).selectOption("h100-80");
    await expect(page.locator(".run-verdict")).toContainText(/^As it is written, the launch hangs .* holds once that is fixed\./);
    // The stage stands in a file that wasn't pasted: one press says it.
    const question = page.locator(".run-question");
    await expect(question.getByRole("row")).toHaveCount(5);
    expect(await axe(page, ".run-page")).toEqual([]);
    await question.getByRole("button", { name: /^Choose ZeRO stage: 3/ }).click();
    await expect(page.locator('[data-row="memory-used"] .number').first()).toContainText("GB to ");
    await expect(page.getByRole("button", { name: /^Choose ZeRO stage: / })).toHaveCount(0);
  });

  await step(page, "an error says in which phase memory ran out, and a card takes the width there is", async () => {
    await open(page);
    await paste(
      page,
      "Traceback (most recent call last):\n  File \"/w/train.py\", line 212, in <module>\n    optimizer.step()\n  File \"/opt/torch/optim/adamw.py\", line 177, in _init_group\n    state[\"exp_avg_sq\"] = torch.zeros_like(p)\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 224.00 MiB.\n",
    );
    await expect(page.locator(".run-stops")).toContainText("Memory ran out in the first optimizer step");
    await expect(page.locator(".run-stops").getByRole("link")).toHaveAttribute("href", /^w\/first-steps/);
    const [card, list] = await Promise.all(
      [".run-card", ".run-cards"].map((place) => page.locator(place).evaluate((e) => e.getBoundingClientRect().width)),
    );
    expect(card).toBeGreaterThan(0.98 * list);
  });

  await step(page, "what nothing says is given beside the sentence that asks for it", async () => {
    await open(page);
    await paste(page, log);
    const missing = page.locator("#run-missing");
    await missing.getByLabel("Model", { exact: true }).selectOption("llama-3-8b");
    await expect(missing.getByLabel("Model", { exact: true })).toHaveCount(0);
    await missing.getByLabel("GPU", { exact: true }).selectOption("h100-80");
    for (const [label, value] of [["GPUs per node", "8"], ["Sequence length", "8192"]]) {
      // What was given last moves the focus.
      await expect(missing).toBeFocused();
      await missing.getByLabel(label).fill(value);
      await missing.getByLabel(label).press("Enter");
    }
    await missing.getByLabel("ZeRO stage", { exact: true }).selectOption("3");
    await expect(missing).toBeFocused();
    await missing.getByLabel("Tensor-parallel ranks").fill("1");
    await missing.getByLabel("Tensor-parallel ranks").press("Enter");
    await expect(missing).toHaveCount(0);
    // The rest has defaults, which decide nothing.
    await expect(page.locator(".run-verdict")).toContainText("The measured step is 1.62 s; with the assumed values");
    await expect(page.locator(".run-card").first()).toContainText("What you said here");
    // What is assumed can be said on the spot; a click into the field selects what stands there.
    const assumed = page.locator(".run-assumed");
    await expect(assumed).toContainText("One node of 8");
    await assumed.getByLabel("Nodes", { exact: true }).click();
    await page.keyboard.type("2");
    await page.keyboard.press("Enter");
    await expect(assumed).not.toContainText("One node of 8");
    await expect(page.locator("#run-verdict")).toBeFocused();
  });

  await step(page, "the run becomes my setup on request", async () => {
    await open(page);
    await paste(page, titan);
    await page.getByRole("button", { name: "Use as my setup" }).click();
    await expect(page.getByRole("button", { name: "Kept as my setup" })).toBeDisabled();
    await open(page, "lab/#my-setup");
    await expect(page.locator("#my-setup")).toContainText("H100 SXM 80 GB");
  });

  await step(page, "the box takes a log to the run", async () => {
    await open(page, "./");
    await page.keyboard.press("/");
    await page.getByRole("button", { name: "Paste a log" }).click();
    await page.getByRole("dialog").getByRole("textbox").fill(log);
    await page.getByRole("link", { name: "Compare the run with what the models predict" }).click();
    await expect(page.locator('.run-card[data-kind="log"]')).toContainText("torchtitan");
  });
});

test("two traces stand side by side, and what changed most is said", async ({ page }) => {
  // A step of 10 ms: 6 ms of a kernel, and in the second trace 4 ms of an all-reduce that nothing hides.
  const trace = (exposed: boolean) => {
    const events = [0, 1, 2].flatMap((step) => {
      const ts = 1000 + step * 10_000;
      const kernel = (name: string, tid: number, from: number, dur: number) => ({
        ph: "X", cat: "kernel", name, pid: 0, tid, ts: ts + from, dur, args: { stream: tid, device: 0 },
      });
      return [
        { ph: "X", cat: "user_annotation", name: `ProfilerStep#${step}`, pid: 9, tid: 9, ts, dur: 10_000 },
        kernel("gemm", 7, 0, 6000),
        kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20, exposed ? 6000 : 1000, 4000),
      ];
    });
    return Buffer.from(JSON.stringify({ schemaVersion: 1, traceEvents: events }));
  };
  await open(page);
  await page.getByLabel("Choose files").setInputFiles([
    { name: "before.json", mimeType: "application/json", buffer: trace(false) },
    { name: "after.json", mimeType: "application/json", buffer: trace(true) },
  ]);
  const versus = page.locator(".run-versus");
  await expect(versus.locator(".finding")).toContainText("The largest change is in exposed communication: +4 ms.");
  await expect(versus.getByRole("row", { name: /^Exposed communication/ })).toContainText("0 s4 ms+4 ms");
  await expect(versus.getByRole("columnheader")).toHaveText(["Part", "before.json", "after.json", "Difference"]);
  expect(await axe(page, ".run-versus")).toEqual([]);
  await page.locator('.run-card[data-kind="trace"]').first().getByRole("button").click();
  await expect(versus).toHaveCount(0);
});

test("on a phone nothing scrolls sideways, and on paper a run takes one page", async ({ page }) => {
  await page.setViewportSize(NARROW[0]);
  await open(page);
  await paste(page, titan);
  await paste(page, topo);
  await expect(page.locator(".node-drawing")).toBeVisible();
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  expect(await axe(page, ".run-page")).toEqual([]);
  await page.locator('.run-card[data-kind="topology"]').getByRole("button", { name: /^Remove/ }).click();
  await paste(page, "[training]\nbatch_size = 1\nseq_len = 8192\nnobody_knows_this = 7\n\n[model]\nflavor = \"8B\"\n");
  await page.emulateMedia({ media: "print" });
  await expect(page.locator("ul.run-paper")).toContainText("Not read: ");
  await expect(page.locator("ul.run-paper")).toContainText("nobody_knows_this");
  for (const sum of await page.locator("p.run-paper").all()) await expect(sum).toBeVisible();
  await expect(page.locator(".run-page").getByRole("button")).toHaveCount(0);
  await page.emulateMedia({ media: null });
  const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
  expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
});

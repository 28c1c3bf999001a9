// A run of one's own: what is pasted is recognized, predictions stand next to it, and a link carries all of it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { axe, expect, ready, test } from "./fixtures";

const titan = readFileSync(join(__dirname, "../fixtures/runs/torchtitan-llama-3.1-8b-8xh100-compile.toml"), "utf8");
const log =
  "[titan] step:  4  loss:  7.6  grad_norm: 26.6  memory: 66.91GiB(37.51%)  tps: 5,050  tflops: 314.71  mfu: 13.99%";
const topo = `\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity
GPU0\t X \tSYS\tPXB\t0-31\t0
GPU1\tSYS\t X \tSYS\t32-63\t1
NIC0\tPXB\tSYS\t X 
`;

async function paste(page: import("@playwright/test").Page, text: string) {
  await page.getByLabel("Paste one thing at a time").fill(text);
  await page.getByRole("button", { name: "Read what I pasted" }).click();
}

test("what is pasted is recognized, compared and kept in the link", async ({ page }) => {
  await page.goto("run/");
  await ready(page);
  await paste(page, titan);
  await expect(page.locator('.run-card[data-kind="run-file"]')).toHaveAttribute("data-outcome", "read");
  await expect(page.locator('[data-row="step-time"] td').nth(1)).toContainText("s");
  await expect(page.locator('[data-ledger="step-time"]')).toContainText("Unexplained");
  await paste(page, log);
  await expect(page.locator('.run-card[data-kind="log"]')).toContainText("torchtitan");
  await expect(page.locator('[data-row="tokens-per-gpu"]')).toContainText("5,050");
  await paste(page, topo);
  await expect(page.getByRole("heading", { name: "The node" })).toBeVisible();
  expect(await axe(page, ".run-page")).toEqual([]);
  expect(page.url()).toContain("#r=");
  await page.reload();
  await ready(page);
  await expect(page.locator('[data-row="tokens-per-gpu"]')).toContainText("5,050");
  await expect(page.getByRole("heading", { name: "The node" })).toBeVisible();
});

test("what isn't recognized is refused with what to do, and nothing is compared", async ({ page }) => {
  await page.goto("run/");
  await ready(page);
  await paste(page, "hello");
  await expect(page.locator(".run-card")).toHaveAttribute("data-outcome", "refused");
  await expect(page.locator(".run-report")).toHaveCount(0);
});

test("files are read as they are dropped or chosen, long ones in slices", async ({ page }) => {
  await page.goto("run/");
  await ready(page);
  const long = `${"a line without numbers\n".repeat(250_000)}${log}\n`;
  await page.getByLabel("Choose files").setInputFiles([
    { name: "run.toml", mimeType: "application/toml", buffer: Buffer.from(titan) },
    { name: "train.log", mimeType: "text/plain", buffer: Buffer.from(long) },
  ]);
  await expect(page.locator(".run-card")).toHaveCount(2);
  await expect(page.locator('[data-row="tokens-per-gpu"]')).toContainText("5,050");
});

test("the run becomes my setup on request", async ({ page }) => {
  await page.goto("run/");
  await ready(page);
  await paste(page, titan);
  await page.getByRole("button", { name: "Use as my setup" }).click();
  await page.goto("lab/#my-setup");
  await ready(page);
  await expect(page.locator("#my-setup")).toContainText("H100 SXM 80 GB");
});

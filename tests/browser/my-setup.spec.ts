// "My setup": kept beside the labs, put into any figure with one press, and carried by a link.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { axe, expect, ready, test } from "./fixtures";

const printed = readFileSync(join(__dirname, "../../content/labs/01-collectives/output.txt"), "utf8");
const kept = (page: import("@playwright/test").Page) =>
  page.evaluate(() => JSON.parse(localStorage.getItem("ringside.store") ?? "{}").setup ?? "");

test("what a lab measured, a model and a cluster fill a figure, which says what it took, and goes back", async ({ page }) => {
  await page.goto("lab/collectives/");
  await ready(page);
  await page.getByLabel(/What the script printed/).fill(printed);
  await page.getByRole("button", { name: "Keep these numbers as my setup" }).click();
  await page.goto("lab/#my-setup");
  await ready(page);
  const setup = page.getByRole("region", { name: "My setup" });
  await setup.getByLabel("Model", { exact: true }).selectOption("llama-3-8b");
  await setup.getByLabel("GPU", { exact: true }).selectOption("a100-80");
  for (const [label, value] of [["GPUs per node", "4"], ["Nodes", "16"]]) {
    await setup.getByLabel(label, { exact: true }).fill(value);
    await setup.getByLabel(label, { exact: true }).press("Enter");
  }
  expect(await axe(page, ".labs")).toEqual([]);
  await page.goto("w/parallel-planner/?batch=256");
  await ready(page);
  const figure = page.locator("[data-widget]");
  const query = async () => new URLSearchParams((await figure.getAttribute("data-query")) ?? "");
  const before = await figure.getAttribute("data-query");
  await figure.getByRole("button", { name: "My setup" }).click();
  await expect(figure.locator(".my-setup-said")).toContainText("GPU: A100 SXM 80 GB");
  await expect(figure.locator(".my-setup-said")).toContainText("Left:");
  const after = await query();
  for (const [name, value] of [["model", "llama-3-8b"], ["gpu", "a100-80"], ["node", "4"], ["nodes", "16"], ["batch", "256"]]) {
    expect(after.get(name), name).toBe(value);
  }
  await figure.getByRole("button", { name: "Undo" }).click();
  await expect(figure).toHaveAttribute("data-query", before!);
  // Measured times lie over the curves of what they are times of.
  await page.goto("w/communication-cost/");
  await ready(page);
  await page.locator("[data-widget]").getByRole("button", { name: "My setup" }).click();
  await expect.poll(async () => (await query()).get("ranks")).toBe("2");
  expect((await query()).get("measured")).toContain("1024:479");
  // A figure that has nothing to take does not offer it.
  await page.goto("w/float-bits/");
  await ready(page);
  await expect(page.getByRole("button", { name: "My setup" })).toHaveCount(0);
});

test("a link carries it, names what it cannot use, and takes nothing away", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const text = (pairs: string) => `setup=${encodeURIComponent(pairs)}`;
  await page.goto(`lab/?${text("gpu=h200-141&node=8&nodes=2&flops=<script>&colour=red")}#my-setup`);
  await ready(page);
  const brought = page.getByRole("region", { name: "The link’s setup" });
  await expect(brought.getByRole("alert")).toContainText("colour");
  await expect(brought.getByRole("alert")).toContainText("flops");
  await expect(brought).toContainText("2 × 8 = 16");
  expect(await kept(page)).toBe("");
  await brought.getByRole("button", { name: "Keep it in place of mine" }).click();
  expect(await kept(page)).toBe("gpu=h200-141&node=8&nodes=2");
  await page.getByRole("button", { name: "Copy a link to it" }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(new URL(link).searchParams.get("setup")).toBe("gpu=h200-141&node=8&nodes=2");
  // Another link does not touch what is kept until it is asked to, and can be taken back.
  await page.goto(`lab/?${text("gpu=a100-80")}#my-setup`);
  await ready(page);
  await brought.getByRole("button", { name: "Keep it in place of mine" }).click();
  expect(await kept(page)).toBe("gpu=a100-80");
  await brought.getByRole("button", { name: "Back to mine" }).click();
  expect(await kept(page)).toBe("gpu=h200-141&node=8&nodes=2");
  await page.goto(`w/roofline/?batch=8&${text("gpu=b200&gpus=9")}`);
  await ready(page);
  const figure = page.locator("[data-widget]");
  await figure.getByRole("button", { name: "The link’s setup" }).click();
  await expect(figure).toHaveAttribute("data-query", /gpu=b200/);
  await expect(figure).toHaveAttribute("data-query", /batch=8/);
  await expect(figure.locator(".my-setup-said")).toContainText("There is no parameter “gpus”");
});

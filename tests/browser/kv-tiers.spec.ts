// The widget `kv-tiers`: the layout decides how fast a prefix is fetched, and a slow link loses to computing it again.
import { axe, expect, test } from "./fixtures";
import { widget } from "./widget";

const { figure, finding, open, quantity } = widget("kv-tiers");

test("the layout decides, and a slow link loses", async ({ page }) => {
  await open(page, "model=llama-3-8b&tier=host&layout=layers&tokens=8192");
  expect(await quantity(page, "copies")).toBe((8192 / 16) * 2 * 32);
  expect(await quantity(page, "copy-bytes")).toBe(32 * 1024);
  const slow = await quantity(page, "fetch");
  await figure(page).getByRole("button", { name: "vLLM 0.12: a piece per block" }).click();
  await expect.poll(() => quantity(page, "copies")).toBe(8192 / 16);
  expect(await quantity(page, "fetch")).toBeLessThan(slow / 4);
  await expect(finding(page)).toContainText("Fetch it");
  await figure(page).getByRole("button", { name: "Peer over 10 Gb/s Ethernet" }).click();
  await expect(finding(page)).toContainText("Recompute it");
  expect(await quantity(page, "faster")).toBe(0);
  expect(await axe(page, "figure")).toEqual([]);
});

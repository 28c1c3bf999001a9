// The widget `fleet`: the router decides what is found, and a death is seen and counted.
import { axe, expect, test } from "./fixtures";
import { widget } from "./widget";

const { figure, rest, open, quantity } = widget("fleet");

test("a prefix-aware router finds more, and a death retries requests", async ({ page }) => {
  await open(page, "policy=round-robin&dies=0");
  const blind = await quantity(page, "hit-rate");
  await expect(rest(page)).toContainText("doesn’t know which replica");
  await figure(page).getByRole("button", { name: "Prefix-aware", exact: true }).click();
  await expect.poll(() => quantity(page, "hit-rate")).toBeGreaterThan(blind);
  await figure(page).getByRole("button", { name: "A replica dies" }).click();
  await expect.poll(() => quantity(page, "retried")).toBeGreaterThan(0);
  await expect(rest(page)).toContainText("without the failure");
  expect(await axe(page, "figure")).toEqual([]);
});

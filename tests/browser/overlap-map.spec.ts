// The widget `overlap-map`: where each technique is free, exposed or impossible, and a layer of each at one place.
import { axe, expect, step, test } from "./fixtures";
import { widget } from "./widget";

const { figure, finding, rest, open, quantity, parameter } = widget("overlap-map");

test("a place of the map and the tokens decide what is hidden", async ({ page }) => {
  await step(page, "a place of the map goes from free to exposed to impossible", async () => {
    await open(page, "technique=fsdp&gpus=512&tokens=8192&seq=2048");
    await expect(figure(page).locator(".one-picture canvas").first()).toBeVisible();
    await expect(finding(page)).toContainText("FSDP’s gathering and reducing is free");
    await expect(rest(page)).toContainText("hides it on up to");
    // As many rows as techniques; the chosen one is marked, and those that cannot be used say why.
    const rows = figure(page).locator(".overlap-row");
    await expect(rows).toHaveCount(7);
    const chosen = figure(page).locator(".overlap-row[aria-current=true]");
    await expect(chosen).toHaveText(/^FSDP\s*free$/);
    await expect(rows.filter({ hasText: "Llama 3 70B has no experts" })).toHaveCount(1);

    const hides = await quantity(page, "hides-from");
    expect(hides).toBeGreaterThan(2472);
    const tokens = figure(page).getByRole("slider", { name: "Tokens per GPU" });
    for (let i = 0; i < 6; i++) await tokens.press("ArrowLeft");
    await expect.poll(() => parameter(page, "tokens")).toBe("3072");
    await expect(finding(page)).toContainText("is exposed");
    await expect(chosen).toContainText("exposed");
    expect(await quantity(page, "time-exposed")).toBeGreaterThan(0);
    await tokens.press("Home");
    await expect(finding(page)).toContainText("impossible");
    await expect(chosen).toContainText("no whole sequence of 2");
    expect(await axe(page, "figure")).toEqual([]);
  });

  await step(page, "tokens hide FSDP and do not hide too many tensor-parallel ranks", async () => {
    await open(page, "technique=tp&model=llama-3-8b&gpus=8&tokens=4096");
    await expect(rest(page)).toContainText("no number of tokens hides it");
    expect(await quantity(page, "tp-hides")).toBeLessThan(8);
    await figure(page).getByRole("slider", { name: "Tokens per GPU" }).press("End");
    await expect(finding(page)).toContainText("is exposed");
    await figure(page).getByLabel("Technique").selectOption("fsdp");
    await expect(finding(page)).toContainText("is free");
    await figure(page).getByRole("button", { name: "Experts over nodes" }).click();
    await expect.poll(() => parameter(page, "technique")).toBe("ep");
    await expect(finding(page)).toContainText("The way to the experts and back is exposed");
    expect(await quantity(page, "experts-spread")).toBeGreaterThan(18);
  });
});

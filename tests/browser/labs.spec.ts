// The labs: predict, run elsewhere, paste what was printed, and see it beside the model.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { axe, expect, follow, ready, step, test } from "./fixtures";

const folder = join(__dirname, "../../content/labs");
const labs = readdirSync(folder).filter((name) => /^\d/.test(name)).sort();
const slug = (name: string) => name.replace(/^\d+-/, "");
const printed = (name: string) => readFileSync(join(folder, name, "output.txt"), "utf8");

test("the header leads to all labs, and each is a link", async ({ page }) => {
  await page.goto("./");
  await ready(page);
  await page.getByRole("navigation", { name: "Tools" }).getByRole("link", { name: "Labs" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Labs" })).toBeVisible();
  await expect(page.locator(".lab-list h2 a")).toHaveCount(labs.length);
  expect(await axe(page, ".labs")).toEqual([]);
});

test("of every lab what its script printed stands beside the model", async ({ page }) => {
  test.slow();
  for (const name of labs) {
    await test.step(name, async () => {
      await follow(page, `lab/${slug(name)}/`);
      await page.getByLabel(/What the script printed/).fill(printed(name));
      const table = page.locator(".lab-result");
      await expect(table.locator("tbody tr").first()).toBeVisible();
      // Bytes, counts and bits are the same to the last; times may differ, and then a reason stands there.
      for (const row of await table.locator("tbody tr.off").all()) {
        await expect(row.locator("td").last()).not.toBeEmpty();
      }
      await expect(page.locator(".finding")).not.toBeEmpty();
      expect(await axe(page, ".lab-page")).toEqual([]);
    });
  }
});

test("a prediction is kept, and stands in the table", async ({ page }) => {
  await page.goto("lab/fsdp/");
  await ready(page);
  const field = page.getByLabel(/Bytes of Adam/);
  await field.fill("8.39 MB");
  await field.blur();
  await page.getByRole("button", { name: "Use what it printed on our machine" }).click();
  const row = page.locator(".lab-result tr", { hasText: "Stage 1: Adam" });
  await expect(row.locator("td").first()).toHaveText("8.39 MB");
  await page.reload();
  await ready(page);
  await expect(page.getByLabel(/Bytes of Adam/)).toHaveValue("8.39 MB");
});

test("what was pasted is told about, kept as my setup or forgotten, and the script is taken along", async ({ page, context }) => {
  await step(page, "a bad paste is told why, and nothing of it is lost", async () => {
    await follow(page, "lab/ddp/");
    const field = page.getByLabel(/What the script printed/);
    for (const [paste, why] of [
      ["rank 0 of 2", /There is no line/],
      [printed("02-ddp").replace("===== end =====", ""), /cut off/],
      [printed("03-fsdp"), /This is what the lab “fsdp” prints/],
      [printed("02-ddp").replace('"layers": 8', '"layers": "eight"'), /“layers” must be a number/],
    ] as const) {
      await field.fill(paste);
      await expect(page.locator(".lab-page .message")).toContainText(why);
      await expect(field).toHaveValue(paste);
    }
  });

  await step(page, "what was measured is kept as my setup, and forgotten when asked", async () => {
    await follow(page, "lab/collectives/");
    await page.getByLabel(/What the script printed/).fill(printed("01-collectives"));
    await page.getByRole("button", { name: "Keep these numbers as my setup" }).click();
    await expect(page.getByRole("region", { name: "My setup" })).toContainText("Latency of a message");
    await follow(page, "lab/");
    const setup = page.getByRole("region", { name: "My setup" });
    await expect(setup).toContainText("Bandwidth between two ranks");
    await setup.getByRole("button", { name: "Forget it" }).click();
    await expect(setup).toContainText("Nothing is measured yet");
  });

  await step(page, "the script is read, copied and saved", async () => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await follow(page, "lab/serve/");
    await page.locator(".lab-code summary").click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save the file" }).click(),
    ]);
    const source = readFileSync(join(folder, "08-serve/serve.py"), "utf8");
    expect(readFileSync(await download.path(), "utf8")).toBe(source);
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as a notebook" }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe("serve.ipynb");
    const notebook = JSON.parse(readFileSync(await saved.path(), "utf8"));
    expect(notebook.cells.map((cell) => cell.source)).toContain(`%%writefile serve.py\n${source.trimEnd()}`);
    await page.locator(".lab-code", { hasText: "python serve.py" }).getByRole("button", { name: "Copy" }).first().click();
    await expect(page.locator(".lab-code button", { hasText: "Copied" })).toHaveCount(1);
  });
});

test("a lab on paper has its whole script and no buttons", async ({ page }) => {
  await page.goto("lab/serve/");
  await ready(page);
  await page.emulateMedia({ media: "print" });
  await expect(page.getByText("def forward(self, x, cache, at)")).toBeVisible();
  await expect(page.locator(".lab-page button:visible")).toHaveCount(0);
});

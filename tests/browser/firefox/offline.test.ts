// The course in Firefox without a network, after one visit.
import { mirror } from "../mirror";
import { expect, quantity, ready, test as quiet, text } from "./fixtures";

const test = quiet.extend<{ site: { address: string; close(): void } }>({
  site: async ({}, use) => {
    const site = await mirror(quiet.info().project.use.baseURL!);
    await use(site);
    site.close();
  },
  baseURL: ({ site }, use) => use(site.address),
});
test.use({ keeps: true });

test("after one visit pages and a figure work without a network", async ({ open, site }) => {
  const page = await open("settings/");
  await expect.poll(() => text(page, "[data-kept]"), { timeout: 100_000 }).toContain("The whole course is kept");
  site.close();
  for (const [path, heading] of [["", "Ringside"], ["chapter/memory-accounting/", "Where the memory goes"], ["practice/", "Practice"]]) {
    await page.goto(site.address + path);
    await ready(page);
    expect(await text(page, "h1")).toContain(heading);
    // A page that is left while it is still loading says so in the console.
    await page.waitForNetworkIdle();
  }
  await page.goto(`${site.address}w/pipeline-timeline/?stages=8&microbatches=32`);
  await ready(page);
  expect(await quantity(page, "peak-in-flight")).toBe(8);
});

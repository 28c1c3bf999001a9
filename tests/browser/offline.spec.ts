// The course without a network, after one visit.
import type { Page } from "@playwright/test";
import { expect, ready, test as quiet } from "./fixtures";
import { mirror } from "./mirror";

/** The site behind a server of this test's, which has another version of the service worker when told to. */
const test = quiet.extend<{ server: { version: string } }>({
  serviceWorkers: "allow",
  server: { version: "" },
  baseURL: async ({ baseURL, server }, use) => {
    const site = await mirror(baseURL!, (address, body) => {
      if (!server.version || address !== "/sw.js") return body;
      const text = body.toString().replace(/VERSION = "\w+"/, `VERSION = "${server.version}"`);
      return Buffer.from(text.replace("MARKS = [", `MARKS = ["app-${server.version}.js",`));
    });
    await use(site.address);
    site.close();
  },
});

/** Waits until everything is kept, as the settings say. */
async function keepAll(page: Page) {
  await page.goto("settings/");
  await ready(page);
  await expect(page.locator("[data-kept]")).toContainText("The whole course is kept", { timeout: 100_000 });
}

test("after one visit every page and a widget work without a network, and it can all be deleted", async ({ page, context }) => {
  const { routes } = await (await page.request.get("routes.json")).json();
  await keepAll(page);
  await context.setOffline(true);
  // The worker too is without a network.
  const reached = await context.serviceWorkers()[0].evaluate(() => fetch("routes.json").then(() => true, () => false));
  expect(reached).toBe(false);
  const titles = await page.evaluate(async (paths: string[]) => {
    const title = async (path: string) => /<title>(.*)<\/title>/.exec(await (await fetch(path)).text())?.[1];
    return Promise.all(paths.map(title));
  }, routes.map((route: { path: string }) => `./${route.path}`));
  const escaped = (title: string) => title.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  expect(titles).toEqual(routes.map((route: { title: string }) => escaped(route.title)));
  for (const [path, heading] of [["", "Ringside"], ["chapter/memory-accounting/", "Where the memory goes"], ["reference/", "Reference"], ["practice/", "Practice"]]) {
    await page.goto(`./${path}`);
    await ready(page);
    await expect(page.locator("h1")).toContainText(heading);
  }
  await page.goto("w/pipeline-timeline/?stages=8&microbatches=32");
  await ready(page);
  await expect(page.locator('output[data-quantity="peak-in-flight"]')).toHaveAttribute("data-value", "8");
  await page.keyboard.press("/");
  await expect(page.locator("dialog[open] input")).toBeFocused();
  await page.keyboard.type("bubble");
  await expect(page.locator('dialog[open] [role="option"]').first()).toBeVisible();
  await page.keyboard.press("Escape");
  await context.setOffline(false);

  await page.goto("settings/");
  await ready(page);
  await page.getByRole("radio", { name: "Keep nothing" }).check({ force: true });
  await expect(page.locator(".went-well")).toContainText("Nothing of the course is kept");
  expect(await page.evaluate(() => caches.keys())).toEqual([]);
  await page.reload();
  await ready(page);
  await expect(page.getByRole("radio", { name: "Keep nothing" })).toBeChecked();
  await expect(page.getByText("Nothing is kept yet.")).toBeVisible();
});

test("a new version does not break a page that is open, and is offered", async ({ page, context, server }) => {
  await keepAll(page);
  server.version = "next";
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())!.update());
  await expect(page.locator(".notice")).toContainText("A new version of Ringside is here");
  await context.setOffline(true);
  await page.getByRole("link", { name: "Practice" }).first().click();
  await expect(page.locator("h1")).toHaveText("Practice");
  await context.setOffline(false);
});

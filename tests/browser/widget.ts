// What the tests of one widget use: its page, its figure, its numbers and the parameters in its address.
import type { Page } from "@playwright/test";
import { expect, follow, ready } from "./fixtures";

export function widget(id: string) {
  const figure = (page: Page) => page.locator(`[data-widget="${id}"]`);
  return {
    figure,

    /** What the drawing says now: the first sentence, which stands over it. */
    finding: (page: Page) => figure(page).locator(".finding"),

    /** What else it says, below the drawing. */
    rest: (page: Page) => figure(page).locator(".finding-rest"),

    /** Shows the controls that are not in sight, unless they are. */
    async more(page: Page) {
      const button = figure(page).getByRole("button", { name: /^More controls/ });
      if ((await button.getAttribute("aria-expanded")) !== "true") await button.click();
      await expect(button).toHaveAttribute("aria-expanded", "true");
    },

    /** Opens the widget's own page, or leads an open one to another state. */
    open: (page: Page, query: string) => follow(page, `w/${id}/?${query}`),

    /** Opens the widget's own page from nothing, where that is what is tested. */
    async load(page: Page, query: string) {
      await page.goto(`w/${id}/?${query}`);
      await ready(page);
    },

    /** The value of a quantity on show, in base units. */
    async quantity(page: Page, name: string): Promise<number> {
      const output = figure(page).locator(`output[data-quantity="${name}"]`);
      await expect(output).toHaveCount(1);
      return Number(await output.getAttribute("data-value"));
    },

    /** A parameter as the address has it; null if it is not there. */
    parameter: (page: Page, name: string) => new URL(page.url()).searchParams.get(name),
  };
}

// What holds of every figure; the list is the build's own. That nonsense in any parameter is named, and the default used in its
// place, is core/tests/catalogue.rs's to check.
import { expect, test } from "./fixtures";
import { widgets } from "./site";
import { widget } from "./widget";

for (const { id, params } of widgets) {
  test(`${id} names a bad value and a parameter that it does not have, and draws what it can`, async ({ page }) => {
    const { figure, open } = widget(id);
    await open(page, `${params[0]}=${encodeURIComponent("☃")}&no-such=1`);
    const problems = page.locator(".problems");
    await expect(problems).toContainText(params[0]);
    await expect(problems).toContainText("no-such");
    await expect(figure(page).locator(".drawing").first()).toBeVisible();
    await expect(figure(page)).not.toContainText(/NaN|undefined/);
  });
}

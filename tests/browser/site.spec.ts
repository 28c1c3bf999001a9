// Every page of the site by one set of rules; the list is the build's own, so that a new page is tested on arrival.
import { axe, expect, hold, opened, ready, sound, test, visit } from "./fixtures";
import { routes, samples } from "./site";

// The page of a figure is looked at with the figure, and a chapter with its figures, in figures.spec.ts.
for (const { path, title } of routes.filter(({ path }) => !/^(w|chapter)\/./.test(path))) {
  test(`/${path} shows itself, on a phone too, axe finds nothing, and it needs no scrolling sideways`, async ({ page }) => {
    await opened(page, path, samples.has(path));
    await sound(page, title);
  });
}

test("the home page allows no script or style without its hash, is searched by keys, and an address without a page says so", async ({ page }) => {
  await page.goto("./");
  await ready(page);
  await test.step("no script or style may be inline without its hash", async () => {
    const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content");
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toContain("unsafe-inline");
    expect(policy).not.toContain("'unsafe-eval'");
  });

  await test.step("search finds a term with the keyboard alone", async () => {
    await page.keyboard.press("/");
    const field = page.locator("dialog[open] input");
    await expect(field).toBeFocused();
    await page.keyboard.type("master weights");
    await expect(page.locator('dialog[open] [role="option"]').first()).toBeVisible();
    await page.keyboard.press("Enter");
    await expect(page.locator("dialog[open]")).toHaveCount(0);
  });

  await test.step("a page that does not exist says so", async () => {
    await page.evaluate(() => history.pushState(null, "", "no/such/page"));
    await page.evaluate(() => dispatchEvent(new PopStateEvent("popstate")));
    await expect(page.locator("h1")).toContainText("no such page");
  });
});

test("a chapter: predict, see, answer wrongly, rightly, and come back", async ({ page }) => {
  await page.goto("chapter/memory-accounting/");
  await ready(page);
  // The figure stands there, and does not say yet what is asked.
  const figure = page.locator('.widget-slot#main [data-widget="memory-breakdown"]');
  await figure.scrollIntoViewIfNeeded();
  await expect(figure).toHaveClass(/withheld/);
  await expect(figure.locator(".finding")).toContainText("once you have committed to a prediction");
  await expect(figure.locator(".finding")).not.toContainText("480");
  await expect(figure.locator(".drawing, .deck, figcaption").and(page.locator(":not([inert])"))).toHaveCount(0);
  for (const part of ["figcaption", ".figure-below"]) await expect(figure.locator(part)).toBeHidden();
  const prediction = page.locator('[data-exercise="predict-30b"]');
  await prediction.getByRole("textbox").fill("60 GB");
  await prediction.getByRole("button", { name: "Commit" }).click();
  await expect(prediction).toContainText("weights alone");
  await expect(figure).not.toHaveClass(/withheld/);
  await expect(figure.locator(".finding")).toContainText("480 GB");
  await expect(figure.locator("[inert]")).toHaveCount(0);

  await page.locator('a.see', { hasText: "stage 3" }).first().click();
  await expect(figure.locator('output[data-quantity="total"]')).toHaveAttribute("data-value", "7500000000");

  // What is alive comes when it is near what is seen.
  const near = () => page.locator("#exercise-zero-2").scrollIntoViewIfNeeded();
  const zero2 = page.locator('[data-exercise="zero-2"]');
  await near();
  await zero2.locator("input").fill("8.67 GB");
  await zero2.getByRole("button", { name: "Check" }).click();
  await expect(zero2).toContainText("That is ZeRO-3");
  await zero2.locator("input").fill("33.6 GB");
  await zero2.getByRole("button", { name: "Check" }).click();
  await expect(zero2.locator(".answer.right")).toBeVisible();
  await page.reload();
  await ready(page);
  await near();
  await expect(zero2.locator(".answer.right")).toBeVisible();
  await expect(zero2.locator("input")).toHaveValue("33.6 GB");

  // What is solved shows in the contents, without the chapter being done: the same number as at home.
  const contents = page.getByRole("navigation", { name: "Contents" });
  const percent = contents.locator('a[data-chapter="memory-accounting"] .solved');
  await expect(percent).toHaveText(/^[1-9]\d?% done$/);
  await expect(contents.locator(".progress")).toContainText(/1% done/);
  const said = (await percent.textContent())!;
  await expect(contents.locator('a[data-chapter="activations"] .solved')).toBeHidden();
  await page.goto("./");
  await ready(page);
  await expect(page.locator("#memory-accounting .solved")).toHaveText(said);
});

test("the first link leads past the header to the text, not to the first figure", async ({ page }) => {
  await page.goto("chapter/memory-accounting/");
  await ready(page);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the text" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator("main")).toBeFocused();
});

test("an aside is closed until it is opened, by a link into it too, and is on paper", async ({ page }) => {
  await page.goto("chapter/inference/");
  await ready(page);
  const aside = page.locator("details.aside-fold").filter({ has: page.locator("#tiers") });
  await expect(aside).not.toHaveAttribute("open");
  const summary = aside.locator(":scope > summary");
  await expect(summary).toContainText(/Aside · \d+ min/);
  const contents = page.locator(".outline li").filter({ has: page.locator('a[href$="#tiers"]') });
  await expect(contents).toContainText(/Aside · \d+ min/);
  const figure = aside.locator(".widget-slot").first();
  await expect(figure).toBeHidden();
  await page.emulateMedia({ media: "print" });
  await expect(aside.locator("p").first()).toBeVisible();
  await page.emulateMedia({ media: null });
  await summary.press("Enter");
  await expect(figure).toBeVisible();
  await figure.scrollIntoViewIfNeeded();
  await expect(figure.locator("[data-widget]")).toBeVisible();
  await summary.press("Enter");
  await expect(figure).toBeHidden();
  await contents.getByRole("link").evaluate((link: HTMLAnchorElement) => link.click());
  await expect(aside).toHaveAttribute("open");
  await expect(page.locator("#tiers")).toBeInViewport();
  expect(await axe(page, "details.aside-fold")).toEqual([]);
});

test("what is typed while the page comes alive goes into the search, and changes nothing else", async ({ page }) => {
  const go = await hold(page, "**/*.wasm");
  await page.goto("./");
  await page.keyboard.press("t");
  await page.keyboard.type("/tp p");
  go();
  await expect(page.locator("dialog[open] input")).toHaveValue("tp p");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "system");
  await expect(page.locator("html")).not.toHaveAttribute("data-projecting");
});

test("a teacher’s tools have a page, which every one of them leads back to, and a switch", async ({ page }) => {
  await page.goto("w/memory-breakdown/");
  await ready(page);
  await expect(page.getByRole("button", { name: "Add to lecture" })).toBeHidden();
  const teach = page.getByRole("banner").getByRole("link", { name: "Teach", exact: true });
  await teach.click();
  await expect(page.getByRole("heading", { name: "Teach", level: 1 })).toBeVisible();
  const term = page.locator(".teach-term > li");
  await expect(term.locator("h2")).toHaveText([
    "Choose a syllabus",
    "Build a lecture",
    "Present it",
    "Let the room vote",
    "Set a quiz and mark it",
    "Take it to your platform",
    "Write your own",
  ]);
  // Each opens what it names, and what it opens leads back.
  const opened = await term.locator("a").evaluateAll((all) => all.map((a) => a.getAttribute("href")!));
  const tools = ["Teach", "Syllabus", "Lecture", "Presenter", "Voting cards", "Quiz", "Check", "Export", "Author"];
  for (const href of opened) {
    await page.goto(href);
    await ready(page);
    const row = page.getByRole("navigation", { name: "For teachers" });
    await expect(row.getByRole("link")).toHaveText(tools);
    await expect(row.locator("[aria-current=page]")).toHaveCount(1);
    await row.getByRole("link", { name: "Teach", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Teach", level: 1 })).toBeVisible();
  }
  // A learner’s quiz does not.
  await page.goto("quiz/?e=memory-accounting/weights");
  await ready(page);
  await expect(page.getByRole("navigation", { name: "For teachers" })).toHaveCount(0);

  await teach.click();
  await page.getByRole("checkbox", { name: "I teach with this" }).check();
  await page.goto("w/memory-breakdown/");
  await ready(page);
  await expect(page.getByRole("button", { name: "Add to lecture" })).toBeVisible();
});

test("a link that is followed at once after a change keeps its address", async ({ page }) => {
  await visit(page, "w/amdahl/?n=8");
  // Both within one turn: the change is still to be written when the link is followed.
  await page.evaluate(() => {
    const slider = document.querySelector<HTMLInputElement>("input[type=range]")!;
    slider.value = slider.max;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    const link = document.createElement("a");
    link.href = "w/amdahl/?n=16";
    document.body.append(link);
    link.click();
  });
  await page.waitForTimeout(600);
  expect(new URL(page.url()).search).toBe("?n=16");
  await page.evaluate(() => {
    const slider = document.querySelector<HTMLInputElement>("input[type=range]")!;
    slider.value = slider.min;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    document.querySelector<HTMLAnchorElement>('header.top a[href$="practice/"]')!.click();
  });
  await page.waitForTimeout(600);
  expect(new URL(page.url()).pathname).toBe("/practice/");
  expect(new URL(page.url()).search).toBe("");
});

// Every kind of exercise as a learner meets it: answered wrongly, then rightly, and still there after a reload.
import type { Locator, Page } from "@playwright/test";
import { axe, expect, hold, ready, test } from "./fixtures";

const CHAPTER = "chapter/memory-accounting/";
const RIGHT = "✓ solved";

/** Follows a link to an exercise. */
async function open(page: Page, id: string, query = "") {
  await page.goto(`${CHAPTER}${query}#exercise-${id}`);
  await ready(page);
  await page.locator(`[data-exercise="${id}"] .prompt:not(:empty)`).waitFor();
}

/** Types into the field, as for `number` and `predict`. */
async function answer(exercise: Locator, text: string, button: string) {
  await exercise.getByRole("textbox", { name: "Your answer" }).fill(text);
  await exercise.getByRole("button", { name: button }).click();
}

/** Chooses exactly these options and checks them. */
async function choose(exercise: Locator, options: string[], button = "Check") {
  for (const box of await exercise.getByRole("checkbox").all()) await box.uncheck();
  for (const option of options) await exercise.getByLabel(option, { exact: true }).check();
  await exercise.getByRole("button", { name: button }).click();
}

/** Chooses a partner for each. */
async function pair(exercise: Locator, partners: Record<string, string>) {
  for (const [left, right] of Object.entries(partners)) await exercise.getByLabel(left).selectOption({ label: right });
  await exercise.getByRole("button", { name: "Check" }).click();
}

/** Brings the items into this order with the arrow keys. */
async function order(exercise: Locator, items: string[]) {
  for (const [to, item] of items.entries()) {
    const place = async () => (await exercise.getByRole("listitem").allInnerTexts()).findIndex((text) => text.includes(item));
    for (let at = await place(); at > to; at = await place()) {
      const up = exercise.getByRole("button", { name: `Move ${item} up` });
      await up.focus();
      await up.press("ArrowUp");
      await expect(exercise.getByRole("status").first()).toHaveText(`${item}: place ${at} of ${items.length}.`);
      // The focus goes with the item.
      await expect(exercise.getByRole("button", { name: new RegExp(`^Move ${item} `) }).and(exercise.locator(":focus"))).toHaveCount(1);
    }
  }
  await exercise.getByRole("button", { name: "Check" }).click();
}

/** Moves the controls of a task's figure. */
async function steer(exercise: Locator, stage: string, ranks: string) {
  // Either the button that opens it or the figure.
  await exercise.locator(".task-figure > *").first().waitFor();
  const start = exercise.getByRole("button", { name: "Open the figure" });
  if (await start.isVisible()) await start.click();
  // What the task fixes can be seen, and can't be set.
  await expect(exercise.getByRole("group", { name: "Fixed by this task" }).getByRole("textbox").first()).toBeDisabled();
  await exercise.getByRole("radio", { name: stage }).check({ force: true });
  const field = exercise.getByRole("textbox", { name: "Data-parallel ranks" });
  await field.fill(ranks);
  await field.press("Enter");
}

interface Kind {
  kind: string;
  id: string;
  /** What it is called. */
  title: string | RegExp;
  wrong: (exercise: Locator) => Promise<void>;
  /** What is said to it: of a declared mistake, its own sentence. */
  said: string[];
  right: (exercise: Locator) => Promise<void>;
  /** What is said to that. */
  praise: string;
}

const KINDS: Kind[] = [
  {
    kind: "number",
    id: "zero-2",
    title: "One rank under ZeRO-2",
    wrong: (e) => answer(e, "8.67 GB", "Check"),
    said: ["That is ZeRO-3. You divided the weights by 24 as well"],
    right: (e) => answer(e, "31.3 GiB", "Check"),
    praise: RIGHT,
  },
  {
    kind: "choice of one",
    id: "what-stage-2-leaves",
    title: "The floor of stage 2",
    wrong: (e) => choose(e, ["4 bytes per parameter"]),
    said: ["That is stage 1, which keeps weights and gradients whole."],
    right: (e) => choose(e, ["2 bytes per parameter"]),
    praise: "everything else is divided and shrinks towards nothing",
  },
  {
    kind: "choice of several",
    id: "grows-with-batch",
    title: "What the batch costs",
    wrong: (e) => choose(e, ["Weights", "Activations"]),
    said: ["There is one copy of the weights, however many tokens pass through it."],
    right: (e) => choose(e, ["Activations", "The logits of the last layer"]),
    praise: "often the largest single tensor",
  },
  {
    kind: "prediction of a number",
    id: "predict-30b",
    title: /^Before you look Exercise \d+ of \d+ · prediction$/,
    wrong: (e) => answer(e, "60 GB", "Commit"),
    said: ["That is the weights alone"],
    right: (e) => answer(e, "480 GB", "Commit"),
    praise: "360 GB that belong to the optimizer",
  },
  {
    kind: "order",
    id: "order-layouts",
    title: "Which layout holds least",
    wrong: (e) => order(e, ["ZeRO-3 on 2 GPUs", "ZeRO-2 on 8 GPUs", "ZeRO-1 on 64 GPUs", "ZeRO-1 on 8 GPUs"]),
    said: ["“ZeRO-3 on 2 GPUs” is too early: it belongs after “ZeRO-2 on 8 GPUs”.", "A stage says what is sharded, not by how much"],
    right: (e) => order(e, ["ZeRO-2 on 8 GPUs", "ZeRO-1 on 64 GPUs", "ZeRO-1 on 8 GPUs", "ZeRO-3 on 2 GPUs"]),
    praise: "112 GB < 126 GB < 165 GB < 240 GB",
  },
  {
    kind: "match",
    id: "what-for",
    title: "What each copy is for",
    wrong: (e) =>
      pair(e, {
        gradients: "to hold the inputs of each layer until its backward pass",
        "fp32 master copy": "to let updates add up that bf16 would round away",
      }),
    said: ["1 of 4 not yet.", "The backward pass writes them"],
    right: (e) =>
      pair(e, {
        gradients: "to say in which direction each weight should move",
        "fp32 master copy": "to let updates add up that bf16 would round away",
        momentum: "to remember the mean of recent gradients",
        variance: "to scale each weight’s step by how large its gradients have been",
      }),
    praise: "Right, all of them",
  },
  {
    kind: "label",
    id: "label-zero-2",
    title: "Read the bar",
    wrong: (e) => pair(e, { "Part A": "weights", "Part B": "optimizer states", "Part C": "gradients" }),
    said: ["2 of 3 not yet."],
    right: (e) => pair(e, { "Part A": "gradients", "Part B": "optimizer states", "Part C": "weights" }),
    praise: "Twelve bytes per parameter, divided by 4: 90 GB",
  },
  {
    kind: "task",
    id: "task-stage-1",
    title: "Fit it without touching the weights",
    wrong: (e) => steer(e, "ZeRO-2", "64"),
    said: ["ZeRO stage 1 at most: not yet"],
    right: (e) => steer(e, "ZeRO-1", "16"),
    praise: "with 16 GPUs",
  },
  {
    kind: "trace",
    id: "trace-first-step",
    title: "Out of memory at the first step",
    wrong: (e) => choose(e, ["The weights are too large for one GPU", "Use eight times as many GPUs"], "Measure"),
    said: ["They take 16 GB of 80 GB.", "128 GB before, 128 GB after"],
    right: (e) =>
      choose(e, ["Every GPU holds all of the optimizer’s states", "Shard the optimizer’s states: ZeRO-1"], "Measure"),
    praise: "Right: the cause, and its proof",
  },
];

test("every kind: wrong, right, and there again", async ({ page }) => {
  test.slow();
  await open(page, KINDS[0].id);
  const before: string[] = [];
  for (const { kind, id, title, wrong, said, right, praise } of KINDS) {
    await test.step(kind, async () => {
      // A link within the page.
      await open(page, id);
      const exercise = page.getByRole("region", { name: title, exact: true });
      await wrong(exercise);
      for (const sentence of said) await expect(exercise).toContainText(sentence);
      await expect(exercise.getByText(RIGHT)).toBeHidden();
      await right(exercise);
      await expect(exercise).toContainText(praise);
      await expect(exercise).not.toContainText(said[0]);
      expect(await axe(page, `[data-exercise="${id}"]`)).toEqual([]);
      before.push(await exercise.innerText());
    });
  }
  await page.reload();
  for (const [i, { kind, id, title, praise }] of KINDS.entries()) {
    await test.step(`${kind}: there again`, async () => {
      await open(page, id);
      const exercise = page.getByRole("region", { name: title, exact: true });
      await expect(exercise).toContainText(praise);
      await expect.poll(() => exercise.innerText()).toBe(before[i]);
    });
  }
});

test("sketch: drawn by pointer and keys, far and near", async ({ page }) => {
  await open(page, "sketch-stage-1");
  const exercise = page.getByRole("region", { name: "What more ranks save" });
  const first = exercise.getByRole("slider", { name: "Data-parallel ranks: 1", exact: true });
  await first.focus();
  await expect(first).toHaveAttribute("aria-valuetext", "not drawn yet");
  for (let i = 0; i < 60; i += 1) await page.keyboard.press("ArrowRight");
  await expect(first).toHaveAttribute("aria-valuetext", "480 GB");
  await exercise.getByRole("radio", { name: "a guess" }).check();
  await exercise.getByRole("button", { name: "Commit" }).click();
  await expect(exercise).toContainText("Not drawn yet: 5 of 6 points.");
  // The rest in one stroke of the pointer, half as high as the axis.
  const axes = (await exercise.locator(".chart-sheet").boundingBox())!;
  const across = (part: number): [number, number] => [axes.x + axes.width * part, axes.y + axes.height * 0.48];
  await page.mouse.move(...across(0.3));
  await page.mouse.down();
  await page.mouse.move(...across(0.97), { steps: 4 });
  await page.mouse.up();
  await expect(exercise.getByRole("slider", { name: "Data-parallel ranks: 64", exact: true })).not.toHaveAttribute("aria-valuetext", "not drawn yet");
  await exercise.getByRole("button", { name: "Commit" }).click();
  await expect(exercise).toContainText("2 of 6 points are near the curve.");
  await expect(exercise).toContainText("Two ranks save 180 GB each");
  const unlocked = page.locator('#ranks [data-widget="memory-breakdown"]');
  await expect(unlocked).toBeVisible();
  await expect(unlocked).not.toHaveClass(/withheld/);
  expect(await axe(page, '[data-exercise="sketch-stage-1"]')).toEqual([]);
  await page.reload();
  await ready(page);
  await expect(exercise).toContainText("2 of 6 points are near the curve.");

  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await ready(page);
  for (const [ranks, gigabytes] of [[1, 480], [2, 300], [4, 210], [8, 165], [16, 144], [64, 126]]) {
    // A step is 3 GB.
    await exercise.getByRole("slider", { name: `Data-parallel ranks: ${ranks}`, exact: true }).fill(String(gigabytes / 3));
  }
  await exercise.getByRole("button", { name: "Commit" }).click();
  await expect(exercise).toContainText("6 of 6 points are near the curve.");
});

test("explain: written, compared, and marked by its author", async ({ page }) => {
  await open(page, "explain-stage-3");
  const exercise = page.getByRole("region", { name: "What stage 3 costs" });
  const compare = exercise.getByRole("button", { name: "Compare" });
  await expect(compare).toBeDisabled();
  await expect(exercise).not.toContainText("A good answer");
  await exercise.getByRole("textbox", { name: "Your explanation" }).fill("Layers are gathered twice.");
  await compare.click();
  await expect(exercise).toContainText("A good answer");
  const points = await exercise.getByRole("checkbox").all();
  for (const point of points.slice(1)) await point.check();
  await expect(exercise).toContainText(`You ticked ${points.length - 1} of ${points.length} points`);
  await expect(exercise.getByText(RIGHT)).toBeHidden();
  await points[0].check();
  await exercise.getByText(/^Example of a weak answer \(\d of \d\)$/).click();
  await expect(exercise.getByText("It earns:")).toBeVisible();
  await expect(exercise.getByText(RIGHT)).toBeVisible();
  expect(await axe(page, '[data-exercise="explain-stage-3"]')).toEqual([]);
  await page.reload();
  await ready(page);
  await expect(exercise.getByRole("textbox")).toHaveValue("Layers are gathered twice.");
  await expect(exercise.getByRole("checkbox", { checked: true })).toHaveCount(points.length);
});

test("hints come one at a time, and all of them before the solution", async ({ page }) => {
  await open(page, "zero-2");
  const exercise = page.getByRole("region", { name: "One rank under ZeRO-2" });
  const solution = exercise.getByRole("button", { name: "Show the solution" });
  await expect(solution).toBeHidden();
  await exercise.getByRole("button", { name: "Hint", exact: true }).click();
  await expect(exercise).toContainText("Which of the three does stage 2 shard?");
  await expect(exercise).not.toContainText("Weights stay whole");
  await expect(solution).toBeHidden();
  await exercise.getByRole("button", { name: "Another hint" }).click();
  await expect(exercise).toContainText("Weights stay whole");
  await expect(exercise.getByRole("button", { name: /hint/i })).toBeHidden();
  await solution.click();
  await expect(exercise).toContainText("Together 26 GB + 7.58 GB = 33.58 GB.");
  await exercise.getByRole("button", { name: "Hide the solution" }).click();
  await expect(exercise).not.toContainText("Together");
  // A wrong answer opens the way too.
  await page.locator("#exercise-zero-3").scrollIntoViewIfNeeded();
  const other = page.getByRole("region", { name: "Everything sharded" });
  await expect(other.getByRole("button", { name: "Show the solution" })).toBeHidden();
  await answer(other, "1 GB", "Check");
  await expect(other.getByRole("button", { name: "Show the solution" })).toBeVisible();
});

test("fresh numbers are asked for, and stay", async ({ page }) => {
  await open(page, "zero-2");
  const exercise = page.getByRole("region", { name: "One rank under ZeRO-2" });
  await answer(exercise, "33.6 GB", "Check");
  await expect(exercise.getByText(RIGHT)).toBeVisible();
  await exercise.getByRole("button", { name: "Fresh numbers" }).click();
  await expect(exercise).toContainText("set 1");
  await expect(exercise).not.toContainText("13 B parameters trains with AdamW under ZeRO-2 on 24 ranks");
  await expect(exercise.getByRole("textbox")).toHaveValue("");
  await answer(exercise, "33.6 GB", "Check");
  await expect(exercise.getByRole("status").filter({ hasText: /./ })).not.toContainText("Right");
  const question = await exercise.innerText();
  await page.reload();
  await ready(page);
  await expect.poll(() => exercise.innerText()).toBe(question);
});

test("an exercise is answered with the keyboard alone", async ({ page }) => {
  await open(page, "zero-2");
  const exercise = page.getByRole("region", { name: "One rank under ZeRO-2" });
  await exercise.getByRole("textbox").focus();
  await page.keyboard.type("8.67 GB");
  await page.keyboard.press("Enter");
  await expect(exercise).toContainText("That is ZeRO-3");
  await page.keyboard.press("Tab");
  await expect(exercise.getByRole("button", { name: "Check" })).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(exercise.getByRole("button", { name: "Hint" })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  // The button is gone; the focus is on what it brought.
  await expect(exercise.getByRole("list").and(exercise.locator(":focus"))).toContainText("Weights stay whole");
  await page.keyboard.press("Tab");
  await expect(exercise.getByRole("button", { name: "Show the solution" })).toBeFocused();

  await open(page, "what-stage-2-leaves");
  const choice = page.getByRole("region", { name: "The floor of stage 2" });
  await choice.getByRole("radio").first().focus();
  await page.keyboard.press("Space");
  while (!(await choice.getByLabel("2 bytes per parameter", { exact: true }).isChecked())) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(choice.getByText(RIGHT)).toBeVisible();
});

test.describe("a link to an exercise", () => {
  test("leads to it, although everything above it is still to come", async ({ page }) => {
    await open(page, "order-layouts");
    const top = () => page.getByRole("region", { name: "Which layout holds least" }).evaluate((e) => e.getBoundingClientRect().top);
    await expect.poll(top).toBeGreaterThan(40);
    await expect.poll(top).toBeLessThan(120);
    await page.evaluate(() => (location.hash = "exercise-eight-bit"));
    const other = page.getByRole("region", { name: "Quantized moments" });
    await expect.poll(() => other.evaluate((e) => Math.round(e.getBoundingClientRect().top / 100))).toBe(1);
  });

  test("with a seed shows everyone the same numbers", async ({ page, browser }) => {
    const prompt = async (p: Page) => {
      const text = p.getByRole("region", { name: "One rank under ZeRO-2" }).locator(".prompt");
      // Its numbers come with the model.
      await expect(text).not.toContainText("…");
      return text.innerText();
    };
    await open(page, "zero-2");
    const written = await prompt(page);
    const exercise = page.getByRole("region", { name: "One rank under ZeRO-2" });
    await answer(exercise, "33.6 GB", "Check");
    await expect(exercise.getByText(RIGHT)).toBeVisible();
    await open(page, "zero-2", "?seed=7");
    await expect(exercise).toContainText("set 7");
    const seven = await prompt(page);
    expect(seven).not.toBe(written);
    await expect(exercise.getByRole("textbox")).toHaveValue("");
    // Only that one: the others are as they were.
    await page.locator("#exercise-adam").scrollIntoViewIfNeeded();
    const other = page.getByRole("region", { name: "Adam’s share" });
    await expect(other.getByRole("textbox").first()).toBeVisible();
    await expect(other).not.toContainText("set 7");

    const stranger = await (await browser.newContext()).newPage();
    await open(stranger, "zero-2", "?seed=7");
    expect(await prompt(stranger)).toBe(seven);
    await stranger.context().close();

    // Looking costs nothing: without the seed, what was answered is there.
    await open(page, "zero-2");
    await expect(exercise.getByText(RIGHT)).toBeVisible();
    await expect(exercise.getByRole("textbox")).toHaveValue("33.6 GB");
  });

  test("with a seed and no exercise is for all of them", async ({ page }) => {
    await page.goto(`${CHAPTER}?seed=7#exercises`);
    await ready(page);
    for (const [id, title] of [["weights", "Weights in bf16"], ["adam", "Adam’s share"]]) {
      // Each stands under its section, and comes alive when it is near.
      await page.locator(`#exercise-${id}`).scrollIntoViewIfNeeded();
      await expect(page.getByRole("region", { name: title })).toContainText("set 7");
    }
  });

  test("keeps its numbers when they are answered, and gives them up for fresh ones", async ({ page }) => {
    await open(page, "zero-2", "?seed=7");
    const exercise = page.getByRole("region", { name: "One rank under ZeRO-2" });
    await answer(exercise, "1 GB", "Check");
    await page.goto(`${CHAPTER}#exercise-zero-2`);
    await page.reload();
    await ready(page);
    await expect(exercise).toContainText("set 7");
    await expect(exercise.getByRole("textbox")).toHaveValue("1 GB");
    await open(page, "zero-2", "?seed=7");
    await exercise.getByRole("button", { name: "Fresh numbers" }).click();
    await expect(exercise).toContainText("set 8");
    expect(new URL(page.url()).search).toBe("");
    await page.reload();
    await ready(page);
    await expect(exercise).toContainText("set 8");
  });

  test("with a seed that is none says so, and shows the exercise", async ({ page }) => {
    await open(page, "zero-2", "?seed=lucky");
    const exercise = page.getByRole("region", { name: "One rank under ZeRO-2" });
    await expect(exercise.getByRole("alert")).toContainText("seed must be a whole number from 0 to 9007199254740991, not “lucky”");
    await expect(exercise).toContainText("13 B parameters");
    expect(await axe(page, '[data-exercise="zero-2"]')).toEqual([]);
  });

  test("is copied with the numbers on screen", async ({ page, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await open(page, "zero-2");
    const exercise = page.getByRole("region", { name: "One rank under ZeRO-2" });
    await exercise.getByRole("button", { name: "Fresh numbers" }).click();
    await expect(exercise).toContainText("set 1");
    // Until the model is there, an ellipsis stands for each number.
    await expect(exercise.locator(".prompt")).not.toContainText("…");
    const text = await exercise.locator(".prompt").innerText();
    await exercise.getByRole("button", { name: "Copy link to these numbers" }).click();
    await expect(exercise.getByRole("button", { name: "Copied ✓" })).toBeVisible();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toMatch(/\/chapter\/memory-accounting\/\?seed=1#exercise-zero-2$/);
    await page.evaluate(() => localStorage.clear());
    await page.goto("./");
    await page.goto(link);
    await expect(exercise.locator(".prompt")).toHaveText(text);
  });
});

test("a chapter is printed with all of its exercises", async ({ page }) => {
  await page.goto(CHAPTER);
  await ready(page);
  const slots = await page.locator("[data-slot-exercise]").count();
  expect(await page.locator("[data-exercise]").count()).toBeLessThan(slots);
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await expect(page.locator("[data-exercise]")).toHaveCount(slots);
});

test("numbers that a link gives keep their place until they are there", async ({ page }) => {
  const go = await hold(page, "**/chapter-03-*.wasm");
  await page.goto(`${CHAPTER}?seed=7#exercise-zero-2`);
  await page.mouse.move(9, 9);
  const prompt = page.locator('[data-exercise="zero-2"] .prompt');
  await expect(prompt).toContainText("…");
  const before = (await prompt.boundingBox())!.height;
  go();
  await expect(prompt).not.toContainText("…");
  await expect(prompt).toContainText(/\d/);
  expect((await prompt.boundingBox())!.height).toBe(before);
});

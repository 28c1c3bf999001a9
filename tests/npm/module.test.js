// The npm package that `cargo xtask npm` makes, held against the program: both answer alike, and complain alike.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const { RINGSIDE_NPM: folder, RINGSIDE_PROGRAM: program } = process.env;
const here = pathToFileURL(`${folder}/`);
// As Node finds it by its name.
const ringside = await import(pathToFileURL(createRequire(here).resolve("ringside")));

const root = new URL("../../", import.meta.url);
const read = (path) => readFileSync(new URL(path, root));

function ran(...words) {
  const { stdout, stderr } = spawnSync(program, words, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
  return { stdout: stdout.trimEnd(), stderr: stderr.trimEnd() };
}

const printed = (...words) => JSON.parse(ran(...words, "--json").stdout);

/// A number, also one that is written.
const number = (value) => (typeof value === "string" && value !== "" ? Number(value) : typeof value === "number" ? value : NaN);

/// The same. Powers and logarithms may differ in their last digits between a processor and WebAssembly: a search for a zero stops elsewhere then, and what
/// is rounding alone is another.
function alike(ours, theirs, path = "") {
  const [a, b] = [ours, theirs].map(number);
  if (!Number.isNaN(a) && !Number.isNaN(b) && typeof ours === typeof theirs) {
    assert.ok(a === b || Math.abs(a - b) <= 1e-6 * Math.abs(b) + 1e-12, `${path}: ${ours} instead of ${theirs}`);
  } else if (ours && theirs && typeof ours === "object" && typeof theirs === "object") {
    assert.deepEqual(Object.keys(ours), Object.keys(theirs), path);
    for (const key of Object.keys(ours)) alike(ours[key], theirs[key], `${path}.${key}`);
  } else {
    assert.equal(ours, theirs, path);
  }
}

/// The same complaint.
function complains(call, ...words) {
  assert.throws(call, { name: "Unread", message: ran(...words).stderr });
}

/// Whether the types name the members of what is returned, and no others but optional ones.
function typed(value, name) {
  const types = readFileSync(new URL("ringside.d.ts", here), "utf8");
  const [, extended, body] = types.match(new RegExp(`interface ${name}(?: extends (\\w+))? \\{\\n([^]*?)\\n\\}`));
  const inherited = extended ? [...types.match(new RegExp(`interface ${extended} \\{\\n([^]*?)\\n\\}`))[1].matchAll(/^ {4}(\w+):/gm)] : [];
  const required = [...inherited, ...body.matchAll(/^ {4}(\w+):/gm)].map(([, member]) => member);
  const optional = [...body.matchAll(/^ {4}(\w+)\?:/gm)].map(([, member]) => member);
  assert.deepEqual(required.filter((member) => !(member in value)), [], name);
  assert.deepEqual(Object.keys(value).filter((member) => ![...required, ...optional].includes(member)), [], name);
}

const STATE = "params=30e9&zero=3&dp=64";
const RUN = "tests/fixtures/runs/torchtitan-llama-3.1-8b-8xh100-compile.toml";
const LOG = "step: 4 memory: 66.91GiB(37.51%) tps: 5,050 tflops: 1 mfu: 1%\n";

test("every figure is listed, described and asked as by the program", () => {
  const figures = ringside.figures();
  alike(figures, printed("figures"));
  typed(figures[0], "Figure");
  for (const { id } of figures) {
    alike(ringside.describe(id), printed("describe", id));
    alike(ringside.ask(id), printed("ask", id));
  }
  typed(ringside.describe("kv-cache"), "Description");
  complains(() => ringside.describe("kv-cahce"), "describe", "kv-cahce");
});

test("a state is asked and held to assertions", () => {
  const answer = ringside.ask("memory-breakdown", STATE, ["total < 75e9", "total > h100_80.memory"]);
  alike(answer, printed("ask", "memory-breakdown", STATE, "--assert", "total < 75e9", "--assert", "total > h100_80.memory"));
  assert.deepEqual(answer.assertions.map(({ holds }) => holds), [true, false]);
  assert.equal(answer.quantities.find(({ id }) => id === "total").value, 7.5e9);
  typed(answer, "Answer");
  typed(answer.quantities[0], "Quantity");
  complains(() => ringside.ask("memory-breakdown", "params=many"), "ask", "memory-breakdown", "params=many");
  complains(() => ringside.ask("memory-breakdown", "", ["totl < 1"]), "ask", "memory-breakdown", "--assert", "totl < 1");
});

test("a config.json is counted", () => {
  const path = "tests/fixtures/brought/deepseek-moe-16b.json";
  const config = ringside.config(read(path).toString());
  alike(config, printed("config", path));
  assert.equal(config.parameters, 16_375_728_128);
  typed(config, "Config");
  assert.throws(() => ringside.config("{}"), { name: "Unread" });
});

test("a run is compared and checked", () => {
  const name = RUN.split("/").at(-1);
  const files = [{ name, content: read(RUN) }];
  const report = ringside.run(files);
  alike(report, printed("run", RUN));
  typed(report, "Report");
  alike(ringside.check(files, ["mfu > 0.1", "mfu > 0.99"]), printed("check", RUN, "--assert", "mfu > 0.1", "--assert", "mfu > 0.99"));
  complains(() => ringside.check(files, ["mfo > 0.1"]), "check", RUN, "--assert", "mfo > 0.1");
  complains(() => ringside.check(files), "check", RUN);
  const both = ringside.run([...files, { name: "log.txt", content: LOG }]);
  assert.equal(both.files[1].kind, "log");
  assert.equal(both.run.measured["tokens-per-gpu"].value, 5050);
  for (const files of [[{ name: "log.txt" }], [{ content: LOG }], [{ name: "a", content: "hello" }]]) {
    assert.throws(() => ringside.run(files), { name: "Unread" });
  }
});

test("a figure is drawn", () => {
  assert.equal(ringside.svg("amdahl", "n=64").trimEnd(), ran("svg", "amdahl", "n=64").stdout);
  complains(() => ringside.svg("no-such"), "svg", "no-such");
});

test("a browser gets the same module", () => {
  // In a process of its own, where nothing has been started; Node's own fetch reads no files.
  const page = `
    import { readFileSync } from "node:fs";
    globalThis.fetch = async (address) => new Response(readFileSync(address), { headers: { "content-type": "application/wasm" } });
    const { ask } = await import(process.argv[1]);
    console.log(JSON.stringify(ask("amdahl")));
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", page, new URL("browser.js", here)], { encoding: "utf8" });
  assert.ok(stdout, stderr);
  assert.deepEqual(JSON.parse(stdout), ringside.ask("amdahl"));
});

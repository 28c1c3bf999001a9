//! `test`: every check there is, stage by stage, and one line of totals at the end.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::args::Options;
use crate::browser;
use crate::build::{self, Plan};
use crate::failure::{Context, Failure, Result};
use crate::process::{self, command, say};
use crate::serve::Server;
use crate::tools;

/// A stage: its name, whether `--fast` runs it, and what it does.
struct Stage {
    name: &'static str,
    fast: bool,
    run: fn(&mut Totals) -> Result<()>,
}

const STAGES: &[Stage] = &[
    Stage { name: "fmt", fast: true, run: |_| process::run(command("cargo").args(["fmt", "--all", "--check"])) },
    Stage { name: "clippy", fast: true, run: clippy },
    Stage { name: "clippy-wasm", fast: false, run: clippy_wasm },
    Stage { name: "unit", fast: true, run: unit },
    Stage { name: "docs", fast: false, run: docs },
    Stage { name: "build", fast: false, run: |_| build::build(&Plan::default()) },
    Stage { name: "browser", fast: false, run: browser_tests },
    Stage { name: "firefox", fast: false, run: firefox_tests },
];

/// How many tests there were, by outcome. A stage without tests of its own counts as one.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Totals {
    passed: u64,
    failed: u64,
    skipped: u64,
}

impl Totals {
    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// `cargo xtask test`.
pub(crate) fn main(options: &Options) -> Result<()> {
    let stages = chosen(options)?;
    let mut totals = Totals::default();
    let mut lines = Vec::new();
    let mut built = true;
    for stage in stages {
        if let Some(why) = missing(stage, built) {
            totals.skipped += 1;
            lines.push(format!("  {:<12} skipped: {why}", stage.name));
            continue;
        }
        say(format_args!("{} …", stage.name));
        let before = totals;
        let started = Instant::now();
        let outcome = (stage.run)(&mut totals);
        let seconds = started.elapsed().as_secs();
        match &outcome {
            Ok(()) if totals == before => totals.passed += 1,
            Ok(()) => {}
            // Tests that failed are counted already; anything else that failed is one failure.
            Err(failure) => {
                eprintln!("{failure}");
                if totals.failed == before.failed {
                    totals.failed += 1;
                }
                built &= stage.name != "build";
            }
        }
        lines.push(format!("  {:<12} {} in {seconds} s", stage.name, if outcome.is_ok() { "ok" } else { "FAILED" }));
    }
    println!("{}", lines.join("\n"));
    println!("{} passed, {} failed, {} skipped", totals.passed, totals.failed, totals.skipped);
    if totals.failed > 0 { Err(Failure::from("some checks failed; see above.".to_owned())) } else { Ok(()) }
}

fn chosen(options: &Options) -> Result<Vec<&'static Stage>> {
    let Some(names) = options.value("--only") else {
        return Ok(STAGES.iter().filter(|s| s.fast || !options.has("--fast")).collect());
    };
    let known: Vec<&str> = STAGES.iter().map(|s| s.name).collect();
    for name in names.split(',') {
        if !known.contains(&name) {
            return Err(Failure::usage(format!("There is no stage “{name}”. Stages: {}.", known.join(", "))));
        }
    }
    Ok(STAGES.iter().filter(|s| names.split(',').any(|n| n == s.name)).collect())
}

/// What a stage cannot be run without, if that is missing.
fn missing(stage: &Stage, built: bool) -> Option<String> {
    match stage.name {
        "browser" | "firefox" if !built => Some("the site was not built".to_owned()),
        "firefox" => browser::no_firefox(),
        _ => None,
    }
}

fn clippy(_: &mut Totals) -> Result<()> {
    process::run(command("cargo").args(["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}

fn clippy_wasm(_: &mut Totals) -> Result<()> {
    tools::ensure_target()?;
    let packages = ["ringside-app", "ringside-gpu", "ringside-workers"].map(|name| ["--package", name]).concat();
    let mut cargo = command("cargo");
    cargo.args(["clippy", "--quiet", "--target", "wasm32-unknown-unknown"]).args(packages);
    process::run(cargo.args(["--", "-D", "warnings"]))
}

fn docs(_: &mut Totals) -> Result<()> {
    let mut cargo = command("cargo");
    process::run(cargo.args(["doc", "--quiet", "--no-deps", "--workspace"]).env("RUSTDOCFLAGS", "-D warnings"))
}

fn unit(totals: &mut Totals) -> Result<()> {
    streamed(command("cargo").args(["test", "--workspace", "--no-fail-fast"]), totals, rust_totals)
}

fn browser_tests(totals: &mut Totals) -> Result<()> {
    playwright(totals, &[], "CHROME", &browser::chromium()?)
}

fn firefox_tests(totals: &mut Totals) -> Result<()> {
    let firefox = browser::firefox()?.ok_or_else(|| "there is no Firefox.".to_owned())?;
    playwright(totals, &["--config", "firefox"], "FIREFOX", &firefox)
}

/// Runs the tests of a browser, which a variable names to them, on the site that was built.
fn playwright(totals: &mut Totals, arguments: &[&str], variable: &str, browser: &Path) -> Result<()> {
    browser::packages()?;
    let server = Server::quiet(&process::root().join("dist"))?;
    let mut playwright = command("npx");
    playwright.args(["playwright", "test"]).args(arguments).current_dir(browser::folder());
    playwright.env(variable, browser).env("RINGSIDE_URL", &server.address);
    streamed(&mut playwright, totals, playwright_totals)
}

/// Runs a command, shows what it prints, and adds up the totals in it.
fn streamed(command: &mut Command, totals: &mut Totals, read: fn(&str) -> Option<Totals>) -> Result<()> {
    let mut child = command.stdout(Stdio::piped()).spawn().could_not(|| "start the tests".to_owned())?;
    if let Some(out) = child.stdout.take() {
        for line in BufReader::new(out).lines().map_while(std::result::Result::ok) {
            println!("{line}");
            if let Some(found) = read(&line) {
                totals.add(found);
            }
        }
    }
    let status = child.wait().could_not(|| "wait for the tests".to_owned())?;
    if status.success() { Ok(()) } else { Err("tests failed.".to_owned().into()) }
}

/// `test result: ok. 3 passed; 0 failed; 1 ignored; …`
fn rust_totals(line: &str) -> Option<Totals> {
    let counts = line.trim().strip_prefix("test result: ")?;
    let count = |word: &str| number_before(counts, word);
    Some(Totals { passed: count(" passed")?, failed: count(" failed")?, skipped: count(" ignored")? })
}

/// Playwright's closing lines: `3 passed (5.1s)`, `1 failed`, `1 flaky`, `2 skipped`, `1 did not run`.
fn playwright_totals(line: &str) -> Option<Totals> {
    let line = line.trim();
    let (number, rest) = line.split_once(' ')?;
    let number = number.parse().ok()?;
    let mut totals = Totals::default();
    match rest.split(" (").next()? {
        "passed" => totals.passed = number,
        "failed" | "flaky" | "interrupted" => totals.failed = number,
        "skipped" | "did not run" => totals.skipped = number,
        _ => return None,
    }
    Some(totals)
}

fn number_before(text: &str, word: &str) -> Option<u64> {
    let (before, _) = text.split_once(word)?;
    before.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_read_from_what_the_runners_print() {
        let line = "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.1s";
        assert_eq!(rust_totals(line), Some(Totals { passed: 12, failed: 3, skipped: 1 }));
        assert_eq!(rust_totals("running 3 tests"), None);
        assert_eq!(playwright_totals("  47 passed (1.2m)"), Some(Totals { passed: 47, ..Totals::default() }));
        assert_eq!(playwright_totals("  1 flaky"), Some(Totals { failed: 1, ..Totals::default() }));
        assert_eq!(playwright_totals("Running 47 tests using 2 workers"), None);
        assert_eq!(playwright_totals("  2 passed the door"), None);
    }
}

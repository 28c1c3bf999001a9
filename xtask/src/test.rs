//! `test`: every check there is, stage by stage, and one line of totals at the end.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use crate::args::Options;
use crate::browser;
use crate::build::{BROWSERS, elsewhere};
use crate::exports;
use crate::frameworks;
use crate::labs;
use crate::outcomes::Outcomes;
use crate::package;
use crate::serve::Server;
use crate::tools;
use xtask::failure::{Context, Failure, Result};
use xtask::process::{self, command, say};

/// A stage.
struct Stage {
    name: &'static str,
    /// Whether `--fast` runs it.
    fast: bool,
    /// The stages without whose success it is not run.
    needs: &'static [&'static str],
    run: fn(&Options) -> Result<Outcomes>,
}

const STAGES: &[Stage] = &[
    Stage { name: "fmt", fast: true, needs: &[], run: |_| cargo(&["fmt", "--all", "--check"]) },
    Stage {
        name: "clippy",
        fast: true,
        needs: &[],
        // What runs in a browser is left to `clippy-wasm`.
        run: |_| clippy(&["--all-targets"], &elsewhere()),
    },
    Stage { name: "clippy-wasm", fast: true, needs: &[], run: clippy_wasm },
    Stage { name: UNIT, fast: true, needs: &[], run: unit },
    Stage { name: "docs", fast: false, needs: &[], run: docs },
    Stage { name: BUILD, fast: false, needs: &[], run: |_| Ok(Outcomes::default()) },
    Stage { name: "npm", fast: false, needs: &[UNIT, BUILD], run: |_| package::test() },
    Stage { name: "browser", fast: false, needs: &[UNIT, BUILD], run: browser_tests },
    Stage { name: "firefox", fast: false, needs: &[UNIT, BUILD], run: firefox_tests },
    Stage { name: VULKAN, fast: false, needs: &[UNIT], run: vulkan },
    Stage { name: FRAMEWORKS, fast: false, needs: &[], run: |_| frameworks::test() },
    Stage { name: EXPORTS, fast: false, needs: &[], run: |_| exports::test() },
    Stage { name: LABS, fast: false, needs: &[], run: |_| labs::test() },
];
const UNIT: &str = "unit";
/// Kernels natively: compiling wgpu for it takes minutes, so it is run where there is a driver.
const VULKAN: &str = "vulkan";
/// A stage that is run only by its name: it fetches other people's sources, and a test holds the exports to what it wrote.
const FRAMEWORKS: &str = "frameworks";
/// Another, of the same kind, which needs PHP.
const EXPORTS: &str = "exports";
/// Another: it installs PyTorch, and a test holds what the scripts printed once.
const LABS: &str = "labs";
/// The site's own stage: it is begun with the first one, since half of it is one thread of the compiler's.
const BUILD: &str = "build";
/// What property tests draw from: the same sources pass again or fail again. `cargo test` by itself draws anew.
const SEED: &str = "PROPTEST_RNG_SEED";
/// How many of the slowest tests are named: browser tests and whole programs of Rust's, whose harness times no single test.
const SLOWEST: usize = 15;
/// Where the seconds of each stage and the slowest tests are written.
const TIMES: &str = "target/test-times.txt";

/// `cargo xtask test`.
pub(crate) fn main(options: &Options) -> Result<()> {
    let stages = chosen(options)?;
    let mut site = if stages.iter().any(|stage| stage.name == BUILD) { Some(SiteBuild::begin()?) } else { None };
    let mut all = Outcomes::default();
    let mut lines = Vec::new();
    let mut failed: Vec<&str> = Vec::new();
    for stage in stages {
        if let Some(why) = missing(stage, &failed) {
            all.skipped += 1;
            lines.push(format!("  {:<12} skipped: {why}", stage.name));
            continue;
        }
        say(format_args!("{} …", stage.name));
        let started = Instant::now();
        let outcome = match site.take_if(|_| stage.name == BUILD) {
            Some(site) => site.end(),
            None => (stage.run)(options),
        };
        let seconds = started.elapsed().as_secs();
        let mut found = outcome.unwrap_or_else(|failure| {
            eprintln!("{failure}");
            Outcomes { failed: 1, failures: vec![stage.name.to_owned()], ..Outcomes::default() }
        });
        found.passed += u64::from(found.count() == 0);
        let ok = found.failed == 0;
        if !ok {
            failed.push(stage.name);
        }
        let line = format!("  {:<12} {} in {seconds} s", stage.name, if ok { "ok" } else { "FAILED" });
        say(&line);
        lines.push(line);
        all.add(found);
    }
    let slowest = all.slowest(SLOWEST);
    lines.extend(slowest.into_iter().map(|(seconds, name)| format!("  {seconds:>6.1} s  {name}")));
    lines.extend(all.failures.iter().map(|name| format!("  failed: {name}")));
    lines.extend(all.flaky.iter().map(|name| format!("  flaky: passed only at its second try: {name}")));
    let lines = lines.join("\n");
    process::write(&process::root().join(TIMES), &lines)?;
    println!("{lines}\n{} passed, {} failed, {} skipped", all.passed, all.failed, all.skipped);
    if all.failed > 0 { Err(Failure::from("some checks failed; see above.".to_owned())) } else { Ok(()) }
}

/// The release build, beside the other stages.
struct SiteBuild {
    process: Child,
    log: PathBuf,
}

impl SiteBuild {
    /// Begins it. What it says is kept for [`SiteBuild::end`].
    fn begin() -> Result<Self> {
        let log = process::scratch("build")?.join("log");
        let file = File::create(&log).could_not(|| format!("create {}", log.display()))?;
        let both = file.try_clone().could_not(|| "write one log of two outputs".to_owned())?;
        let program = std::env::current_exe().could_not(|| "find this program".to_owned())?;
        let process =
            command(program).args(["build", "--with-tests"]).stdin(Stdio::null()).stdout(file).stderr(both).spawn();
        Ok(Self { process: process.could_not(|| "start the build".to_owned())?, log })
    }

    fn end(mut self) -> Result<Outcomes> {
        let status = self.process.wait().could_not(|| "wait for the build".to_owned())?;
        eprint!("{}", process::read_text(&self.log)?);
        if status.success() { Ok(Outcomes::default()) } else { Err("the site could not be built.".into()) }
    }
}

fn chosen(options: &Options) -> Result<Vec<&'static Stage>> {
    let Some(names) = options.value("--only") else {
        let usual = STAGES.iter().filter(|s| ![FRAMEWORKS, EXPORTS, LABS].contains(&s.name));
        return Ok(usual.filter(|s| s.fast || !options.has("--fast")).collect());
    };
    let known: Vec<&str> = STAGES.iter().map(|s| s.name).collect();
    for name in names.split(',') {
        if !known.contains(&name) {
            return Err(Failure::usage(format!("There is no stage “{name}”. Stages: {}.", known.join(", "))));
        }
    }
    Ok(STAGES.iter().filter(|s| names.split(',').any(|n| n == s.name)).collect())
}

/// Why a stage is not run, if it is not: what it needs has failed, or is not here.
fn missing(stage: &Stage, failed: &[&str]) -> Option<String> {
    match stage.needs.iter().find(|needed| failed.contains(needed)) {
        Some(needed) => Some(format!("{needed} failed")),
        None if stage.name == "firefox" => browser::no_firefox(),
        None if stage.name == VULKAN => no_vulkan(),
        None => None,
    }
}

/// Why kernels can't be run without a browser, if they can't: where drivers say that they are, there is none.
fn no_vulkan() -> Option<String> {
    let told = ["VK_DRIVER_FILES", "VK_ADD_DRIVER_FILES", "VK_ICD_FILENAMES"]
        .iter()
        .any(|name| std::env::var_os(name).is_some());
    let folders = ["/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
    let there = || folders.iter().any(|folder| std::fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some()));
    (!told && !there()).then(|| "there is no Vulkan driver here".to_owned())
}

fn vulkan(_: &Options) -> Result<Outcomes> {
    let natively = ["--package", "ringside-gpu", "--features", "vulkan"];
    clippy(&["--all-targets"], &natively)?;
    let mut outcomes = Outcomes::default();
    let mut cargo = command("cargo");
    streamed(cargo.args(["test", "--test", VULKAN]).args(natively), |line| outcomes.read_line(line))?;
    Ok(outcomes)
}

/// What runs in a browser, compiled for one.
fn in_browsers() -> Vec<&'static str> {
    let packages = BROWSERS.map(|name| ["--package", name]).concat();
    [&packages[..], &["--target", "wasm32-unknown-unknown"]].concat()
}

fn cargo(arguments: &[&str]) -> Result<Outcomes> {
    process::run(command("cargo").args(arguments))?;
    Ok(Outcomes::default())
}

fn clippy(what: &[&str], packages: &[&str]) -> Result<Outcomes> {
    cargo(&[&["clippy", "--quiet"], what, packages, &["--", "-D", "warnings"]].concat())
}

fn clippy_wasm(_: &Options) -> Result<Outcomes> {
    tools::ensure_target()?;
    clippy(&[], &in_browsers())
}

fn docs(_: &Options) -> Result<Outcomes> {
    let sysroot = process::output(command("rustc").args(["--print", "sysroot"]))?;
    let document = |what: &[&str]| {
        let mut cargo = command("cargo");
        cargo.args(["doc", "--quiet", "--no-deps", "--lib"]).args(what).env("RUSTDOCFLAGS", "-D warnings");
        // As cargo-clippy calls it: what clippy has read is not read again.
        cargo.env("RUSTC_WORKSPACE_WRAPPER", Path::new(sysroot.trim()).join("bin/clippy-driver"));
        process::run(cargo.env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__"))
    };
    document(&elsewhere())?;
    tools::ensure_target()?;
    // For the machine that `clippy-wasm` has read Leptos for.
    document(&in_browsers())?;
    Ok(Outcomes::default())
}

fn unit(_: &Options) -> Result<Outcomes> {
    let mut outcomes = Outcomes::default();
    let mut cargo = command("cargo");
    // What runs in a browser has no tests of its own.
    cargo.arg("test").args(elsewhere()).arg("--no-fail-fast");
    if std::env::var_os(SEED).is_none() {
        cargo.env(SEED, "1");
    }
    let tests = streamed(&mut cargo, |line| outcomes.read_line(line));
    if tests.is_err() && outcomes.failed == 0 {
        outcomes.failed = 1;
        outcomes.failures.push("a program that did not get as far as to count its tests".to_owned());
    }
    Ok(outcomes)
}

fn browser_tests(options: &Options) -> Result<Outcomes> {
    let shard = options.value("--shard").map(|part| format!("--shard={part}"));
    let arguments: Vec<&str> = shard.as_deref().into_iter().collect();
    playwright("browser", &arguments, "CHROME", &browser::chromium()?)
}

fn firefox_tests(_: &Options) -> Result<Outcomes> {
    let firefox = browser::firefox()?.ok_or_else(|| "there is no Firefox.".to_owned())?;
    playwright("firefox", &["--config", "firefox"], "FIREFOX", &firefox)
}

/// Runs the tests of a browser, which a variable names to them, on the site that was built.
fn playwright(name: &str, arguments: &[&str], variable: &str, browser: &Path) -> Result<Outcomes> {
    browser::packages()?;
    let server = Server::quiet(&process::root().join("dist"))?;
    let report = process::scratch(name)?.join("report.json");
    let mut playwright = command("npx");
    playwright.args(["playwright", "test", "--reporter=list,json"]).args(arguments).current_dir(browser::folder());
    playwright.env(variable, browser).env("RINGSIDE_URL", &server.address).env("PLAYWRIGHT_JSON_OUTPUT_NAME", &report);
    let status = playwright.status().could_not(|| "start the tests".to_owned())?;
    let text = process::read_text(&report).map_err(|_| format!("the {name} tests could not be run ({status})."))?;
    let mut outcomes =
        Outcomes::of_playwright(&serde_json::from_str(&text).could_not(|| "read the report".to_owned())?);
    let died = !status.success() && outcomes.failed == 0;
    outcomes.failed += u64::from(died);
    Ok(outcomes)
}

/// Runs a command, shows what it prints, and has each line of it read.
fn streamed(command: &mut Command, mut read: impl FnMut(&str)) -> Result<()> {
    let (out, both) = std::io::pipe().could_not(|| "make a pipe".to_owned())?;
    let errors = both.try_clone().could_not(|| "write one log of two outputs".to_owned())?;
    let mut child = command.stdout(both).stderr(errors).spawn().could_not(|| "start the tests".to_owned())?;
    // The command keeps the pipe open otherwise.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    for line in BufReader::new(out).lines().map_while(std::result::Result::ok) {
        println!("{line}");
        read(&line);
    }
    let status = child.wait().could_not(|| "wait for the tests".to_owned())?;
    if status.success() { Ok(()) } else { Err("tests failed.".to_owned().into()) }
}

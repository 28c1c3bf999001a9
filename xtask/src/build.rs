//! `build`: the app and its workers compiled by cargo, and the site made of them and of the course by `ringside-site`.

use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::failure::{Context, Failure, Result};
use xtask::process::{self, command, say};

use crate::args::Options;
use crate::package;
use crate::tools::{self, WASM};

/// The package and the program that a page starts.
const APP: &str = "ringside-app";
const WORKERS: &str = "ringside-workers";
/// What a site is made of: the app, and the workers.
pub(crate) const SITE: [&str; 2] = [APP, WORKERS];
/// What runs in a browser, and is compiled for nothing else.
pub(crate) const BROWSERS: [&str; 4] = [APP, WORKERS, "ringside-pieces", package::PACKAGE];

/// Everything else, as cargo is told.
pub(crate) fn elsewhere() -> Vec<&'static str> {
    let others = BROWSERS.map(|name| ["--exclude", name]).concat();
    [&["--workspace", "--features", "ringside-site/split"], &others[..]].concat()
}

/// What to build, and where to.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The path under which the site will be served, with slashes around it.
    pub(crate) public_url: String,
    /// Where the site goes.
    pub(crate) out: PathBuf,
    /// Whether to build although content has mistakes.
    pub(crate) lenient: bool,
    /// How to compile it.
    pub(crate) profile: Profile,
    /// Whether the tests are compiled at the same time, and prove the course; with the npm package, which a stage calls.
    pub(crate) with_tests: bool,
}

/// How the app and its workers are compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Small and split, for learners.
    Release,
    /// Quickly, large and in one piece, for whoever works on the site.
    Development,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            public_url: "/".into(),
            out: process::root().join("dist"),
            lenient: false,
            profile: Profile::Release,
            with_tests: false,
        }
    }
}

/// `cargo xtask build`.
pub(crate) fn main(options: &Options) -> Result<()> {
    let mut plan = Plan {
        lenient: options.has("--lenient"),
        with_tests: options.has("--with-tests"),
        profile: if options.has("--dev") { Profile::Development } else { Profile::Release },
        ..Plan::default()
    };
    if let Some(out) = options.value("--out") {
        plan.out = process::given_path(out);
    }
    if let Some(url) = options.value("--public-url") {
        plan.public_url = public_url(url)?;
    }
    build(&plan)
}

/// Builds the site.
pub(crate) fn build(plan: &Plan) -> Result<()> {
    tools::ensure_target()?;
    let target = target_folder()?;
    say("1/3 compiling the app and its workers for the browser");
    let packages: Vec<&str> = SITE.into_iter().chain(plan.with_tests.then_some(package::PACKAGE)).collect();
    compile(plan.profile, &packages)?;
    say("2/3 compiling what renders the course and writes the site");
    maker(plan.profile, plan.with_tests)?;
    say("3/3 rendering the course and writing the site");
    make(plan, &target)?;
    say(format_args!("built {}", plan.out.display()));
    Ok(())
}

/// Compiles packages for the browser: together, so that what they share is compiled once.
pub(crate) fn compile(profile: Profile, packages: &[&str]) -> Result<()> {
    let mut cargo = for_browsers("build");
    cargo.args(packages.iter().flat_map(|package| ["--package", package]));
    if profile == Profile::Release {
        cargo.arg("--release");
        cargo.args(["--features", "ringside-app/split"].iter().filter(|_| packages.contains(&APP)));
        cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", remap_flags());
    }
    process::run(&mut cargo)
}

/// A cargo command for the browser.
fn for_browsers(name: &str) -> Command {
    let mut cargo = command("cargo");
    cargo.args([name, "--target", WASM]);
    // The flags come from .cargo/config.toml; these would replace them.
    cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    cargo
}

/// Compiles `ringside-site` with what the profile needs of it; for a release with all tests, or with a test of its own.
pub(crate) fn maker(profile: Profile, with_tests: bool) -> Result<()> {
    let mut cargo = command("cargo");
    match profile {
        // A release proves every exercise, with models that are optimized as for the tests.
        Profile::Release => {
            cargo.args(["test", "--no-run"]).args(elsewhere());
            // Beside the tests it's compiled with all of them, and shares what they have: with fewer, cargo gives dependencies other features.
            cargo.args(["--test", "site"].iter().filter(|_| !with_tests))
        }
        Profile::Development => cargo.args(["build", "--bin", "ringside-site", "--features", "ringside-site/bind"]),
    };
    process::run(&mut cargo)
}

/// Where cargo leaves what it compiled for the browser.
pub(crate) fn compiled(profile: Profile, target: &Path) -> PathBuf {
    target.join(WASM).join(if profile == Profile::Release { "release" } else { "debug" })
}

/// Has `ringside-site` make the site of what was compiled.
pub(crate) fn make(plan: &Plan, target: &Path) -> Result<()> {
    let release = plan.profile == Profile::Release;
    let compiled = compiled(plan.profile, target);
    let mut maker = command(target.join("debug/ringside-site"));
    maker.args(["write", "--public-url", &plan.public_url]);
    maker.arg("--wasm").arg(compiled).arg("--out").arg(&plan.out);
    maker.args(release.then_some("--split")).args(plan.lenient.then_some("--lenient"));
    maker.args(plan.with_tests.then_some("--proven"));
    process::run(&mut maker)
}

/// `cargo xtask content`, and `cargo xtask finish`, which Trunk calls: `ringside-site` by itself.
pub(crate) fn site(arguments: &[&str]) -> Result<()> {
    let mut cargo = command("cargo");
    cargo.args(["run", "--quiet", "--bin", "ringside-site", "--"]);
    process::run(cargo.args(arguments))
}

/// The paths of the registry's sources end up in panic messages; without where this machine keeps them, two machines
/// build the same bytes, and fewer.
fn remap_flags() -> String {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")));
    let Some(sources) = home.map(|home| home.join("registry/src")) else { return String::new() };
    let Ok(registries) = sources.read_dir() else { return String::new() };
    let mut flags: Vec<String> = registries
        .filter_map(|entry| Some(entry.ok()?.path().to_str()?.to_owned()))
        .filter(|path| !path.contains(char::is_whitespace))
        .map(|path| format!("--remap-path-prefix={path}/="))
        .collect();
    flags.sort();
    flags.join(" ")
}

/// `/sub/` of `sub`, `/sub` and the like.
pub(crate) fn public_url(given: &str) -> Result<String> {
    let inner = given.trim_matches('/');
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~' | '/');
    if given.contains("://") || !inner.chars().all(plain) || inner.split('/').any(|part| part == ".." || part == ".") {
        return Err(Failure::usage(format!(
            "--public-url is the path under which the site is served, such as /ringside/; “{given}” is none."
        )));
    }
    Ok(if inner.is_empty() { "/".into() } else { format!("/{inner}/") })
}

/// Where cargo puts what it builds.
pub(crate) fn target_folder() -> Result<PathBuf> {
    let text = process::output(command("cargo").args(["metadata", "--no-deps", "--format-version", "1"]))?;
    let value: serde_json::Value = serde_json::from_str(&text).could_not(|| "read cargo's metadata".to_owned())?;
    value["target_directory"].as_str().map(PathBuf::from).ok_or_else(|| "cargo names no target folder.".into())
}

#[cfg(test)]
mod tests {
    use super::public_url;

    #[test]
    fn a_public_url_is_a_path_with_slashes_around_it() {
        for (given, expected) in
            [("/", "/"), ("", "/"), ("sub", "/sub/"), ("/a/b", "/a/b/"), ("/a-b_c.d/", "/a-b_c.d/")]
        {
            assert_eq!(public_url(given).ok().as_deref(), Some(expected));
        }
        for wrong in ["https://a.org/b/", "/a b/", "/../", "/a\"b/"] {
            assert_eq!(public_url(wrong).expect_err(wrong).code, 2);
        }
    }
}

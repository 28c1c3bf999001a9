//! `build`: the content rendered, the app and its workers compiled, and the site written of both.

use std::path::PathBuf;

use crate::args::Options;
use crate::content::{self, Rendered};
use crate::dist;
use crate::failure::{Context, Failure, Result};
use crate::process::{self, command, say};
use crate::progress::Progress;
use crate::split::{self, Program};
use crate::tools;
use crate::worker;

const WASM: &str = "wasm32-unknown-unknown";
/// The package and the program that a page starts.
const APP: &str = "ringside-app";

/// What to build, and where to.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The path under which the site will be served, with slashes around it.
    pub(crate) public_url: String,
    /// Where the site goes.
    pub(crate) out: PathBuf,
    /// Whether to build although content has mistakes.
    pub(crate) lenient: bool,
    /// Whether the build is to be quick, and the site large and not split: for whoever works on it.
    pub(crate) light: bool,
}

impl Plan {
    /// The profile of Cargo.toml.
    fn profile(&self) -> &'static str {
        if self.light { "light" } else { "release" }
    }
}

impl Default for Plan {
    fn default() -> Self {
        Self { public_url: "/".into(), out: process::root().join("dist"), lenient: false, light: false }
    }
}

/// `cargo xtask build`.
pub(crate) fn main(options: &Options) -> Result<()> {
    let mut plan = Plan { lenient: options.has("--lenient"), light: options.has("--dev"), ..Plan::default() };
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
    dist::check_out(&plan.out)?;
    tools::ensure_target()?;
    let binaryen = if plan.light { None } else { Some(tools::binaryen()?) };
    let target = target_folder()?;
    let built = target.join(WASM).join(plan.profile());
    // What stages usually take, in seconds on two cores: the first time, and after that.
    let (first, again) = if plan.light { ([120, 30], [25, 10]) } else { ([200, 60], [60, 20]) };
    let [app, beside] = if built.join("deps").is_dir() { again } else { first };
    let (content, finish) = (10, if plan.light { 10 } else { 70 });
    let mut progress = Progress::new(content + app + beside + finish);
    let rendered = progress.stage("rendering the content", content, || checked(plan.lenient))?;
    progress.stage("compiling the app", app, || compile(plan.profile()))?;
    let beside_it = "compiling the workers that run beside it";
    let workers =
        progress.stage(beside_it, beside, || worker::build(&target, WASM, plan.profile(), binaryen.as_ref()))?;
    let writing = if plan.light { "writing the site" } else { "splitting, shrinking and writing the site" };
    progress.stage(writing, finish, || {
        let (raw, scratch) = (built.join(format!("{APP}.wasm")), target.join("ringside").join(APP));
        let program: Program = match &binaryen {
            Some(binaryen) => split::split(&raw, APP, binaryen, &scratch)?,
            None => split::whole(&raw, APP, &scratch)?,
        };
        let staging = target.join("ringside/site");
        dist::write(&staging, &plan.public_url, &program, &workers, &rendered)?;
        dist::publish(&staging, &plan.out)
    })?;
    say(format_args!("built {}", plan.out.display()));
    Ok(())
}

/// Renders the content and prints every mistake in it; fails over them unless `lenient`.
fn checked(lenient: bool) -> Result<Rendered> {
    let rendered = content::render(lenient);
    for diagnostic in &rendered.diagnostics {
        eprintln!("{diagnostic}");
    }
    match rendered.diagnostics.len() {
        0 => Ok(rendered),
        count if lenient => {
            say(format_args!("content has {count} mistakes; they show in place"));
            Ok(rendered)
        }
        count => Err(format!(
            "content has {count} mistakes (above). Mend them, or see them in place with `cargo xtask serve`."
        )
        .into()),
    }
}

/// Compiles the app.
fn compile(profile: &str) -> Result<()> {
    let mut cargo = command("cargo");
    cargo.args(["rustc", "--package", APP, "--bin", APP, "--target", WASM, "--profile", profile]);
    // The flags come from .cargo/config.toml; these would replace them.
    cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    if profile == "release" {
        cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", remap_flags());
        // By these the module is split.
        cargo.args(["--", "-Clink-args=--emit-relocs"]);
    }
    process::run(&mut cargo)
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
fn target_folder() -> Result<PathBuf> {
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

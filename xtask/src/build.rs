//! `build`: the content rendered, the app and its workers compiled, and the site written of both.

use std::path::{Path, PathBuf};
use std::process::Command;

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
    /// How to compile it.
    pub(crate) profile: Profile,
}

/// How the app and its workers are compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Small and split, for learners.
    Release,
    /// Quickly, large and in one piece, for whoever works on the site.
    Light,
}

impl Profile {
    /// A cargo command for the browser.
    pub(crate) fn cargo(self, name: &str) -> Command {
        let mut cargo = command("cargo");
        cargo.args([name, "--target", WASM]);
        // The flags come from .cargo/config.toml; these would replace them.
        cargo.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
        match self {
            Self::Release => {
                cargo.arg("--release").env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", remap_flags());
            }
            // In cargo's profile for development, so that macros are compiled once for this program and for the app.
            Self::Light => {
                cargo.envs([("CARGO_PROFILE_DEV_OPT_LEVEL", "1"), ("CARGO_PROFILE_DEV_DEBUG", "false")]);
                // By the table [`split::whole`] calls back.
                cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", "-Clink-args=--export-table");
            }
        }
        cargo
    }

    /// Where in cargo's `target` folder the command leaves what it built.
    pub(crate) fn folder(self, target: &Path) -> PathBuf {
        target.join(WASM).join(if self == Self::Release { "release" } else { "debug" })
    }
}

impl Default for Plan {
    fn default() -> Self {
        Self { public_url: "/".into(), out: process::root().join("dist"), lenient: false, profile: Profile::Release }
    }
}

/// `cargo xtask build`.
pub(crate) fn main(options: &Options) -> Result<()> {
    let mut plan = Plan {
        lenient: options.has("--lenient"),
        profile: if options.has("--dev") { Profile::Light } else { Profile::Release },
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
    dist::check_out(&plan.out)?;
    tools::ensure_target()?;
    let light = plan.profile == Profile::Light;
    let binaryen = if light { None } else { Some(tools::binaryen()?) };
    let target = target_folder()?;
    let built = plan.profile.folder(&target);
    // What stages usually take, in seconds on two cores: the first time, and after that.
    let (first, again) = if light { (200, 40) } else { (260, 80) };
    let compiling = if built.join(format!("{APP}.wasm")).is_file() { again } else { first };
    let (content, finish) = (10, if light { 10 } else { 70 });
    let mut progress = Progress::new(content + compiling + finish);
    let rendered = progress.stage("rendering the content", content, || checked(plan.lenient))?;
    progress.stage("compiling the app and the workers beside it", compiling, || compile(plan.profile))?;
    let writing = if light { "writing the site" } else { "splitting, shrinking and writing the site" };
    progress.stage(writing, finish, || {
        let (raw, scratch) = (built.join(format!("{APP}.wasm")), target.join("ringside").join(APP));
        let program: Program = match &binaryen {
            Some(binaryen) => split::split(&raw, APP, binaryen, &scratch)?,
            None => split::whole(&raw, APP, &scratch)?,
        };
        let workers = worker::bind_all(&built, &target.join("ringside"), binaryen.as_ref())?;
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

/// Compiles the app and the workers.
fn compile(profile: Profile) -> Result<()> {
    let app = ["--package", APP];
    let workers = ["--package", worker::PACKAGE];
    match profile {
        Profile::Release => {
            let mut cargo = profile.cargo("rustc");
            // By these the module is split.
            process::run(cargo.args(app).args(["--bin", APP, "--", "-Clink-args=--emit-relocs"]))?;
            process::run(profile.cargo("build").args(workers))
        }
        // Together: each dependency is compiled once, with the features that any of them asks for.
        Profile::Light => process::run(profile.cargo("build").args(app).args(workers)),
    }
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

//! `build`, and the hook in which most of it happens.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::args::Options;
use crate::content;
use crate::dist;
use crate::failure::{Context, Failure, Result};
use crate::process::{self, command, say};
use crate::split;
use crate::tools;
use crate::worker;

const WASM: &str = "wasm32-unknown-unknown";
/// By this the hook knows that content may have mistakes.
const LENIENT: &str = "RINGSIDE_LENIENT";
/// By this Trunk.toml finds the program that runs already.
const XTASK: &str = "RINGSIDE_XTASK";

/// What to build, and where to.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The path under which the site will be served, with slashes around it.
    pub(crate) public_url: String,
    /// Where the site goes.
    pub(crate) out: PathBuf,
    /// Whether to build although content has mistakes.
    pub(crate) lenient: bool,
    /// A debug build.
    pub(crate) dev: bool,
}

impl Default for Plan {
    fn default() -> Self {
        Self { public_url: "/".into(), out: process::root().join("dist"), lenient: false, dev: false }
    }
}

/// `cargo xtask build`.
pub(crate) fn main(options: &Options) -> Result<()> {
    let mut plan = Plan { lenient: options.has("--lenient"), dev: options.has("--dev"), ..Plan::default() };
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
    let started = Instant::now();
    check_content(plan.lenient)?;
    let tools = tools::ensure()?;
    say("building the app (2 to 4 minutes the first time on two cores, under one after that)");
    let mut trunk = command(&tools.trunk);
    trunk.args(["build", "--quiet", "--dist"]).arg(&plan.out).args(["--public-url", &plan.public_url]);
    trunk.arg(if plan.dev { "--release=false" } else { "--release=true" });
    trunk.env("PATH", path_with(&tools.wasm_bindgen));
    // A failed build is no bug of Trunk's: what went wrong is above.
    trunk.env("TRUNK_SKIP_VERSION_CHECK", "true").env("RUST_BACKTRACE", "0");
    let program = std::env::current_exe().could_not(|| "find this program".to_owned())?;
    trunk.env(XTASK, program).env_remove(LENIENT);
    if plan.lenient {
        trunk.env(LENIENT, "1");
    }
    // The flags come from .cargo/config.toml; these would replace them.
    trunk.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    trunk.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", remap_flags());
    process::run(&mut trunk)?;
    say(format_args!("built {} in {} s", plan.out.display(), started.elapsed().as_secs()));
    Ok(())
}

/// Prints every mistake in the content; fails over them unless `lenient`.
fn check_content(lenient: bool) -> Result<()> {
    let diagnostics = content::render(lenient).diagnostics;
    for diagnostic in &diagnostics {
        eprintln!("{diagnostic}");
    }
    match diagnostics.len() {
        0 => Ok(()),
        count if lenient => {
            say(format_args!("content has {count} mistakes; they show in place"));
            Ok(())
        }
        count => Err(format!(
            "content has {count} mistakes (above). Mend them, or see them in place with `cargo xtask serve`."
        )
        .into()),
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

/// PATH with the folder of this program in front.
fn path_with(program: &Path) -> std::ffi::OsString {
    let mut folders: Vec<PathBuf> = program.parent().map(Path::to_path_buf).into_iter().collect();
    folders.extend(std::env::var_os("PATH").iter().flat_map(std::env::split_paths));
    std::env::join_paths(folders).unwrap_or_default()
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

/// `cargo xtask hook`: called by Trunk when it has compiled the app and gathered its assets, before they become the
/// site.
pub(crate) fn hook(_: &Options) -> Result<()> {
    let variable = |name: &str| {
        std::env::var(name)
            .map_err(|_| Failure::from(format!("{name} is not set: `hook` is called by Trunk (see Trunk.toml).")))
    };
    let staging = PathBuf::from(variable("TRUNK_STAGING_DIR")?);
    let public_url = public_url(&variable("TRUNK_PUBLIC_URL")?)?;
    let release = variable("TRUNK_PROFILE")? == "release";
    let tools = tools::ensure()?;
    let target = target_folder()?;
    let raw = target.join(WASM).join(if release { "release" } else { "debug" });
    let index = process::read_text(&process::root().join("app/index.html"))?;
    let name = dist::program(&index)
        .ok_or("app/index.html links no program: `<link data-trunk rel=\"rust\" data-bin=\"…\">` is missing.")?;
    say(format_args!("splitting and shrinking {name}.wasm"));
    let scratch = target.join("ringside").join(&name);
    let app = split::program(&raw.join(format!("{name}.wasm")), &name, &tools, &scratch, release)?;
    dist::remove_trunks(&staging, &name)?;
    let workers = worker::build(&target, WASM, release, &tools)?;
    let lenient = std::env::var_os(LENIENT).is_some();
    let rendered = content::render(lenient);
    if !lenient && !rendered.diagnostics.is_empty() {
        return Err(format!("content has mistakes:\n{}", rendered.diagnostics.join("\n")).into());
    }
    dist::finish(&staging, &public_url, &app, &workers, &rendered)
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

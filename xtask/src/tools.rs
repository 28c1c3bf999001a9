//! The programs that the build needs besides cargo and Node: found on PATH, in `.tools/`, or installed there.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::args::Options;
use crate::browser;
use crate::esbuild::esbuild;
use crate::failure::{Context, Result};
use crate::install::{lock, need_node};
use crate::process::{self, command, say};
use crate::shrink::Binaryen;

/// The oldest binaryen that knows every feature by the name that `shrink` uses.
const OLDEST_BINARYEN: u32 = 123;
const WASM: &str = "wasm32-unknown-unknown";

/// `cargo xtask tools`.
pub(crate) fn main(_: &Options) -> Result<()> {
    ensure_target()?;
    esbuild()?;
    let (binaryen, chromium) = (binaryen()?, browser::chromium()?);
    for path in [binaryen.path(), &chromium] {
        println!("{}", path.display());
    }
    Ok(())
}

pub(crate) fn ensure_target() -> Result<()> {
    let sysroot = process::output(command("rustc").args(["--print", "sysroot"]))?;
    if Path::new(sysroot.trim()).join("lib/rustlib").join(WASM).is_dir() {
        return Ok(());
    }
    say(format_args!("adding Rust's target {WASM} (a minute at most)"));
    if process::which(&["rustup"]).is_none() {
        return Err(format!(
            "Rust's target {WASM} is missing and there is no rustup to add it; install Rust from https://rustup.rs."
        )
        .into());
    }
    process::run(command("rustup").args(["target", "add", WASM]))
}

/// What shrinks WebAssembly; installed if it is not there.
pub(crate) fn binaryen() -> Result<Binaryen> {
    let folder = process::root().join(".tools");
    let _lock = lock()?;
    let fits = |version: String| version.split('.').next()?.parse().ok().filter(|v: &u32| *v >= OLDEST_BINARYEN);
    if let Some(found) = process::which(&["wasm-opt"])
        && version_of(&found).and_then(fits).is_some()
    {
        return Ok(Binaryen::Program(found));
    }
    need_node()?;
    let package = folder.join("node_modules/binaryen");
    let version = || -> Option<String> {
        let manifest: serde_json::Value =
            serde_json::from_slice(&std::fs::read(package.join("package.json")).ok()?).ok()?;
        manifest["version"].as_str().map(str::to_owned)
    };
    let library = || Binaryen::Library(package.join("index.js"));
    if version().and_then(fits).is_some() {
        return Ok(library());
    }
    say("installing binaryen from npm into .tools/ (seconds)");
    for name in ["package.json", "package-lock.json"] {
        let from = process::root().join("xtask/npm").join(name);
        std::fs::copy(&from, folder.join(name)).could_not(|| format!("copy {}", from.display()))?;
    }
    let mut npm = command("npm");
    process::run(npm.args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder))?;
    if version().and_then(fits).is_some() {
        return Ok(library());
    }
    Err(format!("{} is not as expected. Remove .tools/ and try again.", package.display()).into())
}

/// What a program says of its own version; none if it does not run.
fn version_of(program: &Path) -> Option<String> {
    if !process::is_executable(program) {
        return None;
    }
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| version_in(&String::from_utf8_lossy(&output.stdout)))?
}

/// The first word of a `--version` line that starts with a digit.
fn version_in(text: &str) -> Option<String> {
    let word = text.split_whitespace().find(|w| w.starts_with(|c: char| c.is_ascii_digit()))?;
    Some(word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_programs_print() {
        for (printed, version) in [
            ("esbuild 0.28.2\n", Some("0.28.2")),
            ("wasm-opt version 132 (version_132)", Some("132")),
            ("wasm-opt version 108 (version_108-123-gabcdef)", Some("108")),
            ("", None),
            ("usage: wasm-opt", None),
        ] {
            assert_eq!(version_in(printed).as_deref(), version, "{printed}");
        }
    }
}

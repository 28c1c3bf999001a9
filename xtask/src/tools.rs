//! The programs that the build needs besides cargo and Node: found on PATH, in `.tools/`, or installed there.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::args::Options;
use crate::browser;
use crate::failure::{Context, Result};
use crate::process::{self, command, say};
use crate::shrink::Binaryen;

/// The Trunk that is installed; any 0.21 that is there will do.
const TRUNK: &str = "0.21.14";
/// The oldest binaryen that knows every feature by the name that `shrink` uses.
const OLDEST_BINARYEN: u32 = 123;
const WASM: &str = "wasm32-unknown-unknown";

/// Where each program is.
#[derive(Debug)]
pub(crate) struct Tools {
    /// Trunk.
    pub(crate) trunk: PathBuf,
    /// wasm-bindgen's command.
    pub(crate) wasm_bindgen: PathBuf,
    /// What shrinks WebAssembly.
    pub(crate) binaryen: Binaryen,
}

/// `cargo xtask tools`.
pub(crate) fn main(_: &Options) -> Result<()> {
    let tools = ensure()?;
    let chromium = browser::chromium()?;
    for path in [&tools.trunk, &tools.wasm_bindgen, tools.binaryen.path(), &chromium] {
        println!("{}", path.display());
    }
    Ok(())
}

/// Finds every program, and installs what is missing.
pub(crate) fn ensure() -> Result<Tools> {
    let folder = process::root().join(".tools");
    let _lock = lock()?;
    ensure_target()?;
    let wanted = locked_wasm_bindgen()?;
    Ok(Tools {
        trunk: cargo_tool(&folder, "trunk", "trunk", TRUNK, |v| same_minor(v, TRUNK))?,
        wasm_bindgen: cargo_tool(&folder, "wasm-bindgen", "wasm-bindgen-cli", &wanted, |v| v == wanted)?,
        binaryen: binaryen(&folder)?,
    })
}

/// Whoever holds it may install into `.tools/`. Two commands at once: the second waits, and then finds what the first
/// installed.
pub(crate) fn lock() -> Result<File> {
    let folder = process::root().join(".tools");
    std::fs::create_dir_all(&folder).could_not(|| format!("create {}", folder.display()))?;
    let path = folder.join("lock");
    let lock = File::create(&path).could_not(|| format!("create {}", path.display()))?;
    if lock.try_lock().is_err() {
        say("waiting for another `cargo xtask` to install tools");
        lock.lock().could_not(|| format!("lock {}", path.display()))?;
    }
    Ok(lock)
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

/// The version of wasm-bindgen in Cargo.lock: glue and library must be of the same one.
fn locked_wasm_bindgen() -> Result<String> {
    let text = process::read_text(&process::root().join("Cargo.lock"))?;
    locked_version(&text, "wasm-bindgen").ok_or_else(|| "Cargo.lock names no wasm-bindgen.".into())
}

fn locked_version(lock: &str, package: &str) -> Option<String> {
    let table: toml::Table = lock.parse().ok()?;
    let packages = table.get("package")?.as_array()?;
    let package = packages.iter().find(|p| p.get("name").and_then(|n| n.as_str()) == Some(package))?;
    Some(package.get("version")?.as_str()?.to_owned())
}

/// A program from crates.io: on PATH, in `.tools/bin`, or installed there.
fn cargo_tool(
    folder: &Path,
    program: &str,
    package: &str,
    version: &str,
    fits: impl Fn(&str) -> bool,
) -> Result<PathBuf> {
    let installed = folder.join("bin").join(program);
    let on_path = process::which(&[program]);
    for candidate in on_path.iter().chain([&installed]) {
        if version_of(candidate).is_some_and(|v| fits(&v)) {
            return Ok(candidate.clone());
        }
    }
    if process::which(&["cargo-binstall"]).is_some() {
        say(format_args!("downloading {program} {version} into .tools/ with cargo binstall (seconds)"));
        let mut binstall = command("cargo");
        binstall.args(["binstall", "--no-confirm", "--disable-strategies", "compile", "--root"]).arg(folder);
        let done = process::run(binstall.arg(format!("{package}@{version}")));
        if done.is_ok() && version_of(&installed).is_some_and(|v| fits(&v)) {
            return Ok(installed);
        }
        say("that did not work; building it from source instead");
    }
    let usual = if program == "trunk" { "3 to 8 minutes" } else { "1 to 3 minutes" };
    say(format_args!("building {program} {version} from source into .tools/ (once; usually {usual} on two cores)"));
    let started = Instant::now();
    let scratch = folder.join("build").join(program);
    let mut cargo = command("cargo");
    cargo.arg("install").arg(package).args(["--version", version, "--root"]).arg(folder);
    cargo.env("CARGO_TARGET_DIR", &scratch).env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    if program == "trunk" {
        // Its time goes into waiting for others, so that it may as well be unoptimised.
        cargo.args(["--locked", "--debug", "--no-default-features", "--features", "rustls"]);
        cargo.envs([("CARGO_PROFILE_DEV_DEBUG", "0"), ("CARGO_PROFILE_DEV_STRIP", "symbols")]);
    } else {
        // Not --locked: its lock file can name versions that a registry does not have yet.
        cargo.arg("--no-default-features");
        cargo.envs([("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1"), ("CARGO_PROFILE_RELEASE_LTO", "off")]);
    }
    process::run(&mut cargo)?;
    // What was compiled on the way is hundreds of megabytes; the program is all that is wanted.
    std::fs::remove_dir_all(&scratch).could_not(|| format!("remove {}", scratch.display()))?;
    match version_of(&installed) {
        Some(found) if fits(&found) => {
            say(format_args!("built {program} in {} s", started.elapsed().as_secs()));
            Ok(installed)
        }
        found => Err(format!(
            "{} should be version {version} and says {}. Remove .tools/ and try again.",
            installed.display(),
            found.as_deref().unwrap_or("nothing")
        )
        .into()),
    }
}

fn binaryen(folder: &Path) -> Result<Binaryen> {
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

/// Fails if there is no Node.
pub(crate) fn need_node() -> Result<()> {
    if process::which(&["npm"]).is_some() && process::which(&["node"]).is_some() {
        return Ok(());
    }
    Err("Node and npm are needed (binaryen and the browser tests come from npm); install Node 20 or newer from https://nodejs.org or your system's packages.".into())
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

/// Whether two versions agree in major and minor number.
fn same_minor(a: &str, b: &str) -> bool {
    let minor = |v: &str| v.split('.').take(2).map(str::to_owned).collect::<Vec<_>>();
    minor(a) == minor(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_programs_print() {
        for (printed, version) in [
            ("trunk 0.21.14\n", Some("0.21.14")),
            ("wasm-bindgen 0.2.130", Some("0.2.130")),
            ("wasm-opt version 132 (version_132)", Some("132")),
            ("wasm-opt version 108 (version_108-123-gabcdef)", Some("108")),
            ("", None),
            ("usage: trunk", None),
        ] {
            assert_eq!(version_in(printed).as_deref(), version, "{printed}");
        }
        assert!(same_minor("0.21.9", TRUNK));
        assert!(!same_minor("0.22.1", TRUNK));
        assert!(!same_minor("1.21.14", TRUNK));
    }

    #[test]
    fn the_locked_version_is_the_one_of_that_very_package() {
        let lock = "[[package]]\nname = \"wasm-bindgen-futures\"\nversion = \"0.4.1\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(locked_version(lock, "wasm-bindgen").as_deref(), Some("0.2.130"));
        assert_eq!(locked_version(lock, "trunk"), None);
    }
}

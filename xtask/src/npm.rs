//! What npm brings into `.tools/`: esbuild with the editor's packages, and binaryen.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::{Context, Result};
use crate::process::{self, command, say};

/// Where the editor's packages and esbuild are named.
pub const EDITOR: &str = "app/editor";
/// The oldest binaryen that knows every feature by the name that the release build uses.
const OLDEST_BINARYEN: u32 = 123;

/// Whoever holds it may install into `.tools/`. Of two commands at once the second waits, and then finds what the first
/// installed.
///
/// # Errors
/// The lock's file could not be made.
pub fn lock() -> Result<File> {
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

/// Fails if there is no Node.
///
/// # Errors
/// There is no Node; the message says where it is to be had.
pub fn need_node() -> Result<()> {
    if process::which(&["npm"]).is_some() && process::which(&["node"]).is_some() {
        return Ok(());
    }
    Err("Node and npm are needed (esbuild, binaryen and the browser tests come from npm). Install Node 20 or newer from https://nodejs.org or your system's packages.".into())
}

/// Installs the locked packages of a folder.
fn install(folder: &Path, what: &str) -> Result<()> {
    need_node()?;
    say(format_args!("installing {what} from npm (seconds)"));
    let mut npm = command("npm");
    process::run(npm.args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder))
}

/// Where the editor's packages are installed.
pub fn editor() -> PathBuf {
    process::root().join(".tools/editor")
}

/// esbuild, in the folder of the editor's packages, which are installed if they are not there.
///
/// # Errors
/// They could not be installed.
pub fn esbuild() -> Result<Command> {
    let folder = editor();
    let _lock = lock()?;
    let from = process::root().join(EDITOR);
    let wanted = process::read(&from.join("package-lock.json"))?;
    let installed = folder.join("installed.json");
    let program = folder.join("node_modules/.bin/esbuild");
    if process::read(&installed).ok().as_ref() != Some(&wanted) || !program.exists() {
        for name in ["package.json", "package-lock.json"] {
            process::write(&folder.join(name), process::read(&from.join(name))?)?;
        }
        install(&folder, "esbuild and the editor's packages")?;
        process::write(&installed, wanted)?;
    }
    let mut esbuild = command(program);
    esbuild.current_dir(folder);
    Ok(esbuild)
}

/// What shrinks WebAssembly.
#[derive(Debug)]
pub enum Binaryen {
    /// A `wasm-opt` on the PATH.
    Program(PathBuf),
    /// The module of the npm package.
    Library(PathBuf),
}

impl Binaryen {
    /// Where it is.
    pub fn path(&self) -> &Path {
        match self {
            Self::Program(path) | Self::Library(path) => path,
        }
    }
}

/// Binaryen, installed if it is not there.
///
/// # Errors
/// It could not be installed.
pub fn binaryen() -> Result<Binaryen> {
    let folder = process::root().join(".tools");
    let _lock = lock()?;
    let fits = |version: String| version.split('.').next()?.parse().ok().filter(|v: &u32| *v >= OLDEST_BINARYEN);
    if let Some(found) = process::which(&["wasm-opt"])
        && version_of(&found).and_then(fits).is_some()
    {
        return Ok(Binaryen::Program(found));
    }
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
    for name in ["package.json", "package-lock.json"] {
        let from = process::root().join("xtask/npm").join(name);
        std::fs::copy(&from, folder.join(name)).could_not(|| format!("copy {}", from.display()))?;
    }
    install(&folder, "binaryen")?;
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

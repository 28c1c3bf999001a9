//! `test --only frameworks`: every layout that the site exports, given to the frameworks' own parsers. What they say is kept in
//! `tests/frameworks/verdicts.json`, which a test of `core` holds the exports to.

use std::path::{Path, PathBuf};

use crate::outcomes::Outcomes;
use xtask::failure::{Context, Result};
use xtask::npm;
use xtask::process::{self, command, say};

/// A framework's sources: the folder that they are put in, where they come from, and the commit that `core/src/memory/export` follows.
const SOURCES: [(&str, &str, &str); 3] = [
    ("megatron", "https://github.com/NVIDIA/Megatron-LM", "d98e8a64ddf34856e74b24714e3bedb2f5a39553"),
    ("deepspeed", "https://github.com/deepspeedai/DeepSpeed", "edaa7221267243c7be7fb49c5d5f5c4fb97b4641"),
    ("torchtitan", "https://github.com/pytorch/torchtitan", "73a0e6979dd10b6b1904098eb3c8f62c18ab87ce"),
];
/// What their parsers import and need; the rest, PyTorch above all, is stood in for.
const PACKAGES: [&str; 4] = ["packaging", "pydantic", "tqdm", "tyro"];
/// A folder that has the sources already, each in its own.
const HAVE: &str = "FRAMEWORKS";

/// The stage.
pub(crate) fn test() -> Result<Outcomes> {
    let python = python()?;
    let sources = sources()?;
    let exports = process::scratch("frameworks")?.join("exports.json");
    let mut write = command("cargo");
    write.args(["test", "--quiet", "--package", "ringside-core", "--test", "all", "frameworks"]);
    process::run(write.env("FRAMEWORK_EXPORTS", &exports))?;
    let folder = process::root().join("tests/frameworks");
    let verdicts = folder.join("verdicts.json");
    process::run(command(&python).arg(folder.join("check.py")).args([&sources, &exports, &verdicts]))?;
    Ok(Outcomes::default())
}

/// A Python with the packages.
fn python() -> Result<PathBuf> {
    let _lock = npm::lock()?;
    let venv = process::root().join(".tools/frameworks/venv");
    let python = venv.join("bin/python");
    if !python.is_file() {
        say("setting up a Python for the frameworks' parsers");
        process::run(command("python3").args(["-m", "venv"]).arg(&venv))?;
    }
    process::run(command(&python).args(["-m", "pip", "install", "--quiet"]).args(PACKAGES))?;
    Ok(python)
}

/// The folder with the sources.
fn sources() -> Result<PathBuf> {
    if let Some(have) = std::env::var_os(HAVE) {
        return Ok(have.into());
    }
    let _lock = npm::lock()?;
    let folder = process::root().join(".tools/frameworks");
    for (name, url, commit) in SOURCES {
        let source = folder.join(name);
        if !source.join(".git").is_dir() || at(&source)? != commit {
            say(format_args!("fetching {url} at {commit}"));
            std::fs::create_dir_all(&source).could_not(|| format!("create {}", source.display()))?;
            for arguments in [
                &["init", "--quiet"][..],
                &["fetch", "--quiet", "--depth", "1", url, commit],
                &["checkout", "--quiet", "--force", commit],
            ] {
                process::run(command("git").arg("-C").arg(&source).args(arguments))?;
            }
        }
    }
    Ok(folder)
}

/// The commit that is checked out in a folder; nothing if none is.
fn at(source: &Path) -> Result<String> {
    let head = source.join(".git/HEAD");
    let text = process::read_text(&head)?;
    Ok(text.trim().to_owned())
}

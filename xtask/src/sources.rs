//! Other people's sources and a Python for them, for the stages that give them what the site writes.

use std::path::{Path, PathBuf};

use xtask::failure::{Context, Result};
use xtask::npm;
use xtask::process::{self, command, say};

/// A repository at a commit.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    /// The folder that it is put in.
    name: &'static str,
    url: &'static str,
    commit: &'static str,
    /// The folders of it that are needed; none if all are.
    folders: &'static [&'static str],
}

impl Source {
    /// All of it.
    pub(crate) const fn whole(name: &'static str, url: &'static str, commit: &'static str) -> Self {
        Self { name, url, commit, folders: &[] }
    }

    /// These folders of it.
    pub(crate) const fn of(self, folders: &'static [&'static str]) -> Self {
        Self { folders, ..self }
    }
}

/// A Python of the stage `stage` with these packages.
pub(crate) fn python(stage: &str, packages: &[&str]) -> Result<PathBuf> {
    let _lock = npm::lock()?;
    let venv = process::root().join(".tools").join(stage).join("venv");
    let python = venv.join("bin/python");
    if !python.is_file() {
        say(format_args!("setting up a Python for {stage}"));
        process::run(command("python3").args(["-m", "venv"]).arg(&venv))?;
    }
    process::run(command(&python).args(["-m", "pip", "install", "--quiet"]).args(packages))?;
    Ok(python)
}

/// The folder with the sources of the stage `stage`, each in its own: the one that the variable `have` names, or one that they are
/// fetched into.
pub(crate) fn folder(stage: &str, have: &str, sources: &[Source]) -> Result<PathBuf> {
    if let Some(have) = std::env::var_os(have) {
        return Ok(have.into());
    }
    let _lock = npm::lock()?;
    let folder = process::root().join(".tools").join(stage);
    for source in sources {
        let Source { name, url, commit, folders } = *source;
        let to = folder.join(name);
        if to.join(".git").is_dir() && at(&to)? == commit {
            continue;
        }
        say(format_args!("fetching {url} at {commit}"));
        std::fs::create_dir_all(&to).could_not(|| format!("create {}", to.display()))?;
        let git = |arguments: &[&str]| process::run(command("git").arg("-C").arg(&to).args(arguments));
        git(&["init", "--quiet"])?;
        if folders.is_empty() {
            git(&["fetch", "--quiet", "--depth", "1", url, commit])?;
        } else {
            // Files outside the folders are never fetched; a filter needs a remote with a name.
            git(&["config", "remote.origin.url", url])?;
            git(&["config", "remote.origin.promisor", "true"])?;
            git(&["config", "remote.origin.partialclonefilter", "blob:none"])?;
            git(&["fetch", "--quiet", "--depth", "1", "--filter=blob:none", "origin", commit])?;
            git(&[&["sparse-checkout", "set"][..], folders].concat())?;
        }
        git(&["checkout", "--quiet", "--force", commit])?;
    }
    Ok(folder)
}

/// The commit that is checked out in a folder; nothing if none is.
fn at(source: &Path) -> Result<String> {
    let text = process::read_text(&source.join(".git/HEAD"))?;
    Ok(text.trim().to_owned())
}

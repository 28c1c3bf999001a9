//! Installing into `.tools/`: one command at a time, and not without Node.

use std::fs::File;

use crate::failure::{Context, Result};
use crate::process::{self, say};

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

/// Fails if there is no Node.
pub(crate) fn need_node() -> Result<()> {
    if process::which(&["npm"]).is_some() && process::which(&["node"]).is_some() {
        return Ok(());
    }
    Err("Node and npm are needed (binaryen and the browser tests come from npm); install Node 20 or newer from https://nodejs.org or your system's packages.".into())
}

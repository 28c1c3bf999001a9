//! The editor of the kernel workbench: `app/editor` and what it has from npm, bundled into one module.

use std::path::Path;

use crate::failure::Result;
use crate::process::{self, command, say};
use crate::{split, tools};

/// Where its sources lie.
pub(crate) const SOURCES: &str = "app/editor";
/// Its name among the files that come with the course.
pub(crate) const NAME: &str = "code-editor.js";

/// The module. It is bundled in `.tools/`, and again only when something of it has changed.
pub(crate) fn bundle() -> Result<Vec<u8>> {
    let from = process::root().join(SOURCES);
    let mut sources = Vec::new();
    for name in process::files_under(&from)?.into_iter().filter(|name| !name.contains('/')) {
        sources.push((process::read(&from.join(&name))?, name));
    }
    let stamp = split::hash(sources.iter().flat_map(|(bytes, name)| [name.as_bytes(), bytes.as_slice()]));
    let folder = process::root().join(".tools/editor");
    let _lock = tools::lock()?;
    let bundled = folder.join("bundle").join(format!("{stamp}.js"));
    if bundled.is_file() {
        return process::read(&bundled);
    }
    tools::need_node()?;
    install(&folder, &sources)?;
    process::run(
        command(folder.join("node_modules/.bin/esbuild"))
            .current_dir(&folder)
            .args([NAME, "--bundle", "--minify", "--format=esm", "--target=es2022", "--log-level=warning"])
            .arg(format!("--outfile={}", bundled.display())),
    )?;
    process::read(&bundled)
}

/// Copies the sources, and has npm install what they name if that is not there.
fn install(folder: &Path, sources: &[(Vec<u8>, String)]) -> Result<()> {
    let (lock, installed) = ("package-lock.json", folder.join("installed.json"));
    for (bytes, name) in sources {
        process::write(&folder.join(name), bytes)?;
    }
    let wanted = process::read(&folder.join(lock))?;
    if process::read(&installed).is_ok_and(|found| found == wanted) && folder.join("node_modules").is_dir() {
        return Ok(());
    }
    say("installing the editor's packages from npm into .tools/ (seconds)");
    let mut npm = command("npm");
    process::run(npm.args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder))?;
    process::write(&installed, wanted)
}

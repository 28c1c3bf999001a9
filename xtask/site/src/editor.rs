//! The editors of the workbenches and of the author's page: `app/editor` and what it has from npm, each bundled into one module.

use crate::esbuild;
use crate::hash;
use xtask::failure::Result;
use xtask::npm;
use xtask::process;

/// Where its sources lie.
pub(crate) const SOURCES: &str = npm::EDITOR;
/// Their names among the files that come with the course.
pub(crate) const NAMES: [&str; 2] = ["code-editor.js", "author-editor.js"];

/// A module. It is bundled in `.tools/`, and again only when something of it has changed.
pub(crate) fn bundle(name: &str) -> Result<Vec<u8>> {
    let from = process::root().join(SOURCES);
    let mut sources = Vec::new();
    for name in process::files_under(&from)?.into_iter().filter(|name| !name.contains('/')) {
        sources.push((process::read(&from.join(&name))?, name));
    }
    let stamp = hash::of(sources.iter().flat_map(|(bytes, name)| [name.as_bytes(), bytes.as_slice()]));
    let folder = npm::editor();
    let bundled = folder.join("bundle").join(format!("{stamp}-{name}"));
    if !bundled.is_file() {
        for (bytes, name) in sources.iter().filter(|(_, name)| name.ends_with(".js")) {
            process::write(&folder.join(name), bytes)?;
        }
        esbuild::bundle(name, &bundled)?;
    }
    process::read(&bundled)
}

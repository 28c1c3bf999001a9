//! The npm package of what cargo compiled: the module with its glue and its types, and what stands in `app/npm`.

use std::path::Path;

use xtask::failure::Result;
use xtask::process;

use crate::bindgen;

/// The module, and the package's name.
const MODULE: (&str, &str) = ("ringside_npm.wasm", "ringside");
/// What stands for the version in `app/npm/package.json`.
const UNVERSIONED: &str = "0.0.0";
/// From the repository to the package, each by its last name.
const COPIED: [&str; 6] = [
    "app/npm/node.js",
    "app/npm/browser.js",
    "app/npm/index.d.ts",
    "app/npm/README.md",
    "LICENSE-MIT",
    "LICENSE-APACHE",
];

/// Writes the package of the module in `compiled` into the folder `out`, which is emptied.
pub(crate) fn main(compiled: &Path, out: &Path) -> Result<()> {
    let (module, name) = MODULE;
    bindgen::bind(&compiled.join(module), name, out, false)?;
    let root = process::root();
    for path in COPIED {
        process::write(&out.join(bindgen::file_name(path.as_ref())), process::read(&root.join(path))?)?;
    }
    // As it is written: the first condition of its exports that holds counts.
    let manifest = process::read_text(&root.join("app/npm/package.json"))?;
    process::write(&out.join("package.json"), manifest.replace(UNVERSIONED, env!("CARGO_PKG_VERSION")))
}

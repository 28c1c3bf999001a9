//! What esbuild does with modules: it bundles the editors, and shortens the glue.

use std::path::Path;

use xtask::failure::Result;
use xtask::{npm, process};

/// The oldest JavaScript that a supported browser reads.
const TARGET: &str = "--target=es2022";

/// Bundles the module in a file of the editor's folder with what it imports.
pub(crate) fn bundle(module: &str, out: &Path) -> Result<()> {
    let mut esbuild = npm::esbuild()?;
    esbuild.args([module, "--bundle", "--minify", "--format=esm", TARGET, "--log-level=warning"]);
    process::run(esbuild.arg(format!("--outfile={}", out.display())))
}

/// Shortens a module, in its file. What it imports and exports keeps its name.
#[cfg(feature = "split")]
pub(crate) fn shorten(module: &Path) -> Result<()> {
    let mut esbuild = npm::esbuild()?;
    // wasm-bindgen names the module of the loaders once for each of its imports.
    esbuild.arg(module).args(["--minify", "--format=esm", TARGET, "--log-level=error", "--allow-overwrite"]);
    process::run(esbuild.arg(format!("--outfile={}", module.display())))
}

//! esbuild, which the editor's npm packages bring: it bundles the editor and the style sheets, and shortens the glue.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Result;
use crate::install;
use crate::process::{self, command, say};

/// Where what npm installs is named.
pub(crate) const PACKAGES: &str = "app/editor";
/// The oldest JavaScript that a supported browser reads.
const TARGET: &str = "--target=es2022";

/// Where the packages are installed.
pub(crate) fn folder() -> PathBuf {
    process::root().join(".tools/editor")
}

/// esbuild, in the folder of its packages, which are installed if they are not there.
pub(crate) fn esbuild() -> Result<Command> {
    let folder = folder();
    let _lock = install::lock()?;
    let wanted = process::read(&process::root().join(PACKAGES).join("package-lock.json"))?;
    let installed = folder.join("installed.json");
    let program = folder.join("node_modules/.bin/esbuild");
    if process::read(&installed).ok().as_ref() != Some(&wanted) || !program.exists() {
        install::need_node()?;
        for name in ["package.json", "package-lock.json"] {
            process::write(&folder.join(name), process::read(&process::root().join(PACKAGES).join(name))?)?;
        }
        say("installing the editor's packages and esbuild from npm into .tools/ (seconds)");
        let mut npm = command("npm");
        process::run(npm.args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(&folder))?;
        process::write(&installed, wanted)?;
    }
    let mut esbuild = command(program);
    esbuild.current_dir(folder);
    Ok(esbuild)
}

/// Bundles the module in a file of [`folder`] with what it imports.
pub(crate) fn bundle(module: &str, out: &Path) -> Result<()> {
    let mut esbuild = esbuild()?;
    esbuild.args([module, "--bundle", "--minify", "--format=esm", TARGET, "--log-level=warning"]);
    process::run(esbuild.arg(format!("--outfile={}", out.display())))
}

/// Shortens a module, in its file. What it imports and exports keeps its name.
pub(crate) fn shorten(module: &Path) -> Result<()> {
    let mut esbuild = esbuild()?;
    // wasm-bindgen names the module of the loaders once for each of its imports.
    esbuild.arg(module).args(["--minify", "--format=esm", TARGET, "--log-level=error", "--allow-overwrite"]);
    process::run(esbuild.arg(format!("--outfile={}", module.display())))
}

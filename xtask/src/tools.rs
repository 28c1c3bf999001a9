//! `tools`: what the build and the tests need besides cargo and Node, found on the PATH or installed.

use std::path::Path;

use xtask::failure::Result;
use xtask::npm;
use xtask::process::{self, command, say};

use crate::args::Options;
use crate::browser;

/// The target of everything that runs in a browser.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// `cargo xtask tools`.
pub(crate) fn main(_: &Options) -> Result<()> {
    ensure_target()?;
    npm::esbuild()?;
    let (binaryen, chromium) = (npm::binaryen()?, browser::chromium()?);
    for path in [binaryen.path(), &chromium] {
        println!("{}", path.display());
    }
    Ok(())
}

/// Makes sure that Rust's target for browsers is there.
pub(crate) fn ensure_target() -> Result<()> {
    let sysroot = process::output(command("rustc").args(["--print", "sysroot"]))?;
    if Path::new(sysroot.trim()).join("lib/rustlib").join(WASM).is_dir() {
        return Ok(());
    }
    say(format_args!("adding Rust's target {WASM} (seconds)"));
    if process::which(&["rustup"]).is_none() {
        return Err(format!(
            "Rust's target {WASM} is missing and there is no rustup to add it; install Rust from https://rustup.rs."
        )
        .into());
    }
    process::run(command("rustup").args(["target", "add", WASM]))
}

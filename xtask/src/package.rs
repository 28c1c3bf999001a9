//! `npm`: the command line as an npm package, in `target/npm`.

use std::path::PathBuf;

use xtask::failure::Result;
use xtask::npm;
use xtask::process::{self, command, say};

use crate::args::Options;
use crate::build::{self, Profile};
use crate::outcomes::Outcomes;
use crate::tools;

/// The package of cargo's.
pub(crate) const PACKAGE: &str = "ringside-npm";

/// `cargo xtask npm`.
pub(crate) fn main(options: &Options) -> Result<()> {
    tools::ensure_target()?;
    build::compile(Profile::Release, &[PACKAGE])?;
    build::maker(Profile::Development, false)?;
    let out = write()?;
    say(format_args!("built {}", out.display()));
    if options.has("--pack") {
        npm::need_node()?;
        process::run(command("npm").args(["pack", "--pack-destination", ".."]).current_dir(&out))?;
    }
    Ok(())
}

/// The stage of `cargo xtask test`: the package called by Node, and held against the program. Both are there: `build` has compiled the module with the
/// site, with which it shares the models, and `unit` the program.
pub(crate) fn test() -> Result<Outcomes> {
    npm::need_node()?;
    let mut node = command("node");
    node.args(["--test", "tests/npm/"]).env("RINGSIDE_NPM", write()?);
    process::run(node.env("RINGSIDE_PROGRAM", build::target_folder()?.join("debug/ringside")))?;
    Ok(Outcomes::default())
}

/// Has `ringside-site` write the package of what was compiled, and says where.
fn write() -> Result<PathBuf> {
    let target = build::target_folder()?;
    let out = target.join("npm");
    let mut maker = command(target.join("debug/ringside-site"));
    process::run(maker.arg("package").args([build::compiled(Profile::Release, &target), out.clone()]))?;
    Ok(out)
}

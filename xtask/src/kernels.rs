//! `kernels`: runs our kernels on a Vulkan adapter, or writes them for a bench that times them beside other libraries.

use crate::args::Options;
use xtask::failure::Result;
use xtask::process::{self, say};

/// The families whose reference measurements chapters 16 and 18 show, and where they wait for `shaders/gpu/reference.py`.
const REFERENCE: &str = "matmul,attention,decode";
const MEASURED: &str = "target/measured.json";

/// `cargo xtask kernels`, with `--reference` also as reference measurements, and with `--bench-dir <dir>` the files for the bench.
pub(crate) fn main(options: &Options) -> Result<()> {
    match options.value("--bench-dir").map(process::given_path) {
        Some(folder) => run(None, Some(("--bench-dir", &folder.to_string_lossy()))),
        None if options.has("--reference") => {
            run(Some(REFERENCE), Some(("--json", MEASURED)))?;
            let mut python = process::command("python3");
            python.args(["shaders/gpu/reference.py", MEASURED]);
            process::run(&mut python)
        }
        None => run(options.value("--only"), None),
    }
}

/// Checks and times all of them, or those of some families, natively; `to` says where what comes of it goes.
fn run(only: Option<&str>, to: Option<(&str, &str)>) -> Result<()> {
    say("building what runs kernels on Vulkan (minutes the first time)");
    let mut cargo = process::command("cargo");
    cargo.args(["run", "--quiet", "--package", "ringside-gpu", "--features", "vulkan", "--"]);
    cargo.args(only.into_iter().flat_map(|families| families.split(',')));
    cargo.args(to.into_iter().flat_map(|(flag, path)| [flag, path]));
    process::run(&mut cargo)
}

//! The programs beside the app, each of which runs in a worker that the page starts when it first needs it.

use std::path::Path;

use crate::bindgen::bind;
use crate::esbuild;
use crate::failure::Result;
use crate::process::{self, command};
use crate::shrink::{self, Binaryen};
use crate::split::{self, Program};

/// A program that runs in a worker.
#[derive(Debug)]
pub(crate) struct Worker {
    package: &'static str,
    /// The binary, by which its files are named.
    name: &'static str,
    /// The `<meta>` in which every page names its script.
    pub(crate) meta: &'static str,
}

const ALL: &[Worker] = &[
    Worker { package: "ringside-gpu", name: "gpu-worker", meta: "ringside-gpu" },
    Worker { package: "ringside-planner", name: "planner-worker", meta: "ringside-planner" },
    Worker { package: "ringside-author", name: "author-worker", meta: "ringside-author" },
];

/// Builds all of them with cargo's `target` folder in a profile; with binaryen they are shrunk. All names are made from
/// content. `script` of a result is what the worker is started with.
pub(crate) fn build(
    target: &Path,
    triple: &str,
    profile: &str,
    binaryen: Option<&Binaryen>,
) -> Result<Vec<(&'static Worker, Program)>> {
    let mut cargo = command("cargo");
    cargo.args(["build", "--target", triple, "--profile", profile]);
    cargo.args(ALL.iter().flat_map(|worker| ["--package", worker.package]));
    process::run(&mut cargo)?;
    ALL.iter()
        .map(|worker| Ok((worker, files(worker.name, target, &target.join(triple).join(profile), binaryen)?)))
        .collect()
}

/// Makes the files of one from what cargo left in `built`.
fn files(name: &str, target: &Path, built: &Path, binaryen: Option<&Binaryen>) -> Result<Program> {
    let bound = target.join("ringside").join(name).join("bound");
    bind(&built.join(format!("{name}.wasm")), name, &bound)?;
    let main = bound.join(format!("{name}_bg.wasm"));
    if let Some(binaryen) = binaryen {
        shrink::modules(std::slice::from_ref(&main), binaryen)?;
        esbuild::shorten(&bound.join(format!("{name}.js")))?;
    }
    let mut program = split::assemble(name, &bound, String::new(), &main, &[])?;
    let start = format!("import i from\"./{}\";i()\n", program.script);
    program.script = split::hashed(&format!("{name}-start"), "js", start.as_bytes());
    program.files.push((program.script.clone(), start.into_bytes()));
    Ok(program)
}

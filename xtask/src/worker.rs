//! The programs beside the app, each of which runs in a worker that the page starts when it first needs it.

use std::path::Path;

use crate::bindgen::bind;
use crate::esbuild;
use crate::failure::Result;
use crate::shrink::{self, Binaryen};
use crate::split::{self, Program};

/// A program that runs in a worker.
#[derive(Debug)]
pub(crate) struct Worker {
    /// The binary, by which its files are named.
    name: &'static str,
    /// The `<meta>` in which every page names its script.
    pub(crate) meta: &'static str,
    /// What its script does before it begins.
    first: &'static str,
}

/// The package of all of them.
pub(crate) const PACKAGE: &str = "ringside-workers";

const ALL: &[Worker] = &[
    Worker { name: "gpu-worker", meta: "ringside-gpu", first: include_str!("../../workers/src/gpu-start.js") },
    Worker { name: "author-worker", meta: "ringside-author", first: "" },
    Worker { name: "trace-worker", meta: "ringside-trace", first: "" },
];

/// Makes the files of all of them from what cargo left in `built`; with binaryen they are shrunk. All names are made from content.
/// `script` of a result is what the worker is started with.
pub(crate) fn bind_all(
    built: &Path,
    scratch: &Path,
    binaryen: Option<&Binaryen>,
) -> Result<Vec<(&'static Worker, Program)>> {
    ALL.iter().map(|worker| Ok((worker, files(worker, built, scratch, binaryen)?))).collect()
}

/// Makes the files of one.
fn files(worker: &Worker, built: &Path, scratch: &Path, binaryen: Option<&Binaryen>) -> Result<Program> {
    let Worker { name, first, .. } = worker;
    let bound = scratch.join(name).join("bound");
    bind(&built.join(format!("{name}.wasm")), name, &bound)?;
    let main = bound.join(format!("{name}_bg.wasm"));
    if let Some(binaryen) = binaryen {
        shrink::modules(std::slice::from_ref(&main), binaryen)?;
        esbuild::shorten(&bound.join(format!("{name}.js")))?;
    }
    let mut program = split::assemble(name, &bound, String::new(), &main, &[])?;
    let start = format!("import i from\"./{}\";\n{first}i()\n", program.script);
    program.script = split::hashed(&format!("{name}-start"), "js", start.as_bytes());
    program.files.push((program.script.clone(), start.into_bytes()));
    Ok(program)
}

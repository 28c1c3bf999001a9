//! The programs beside the app, each of which runs in a worker that the page starts when it first needs it.

use std::path::Path;

use xtask::failure::Result;
use xtask::npm::Binaryen;

use crate::hash;
use crate::program::{self, Program};

/// The binary of each, by which its files are named, and the `<meta>` in which every page names its script.
pub(crate) const ALL: [(&str, &str); 3] =
    [("gpu-worker", "ringside-gpu"), ("author-worker", "ringside-author"), ("trace-worker", "ringside-trace")];

/// Makes the files of one from what cargo left in `compiled`; with binaryen they are shrunk. `script` is what starts it.
pub(crate) fn files(name: &str, compiled: &Path, scratch: &Path, binaryen: Option<&Binaryen>) -> Result<Program> {
    let raw = compiled.join(format!("{name}.wasm"));
    let scratch = scratch.join(name);
    let mut program = match binaryen {
        #[cfg(feature = "split")]
        Some(binaryen) => crate::split::shrunk(&raw, name, binaryen, &scratch)?,
        _ => program::whole(&raw, name, &scratch)?,
    };
    let start = format!("import i from\"./{}\";\ni()\n", program.script);
    program.script = hash::named(&format!("{name}-start"), "js", start.as_bytes());
    program.files.push((program.script.clone(), start.into_bytes()));
    Ok(program)
}

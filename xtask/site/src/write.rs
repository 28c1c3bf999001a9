//! The site of what cargo compiled and of the course.

use std::path::{Path, PathBuf};

use ringside_content::Mode;
use xtask::failure::{Failure, Result};
use xtask::npm::{self, Binaryen};
use xtask::process;

use crate::content;
use crate::dist::{self, Programs};
use crate::offline;
use crate::program::{self, Program};
use crate::worker;

/// The program that a page starts.
const APP: &str = "ringside-app";

/// `write --wasm <folder> --out <folder> --public-url <path> [--split] [--lenient]`.
pub(crate) fn main(given: &[String]) -> Result<()> {
    let value = |flag: &str| {
        let at = given.iter().position(|word| word == flag);
        at.and_then(|at| given.get(at + 1)).ok_or_else(|| Failure::usage(format!("{flag} is missing.")))
    };
    let has = |flag: &str| given.iter().any(|word| word == flag);
    let (compiled, out) = (PathBuf::from(value("--wasm")?), PathBuf::from(value("--out")?));
    dist::check_out(&out)?;
    let scratch = compiled.join("ringside");
    let binaryen = if has("--split") { Some(npm::binaryen()?) } else { None };
    let content = content::checked(match (binaryen.is_some(), has("--lenient")) {
        (false, _) => Mode::Quick,
        (true, true) => Mode::Lenient,
        (true, false) => Mode::Strict,
    })?;
    let mut workers = Vec::new();
    for (name, meta) in worker::ALL {
        workers.push((meta, worker::files(name, &compiled, &scratch, binaryen.as_ref())?));
    }
    let index = process::read_text(&process::root().join("app/index.html"))?;
    let app = Some(app(&compiled, &scratch, binaryen.as_ref())?);
    let site = scratch.join("site");
    dist::empty(&site)?;
    dist::write(&site, value("--public-url")?, Programs { app, workers, index, policed: true }, &content)?;
    if binaryen.is_none() {
        process::write(&site.join("sw.js"), offline::NONE)?;
    }
    dist::publish(&site, &out)
}

fn app(compiled: &Path, scratch: &Path, binaryen: Option<&Binaryen>) -> Result<Program> {
    let (raw, scratch) = (compiled.join(format!("{APP}.wasm")), scratch.join(APP));
    match binaryen {
        #[cfg(feature = "split")]
        Some(binaryen) => crate::split::split(&raw, APP, binaryen, &scratch),
        _ => program::whole(&raw, APP, &scratch),
    }
}

//! The site of what cargo compiled and of the course.

use std::path::Path;

use ringside_content::Mode;
use xtask::MANIFEST;
use xtask::failure::{Context, Failure, Result};
use xtask::npm::{self, Binaryen};
use xtask::process;

use crate::bindgen;
use crate::content;
use crate::dist::{self, Programs};
use crate::hash;
use crate::offline;
use crate::program::Program;
use crate::worker::ALL;

/// The program that a page starts.
const APP: &str = "ringside-app";

/// `write --wasm <folder> --out <folder> --public-url <path> [--split] [--lenient | --proven]`.
pub(crate) fn main(given: &[String]) -> Result<()> {
    let value = |flag: &str| {
        let at = given.iter().position(|word| word == flag);
        at.and_then(|at| given.get(at + 1)).ok_or_else(|| Failure::usage(format!("{flag} is missing.")))
    };
    let has = |flag: &str| given.iter().any(|word| word == flag);
    let (compiled, out) = (process::given_path(value("--wasm")?), process::given_path(value("--out")?));
    check_out(&out)?;
    let scratch = compiled.join("ringside-programs");
    let binaryen = if has("--split") { Some(npm::binaryen()?) } else { None };
    let mode = match binaryen {
        None => Mode::Quick,
        // The tests prove it.
        Some(_) if has("--proven") => Mode::Quick,
        Some(_) if has("--lenient") => Mode::Lenient,
        Some(_) => Mode::Strict,
    };
    let programs = || -> Result<_> {
        let mut workers = Vec::new();
        for (name, meta) in ALL {
            workers.push((meta, worker(name, &compiled, &scratch, binaryen.is_some())?));
        }
        Ok((Some(app(&compiled, &scratch, binaryen.as_ref())?), workers))
    };
    let (content, programs) = std::thread::scope(|scope| {
        let programs = scope.spawn(programs);
        let content = content::checked(mode);
        (content, programs.join().unwrap_or_else(|_| Err("the app could not be bound (above).".into())))
    });
    let (content, (app, workers)) = (content?, programs?);
    let index = process::read_text(&process::root().join("app/index.html"))?;
    let site = scratch.join("site");
    empty(&site)?;
    dist::write(&site, value("--public-url")?, Programs { app, workers, index, policed: true }, &content)?;
    if binaryen.is_none() {
        process::write(&site.join("sw.js"), offline::NONE)?;
    }
    publish(&site, &out)
}

fn app(compiled: &Path, scratch: &Path, binaryen: Option<&Binaryen>) -> Result<Program> {
    let (raw, scratch) = (compiled.join(format!("{APP}.wasm")), scratch.join(APP));
    match binaryen {
        #[cfg(feature = "split")]
        Some(binaryen) => crate::split::split(&raw, APP, binaryen, &scratch),
        _ => bindgen::whole(&raw, APP, &scratch),
    }
}

/// Makes the files of one from what cargo left in `compiled`. `script` is what starts it.
fn worker(name: &str, compiled: &Path, scratch: &Path, released: bool) -> Result<Program> {
    let raw = compiled.join(format!("{name}.wasm"));
    let scratch = scratch.join(name);
    let mut program = match released {
        #[cfg(feature = "split")]
        true => crate::split::whole(&raw, name, &scratch)?,
        _ => bindgen::whole(&raw, name, &scratch)?,
    };
    let start = format!("import i from\"./{}\";\ni()\n", program.script);
    program.script = hash::named(&format!("{name}-start"), "js", start.as_bytes());
    program.files.push((program.script.clone(), start.into_bytes()));
    Ok(program)
}

/// Fails if the site would take the place of something else.
fn check_out(out: &Path) -> Result<()> {
    let other =
        out.exists() && !out.join(MANIFEST).is_file() && out.read_dir().map_or(true, |mut all| all.next().is_some());
    if other {
        return Err(
            format!("{} is there and is no built site. Remove it, or choose another folder.", out.display()).into()
        );
    }
    Ok(())
}

/// Makes sure that there is nothing in a folder.
fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).could_not(|| format!("remove {}", folder.display()))?;
    }
    Ok(())
}

/// Puts the site in the place of the one that is there.
fn publish(site: &Path, out: &Path) -> Result<()> {
    empty(out)?;
    process::copy(site, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_site_is_replaced() {
        let folder = process::scratch("publish").expect("a folder");
        let out = folder.join("out");
        assert!(check_out(&out).is_ok());
        process::write(&out.join("thesis.md"), "work").expect("written");
        assert!(check_out(&out).is_err());
        process::write(&out.join(MANIFEST), "{}").expect("written");
        assert!(check_out(&out).is_ok());
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}

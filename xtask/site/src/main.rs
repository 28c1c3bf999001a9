//! Makes the site: renders the course, binds, splits and shrinks what cargo compiled, and writes a page for every route.
//! `cargo xtask` and Trunk call it; nobody needs to by hand.

#[cfg(feature = "bind")]
mod bindgen;
mod content;
mod dist;
mod editor;
mod esbuild;
mod hash;
mod html;
#[cfg(feature = "split")]
mod merge;
mod offline;
#[cfg(feature = "bind")]
mod package;
mod prerender;
mod program;
#[cfg(feature = "split")]
mod shrink;
#[cfg(feature = "split")]
mod split;
mod styles;
mod trunk;
mod worker;
#[cfg(feature = "bind")]
mod write;

use std::process::ExitCode;

use xtask::failure::{Failure, Result};

fn main() -> ExitCode {
    let given: Vec<String> = std::env::args().skip(1).collect();
    match run(&given) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(failure.code)
        }
    }
}

fn run(given: &[String]) -> Result<()> {
    match given.split_first().map(|(name, rest)| (name.as_str(), rest)) {
        #[cfg(feature = "bind")]
        Some(("write", rest)) => write::main(rest),
        #[cfg(feature = "bind")]
        Some(("package", [compiled, out])) => package::main(compiled.as_ref(), out.as_ref()),
        Some(("finish", [])) => trunk::finish(),
        Some(("coverage", [])) => content::coverage(),
        Some(("words", [])) => {
            content::model_words();
            Ok(())
        }
        _ => Err(Failure::usage("`cargo xtask help` lists what there is to do; it calls this program.")),
    }
}

//! A release: what `lazy!` marks (`app/src/deferred.rs`) becomes modules of its own, wasm-bindgen writes the glue of the main one, and binaryen
//! shrinks them all. Workers are one module each, and stay as the compiler wrote them: shrunk they compress no better.

use std::path::Path;

use xtask::failure::{Context, Result};
use xtask::npm::Binaryen;
use xtask::process;

use crate::bindgen::{LINK, assemble, bind, file_name};
use crate::esbuild;
use crate::merge;
use crate::program::Program;
use crate::shrink;

/// Splits and shrinks the program whose raw module is at `raw`. `scratch` is emptied and used.
pub(crate) fn split(raw: &Path, name: &str, binaryen: &Binaryen, scratch: &Path) -> Result<Program> {
    let input = process::read(raw)?;
    if scratch.exists() {
        std::fs::remove_dir_all(scratch).could_not(|| format!("remove {}", scratch.display()))?;
    }
    let parts = scratch.join("parts");
    let main = scratch.join(format!("{name}.wasm"));
    let import = format!("./{name}.js");
    std::fs::create_dir_all(&parts).could_not(|| format!("create {}", parts.display()))?;
    let mut options = wasm_split_cli_support::Options::new(&input);
    options.output_dir = &parts;
    options.main_out_path = &main;
    options.main_module = &import;
    let done =
        wasm_split_cli_support::transform(options).map_err(|e| format!("could not split {}: {e:?}", raw.display()))?;
    let mut link = process::read_text(&parts.join(LINK))?;
    merge::check(&done.prefetch_map)?;
    let gone = merge::chunks(&parts, &mut link, &done.prefetch_map)?;
    let mut split = done.split_modules;
    split.retain(|path| !gone.iter().any(|name| file_name(path) == format!("{name}.wasm")));
    split.sort();

    let bound = scratch.join("bound");
    bind(&main, name, &bound, false)?;
    let main = bound.join(format!("{name}_bg.wasm"));
    let mut modules = vec![main.clone()];
    modules.extend(split.iter().cloned());
    shrink::modules(&modules, binaryen)?;
    process::write(&parts.join(LINK), link)?;
    esbuild::shorten(&parts.join(LINK))?;
    esbuild::shorten(&bound.join(format!("{name}.js")))?;
    assemble(name, &bound, process::read_text(&parts.join(LINK))?, &main, &split)
}

/// The program whose raw module is at `raw`, in one piece, without names. `scratch` is used.
pub(crate) fn whole(raw: &Path, name: &str, scratch: &Path) -> Result<Program> {
    let bound = scratch.join("bound");
    bind(raw, name, &bound, false)?;
    let main = bound.join(format!("{name}_bg.wasm"));
    esbuild::shorten(&bound.join(format!("{name}.js")))?;
    assemble(name, &bound, String::new(), &main, &[])
}

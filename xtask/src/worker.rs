//! The programs beside the app, each of which runs in a worker that the page starts when it first needs it.

use std::path::Path;

use crate::failure::{Context, Result};
use crate::process::{self, command, say};
use crate::shrink;
use crate::split::{self, Program};
use crate::tools::Tools;

/// A program that runs in a worker.
#[derive(Debug)]
pub(crate) struct Worker {
    /// The binary, by which its files are named.
    name: &'static str,
    /// The `<meta>` in which every page names its script.
    pub(crate) meta: &'static str,
}

const ALL: &[Worker] =
    &[Worker { name: "gpu-worker", meta: "ringside-gpu" }, Worker { name: "author-worker", meta: "ringside-author" }];

/// Builds all of them with cargo's `target` folder; all names are made from content. `script` of a result is what the worker is
/// started with.
pub(crate) fn build(
    target: &Path,
    triple: &str,
    release: bool,
    tools: &Tools,
) -> Result<Vec<(&'static Worker, Program)>> {
    say("building the workers");
    let mut cargo = command("cargo");
    cargo.args(["build", "--quiet", "--package", "ringside-workers", "--target", triple]);
    if release {
        cargo.arg("--release");
    }
    process::run(&mut cargo)?;
    ALL.iter().map(|worker| Ok((worker, bind(worker.name, target, triple, release, tools)?))).collect()
}

/// Makes the files of one from what cargo built.
fn bind(name: &str, target: &Path, triple: &str, release: bool, tools: &Tools) -> Result<Program> {
    let raw = target.join(triple).join(if release { "release" } else { "debug" }).join(format!("{name}.wasm"));
    let scratch = target.join("ringside").join(name);
    let (slim, bound) = (scratch.join(format!("{name}.wasm")), scratch.join("bound"));
    if bound.exists() {
        std::fs::remove_dir_all(&bound).could_not(|| format!("remove {}", bound.display()))?;
    }
    let module = without_relocations(&process::read(&raw)?).ok_or("a worker is no WebAssembly module.")?;
    process::write(&slim, module)?;
    process::run(
        command(&tools.wasm_bindgen)
            .args(["--target", "web", "--no-demangle", "--no-typescript", "--out-name", name, "--out-dir"])
            .args([&bound, &slim]),
    )?;
    let main = bound.join(format!("{name}_bg.wasm"));
    if release {
        shrink::modules(std::slice::from_ref(&main), &tools.binaryen)?;
    }
    let mut program = split::assemble(name, &bound, String::new(), &main, &[])?;
    let start = format!("import i from\"./{}\";i()\n", program.script);
    program.script = split::hashed(&format!("{name}-start"), "js", start.as_bytes());
    program.files.push((program.script.clone(), start.into_bytes()));
    Ok(program)
}

/// The module without what only a linker reads: the app's modules need the relocations to be split, and this one, built
/// with the same flags, would be three times as large with them. `None` if it is no module.
fn without_relocations(module: &[u8]) -> Option<Vec<u8>> {
    let (header, mut rest) = module.split_at_checked(8)?;
    let mut out = header.to_vec();
    while let [id, after @ ..] = rest {
        let (length, body) = leb(after)?;
        let (section, next) = body.split_at_checked(length)?;
        let linkers = *id == 0 && {
            let (length, name) = leb(section)?;
            let name = name.get(..length)?;
            name.starts_with(b"reloc.") || name == b"linking"
        };
        if !linkers {
            out.extend(&rest[..rest.len() - next.len()]);
        }
        rest = next;
    }
    Some(out)
}

/// A length in LEB128, and what comes after it.
fn leb(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0_usize;
    for (i, byte) in bytes.iter().enumerate().take(5) {
        value |= usize::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            return Some((value, &bytes[i + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::without_relocations;

    #[test]
    fn only_what_the_linker_reads_goes() {
        let header = b"\0asm\x01\0\0\0";
        let section = |id: u8, body: &[u8]| [&[id, body.len() as u8], body].concat();
        let (code, name) = (section(10, b"\0"), section(0, b"\x04name!"));
        let gone = [section(0, b"\x0areloc.CODE123"), section(0, b"\x07linking45")];
        let module = [&header[..], &gone[0], &code, &gone[1], &name].concat();
        assert_eq!(without_relocations(&module), Some([&header[..], &code, &name].concat()));
        assert_eq!(without_relocations(&module[..module.len() - 1]), None);
        assert_eq!(without_relocations(b"no"), None);
    }
}

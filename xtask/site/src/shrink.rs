//! Shrinks WebAssembly with binaryen: by the `wasm-opt` on PATH, a process for each module, or by the library that npm brings,
//! a process for each processor.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use xtask::failure::Result;
use xtask::npm::Binaryen;
use xtask::process::{self, command};

/// What rustc emits and every browser with WebGPU understands, one by one, as the program and as the library name it: all
/// features would emit what browsers refuse.
const FEATURES: &[(&str, &str)] = &[
    ("mutable-globals", "MutableGlobals"),
    ("sign-ext", "SignExt"),
    ("reference-types", "ReferenceTypes"),
    ("multivalue", "Multivalue"),
    ("bulk-memory", "BulkMemory"),
    ("bulk-memory-opt", "BulkMemoryOpt"),
    ("nontrapping-float-to-int", "NontrappingFPToInt"),
    ("call-indirect-overlong", "CallIndirectOverlong"),
];

/// Optimises modules in place, with as many processes at a time as there are processors.
pub(crate) fn modules(modules: &[PathBuf], binaryen: &Binaryen) -> Result<()> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    match binaryen {
        Binaryen::Program(path) => {
            side_by_side(modules.iter().map(|module| program(path, module)).collect(), processors)
        }
        Binaryen::Library(path) => {
            let shares = shares(modules, processors);
            side_by_side(shares.iter().map(|share| library(path, share)).collect(), processors)
        }
    }
}

fn program(wasm_opt: &Path, module: &Path) -> Command {
    let mut command = command(wasm_opt);
    command.arg(module).arg("-o").arg(module).arg("--mvp-features");
    command.args(FEATURES.iter().map(|(flag, _)| format!("--enable-{flag}")));
    command.args(["-Oz", "--strip-debug", "--strip-producers", "--strip-target-features"]);
    command
}

fn library(binaryen: &Path, modules: &[&PathBuf]) -> Command {
    let features: Vec<&str> = FEATURES.iter().map(|(_, name)| *name).collect();
    let mut command = command("node");
    command.arg(process::root().join("xtask/npm/shrink.mjs")).arg(binaryen).arg(features.join(",")).args(modules);
    command
}

/// Deals the modules out, the largest first, each to who has least.
fn shares(modules: &[PathBuf], count: usize) -> Vec<Vec<&PathBuf>> {
    let size = |module: &PathBuf| module.metadata().map_or(1, |data| data.len().max(1));
    let mut sized: Vec<_> = modules.iter().map(|module| (size(module), module)).collect();
    sized.sort_by(|a, b| b.cmp(a));
    let mut shares = vec![(0, Vec::new()); count.clamp(1, modules.len().max(1))];
    for (size, module) in sized {
        if let Some((sum, share)) = shares.iter_mut().min_by_key(|(sum, _)| *sum) {
            *sum += size;
            share.push(module);
        }
    }
    shares.into_iter().map(|(_, share)| share).filter(|share| !share.is_empty()).collect()
}

/// Runs all, `at_once` at a time; fails if one does.
fn side_by_side(commands: Vec<Command>, at_once: usize) -> Result<()> {
    let waiting = Mutex::new(commands);
    let next = || waiting.lock().ok().and_then(|mut waiting| waiting.pop());
    let work = || -> Result<()> {
        while let Some(mut command) = next() {
            process::output(&mut command)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..at_once).map(|_| scope.spawn(work)).collect();
        let died = |_| Err("a thread that shrinks modules died.".to_owned().into());
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(died))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_is_dealt_out_once() {
        let modules: Vec<PathBuf> = (0..5).map(|n| PathBuf::from(format!("{n}.wasm"))).collect();
        let mut dealt: Vec<_> = shares(&modules, 2).concat();
        dealt.sort();
        assert_eq!(dealt, modules.iter().collect::<Vec<_>>());
        assert_eq!(shares(&modules, 9).len(), 5);
        assert!(shares(&[], 2).is_empty());
    }

    #[test]
    fn one_failure_fails_all() {
        let all = |programs: &[&str]| side_by_side(programs.iter().map(Command::new).collect(), 2);
        assert!(all(&["true", "true", "true"]).is_ok());
        assert!(all(&["true", "false", "true"]).is_err());
    }
}

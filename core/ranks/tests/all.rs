//! The engine from outside: programs that end, programs that don't, and the ladder.
#![allow(clippy::unwrap_used)]

mod bounds;
mod compare;
mod diagnoses;
mod ladder;
mod language;
mod members;
mod said;

use ringside_core::program::{Job, Outcome};

const HEAD: &str =
    "import torch\nimport torch.distributed as dist\nfrom ringside import rank, world_size, randn, submit, tag\n";

/// Runs a program on some ranks. Its first line is line 4.
fn run(program: &str, ranks: usize) -> Outcome {
    ringside_ranks::run(&Job { program: format!("{HEAD}{program}"), world_size: ranks, ..Job::default() })
}

/// What a program prints on rank 0, if it ends well.
fn prints(program: &str) -> String {
    let outcome = run(program, 1);
    assert!(outcome.diagnosis.passed(), "{program}\n{}", outcome.diagnosis.sentence);
    let lines: Vec<&str> = outcome.run.ranks[0].printed.iter().map(|p| p.text.as_str()).collect();
    lines.join("\n")
}

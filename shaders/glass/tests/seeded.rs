//! Sound kernels with one mistake each, which must be found on its line.

use ringside_core::kernels::glass::FindingKind;
use ringside_core::kernels::rows::{self, Op};
use ringside_core::kernels::{matmul, stream};
use ringside_glass::run::{Run, Runnable};
use ringside_shaders::puzzles;
use ringside_shaders::{Problem, find};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Seeded {
    bug: Vec<Bug>,
}

/// A mistake.
#[derive(Debug, Deserialize)]
struct Bug {
    /// A puzzle, or `family/kernel`.
    of: String,
    /// What of the solution is replaced, once, and by what.
    was: String,
    #[serde(default)]
    now: String,
    /// `race`, `barrier`, `bounds` or `uninitialized`.
    finds: String,
    /// What stands on the line that it must be found on.
    on: String,
}

const BUDGET: u64 = 1 << 22;

fn problem(family: &str) -> Problem {
    match family {
        "matmul" => Problem::Matmul(matmul::Sizes { m: 33, n: 35, k: 20 }),
        "sum" => Problem::Sum(stream::Sum { n: 600 }),
        "copy" => Problem::Copy(stream::Copy { rows: 33, cols: 20 }),
        op => Problem::Rows(Op::find(op).expect("known"), rows::Sizes { rows: 3, cols: 1100 }),
    }
}

/// The text with its mistake, and what running it at small sizes comes to.
fn runs(bug: &Bug) -> (String, Vec<Run>) {
    let replaced = |text: &str| {
        assert!(text.contains(&bug.was), "{}: no {:?} in\n{text}", bug.of, bug.was);
        text.replacen(&bug.was, &bug.now, 1)
    };
    if let Some((family, id)) = bug.of.split_once('/') {
        let (kernel, problem) = (find(family, id).expect("there is such a kernel"), problem(family));
        let text = replaced(&kernel.wgsl(&problem.dims()));
        let runnable = Runnable::kernel_as(kernel, &problem, &problem.data(1), text.clone());
        return (text, vec![runnable.unwrap_or_else(|e| panic!("{bug:?}: {e:?}")).run(32, BUDGET)]);
    }
    let puzzle = puzzles::find(&bug.of).expect("there is such a puzzle");
    let body = replaced(puzzle.frame().solution);
    let run =
        |case| Runnable::puzzle(puzzle, &body, &case).unwrap_or_else(|e| panic!("{bug:?}: {e:?}")).run(32, BUDGET);
    (puzzle.whole(&body), puzzle.cases(7).into_iter().map(run).collect())
}

#[test]
fn each_mistake_is_found_on_its_line() {
    let all: Seeded = toml::from_str(include_str!("seeded.toml")).expect("valid");
    assert!(all.bug.len() >= 40, "{}", all.bug.len());
    let mut missed = Vec::new();
    for bug in &all.bug {
        let kind = match bug.finds.as_str() {
            "race" => FindingKind::Race,
            "barrier" => FindingKind::Barrier,
            "bounds" => FindingKind::Bounds,
            _ => FindingKind::Uninitialized,
        };
        let (text, runs) = runs(bug);
        let lines: Vec<u32> = (1..).zip(text.lines()).filter(|(_, l)| l.contains(&bug.on)).map(|(n, _)| n).collect();
        let found = runs.iter().flat_map(|run| &run.findings);
        if !found.clone().any(|f| f.kind == kind && lines.contains(&f.line)) {
            let others: Vec<_> = found.map(|f| (f.kind, f.line, &f.text)).collect();
            missed.push(format!("{} {:?} -> {:?}: not on {lines:?}, but {others:?}", bug.of, bug.was, bug.now));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

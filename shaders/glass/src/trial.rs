//! What a learner wrote for a puzzle, checked without a GPU: at the same sizes and against the same twin, but not timed.

use ringside_core::kernels::glass::{DEVICE, FindingKind, WIDTHS};
use ringside_core::kernels::job::{Note, Timing, Tried, Verdict};
use ringside_shaders::puzzles::{Case, Puzzle};

use crate::run::Runnable;

/// Operations of warps for each run of a check: all of them take under two seconds in a browser.
const BUDGET: u64 = 2_000_000;
/// Tries `body` at sizes that `seed` draws. `progress` is told how far it is, from 0 to 1.
pub fn try_puzzle(puzzle: &Puzzle, body: &str, seed: u32, progress: impl Fn(f64)) -> Tried {
    Tried { device: DEVICE.to_owned(), software: true, verdict: verdict(puzzle, body, seed, progress) }
}

fn verdict(puzzle: &Puzzle, body: &str, seed: u32, progress: impl Fn(f64)) -> Verdict {
    let cases = puzzle.cases(seed);
    // What works on subgroups must be right whatever their size.
    let widths = if puzzle.subgroups() { &WIDTHS[..] } else { &WIDTHS[..1] };
    for (i, case) in cases.iter().enumerate() {
        progress(i as f64 / cases.len() as f64);
        let runnable = match Runnable::puzzle(puzzle, body, case) {
            Ok(runnable) => runnable,
            Err(note) => return Verdict::Refused(vec![note]),
        };
        for &width in widths {
            if let Some(wrong) = tried(puzzle, case, &runnable, width) {
                return wrong;
            }
        }
    }
    Verdict::Right(Timing { cases: cases.len(), seconds: 0.0, guard: 0.0 })
}

/// What is wrong with a run in warps of so many lanes.
fn tried(puzzle: &Puzzle, case: &Case, runnable: &Runnable, width: u32) -> Option<Verdict> {
    let run = runnable.run(width, BUDGET);
    let at = if puzzle.subgroups() { format!("{} and subgroups of {width}", case.name()) } else { case.name() };
    if let Some(why) = run.stopped {
        return Some(Verdict::Stopped(at, why));
    }
    if let Some(wrong) = puzzle.check(case, &run.output) {
        return Some(Verdict::Wrong(at, wrong.to_string()));
    }
    let grave = run.findings.iter().filter(|f| matches!(f.kind, FindingKind::Race | FindingKind::Barrier));
    let notes: Vec<Note> = grave.map(|f| Note { error: true, line: f.line, column: 0, text: f.text.clone() }).collect();
    (!notes.is_empty()).then_some(Verdict::Unsound(at, notes))
}

//! A collective: what each rank holds of each chunk, and the messages of the step that was done last.

use ringside_core::collective::Run;
use ringside_core::collective::data::Held;

use super::midway;
use crate::chart::Ink;
use crate::form::{Cell, Cells, Head, Tone};

const WHOLE: Tone = Ink::Optimizer.at(100);
const SPENT: Tone = Ink::Idle.at(35);
const NOTHING: Tone = Ink::Line.at(60);
/// Chunks up to which messages are drawn: more would be a gray block.
const DRAWN: usize = 140;

/// A row for each rank, a column for each chunk; in the middle of the run, if no step is on show.
pub fn picture(run: &Run) -> Cells {
    let p = &run.params;
    let step = midway(p.step, run.steps());
    let state = run.state(step);
    let chunks = state.chunks();
    let cell = |(rank, chunk): (usize, usize)| {
        let at = |tone| Cell::new(chunk as f64, rank as f64, tone);
        match state.held(rank, chunk) {
            Held::Nothing => at(NOTHING),
            Held::Spent => at(SPENT),
            Held::Whole => at(WHOLE),
            Held::Part(part) => at(Ink::Communication.at((20.0 + 70.0 * part) as u8)),
        }
    };
    let all = (0..p.ranks).flat_map(|rank| (0..chunks).map(move |chunk| (rank, chunk)));
    let done = step.checked_sub(1).and_then(|i| run.schedule.steps.get(i));
    let middle = |at: usize| at as f64 + 0.5;
    let lines = done.into_iter().flat_map(|done| &done.transfers).take(DRAWN).map(|t| {
        let column = middle(usize::from(t.chunk));
        ([column, middle(usize::from(t.from))], [column, middle(usize::from(t.to))], Ink::Ink.at(80))
    });
    let keys = [
        (Ink::Communication.at(30), "its own numbers"),
        (Ink::Communication.at(75), "sum of several ranks"),
        (WHOLE, "sum of all"),
    ];
    let head = Head::new(format!("Chunks of each rank after step {step} of {}", run.steps()), &keys);
    let label = run.step_finding(step);
    let mut drawn = Cells::new(label, head, [chunks as f64, p.ranks as f64], all.map(cell).collect())
        .named((0..p.ranks).map(|rank| format!("rank {rank}")), (0..chunks).map(|chunk| chunk.to_string()));
    drawn.lines = lines.collect();
    drawn
}

//! What lies in HBM while attention runs: the N × N matrix or the place where it would be, with the tile that is on the chip.

use ringside_core::attention::algorithm::Direction;
use ringside_core::attention::{Params, Run};
use ringside_core::quantity::{Unit, unbroken};

use super::midway;
use crate::chart::Ink;
use crate::form::{Cell, Cells, Head, Tone};

const COVERED: Tone = Ink::Activations.at(40);
const TILE: Tone = Ink::Forward.at(100);
const BAND: Tone = Ink::Kv.at(30);
/// Most rectangles that show what has been done.
const RECTANGLES: u64 = 160;

/// The matrix in the step that is on show; in the middle of the run, if none is.
pub fn picture(p: &Params, run: &Run) -> Cells {
    let step = midway(p.step as usize, run.steps() as usize) as u64;
    let n = p.seq.max(1) as f64;
    let part = |[rows, columns]: [(u64, u64); 2], tone: Tone| {
        let at = [columns.0 as f64 / n, rows.0 as f64 / n];
        Cell::of(at, [(columns.1 - columns.0) as f64 / n, (rows.1 - rows.0) as f64 / n], tone)
    };
    let mut cells = vec![Cell::of([0.0, 0.0], [1.0, 1.0], Ink::Line.at(60))];
    cells.extend(run.plan.covered(step, RECTANGLES).into_iter().map(|done| part(done, COVERED)));
    if let Some(now) = step.checked_sub(1).and_then(|i| run.plan.at(i)) {
        let [rows, columns] = run.plan.tile(&now);
        let all = (0, p.seq);
        cells.extend([part([rows, all], BAND), part([all, columns], BAND), part([rows, columns], TILE)]);
    }
    let sizes = &run.plan.sizes;
    let bytes = unbroken(&Unit::Bytes.format(run.of_all_heads(sizes.seq * sizes.seq * sizes.element)));
    let pass = if p.direction == Direction::Forward { "Scores" } else { "Scores and their gradients" };
    let keys = [(TILE, "tile on the chip"), (BAND, "its rows and columns"), (COVERED, "done")];
    let head = Head::new(format!("{pass}: N × N would be {bytes}"), &keys);
    Cells::new(run.finding(step), head, [1.0, 1.0], cells).square()
}

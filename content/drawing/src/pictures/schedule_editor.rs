//! A schedule of one's own: a row for each stage, a column for each slot.

use ringside_core::pipeline::Kind;
use ringside_core::pipeline::editor::{EditorParams, slots_shown};

use super::pipeline_timeline::tone;
use crate::chart::Ink;
use crate::form::{Cell, Cells, Head};

/// The board.
pub fn picture(p: &EditorParams) -> Cells {
    let (stages, slots) = (p.board.rows.len(), slots_shown(p));
    let empty = (0..stages).flat_map(|stage| (0..slots).map(move |slot| (stage, slot)));
    let mut cells: Vec<Cell> =
        empty.map(|(stage, slot)| Cell::new(slot as f64, stage as f64, Ink::Line.at(60))).collect();
    for stage in 0..stages {
        for (slot, op) in p.board.ops(stage) {
            let text = format!("{}{}", op.kind.letter(), op.microbatch);
            cells.push(Cell::new(slot as f64, stage as f64, tone(op.kind)).text(text));
        }
    }
    let keys = [
        (tone(Kind::Forward), "forward"),
        (tone(Kind::Input), "input gradient"),
        (tone(Kind::Weight), "weight gradient"),
    ];
    Cells::new(p.finding(), Head::new("", &keys), [slots as f64, stages as f64], cells)
        .named((0..stages).map(|stage| format!("stage {stage}")), [])
}

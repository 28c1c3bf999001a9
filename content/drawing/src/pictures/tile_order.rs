//! The tiles of a product in the order of their launch: C beside A and under B, and what of both comes from memory or the L2.

use ringside_core::quantity::plural;
use ringside_core::tile_order::{Params, Run};

use super::midway;
use crate::chart::Ink;
use crate::form::{Cell, Cells, Head, Tone};

const DONE: Tone = Ink::Forward.at(32);
const NOW: Tone = Ink::Forward.at(100);
const READ: Tone = Ink::Gradients.at(100);
const FOUND: Tone = Ink::Kv.at(60);
/// Most tiles that are numbered.
const NUMBERED: u64 = 400;

/// A, B and C after the wave that is on show.
pub fn picture(p: &Params, run: &Run) -> Cells {
    let step = midway(p.step, run.waves.len());
    let depth = p.depth as f64;
    let between = (0.035 * (depth + p.columns.max(p.rows) as f64)).max(0.4);
    let (left, top) = (depth + between, depth + between);
    let bed = |at, size| Cell::of(at, size, Ink::Line.at(60));
    let (wide, high) = (p.columns as f64, p.rows as f64);
    let mut cells =
        vec![bed([0.0, top], [depth, high]), bed([left, 0.0], [wide, depth]), bed([left, top], [wide, high])];
    let mut number = 0;
    for (i, wave) in run.waves.iter().take(step).enumerate() {
        for [row, column] in &wave.tiles {
            let cell = Cell::new(left + *column as f64, top + *row as f64, if i + 1 == step { NOW } else { DONE });
            cells.push(if p.tiles() <= NUMBERED { cell.text(number.to_string()) } else { cell });
            number += 1;
        }
    }
    if let Some(wave) = step.checked_sub(1).and_then(|i| run.waves.get(i)) {
        let tone = |had: bool| if had { FOUND } else { READ };
        for (row, had) in &wave.a {
            stretches(had, |from, long, had| {
                cells.push(Cell::of([from, top + *row as f64], [long, 1.0], tone(had)));
            });
        }
        for (column, had) in &wave.b {
            stretches(had, |from, long, had| {
                cells.push(Cell::of([left + *column as f64, from], [1.0, long], tone(had)));
            });
        }
    }
    let keys = [
        (NOW, "computed in this wave"),
        (DONE, "computed before"),
        (READ, "read from memory"),
        (FOUND, "found in the L2"),
    ];
    let label = format!(
        "Tiles of C after {}, with the blocks of A and B that the last wave uses.",
        plural(&step.to_string(), "wave")
    );
    Cells::new(label, Head::new("A and B around C", &keys), [left + wide, top + high], cells).square()
}

/// Stretches of equal values: where each begins, how long it is, the value.
fn stretches(values: &[bool], mut put: impl FnMut(f64, f64, bool)) {
    let mut from = 0;
    for chunk in values.chunk_by(|a, b| a == b) {
        put(from as f64, chunk.len() as f64, chunk.first().copied().unwrap_or_default());
        from += chunk.len();
    }
}

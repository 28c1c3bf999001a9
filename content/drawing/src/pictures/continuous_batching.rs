//! The slots of a batch over time: whose prompt, whose tokens.

use ringside_core::quantity::Unit;
use ringside_core::serving::figure::{Params, Shown};
use ringside_core::serving::simulate::{Span, Use};

use super::{SEVERAL, ticks};
use crate::chart::Ink;
use crate::form::{Cell, Cells, Head, Tone};

/// A row for each slot; those of a second replica below the first's.
pub fn schedule(p: &Params, s: &Shown) -> Cells {
    let [first, second] = s.schedule.slots;
    let apart = if second > 0 { 1.0 } else { 0.0 };
    let end = s.schedule.makespan().max(1e-9);
    let tone = |span: &Span| -> Tone {
        let ink = SEVERAL[span.request % SEVERAL.len()];
        match span.used {
            Use::Prefill => ink.into(),
            Use::Decode => ink.at(55),
            Use::Stalled => Ink::Idle.at(70),
            Use::Padding => Ink::Idle.at(30),
        }
    };
    let mut named: Vec<usize> = Vec::new();
    let cell = |span: &Span| {
        let row = span.slot as f64 + if span.replica == 0 { 0.0 } else { first as f64 + apart };
        let cell = Cell::of([span.from, row], [span.to - span.from, 1.0], tone(span));
        let is_first = span.used == Use::Decode && !named.contains(&span.request);
        if is_first {
            named.push(span.request);
        }
        if is_first { cell.text((span.request + 1).to_string()) } else { cell }
    };
    let cells = s.schedule.spans.iter().map(cell).collect();
    let keys =
        [(Ink::Soft.into(), "prompt"), (Ink::Soft.at(55), "tokens"), (Ink::Idle.at(70), "waits for others’ prompts")];
    let head = Head::new("Slots of the batch, a color for each request", &keys);
    let mut cells = Cells::new(p.caption(s), head, [end, first as f64 + apart + second as f64], cells);
    cells.columns = ticks(end, Unit::Seconds);
    cells
}

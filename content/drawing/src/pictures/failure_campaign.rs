//! A long run as strips of time: what was useful, and what it was lost to.

use ringside_core::failure::campaign::{Cause, Stretch};
use ringside_core::failure::{Failures, Outcome};

use crate::chart::Ink;
use crate::form::{Cell, Cells, Head, Tone};

/// In the colors of the figure.
fn tone(cause: Cause) -> Tone {
    match cause {
        Cause::Useful => Ink::Weights.at(38),
        Cause::Saving => Ink::Mlp.into(),
        Cause::Lost => Ink::Attention.into(),
        Cause::Noticing => Ink::Gradients.into(),
        Cause::Waiting => Ink::Small.into(),
        Cause::Restarting => Ink::Optimizer.into(),
        Cause::Planned => Ink::Kv.into(),
        Cause::Shrunk => Ink::Weights.at(68),
    }
}

/// A row for each week or day.
pub fn strips(p: &Failures, o: &Outcome) -> Cells {
    let (row, rows) = (p.row_seconds(), p.rows());
    let cause = |s: &Stretch| if s.capacity < 1.0 && s.cause == Cause::Useful { Cause::Shrunk } else { s.cause };
    let mut cells = Vec::new();
    for stretch in &o.campaign.stretches {
        let mut from = stretch.from;
        while from < stretch.to {
            let i = (from / row).floor();
            let to = stretch.to.min((i + 1.0) * row);
            cells.push(Cell::of([(from - i * row) / row, i], [(to - from) / row, 1.0], tone(cause(stretch))));
            from = to;
        }
    }
    let there = Cause::ALL.into_iter().filter(|one| o.campaign.stretches.iter().any(|s| cause(s) == *one));
    let head = there.fold(Head::default(), |head, cause| head.key(tone(cause), cause.label()));
    let word = if p.row_days() > 1.0 { "week" } else { "day" };
    Cells::new(p.finding(o), head, [1.0, rows as f64], cells).named((1..=rows).map(|i| format!("{word} {i}")), [])
}

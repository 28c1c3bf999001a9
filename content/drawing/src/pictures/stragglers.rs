//! One step of a job: what each rank computes, and how long it waits for the slowest.

use ringside_core::quantity::{Unit, grouped};
use ringside_core::stragglers::{Outcome, Params, View};

use crate::chart::Ink;
use crate::charts;
use crate::figure::{Column, Figure, Table};
use crate::form::{Head, Lane, Lanes, Piece, Tone};
use crate::picture::Picture;

const COMPUTES: Tone = Ink::Forward.at(100);
const SLOW: Tone = Ink::Warn.at(100);
const WAITS: Tone = Ink::Idle.at(60);
const LEFT_OUT: Tone = Ink::Gradients.at(55);

/// The ranks of the step that is drawn.
fn step(p: &Params, o: &Outcome) -> Lanes {
    let step = &o.drawn;
    let longest = step.ranks.iter().copied().fold(step.over, f64::max);
    let row = |(rank, time): (usize, f64)| {
        let tone = match (p.slow_rank() == Some(rank), time > step.over) {
            (_, true) => LEFT_OUT,
            (true, false) => SLOW,
            _ => COMPUTES,
        };
        let pieces =
            [Piece::new(0.0, time * p.seconds, tone), Piece::new(time * p.seconds, step.over * p.seconds, WAITS)];
        Lane::new(grouped(rank as u64), pieces.into_iter().filter(|piece| piece.to > piece.from).collect())
    };
    let shown = step.shown();
    let hidden = step.ranks.len() - shown.len();
    let title = match hidden {
        0 => String::new(),
        hidden => format!("{} of {} ranks", shown.len(), grouped((shown.len() + hidden) as u64)),
    };
    let keys = [(COMPUTES, "computes"), (SLOW, "the slow rank"), (WAITS, "waits"), (LEFT_OUT, "left out")];
    let rows = shown.into_iter().map(row).collect();
    Lanes::new(p.finding(o), Head::new(title, &keys), rows, longest * p.seconds, Some(Unit::Seconds))
}

impl Figure for Params {
    fn subtitle(&self) -> String {
        format!("{} ranks, one {} slower", grouped(self.ranks), Unit::Fraction.format(self.excess()))
    }

    fn finding(&self, o: &Outcome) -> String {
        self.finding(o)
    }

    fn picture(&self, o: &Outcome) -> Picture {
        match self.view {
            View::Step => step(self, o).into(),
            View::Size => charts::stragglers::chart(self, o).into(),
        }
    }

    /// The ranks of the step that is drawn.
    fn table(&self, o: &Outcome) -> Table {
        let over = o.drawn.over;
        let row = |(rank, time): (usize, f64)| {
            vec![
                grouped(rank as u64),
                Unit::Seconds.format(time * self.seconds),
                Unit::Seconds.format((over - time).max(0.0) * self.seconds),
                if time > over { "left out" } else { "" }.to_owned(),
            ]
        };
        let columns =
            [Column::Numbers("Rank"), Column::Numbers("Computes"), Column::Numbers("Waits"), Column::Words("Counts")];
        Table::of(columns, o.drawn.shown().into_iter().map(row).collect())
    }
}

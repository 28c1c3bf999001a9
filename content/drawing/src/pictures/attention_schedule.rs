//! The units of an SM while attention goes through its tiles.

use ringside_core::attention::schedule::{Params, Schedule, Task, Work};
use ringside_core::quantity::{Unit, grouped, number};

use crate::chart::Ink;
use crate::figure::{Figure, Table};
use crate::form::{Head, Lane, Lanes, Piece, Tone};
use crate::picture::Picture;

const GROUPS: [Ink; 2] = [Ink::Weights, Ink::Optimizer];
const IDLE: Tone = Ink::Idle.at(45);

/// Tensor cores, exponential units and fp32 lanes over the first tiles, in clocks.
fn picture(p: &Params, s: &Schedule) -> Lanes {
    let end = s.shown();
    let shown = || s.tasks.iter().filter(|task| task.from < end);
    let ink = |task: &Task| GROUPS.get(task.group).copied().unwrap_or(Ink::Weights);
    let number = |task: &Task| grouped(task.tile as u64 + 1);
    let tensor = shown().filter(|task| task.work != Work::Softmax).map(|task| {
        let (name, strength) = if task.work == Work::Scores { ("S", 100) } else { ("PV", 70) };
        Piece::new(task.from, task.to.min(end), ink(task).at(strength)).text(format!("{name} {}", number(task)))
    });
    // A unit that is done before the other rests until the softmax is over.
    let softmax = |clocks: f64| {
        let piece = move |task: &Task| {
            Piece::new(task.from, (task.from + clocks).min(task.to).min(end), ink(task)).text(number(task))
        };
        shown().filter(move |task| task.work == Work::Softmax && clocks > 0.0).map(piece)
    };
    let rows = vec![
        row("tensor cores", tensor.collect(), end),
        row("exponentials", softmax(s.exponentials).collect(), end),
        row("fp32", softmax(s.fp32).collect(), end),
    ];
    let mut keys = vec![(Tone::from(Ink::Weights), "first group")];
    keys.extend((p.groups > 1).then_some((Tone::from(Ink::Optimizer), "second group")));
    keys.push((IDLE, "idle"));
    Lanes::new(p.finding(s), Head::new("Clocks of one SM", &keys), rows, end, Some(Unit::Count))
}

/// A unit's work, with what is left idle between.
fn row(name: &str, work: Vec<Piece>, end: f64) -> Lane {
    let mut pieces = Vec::with_capacity(2 * work.len() + 1);
    let mut at = 0.0;
    for piece in work {
        pieces.extend((piece.from > at).then(|| Piece::new(at, piece.from, IDLE)));
        at = piece.to;
        pieces.push(piece);
    }
    pieces.extend((at < end).then(|| Piece::new(at, end, IDLE)));
    Lane::new(name, pieces)
}

impl Figure for Params {
    fn subtitle(&self) -> String {
        let groups = if self.groups > 1 { "two groups" } else { "one group" };
        let order = if self.ahead { "one tile ahead" } else { "in turn" };
        format!("{}, {groups}, {order}", self.gpu.label())
    }

    fn finding(&self, s: &Schedule) -> String {
        self.finding(s)
    }

    fn picture(&self, s: &Schedule) -> Picture {
        picture(self, s).into()
    }

    fn table(&self, s: &Schedule) -> Table {
        let row = |task: &Task| {
            vec![
                task.work.label().to_owned(),
                (task.tile + 1).to_string(),
                (task.group + 1).to_string(),
                number(task.from),
                number(task.to),
            ]
        };
        let rows = s.tasks.iter().filter(|task| task.from < s.shown()).map(row).collect();
        Table::new("Work", ["Tile", "Group", "From, clocks", "To, clocks"], rows)
    }
}

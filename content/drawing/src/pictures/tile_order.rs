//! The tiles of a product in the order of their launch: C beside A and under B, and what of both comes from memory or the L2.

use ringside_core::quantity::{Unit, grouped, plural};
use ringside_core::tile_order::{Order, Params, Run};

use crate::chart::Ink;
use crate::figure::{Figure, Played, Table};
use crate::form::{Cell, Cells, Head, Tone};
use crate::picture::Picture;

const DONE: Tone = Ink::Forward.at(32);
const NOW: Tone = Ink::Forward.at(100);
const READ: Tone = Ink::Gradients.at(100);
const FOUND: Tone = Ink::Kv.at(60);
/// Most tiles that are numbered.
const NUMBERED: u64 = 400;
/// Sizes of a group that are compared.
const GROUPS: [u64; 6] = [1, 2, 4, 8, 16, 32];

/// A, B and C after the wave that is on show.
fn picture(p: &Params, run: &Run) -> Cells {
    let step = p.step.min(run.waves.len());
    let depth = p.depth as f64;
    let between = (0.035 * (depth + p.columns.max(p.rows) as f64)).max(0.4);
    let (left, top) = (depth + between, depth + between);
    let bed = |at, size| Cell::of(at, size, Ink::Line.at(60));
    let (wide, high) = (p.columns as f64, p.rows as f64);
    let mut cells =
        vec![bed([0.0, top], [depth, high]), bed([left, 0.0], [wide, depth]), bed([left, top], [wide, high])];
    let is_numbered = p.tiles() <= NUMBERED;
    let mut number = 0;
    for (i, wave) in run.waves.iter().take(step).enumerate() {
        for [row, column] in &wave.tiles {
            let cell = Cell::new(left + *column as f64, top + *row as f64, if i + 1 == step { NOW } else { DONE });
            cells.push(if is_numbered { cell.text(number.to_string()) } else { cell });
            number += 1;
        }
    }
    for number in (number..p.tiles()).filter(|_| is_numbered) {
        let [row, column] = p.tile(number);
        cells.push(Cell::new(left + column as f64, top + row as f64, Ink::Line.at(0)).text(number.to_string()));
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
    let grid = Cells::new(label, Head::new("A and B around C", &keys), [left + wide, top + high], cells);
    let (rows, columns) = (vec![(top + high / 2.0, "A".to_owned())], vec![(left + wide / 2.0, "B".to_owned())]);
    Cells { rows, columns, ..grid }.square()
}

impl Figure for Params {
    const PLAYS: bool = true;

    fn computed(&self) -> Self {
        Self { step: 0, ..*self }
    }

    fn subtitle(&self) -> String {
        let order = match self.order {
            Order::RowMajor => "row by row".to_owned(),
            Order::Grouped => format!("groups of {} rows", self.group),
        };
        format!("{} × {} tiles, {order}, {} at a time", self.rows, self.columns, self.running)
    }

    fn finding(&self, run: &Run) -> String {
        self.finding(run, self.step.min(run.waves.len()))
    }

    fn picture(&self, run: &Run) -> Picture {
        picture(self, run).into()
    }

    fn played(&self, run: &Run) -> Option<Played> {
        let steps = run.waves.len();
        let step = self.step.min(steps);
        Some(Played { step, steps, place: format!("Wave {step} of {}", grouped(steps as u64)) })
    }

    fn play(&mut self, step: usize) {
        self.step = step;
    }

    /// What other groups would read.
    fn table(&self, _: &Run) -> Table {
        let row = |group: u64| {
            let run = Run::new(Self { order: Order::Grouped, group, ..*self });
            let first = run.waves.first().map_or(0, |wave| wave.used());
            vec![
                if group == 1 { "1: row by row".to_owned() } else { group.to_string() },
                grouped(first),
                grouped(run.read()),
                Unit::Fraction.format(run.hits()),
            ]
        };
        let rows = GROUPS.into_iter().filter(|group| *group <= self.rows.max(1)).map(row).collect();
        let heads = ["blocks of the first wave", "read from memory", "found in the L2"];
        Table::new("Rows of a group", heads, rows).captioned("The same product in other groups")
    }
}

/// Stretches of equal values: where each begins, how long it is, the value.
fn stretches(values: &[bool], mut put: impl FnMut(f64, f64, bool)) {
    let mut from = 0;
    for chunk in values.chunk_by(|a, b| a == b) {
        put(from as f64, chunk.len() as f64, chunk.first().copied().unwrap_or_default());
        from += chunk.len();
    }
}

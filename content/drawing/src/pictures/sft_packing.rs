//! Rows of tokens: conversations padded, packed or cut, with what the loss counts.

use ringside_core::post_training::packing::talks::TALKS;
use ringside_core::post_training::packing::{Batch, Params, Whose};
use ringside_core::quantity::{Unit, grouped};

use super::played;
use crate::chart::Ink;
use crate::figure::{Column, Figure, Played, Table};
use crate::form::{Cell, Cells, Head, Tone};
use crate::picture::Picture;

const fn tone(whose: Whose) -> Tone {
    match whose {
        Whose::Template => Ink::Idle.at(100),
        Whose::System => Ink::Kv.at(100),
        Whose::User => Ink::Weights.at(100),
        Whose::Assistant => Ink::Optimizer.at(100),
    }
}

const LOSS: Tone = Ink::Gradients.at(100);
const PADDING: Tone = Ink::Line.at(80);

/// The batch with the conversations that were placed.
fn picture(p: &Params, batch: &Batch) -> Cells {
    let step = played(p.step as usize, batch.placed.len());
    let there: Vec<usize> = batch.placed.iter().take(step).map(|(talk, _)| *talk).collect();
    let (wide, high) = (batch.width.max(1) as f64, batch.rows.len().max(1) as f64);
    let row_of = |x: f64, y: usize, long: f64, tone| Cell::of([x, y as f64 + 0.1], [long, 0.8], tone);
    let mut cells: Vec<Cell> = (0..batch.rows.len()).map(|y| row_of(0.0, y, wide, PADDING)).collect();
    // Where attention reaches across, the line between two conversations is faint.
    let between = if p.blocks { Ink::Ink.at(100) } else { Ink::Soft.at(60) };
    let (mut losses, mut lines) = (Vec::new(), Vec::new());
    for (y, row) in batch.rows.iter().enumerate() {
        let mut at = 0;
        for run in row.chunk_by(|a, b| (a.talk, a.whose, a.counted) == (b.talk, b.whose, b.counted)) {
            let (x, long) = (at as f64, run.len() as f64);
            if let Some(first) = run.first().filter(|first| there.contains(&first.talk)) {
                cells.push(row_of(x, y, long, tone(first.whose)));
                if first.counted {
                    losses.push(Cell::of([x, y as f64 + 0.66], [long, 0.24], LOSS));
                }
                if at > 0 && row.get(at - 1).is_some_and(|before| before.talk != first.talk) {
                    lines.push(([x, y as f64], [x, y as f64 + 1.0], between));
                }
            }
            at += run.len();
        }
    }
    cells.append(&mut losses);
    let keys = [
        (tone(Whose::Template), "template"),
        (tone(Whose::System), "system"),
        (tone(Whose::User), "user"),
        (tone(Whose::Assistant), "assistant"),
        (LOSS, "has a loss"),
        (PADDING, "padding"),
    ];
    let label = format!(
        "{} rows of {wide} slots; {} tokens, {} with a loss",
        batch.rows.len(),
        batch.tokens(),
        batch.counted()
    );
    let mut drawn = Cells::new(label, Head::new("", &keys), [wide, high], cells);
    drawn.lines = lines;
    drawn
}

impl Figure for Params {
    const PLAYS: bool = true;

    fn computed(&self) -> Self {
        Self { step: 0, ..*self }
    }

    fn subtitle(&self) -> String {
        format!("{} conversations, {}, loss on {}", grouped(self.talks), self.layout.label(), self.counted.label())
    }

    fn finding(&self, batch: &Batch) -> String {
        self.finding(batch)
    }

    fn picture(&self, batch: &Batch) -> Picture {
        picture(self, batch).into()
    }

    fn played(&self, batch: &Batch) -> Option<Played> {
        let played = Played::or_all(self.step as usize, batch.placed.len());
        let placed = played.step.checked_sub(1).and_then(|i| batch.placed.get(i));
        let says = placed.map_or_else(String::new, |(talk, row)| {
            let name = TALKS.get(*talk).map_or("", |talk| talk.name);
            format!(": “{name}” into row {}", row + 1)
        });
        Some(Played { place: format!("Conversation {} of {}{says}", played.step, played.steps), ..played })
    }

    fn play(&mut self, step: usize) {
        self.step = step.max(1) as u64;
    }

    /// Every conversation: its tokens, its row, and what a token of its answer weighs.
    fn table(&self, batch: &Batch) -> Table {
        let row = |(talk, row): &(usize, usize)| {
            let cells = || batch.cells().filter(|cell| cell.talk == *talk);
            vec![
                TALKS.get(*talk).map_or("", |talk| talk.name).to_owned(),
                grouped(*row as u64 + 1),
                grouped(cells().count() as u64),
                grouped(cells().filter(|cell| cell.counted).count() as u64),
                Unit::Fraction.format(batch.weight(*talk, self.weighting)),
            ]
        };
        let columns = [
            Column::Words("Conversation"),
            Column::Numbers("row"),
            Column::Numbers("tokens there"),
            Column::Numbers("with a loss"),
            Column::Numbers("of the loss, each"),
        ];
        Table::of(columns, batch.placed.iter().map(row).collect())
    }
}

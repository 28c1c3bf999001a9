//! Rows of tokens: conversations padded, packed or cut, with what the loss counts.

use ringside_core::post_training::packing::{Batch, Params, Whose};

use super::played;
use crate::chart::Ink;
use crate::form::{Cell, Cells, Head, Tone};

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
pub fn picture(p: &Params, batch: &Batch) -> Cells {
    let step = played(p.step as usize, batch.placed.len());
    let there: Vec<usize> = batch.placed.iter().take(step).map(|(talk, _)| *talk).collect();
    let (wide, high) = (batch.width.max(1) as f64, batch.rows.len().max(1) as f64);
    let mut cells: Vec<Cell> = (0..batch.rows.len()).map(|y| Cell::of([0.0, y as f64], [wide, 1.0], PADDING)).collect();
    let (mut losses, mut lines) = (Vec::new(), Vec::new());
    for (y, row) in batch.rows.iter().enumerate() {
        let mut at = 0;
        for run in row.chunk_by(|a, b| (a.talk, a.whose, a.counted) == (b.talk, b.whose, b.counted)) {
            let (x, long) = (at as f64, run.len() as f64);
            if let Some(first) = run.first().filter(|first| there.contains(&first.talk)) {
                cells.push(Cell::of([x, y as f64], [long, 1.0], tone(first.whose)));
                if first.counted {
                    losses.push(Cell::of([x, y as f64 + 0.7], [long, 0.3], LOSS));
                }
                if at > 0 && row.get(at - 1).is_some_and(|before| before.talk != first.talk) {
                    lines.push(([x, y as f64], [x, y as f64 + 1.0], Ink::Ink.into()));
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

//! A sequence that grows: the rows of scores, each longer than the last, beside the keys and values that are kept.

use ringside_core::attention::growth::{Params, STEPS};
use ringside_core::quantity::counted;

use super::played;
use crate::chart::Ink;
use crate::form::{Cell, Cells, Head, Tone};
use crate::picture::Picture;

const TO_COME: Tone = Ink::Line.at(70);
const THERE: Tone = Ink::Activations.at(60);
const NEWEST: Tone = Ink::Activations.at(100);

/// Both, a row for each part of the sequence.
pub fn picture(p: &Params) -> Picture {
    let step = played(p.step as usize, STEPS as usize) as u64;
    let tone = |row: u64| match step.checked_sub(row + 1) {
        Some(0) => NEWEST,
        Some(_) => THERE,
        None => TO_COME,
    };
    let scores = (0..STEPS).map(|row| Cell::of([0.0, row as f64], [(row + 1) as f64, 1.0], tone(row))).collect();
    let head = Head::new("Scored: each token against all up to it", &[]);
    let scored = Cells::new(p.finding(), head, [STEPS as f64; 2], scores);
    let group = p.group().max(1) as f64;
    let column = |head: f64, from: u64, rows: u64, tone| Cell::of([head, from as f64], [1.0, rows as f64], tone);
    let mut kept: Vec<Cell> = (0..p.heads).map(|head| column(head as f64, 0, STEPS, Ink::Line.at(35))).collect();
    if let Some(past) = step.checked_sub(1) {
        for head in 0..p.kv_heads {
            let left = (head as f64 + 0.5) * group - 0.5;
            kept.push(column(left, 0, past, Ink::Kv.at(60)));
            kept.push(column(left, past, 1, Ink::Kv.at(100)));
        }
    }
    let title = format!(
        "Kept: keys and values of {} for {}",
        counted(p.kv_heads, "head", "heads"),
        counted(p.heads, "query head", "query heads")
    );
    let kept = Cells::new("", Head::new(title, &[]), [p.heads as f64, STEPS as f64], kept);
    Picture::Beside(vec![(1.0, scored.into()), (1.0, kept.into())])
}

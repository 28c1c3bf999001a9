//! A sequence that grows: the rows of scores, each longer than the last, beside the keys and values that are kept; and the SMs that read
//! them for the next token.

use ringside_core::attention::decode::GPU;
use ringside_core::attention::growth::{Params, STEPS};
use ringside_core::quantity::{Unit, counted, grouped};

use crate::chart::Ink;
use crate::figure::{Figure, Played, Table};
use crate::form::{Cell, Cells, Head, Tone};
use crate::picture::Picture;

const TO_COME: Tone = Ink::Line.at(70);
const THERE: Tone = Ink::Activations.at(60);
const NEWEST: Tone = Ink::Activations.at(100);
const KEPT: Tone = Ink::Kv.at(60);
const IDLE: Tone = Ink::Line.at(100);
/// Rows over those of the cache, in which query heads lead to the heads that they share.
const SHARED: f64 = 5.0;
/// SMs of a row.
const ROW: u64 = 44;

/// The scores, a row for each part of the sequence.
fn scored(p: &Params) -> Cells {
    let tone = |row: u64| match p.step.checked_sub(row + 1) {
        Some(0) => NEWEST,
        Some(_) => THERE,
        None => TO_COME,
    };
    let scores = (0..STEPS).map(|row| Cell::of([0.0, row as f64], [(row + 1) as f64, 1.0], tone(row))).collect();
    let head = Head::new("Scored: each token against all up to it", &[]);
    Cells::new(p.finding(), head, [STEPS as f64; 2], scores)
}

/// Keys and values of each token: a column for each head that has its own, under the query heads that share it.
fn kept(p: &Params) -> Cells {
    let group = p.group().max(1);
    let middle = |kv_head: u64| (kv_head as f64 + 0.5) * group as f64;
    let column =
        |head: f64, from: u64, rows: u64, tone| Cell::of([head, SHARED + from as f64], [1.0, rows as f64], tone);
    let mut cells: Vec<Cell> = (0..p.heads).map(|head| column(head as f64, 0, STEPS, Ink::Line.at(35))).collect();
    if let Some(past) = p.step.checked_sub(1) {
        for head in 0..p.kv_heads {
            cells.push(column(middle(head) - 0.5, 0, past, KEPT));
            cells.push(column(middle(head) - 0.5, past, 1, Ink::Kv.at(100)));
        }
    }
    let lead = |head: u64| {
        let (from, own) = (head as f64 + 0.5, head / group);
        let tone: Tone = if own % 2 == 0 { Ink::Kv.into() } else { Ink::Soft.into() };
        ([from, 0.0], [middle(own), SHARED], tone)
    };
    let title = format!(
        "Kept: keys and values of {} for {}",
        counted(p.kv_heads, "head", "heads"),
        counted(p.heads, "query head", "query heads")
    );
    let mut kept = Cells::new(title.clone(), Head::new(title, &[]), [p.heads as f64, STEPS as f64 + SHARED], cells);
    kept.lines = (0..p.heads).map(lead).collect();
    kept
}

/// A cell for each SM, filled by the blocks of the cache that it reads.
fn readers(p: &Params) -> Cells {
    let decode = p.decode();
    let place = |n: u64| ((n % ROW) as f64, (n / ROW) as f64);
    let mut cells: Vec<Cell> = (0..decode.sms).map(|n| Cell::new(place(n).0, place(n).1, IDLE)).collect();
    for n in 0..decode.sms {
        let filled = decode.of(n) as f64 / decode.waves.max(1) as f64;
        if filled > 0.0 {
            let (x, y) = place(n);
            cells.push(Cell::of([x, y + 1.0 - filled], [1.0, filled], KEPT));
        }
    }
    let blocks = counted(decode.blocks, "block of work", "blocks of work");
    let title = format!("The next token: {blocks} for the {} SMs of an {}", grouped(decode.sms), GPU.name);
    let size = [ROW as f64, decode.sms.div_ceil(ROW) as f64];
    Cells::new(p.reading(), Head::new(title, &[]), size, cells)
}

impl Figure for Params {
    const PLAYS: bool = true;

    fn subtitle(&self) -> String {
        let [heads, kv_heads, tokens] = [self.heads, self.kv_heads, self.seq].map(grouped);
        format!("{} · {heads} query heads on {kv_heads} · {tokens} tokens", self.sharing())
    }

    fn finding(&self, (): &()) -> String {
        let reading = if self.tokens() > 0 { format!(" {}", self.reading()) } else { String::new() };
        self.finding() + &reading
    }

    fn picture(&self, (): &()) -> Picture {
        let both = Picture::Beside(vec![(1.0, scored(self).into()), (1.25, kept(self).into())]);
        Picture::Over(vec![(2.6, both), (1.0, readers(self).into())])
    }

    fn played(&self, (): &()) -> Option<Played> {
        let place = format!("{} of {} tokens", grouped(self.tokens()), grouped(self.seq));
        Some(Played { step: self.step as usize, steps: STEPS as usize, place })
    }

    fn play(&mut self, step: usize) {
        self.step = step as u64;
    }

    /// The growth in numbers, over parts of the sequence.
    fn table(&self, (): &()) -> Table {
        let row = |part: u64| {
            let tokens = Self { step: part * STEPS / 8, ..*self }.tokens();
            vec![
                grouped(tokens),
                Unit::Count.format(self.scores_of(tokens)),
                Unit::Count.format(self.scores_until(tokens)),
                Unit::Bytes.format(self.kept(self.kv_heads) * tokens as f64),
                Unit::Bytes.format(self.kept(self.heads) * tokens as f64),
            ]
        };
        let heads = [
            "Tokens",
            "scores of the newest, in a layer",
            "scores of a layer so far",
            "KV cache",
            "with keys for every head",
        ];
        Table::of_numbers(heads, (1..=8).map(row).collect()).captioned("As the sequence grows")
    }
}

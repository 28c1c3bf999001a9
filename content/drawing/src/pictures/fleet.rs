//! A fleet over time: how much each replica has to do, what kind of work it is, and when one of them is dead.

use ringside_core::quantity::{Unit, grouped};
use ringside_core::serving::fleet::{Outcome, Params, Piece as Span, What};

use crate::chart::Ink;
use crate::form::{Head, Lane, Lanes, Limit, Piece, Tone};

const DOWN: Tone = Ink::Warn.at(100);

fn piece(span: &Span) -> Piece {
    let faint = |ink: Ink, quarters: u8| ink.at(16 + 21 * quarters.min(4));
    let tone = match span.what {
        What::Prompts(quarters) => faint(Ink::Weights, quarters),
        What::Decoding(quarters) => faint(Ink::Kv, quarters),
        What::Down => DOWN,
    };
    let piece = Piece::new(span.from, span.to, tone);
    if span.what == What::Down { piece.text("down") } else { piece }
}

/// A row for each replica.
pub fn picture(p: &Params, o: &Outcome) -> Lanes {
    let run = &o.run;
    let row = |(i, lane): (usize, &Vec<Span>)| {
        let pool = match p.prefill as usize {
            0 => "replica",
            first if i < first => "prefill",
            _ => "decode",
        };
        Lane::new(format!("{pool} {}", grouped(i as u64 + 1)), lane.iter().map(piece).collect())
    };
    let rows = run.lanes.iter().enumerate().map(row).collect();
    let keys = [(Ink::Weights.into(), "mostly prompts"), (Ink::Kv.into(), "mostly decoding"), (DOWN, "dead")];
    let head = Head::new("Stronger color: more requests at the replica", &keys);
    let mut lanes = Lanes::new(p.finding(o), head, rows, run.end.max(1e-9), Some(Unit::Seconds));
    let noticed = p.dies + p.detect.min(p.down);
    if p.dies > 0.0 && noticed < run.end {
        lanes.limits.push(Limit { at: noticed, name: "router notices".to_owned() });
    }
    lanes
}

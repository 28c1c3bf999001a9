//! A fleet over time: how much each replica has to do, what kind of work it is, and when one of them is dead.

use ringside_core::quantity::{Unit, grouped};
use ringside_core::serving::fleet::{Outcome, Params, Piece as Span, Policy, Run, What};

use crate::chart::Ink;
use crate::figure::{About, Figure, Table};
use crate::form::{Head, Lane, Lanes, Limit, Piece, Tone};
use crate::picture::Picture;

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
fn picture(p: &Params, o: &Outcome) -> Lanes {
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

impl Figure for Params {
    fn about(&mut self) -> Option<About<'_>> {
        Some(About::Machine(&mut self.machine))
    }

    fn subtitle(&self) -> String {
        let machine = self.machine.words();
        format!("{} replicas of {machine}, {} sessions", grouped(self.replicas), grouped(self.sessions))
    }

    fn finding(&self, o: &Outcome) -> String {
        self.finding(o)
    }

    fn picture(&self, o: &Outcome) -> Picture {
        picture(self, o).into()
    }

    /// The routers on the same sessions.
    fn table(&self, _: &Outcome) -> Table {
        let row = |(policy, run): (Policy, Run)| {
            vec![
                policy.label().to_owned(),
                Unit::Fraction.format(run.hit_rate()),
                Unit::Ratio.format(self.imbalance(&run)),
                Unit::Seconds.format(run.first(0.5)),
                Unit::Seconds.format(run.first(0.99)),
                Unit::Count.format(run.throughput() / self.gpus() as f64),
            ]
        };
        let rows = self.policies().unwrap_or_default().into_iter().map(row).collect();
        let heads = ["Prefix hit rate", "Load imbalance", "TTFT, median", "TTFT, p99", "Tokens/s per GPU"];
        Table::new("Router", heads, rows)
    }
}

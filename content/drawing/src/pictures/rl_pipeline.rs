//! An RL pipeline in time: what the first engines write under which weights, what waits, and what the trainer does.

use ringside_core::post_training::rollout::{Layout, Outcome, Params, Run, Span, Track, What};
use ringside_core::quantity::{Unit, grouped};

use crate::chart::Ink;
use crate::figure::{Figure, Table};
use crate::form::{Head, Lane, Lanes, Piece, Tone};
use crate::picture::Picture;

/// Versions of the weights take turns.
const VERSIONS: [Ink; 3] = [Ink::Weights, Ink::Optimizer, Ink::Activations];
const MOVING: Tone = Ink::Communication.at(100);
const IDLE: Tone = Ink::Idle.at(45);

fn version_ink(version: u64) -> Ink {
    VERSIONS.get((version % VERSIONS.len() as u64) as usize).copied().unwrap_or(Ink::Weights)
}

fn piece(span: &Span) -> Piece {
    let faint = |ink: Ink, quarters: u8| ink.at(16 + 21 * quarters.min(4));
    match span.what {
        What::Idle => Piece::new(span.from, span.to, IDLE),
        What::Moving => Piece::new(span.from, span.to, MOVING),
        What::Writing { version, quarters } => Piece::new(span.from, span.to, faint(version_ink(version), quarters)),
        What::Training { version } => {
            Piece::new(span.from, span.to, version_ink(version)).text(format!("v{}", grouped(version)))
        }
        What::Queued { quarters } => Piece::new(span.from, span.to, faint(Ink::Ink, quarters)),
    }
}

fn lane(name: impl Into<String>, track: &Track) -> Lane {
    Lane::new(name, track.iter().map(piece).collect())
}

/// Engines, queue and trainer over the time of three synchronous steps.
fn picture(p: &Params, o: &Outcome) -> Lanes {
    let run = &o.run;
    let engines = run.engines.iter().enumerate().map(|(i, track)| lane(format!("engine {}", i + 1), track));
    let queue = Lane { high: 0.6, ..lane("queue", &run.queue) };
    let rows = engines.chain([queue, lane("trainer", &run.trainer)]).collect();
    let title = if (run.engines.len() as u64) < p.engines {
        format!("{} of {} engines", run.engines.len(), grouped(p.engines))
    } else {
        String::new()
    };
    let keys = [
        (version_ink(0).into(), "weights v0, v3, …"),
        (version_ink(1).into(), "v1, v4, …"),
        (version_ink(2).into(), "v2, v5, …"),
        (MOVING, "weights in transit"),
        (IDLE, "idle"),
    ];
    Lanes::new(p.finding(o), Head::new(title, &keys), rows, o.shown, Some(Unit::Seconds))
}

impl Figure for Params {
    fn subtitle(&self) -> String {
        let [engines, trainers, batch] = [self.engines, self.trainers, self.batch].map(grouped);
        format!("{engines} GPUs generate, {trainers} train on {batch} answers per step")
    }

    fn finding(&self, o: &Outcome) -> String {
        self.finding(o)
    }

    fn picture(&self, o: &Outcome) -> Picture {
        picture(self, o).into()
    }

    /// The layouts on the same answers.
    fn table(&self, _: &Outcome) -> Table {
        let row = |(layout, run): (&Layout, &Run)| {
            vec![
                layout.label().to_owned(),
                Unit::Ratio.format(run.rate),
                Unit::Fraction.format(run.generation.idle),
                Unit::Fraction.format(run.training.idle),
                Unit::Ratio.format(run.age),
                grouped(run.oldest),
            ]
        };
        let rows = Layout::ALL.iter().zip(&self.runs()).map(row).collect();
        let heads = ["Samples/s", "Engines idle", "Trainer idle", "Mean staleness, versions", "Oldest, versions"];
        Table::new("Layout", heads, rows)
    }
}

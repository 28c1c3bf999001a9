//! What a pass reads and computes over the batch, what a draft gains, and what fewer bits for weights do.

use ringside_core::declare::Model as _;
use ringside_core::quantity::{Unit, grouped, number};
use ringside_core::serving::step::{Quant, Step};
use ringside_core::speculative::serving::{LARGEST, Outcome, Params, View};

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Stroke, Writing};
use crate::figure::{About, Figure, Table};
use crate::picture::Picture;

/// Batches along the axis.
fn batches() -> impl Iterator<Item = u64> {
    (0..=2 * LARGEST).map(|half| 2_f64.powf(f64::from(half) / 2.0).round() as u64)
}

fn curve(of: impl Fn(u64) -> f64) -> Vec<(f64, f64)> {
    batches().map(|batch| (batch as f64, of(batch))).filter(|point| point.1 > 0.0).collect()
}

fn across() -> Axis {
    Axis::log2((1.0, f64::from(1 << LARGEST))).written(Writing::Grouped).named("Batched sequences")
}

/// An axis of seconds around what is drawn.
fn seconds(series: &[Series], named: &'static str) -> Axis {
    let all = || series.iter().flat_map(|s| &s.points).map(|p| p.1);
    let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    let range = if most > 0.0 { (least / 1.5, most * 2.0) } else { (1e-3, 1.0) };
    Axis::log10(range).written(Writing::Unit(Unit::Seconds)).named(named)
}

/// Where the caches of all sequences fill the room beside the weights, if that is among the batches drawn.
fn full(outcome: &Outcome) -> Option<Rule> {
    let fit = outcome.fit();
    (2.0..f64::from(1 << LARGEST)).contains(&fit).then(|| Rule::across(fit, "cache full").stroke(Stroke::Dotted))
}

/// The batch of the state, at its value. One that doesn't fit has none.
fn marked(outcome: &Outcome, value: f64, written: fn(f64) -> String) -> Vec<Mark> {
    let batch = outcome.params.batch as f64;
    outcome.params.runs(outcome).then(|| Mark::new((batch, value), written(value))).into_iter().collect()
}

/// The chart of the view.
fn chart(outcome: &Outcome) -> Chart {
    match outcome.params.view {
        View::Pass => pass(outcome),
        View::Draft => draft(outcome),
        View::Weights => weights(outcome),
    }
}

/// Seconds of reading weights, of reading caches, and of computing.
fn pass(outcome: &Outcome) -> Chart {
    let over = |of: fn(&Outcome, &Step) -> f64| curve(|batch| of(outcome, &outcome.pass_at(batch)));
    let series = vec![
        Series::line("reading weights", Ink::Weights, over(|o, s| o.reads(s) * s.weights / s.bytes)),
        Series::line("reading caches", Ink::Kv, over(|o, s| o.reads(s) * (1.0 - s.weights / s.bytes)))
            .stroke(Stroke::Dashed),
        Series::line("computing", Ink::Gradients, over(|o, s| o.computes(s))).stroke(Stroke::Dotted),
        Series::line("the pass", Ink::Ink, over(|_, s| s.time())),
    ];
    Chart {
        label: outcome.finding(),
        across: across(),
        up: seconds(&series, "Seconds of a pass"),
        series,
        rules: full(outcome).into_iter().collect(),
        marks: marked(outcome, outcome.pass.time(), |time| Unit::Seconds.format(time)),
    }
}

/// How many times as fast, with the draft that is set and with others.
fn draft(outcome: &Outcome) -> Chart {
    let params = &outcome.params;
    let of = |other: Params| curve(move |batch| outcome.speedup(&Params { batch, ..other }));
    let name = |p: &Params| match p.branches {
        1 => format!("{} in a row", p.drafted),
        n => format!("{} deep, {n} branches", p.drafted),
    };
    let mut series = vec![Series::line(name(params), Ink::Weights, of(*params))];
    let others = [(2, 1), (8, 1), (4, 2)].map(|(drafted, branches)| Params { drafted, branches, ..*params });
    let strokes = [Stroke::Dashed, Stroke::Dotted, Stroke::Dashed];
    let inks = [Ink::Edge, Ink::Edge, Ink::Optimizer];
    for ((other, stroke), ink) in others.into_iter().zip(strokes).zip(inks) {
        if (other.drafted, other.branches) != (params.drafted, params.branches) {
            series.push(Series::fine(name(&other), ink, stroke, of(other)));
        }
    }
    let most = series.iter().flat_map(|s| &s.points).map(|p| p.1).fold(1.5, f64::max);
    Chart {
        label: outcome.finding(),
        across: across(),
        up: Axis::linear((0.0, most * 1.08)).named("Times as fast"),
        series,
        rules: [Rule::up(1.0, "without drafting").stroke(Stroke::Dotted)].into_iter().chain(full(outcome)).collect(),
        marks: marked(outcome, outcome.speedup(params), number),
    }
}

/// Seconds of a pass with weights in each form that fits.
fn weights(outcome: &Outcome) -> Chart {
    let params = &outcome.params;
    let looks = [
        (Quant::Bf16, Ink::Weights, Stroke::Solid),
        (Quant::Int8, Ink::Optimizer, Stroke::Dashed),
        (Quant::Int4, Ink::Gradients, Stroke::Dotted),
        (Quant::Fp8, Ink::Kv, Stroke::Dashed),
    ];
    let of = |(quant, ink, stroke): (Quant, Ink, Stroke)| {
        let engine = params.engine(quant)?;
        let points = curve(|batch| engine.decode(batch, params.context).time());
        Some(Series::line(quant.label(), ink, points).stroke(stroke))
    };
    let series: Vec<Series> = looks.into_iter().filter_map(of).collect();
    Chart {
        label: outcome.finding(),
        across: across(),
        up: seconds(&series, "Seconds of a pass"),
        series,
        rules: full(outcome).into_iter().collect(),
        marks: marked(outcome, outcome.pass.time(), |time| Unit::Seconds.format(time)),
    }
}

impl Figure for Params {
    fn about(&mut self) -> Option<About<'_>> {
        Some(About::Machine(&mut self.machine))
    }

    fn subtitle(&self) -> String {
        format!("{}, {} together", self.machine.words(), grouped(self.batch))
    }

    fn finding(&self, outcome: &Outcome) -> String {
        outcome.finding()
    }

    fn picture(&self, outcome: &Outcome) -> Picture {
        chart(outcome).into()
    }

    /// Every batch that is a power of two.
    fn table(&self, outcome: &Outcome) -> Table {
        let row = |power: u32| {
            let batch = 1 << power;
            let pass = outcome.pass_at(batch);
            vec![
                grouped(batch),
                Unit::Seconds.format(outcome.reads(&pass)),
                Unit::Seconds.format(outcome.computes(&pass)),
                Unit::Seconds.format(pass.time()),
                number(outcome.at_batch(batch)),
            ]
        };
        let heads =
            ["Together", "reading, at the peak", "computing, at the peak", "the pass", "times as fast by the draft"];
        Table::of_numbers(heads, (0..=LARGEST).map(row).collect())
    }
}

//! What a pass reads and computes over the batch, what a draft gains, and what fewer bits for weights do.

use ringside_core::quantity::{Unit, number};
use ringside_core::speculative::serving::{LARGEST, Outcome, Params, Pass, View};

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Stroke, Writing};

/// Batches along the axis.
fn batches() -> impl Iterator<Item = u64> {
    (0..=2 * LARGEST).map(|half| 2_f64.powf(f64::from(half) / 2.0).round() as u64)
}

fn curve(of: impl Fn(u64) -> f64) -> Vec<(f64, f64)> {
    batches().map(|batch| (batch as f64, of(batch))).filter(|point| point.1 > 0.0).collect()
}

fn across() -> Axis {
    Axis::log2((1.0, f64::from(1 << LARGEST))).written(Writing::Grouped).named("Sequences together")
}

/// An axis of seconds around what is drawn.
fn seconds(series: &[Series], named: &'static str) -> Axis {
    let all = || series.iter().flat_map(|s| &s.points).map(|p| p.1);
    let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    let range = if most > 0.0 { (least / 1.5, most * 2.0) } else { (1e-3, 1.0) };
    Axis::log10(range).written(Writing::Unit(Unit::Seconds)).named(named)
}

/// The chart of the view.
pub fn chart(params: &Params, outcome: &Outcome) -> Chart {
    match params.view {
        View::Pass => pass(params, outcome),
        View::Draft => draft(params, outcome),
        View::Weights => weights(params, outcome),
    }
}

/// Seconds of reading weights, of reading caches, and of computing.
fn pass(params: &Params, outcome: &Outcome) -> Chart {
    let bandwidth = params.gpu.bandwidth * params.tp as f64;
    let over = |of: fn(&Pass, f64) -> f64| curve(|batch| of(&params.pass_at(batch), bandwidth));
    let series = vec![
        Series::line("reading weights", Ink::Weights, over(|pass, bandwidth| pass.weights / bandwidth)),
        Series::line("reading caches", Ink::Kv, over(|pass, bandwidth| pass.caches / bandwidth)).stroke(Stroke::Dashed),
        Series::line("computing", Ink::Gradients, over(|pass, _| pass.computes)).stroke(Stroke::Dotted),
        Series::line("the pass", Ink::Ink, over(|pass, _| pass.seconds())),
    ];
    let here = outcome.pass.seconds();
    Chart {
        label: params.finding(outcome),
        across: across(),
        up: seconds(&series, "Seconds of a pass, at the least"),
        series,
        marks: vec![Mark::new((params.batch as f64, here), Unit::Seconds.format(here))],
        ..Chart::default()
    }
}

/// How many times as fast, with the draft that is set and with others.
fn draft(params: &Params, outcome: &Outcome) -> Chart {
    let of = |other: Params| curve(move |batch| other.at_batch(batch));
    let name = |p: &Params| match p.branches {
        1 => format!("{} in a row", p.drafted),
        n => format!("{} deep, {n} branches", p.drafted),
    };
    let mut series = vec![Series::line(name(params), Ink::Weights, of(*params))];
    let others = [Params { drafted: 2, branches: 1, ..*params }, Params { drafted: 8, branches: 1, ..*params }, Params {
        drafted: 4,
        branches: 2,
        ..*params
    }];
    let strokes = [Stroke::Dashed, Stroke::Dotted, Stroke::Dashed];
    let inks = [Ink::Edge, Ink::Edge, Ink::Optimizer];
    for ((other, stroke), ink) in others.into_iter().zip(strokes).zip(inks) {
        if (other.drafted, other.branches) != (params.drafted, params.branches) {
            series.push(Series::fine(name(&other), ink, stroke, of(other)));
        }
    }
    let most = series.iter().flat_map(|s| &s.points).map(|p| p.1).fold(1.5, f64::max);
    let here = params.speedup(outcome);
    Chart {
        label: params.finding(outcome),
        across: across(),
        up: Axis::linear((0.0, most * 1.08)).named("Times as fast"),
        series,
        rules: vec![Rule::up(1.0, "without drafting").stroke(Stroke::Dotted)],
        marks: vec![Mark::new((params.batch as f64, here), number(here))],
    }
}

/// Seconds of a pass with 16, 8 and 4 bits for a weight.
fn weights(params: &Params, outcome: &Outcome) -> Chart {
    let looks =
        [(16, Ink::Weights, Stroke::Solid), (8, Ink::Optimizer, Stroke::Dashed), (4, Ink::Gradients, Stroke::Dotted)];
    let of = |bits: u32| curve(|batch| Params { batch, ..*params }.in_bits(bits));
    let series: Vec<Series> = looks
        .into_iter()
        .map(|(bits, ink, stroke)| Series::line(format!("{bits} bits"), ink, of(bits)).stroke(stroke))
        .collect();
    let here = params.in_bits(params.weight_bits);
    Chart {
        label: params.finding(outcome),
        across: across(),
        up: seconds(&series, "Seconds of a pass, at the least"),
        series,
        marks: vec![Mark::new((params.batch as f64, here), Unit::Seconds.format(here))],
        ..Chart::default()
    }
}

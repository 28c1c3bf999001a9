//! pass@k over k for one problem and for a benchmark, and running means over many draws.

use ringside_core::pass_at_k::benchmark::{problems, rates, truth};
use ringside_core::pass_at_k::figure::{Bench, EXPERIMENTS, Params, Shown, View};
use ringside_core::pass_at_k::{interval, plug_in, unbiased};
use ringside_core::quantity::{Unit, number};

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Shape, Stroke, Writing};

/// Most points of a curve.
const POINTS: u64 = 60;
/// Temperatures whose truth is drawn beside that of the benchmark.
const OTHERS: [f64; 3] = [0.2, 0.8, 1.2];

/// The chart of the view that is chosen.
pub fn chart(params: &Params, shown: &Shown) -> Chart {
    let chart = match params.view {
        View::Estimate => one(params, shown),
        View::Draws => draws(params, shown),
        View::Benchmark => benchmark(params, &shown.bench),
    };
    Chart { label: params.finding(shown), ..chart }
}

/// Numbers of tries from 1 to the most, not more than can be told apart.
fn tries(most: u64) -> Vec<u64> {
    let steps = most.saturating_sub(1).min(POINTS);
    let mut all: Vec<u64> = (0..=steps).map(|i| 1 + (i * (most - 1)).checked_div(steps).unwrap_or(0)).collect();
    all.dedup();
    all
}

/// The axis of k; an axis needs two ends.
fn across(most: u64) -> Axis {
    Axis::linear((1.0, most.max(2) as f64)).written(Writing::Grouped).named("Tries k")
}

fn up(to: f64) -> Axis {
    Axis::linear((0.0, to)).written(Writing::Unit(Unit::Fraction)).named("pass@k")
}

fn one(params: &Params, shown: &Shown) -> Chart {
    let Params { n, c, k, .. } = *params;
    let ks = tries(n);
    let line = |of: &dyn Fn(u64) -> f64| ks.iter().map(|k| (*k as f64, of(*k))).collect::<Vec<_>>();
    let rate = interval::of_rate(n, c);
    let band = ks.iter().map(|k| (*k as f64, plug_in(rate[0], *k), plug_in(rate[1], *k))).collect();
    Chart {
        across: across(n),
        up: up(1.02),
        series: vec![
            Series::band("95% interval", Ink::Weights, band),
            Series::fine("1 − (1 − p̂)^k", Ink::Gradients, Stroke::Dashed, line(&|k| plug_in(params.rate(), k)))
                .in_key(),
            Series::line("unbiased", Ink::Weights, line(&|k| unbiased(n, c, k).unwrap_or(0.0))).in_key(),
        ],
        marks: vec![Mark::new((k as f64, shown.unbiased), Unit::Fraction.format(shown.unbiased))],
        ..Chart::default()
    }
}

fn draws(params: &Params, shown: &Shown) -> Chart {
    let all = params.experiments();
    let mut sums = [0.0; 2];
    let mut means = [Vec::new(), Vec::new()];
    for (i, both) in all.iter().enumerate() {
        for ((sum, mean), value) in sums.iter_mut().zip(&mut means).zip(both) {
            *sum += value;
            mean.push((i as f64 + 1.0, *sum / (i as f64 + 1.0)));
        }
    }
    let [fair, biased] = means;
    let dots = all.iter().enumerate().map(|(i, both)| (i as f64 + 1.0, both[0])).collect();
    Chart {
        across: Axis::linear((0.0, EXPERIMENTS as f64)).written(Writing::Grouped).named("Draws of n samples"),
        up: up(1.02),
        series: vec![
            Series::dots("one draw, unbiased", Ink::Edge, Shape::Small, dots),
            Series::line("running mean of 1 − (1 − p̂)^k", Ink::Gradients, biased).stroke(Stroke::Dashed).in_key(),
            Series::line("running mean, unbiased", Ink::Weights, fair).in_key(),
        ],
        rules: vec![
            Rule::up(shown.plug_in, "true pass@k"),
            Rule::up(shown.scatter[1].mean, "").ink(Ink::Gradients).stroke(Stroke::Dotted),
        ],
        ..Chart::default()
    }
}

fn benchmark(params: &Params, bench: &Bench) -> Chart {
    let ks = tries(bench.least().min(100));
    let scores: Vec<_> = ks.iter().map(|k| (*k as f64, bench.at(*k, params.seed))).collect();
    let band = scores.iter().map(|(k, s)| (*k, s.interval[0], s.interval[1])).collect();
    let mut series = vec![Series::band("95% interval over problems", Ink::Weights, band)];
    if !bench.rates.is_empty() {
        let all = problems(params.problems);
        for other in OTHERS.into_iter().filter(|other| (other - params.temperature).abs() > 0.05) {
            let rates = rates(&all, other);
            let line = ks.iter().map(|k| (*k as f64, truth(&rates, *k))).collect();
            series.push(Series::fine(format!("T = {}", number(other)), Ink::Edge, Stroke::Dotted, line));
        }
    }
    let biased = scores.iter().map(|(k, s)| (*k, s.plug_in)).collect();
    let fair = scores.iter().map(|(k, s)| (*k, s.unbiased)).collect();
    series.push(Series::fine("1 − (1 − p̂)^k", Ink::Gradients, Stroke::Dashed, biased).in_key());
    series.push(Series::line("unbiased", Ink::Weights, fair).in_key());
    let shown = bench.k.min(100);
    let score = bench.at(shown, params.seed).unbiased;
    Chart {
        across: across(bench.least().min(100)),
        up: up(1.02),
        series,
        marks: vec![Mark::new((shown as f64, score), Unit::Fraction.format(score))],
        ..Chart::default()
    }
}

//! pass@k over k for one problem and for a benchmark, and running means over many draws.

use ringside_core::pass_at_k::benchmark::{problems, rates, truth};
use ringside_core::pass_at_k::exact::ways;
use ringside_core::pass_at_k::figure::{Bench, EXPERIMENTS, Params, Shown, View};
use ringside_core::pass_at_k::{interval, plug_in, unbiased};
use ringside_core::quantity::{Unit, counted, grouped, in_tens, number, significant};

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Shape, Stroke, Writing};
use crate::figure::{Column, Figure, Played, Table};
use crate::picture::Picture;

/// Most points of a curve.
const POINTS: u64 = 60;
/// Temperatures whose truth is drawn beside that of the benchmark.
const OTHERS: [f64; 3] = [0.2, 0.8, 1.2];

/// The chart of the view that is chosen.
fn chart(params: &Params, shown: &Shown) -> Chart {
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

impl Figure for Params {
    const PLAYS: bool = true;

    /// What is drawn of the experiments changes no estimate.
    fn computed(&self) -> Self {
        Self { draws: EXPERIMENTS, ..self.clone() }
    }

    fn subtitle(&self) -> String {
        let samples = counted(self.n, "sample", "samples");
        match self.view {
            View::Estimate => format!("{samples}, {} passed", grouped(self.c)),
            View::Draws => format!("draws of {samples}, of which {} pass", Unit::Fraction.format(self.rate())),
            View::Benchmark if self.results.0.is_empty() => {
                let problems = counted(self.problems, "problem", "problems");
                format!("{problems}, {samples} per problem, temperature {}", number(self.temperature))
            }
            View::Benchmark => "your own results".to_owned(),
        }
    }

    fn finding(&self, shown: &Shown) -> String {
        self.finding(shown)
    }

    fn picture(&self, shown: &Shown) -> Picture {
        chart(self, shown).into()
    }

    fn played(&self, _: &Shown) -> Option<Played> {
        let place = format!("{} of {EXPERIMENTS} draws", self.draws);
        let played = Played { step: self.draws as usize, steps: EXPERIMENTS as usize, place };
        (self.view == View::Draws).then_some(played)
    }

    fn play(&mut self, step: usize) {
        self.draws = step as u64;
    }

    /// Both estimates for some numbers of tries.
    fn table(&self, _: &Shown) -> Table {
        let [low, high] = interval::of_rate(self.n, self.c);
        let row = |k: u64| {
            let estimates = [
                unbiased(self.n, self.c, k).unwrap_or(0.0),
                plug_in(self.rate(), k),
                plug_in(low, k),
                plug_in(high, k),
            ];
            std::iter::once(grouped(k)).chain(estimates.map(|part| Unit::Fraction.format(part))).collect()
        };
        let tries = [1, 2, 3, 4, 5, 10, 20, 50, 100, 200, 500, 1000];
        let heads = ["k", "unbiased", "1 − (1 − p̂)^k", "interval from", "to"];
        Table::of_numbers(heads, tries.into_iter().filter(|k| *k <= self.n).map(row).collect())
    }

    /// Ways to compute the estimate, and what they make of it.
    fn more_tables(&self, _: &Shown) -> Vec<Table> {
        let all = ways(self.n, self.c, self.k);
        let right = all.first().map_or(0.0, |way| way.value);
        let row = |way: &ringside_core::pass_at_k::exact::Way| {
            let [value, off] = if way.value.is_finite() {
                [significant(way.value, 15), in_tens((way.value - right).abs())]
            } else {
                ["NaN", "–"].map(str::to_owned)
            };
            vec![way.name.to_owned(), value, off]
        };
        let columns = [Column::Words("Way"), Column::Numbers("result"), Column::Numbers("off by")];
        let computed = Table::of(columns, all.iter().map(row).collect());
        vec![computed.captioned("1 − C(n−c, k)/C(n, k), computed in four ways")]
    }
}

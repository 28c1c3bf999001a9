//! pass@k of the programs that have been run, over the samples of each problem.

use ringside_core::evaluation::figure::{Params, Shown};
use ringside_core::quantity::Unit;

use crate::chart::{Axis, Chart, Ink, Mark, Series, Writing};

/// The chart. A score is there from k samples on.
pub fn chart(params: &Params, shown: &Shown) -> Chart {
    let scores: Vec<_> = (params.k..=shown.rounds).filter_map(|n| Some((n as f64, params.score(shown, n)?))).collect();
    let band = scores.iter().map(|(n, s)| (*n, s.interval[0], s.interval[1])).collect();
    let line: Vec<(f64, f64)> = scores.iter().map(|(n, s)| (*n, s.unbiased)).collect();
    let last = line.last().copied();
    let most = params.n.max(2);
    let ticks = (0..=most).step_by(most.div_ceil(8) as usize).map(|n| (n as f64, n.to_string()));
    Chart {
        label: params.finding(shown),
        across: Axis::linear((0.0, most as f64)).written(Writing::Grouped).at(ticks).named("Samples of each problem"),
        up: Axis::linear((0.0, 1.02)).written(Writing::Unit(Unit::Fraction)).named("pass@k"),
        series: vec![
            Series::band("95% interval over problems", Ink::Weights, band),
            Series::line("pass@k", Ink::Weights, line).in_key(),
        ],
        marks: last.map(|at| Mark::new(at, Unit::Fraction.format(at.1))).into_iter().collect(),
        ..Chart::default()
    }
}

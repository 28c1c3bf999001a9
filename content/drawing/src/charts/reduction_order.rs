//! How far sums in random orders lie from the exact one, with every other order among them; and how two runs drift apart.

use ringside_core::reduction_order::finding::off;
use ringside_core::reduction_order::{Apart, Params, Shown, View};

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Shape, Stroke, Writing};

/// Columns of the histogram, at most.
const COLUMNS: f64 = 48.0;
/// The least distance that is drawn.
const LEAST: f64 = 1e-10;

/// What the figure shows.
pub fn chart(params: &Params, shown: &Shown) -> Chart {
    match params.show {
        View::Sums | View::Gpu => spread(params, shown),
        View::Steps => growth(params, shown),
    }
}

/// Sums in random orders by their error, the others as rings at the foot, the one that is looked at marked.
pub fn spread(params: &Params, shown: &Shown) -> Chart {
    let sums = &shown.sums;
    let unit = sums.unit(params.format.0);
    let random: Vec<(f64, u32)> = sums.spread.results.iter().map(|(error, n)| (error / unit, *n)).collect();
    let finite = sums.sums.iter().filter(|s| s.value.is_finite());
    let others: Vec<(f64, String)> =
        finite.map(|s| (s.error / unit, format!("{}: {}", s.order.label(), off(s.error, unit)))).collect();
    let all = random.iter().map(|r| r.0).chain(others.iter().map(|o| o.0));
    let (low, high) = all.fold((-1.0_f64, 1.0_f64), |(low, high), x| (low.min(x), high.max(x)));
    let width = ((high - low) / COLUMNS).ceil().max(1.0);
    let first = random.first().map_or(0.0, |r| r.0);
    let columns = ((high - first) / width).round() as usize + 1;
    let mut bars = vec![0_u32; columns];
    for (at, n) in &random {
        let place = (((at - first) / width).round().max(0.0) as usize).min(columns - 1);
        bars[place] += n;
    }
    let most = f64::from(bars.iter().copied().max().unwrap_or(1).max(1));
    let bars = bars.iter().enumerate().map(|(i, n)| (first + i as f64 * width, f64::from(*n))).collect();
    let points = others.iter().map(|(at, _)| (*at, 0.0)).collect();
    let names = others.into_iter().map(|(_, name)| name).collect();
    let sum = params.sum(shown);
    let mark = sum.value.is_finite().then(|| Mark::new((sum.error / unit, 0.0), params.order.label()));
    let margin = 0.06 * (high - low) + width;
    Chart {
        label: params.finding(shown),
        across: Axis::linear((low - margin, high + margin)).named("Off the exact sum, in units of its last place"),
        up: Axis::linear((0.0, most * 1.15)).written(Writing::Grouped).named("Random orders"),
        series: vec![
            Series::bars("random orders", Ink::Idle, bars),
            Series::dots("the orders below", Ink::Gradients, Shape::Ring, points).with_names(names),
        ],
        rules: vec![Rule::across(0.0, "exact")],
        marks: mark.into_iter().collect(),
    }
}

/// The distance of two runs, and of their losses.
pub fn growth(params: &Params, shown: &Shown) -> Chart {
    let of = |look: fn(&Apart) -> f64| -> Vec<(f64, f64)> {
        let points = shown.growth.steps.iter().enumerate().map(|(i, step)| (i as f64 + 1.0, look(step)));
        points.filter(|(_, y)| *y >= LEAST && y.is_finite()).collect()
    };
    let steps = shown.growth.steps.len() as f64;
    let mut weights = of(|s| s.distance);
    if shown.growth.first >= LEAST {
        weights.insert(0, (0.0, shown.growth.first));
    }
    let losses = of(|s| (s.losses[0] - s.losses[1]).abs());
    let last = weights.last().map(|at| Mark::new(*at, ""));
    Chart {
        label: params.finding(shown),
        across: Axis::linear((0.0, steps.max(2.0))).written(Writing::Grouped).named("Step"),
        up: Axis::log10((LEAST, 10.0)).named("How far apart"),
        series: vec![
            Series::fine("difference of the losses", Ink::Ink, Stroke::Dotted, losses),
            Series::line("distance of the weights, relative", Ink::Weights, weights),
        ],
        rules: vec![Rule::up(1.0, "as far as the weights are long")],
        marks: last.into_iter().collect(),
    }
}

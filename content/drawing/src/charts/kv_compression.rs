//! One step of generation over the context, and requests that fit.

use ringside_core::kv_cache::decode::Way;
use ringside_core::kv_cache::figure::{Attention, LONGEST, Params, Shown};
use ringside_core::quantity::{Unit, grouped};

use crate::chart::{Axis, Chart, Ink, Mark, Series, Shape, Stroke, Writing};

/// Contexts along the axis.
fn contexts() -> impl Iterator<Item = u64> {
    (10..=LONGEST).map(|power| 1 << power)
}

fn across() -> Axis {
    Axis::log2((1024.0, (1_u64 << LONGEST) as f64)).written(Writing::Binary).named("Sequence length, tokens")
}

/// Seconds of the attention of one step.
pub fn step(params: &Params, shown: &Shown) -> Chart {
    let ways = [
        ("keys of every head", Ink::Weights, Stroke::Solid, shown.kind_work(0)),
        ("grouped-query", Ink::Optimizer, Stroke::Dashed, shown.kind_work(1)),
        ("latent, rebuilt", Ink::Gradients, Stroke::Dashed, params.latent_work(shown, Way::Rebuilt)),
        ("latent, absorbed", Ink::Kv, Stroke::Solid, params.latent_work(shown, Way::Absorbed)),
    ];
    let curve =
        |work| contexts().map(|n| (n as f64, params.step(shown, work, n))).filter(|p| p.1 > 0.0).collect::<Vec<_>>();
    let mut series: Vec<Series> =
        ways.into_iter().map(|(name, ink, stroke, work)| Series::line(name, ink, curve(work)).stroke(stroke)).collect();
    if params.sparse() {
        let curve = contexts().map(|n| (n as f64, params.sparse_step(shown, n))).filter(|p| p.1 > 0.0).collect();
        let name = format!("latent, {} chosen", grouped(params.chosen));
        series.push(Series::line(name, Ink::Ink, curve).stroke(Stroke::Dotted));
    }
    let all = || series.iter().flat_map(|s| &s.points).map(|p| p.1);
    let range = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    let range = if range.1 > 0.0 { (range.0 / 2.0, range.1 * 2.0) } else { (1e-6, 1.0) };
    let here = params.context.max(1024);
    let marked = if params.sparse() {
        params.sparse_step(shown, here)
    } else {
        params.step(shown, params.latent_work(shown, Way::Absorbed), here)
    };
    Chart {
        label: params.finding(shown),
        across: across(),
        up: Axis::log10(range).written(Writing::Unit(Unit::Seconds)).named("A step’s attention, at the least"),
        series,
        marks: (marked > 0.0)
            .then(|| Mark::new((here as f64, marked), Unit::Seconds.format(marked)))
            .into_iter()
            .collect(),
        ..Chart::default()
    }
}

/// Requests that fit.
pub fn requests(params: &Params, shown: &Shown) -> Chart {
    let inks = [Ink::Weights, Ink::Optimizer, Ink::Gradients, Ink::Kv];
    let strokes = [Stroke::Solid, Stroke::Dashed, Stroke::Dotted, Stroke::Solid];
    let curve = |cache: &_| {
        let fits = |n: u64| (n as f64, params.requests(cache, n, shown.room));
        contexts().map(fits).filter(|p| p.1 >= 1.0).collect::<Vec<_>>()
    };
    let lines = shown.kinds.iter().zip(inks).zip(strokes);
    let mut series: Vec<Series> = lines
        .map(|((row, ink), stroke)| Series::line(row.attention.label(), ink, curve(&row.cache)).stroke(stroke))
        .collect();
    if params.attention == Attention::Own {
        series.push(Series::dots("as published", Ink::Ink, Shape::Diamond, curve(&shown.chosen.cache)));
    }
    series.retain(|s| !s.points.is_empty());
    let most = series.iter().flat_map(|s| &s.points).map(|p| p.1).fold(10.0, f64::max);
    let here = params.context.max(1024) as f64;
    let fit = params.requests(&shown.chosen.cache, params.context.max(1024), shown.room);
    Chart {
        label: params.finding(shown),
        across: across(),
        up: Axis::log10((1.0, most * 2.0)).written(Writing::Grouped).named("Requests that fit"),
        series,
        marks: (fit >= 1.0).then(|| Mark::new((here, fit), grouped(fit as u64))).into_iter().collect(),
        ..Chart::default()
    }
}

//! The laws over the number of processors: a straight line, one that bends to its limit, one that turns; and what was measured.

use ringside_core::amdahl::{MAX_N, Params};
use ringside_core::quantity::{grouped, number};

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Shape, Stroke, Writing};

/// The chart.
pub fn chart(params: &Params) -> Chart {
    let (n, here) = (params.n as f64, params.speedup());
    let range = (1.0, MAX_N as f64);
    let axis = |name: &str| Axis::log2(range).written(Writing::Grouped).named(name);
    let curve = |law: fn(&ringside_core::amdahl::Speedup) -> f64| params.curve().map(|(n, s)| (n, law(&s))).collect();
    let limit = here.limit.is_finite().then(|| Rule::up(here.limit, format!("limit {}", number(here.limit))));
    let mut series = vec![
        Series::line("Gustafson", Ink::Optimizer, curve(|s| s.gustafson)).stroke(Stroke::Dashed),
        Series::line("Amdahl", Ink::Weights, curve(|s| s.amdahl)),
    ];
    // Two lie nearly on each other: each says which curve it is on.
    let named = |law: &str, speedup: f64| Mark::new((n, speedup), format!("{law} {}", number(speedup)));
    let mut marks = vec![named("Gustafson", here.gustafson), named("Amdahl", here.amdahl)];
    if params.cost > 0.0 {
        let costly = curve(|s| s.costly);
        let over_one = costly.into_iter().filter(|(_, speedup)| *speedup >= 1.0).collect();
        series.push(Series::line("with its cost", Ink::Gradients, over_one).stroke(Stroke::Dotted));
        if here.costly >= 1.0 {
            marks.push(named("with its cost", here.costly));
        }
    }
    let measured = params.measured.speedups();
    if !measured.is_empty() {
        series.push(Series::dots("Measured", Ink::Activations, Shape::Diamond, measured));
    }
    Chart {
        label: format!(
            "Speed-up over processors, from 1 to {}. On {}: {} by Amdahl’s law, {} by Gustafson’s.",
            grouped(MAX_N),
            grouped(params.n),
            number(here.amdahl),
            number(here.gustafson)
        ),
        across: axis("Processors"),
        up: axis("Times as fast as one"),
        series,
        rules: limit.into_iter().map(|rule| rule.stroke(Stroke::Dotted)).collect(),
        marks,
    }
}

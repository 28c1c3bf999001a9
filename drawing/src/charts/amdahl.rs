//! Both laws over the number of processors: a straight line, and one that bends to its limit.

use ringside_core::amdahl::{MAX_N, Params};
use ringside_core::quantity::{grouped, number};

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Stroke, Writing};

/// The chart.
pub fn chart(params: &Params) -> Chart {
    let (n, here) = (params.n as f64, params.speedup());
    let range = (1.0, MAX_N as f64);
    let axis = |name: &str| Axis::log2(range).written(Writing::Grouped).named(name);
    let curve = |law: fn(&ringside_core::amdahl::Speedup) -> f64| params.curve().map(|(n, s)| (n, law(&s))).collect();
    let limit = here.limit.is_finite().then(|| Rule::up(here.limit, format!("limit {}", number(here.limit))));
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
        series: vec![
            Series::line("Gustafson", Ink::Optimizer, curve(|s| s.gustafson)).stroke(Stroke::Dashed),
            Series::line("Amdahl", Ink::Weights, curve(|s| s.amdahl)),
        ],
        rules: limit.into_iter().map(|rule| rule.stroke(Stroke::Dotted)).collect(),
        marks: vec![
            Mark::new((n, here.gustafson), number(here.gustafson)),
            Mark::new((n, here.amdahl), number(here.amdahl)),
        ],
    }
}

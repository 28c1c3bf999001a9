//! Speed-up over the tokens drafted, for the part that is kept and for others.

use ringside_core::quantity::{Unit, number};
use ringside_core::speculative::figure::{MOST, Params};

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Stroke, Writing};

/// Parts kept that are drawn beside the one on show.
const OTHERS: [f64; 3] = [0.6, 0.8, 0.95];

/// The chart.
pub fn chart(params: &Params) -> Chart {
    let curve = |alpha: f64| (0..=MOST).map(|n| (f64::from(n), params.at(n, alpha))).collect::<Vec<_>>();
    let here = curve(params.alpha);
    let mut series =
        vec![Series::line(format!("{} kept", Unit::Fraction.format(params.alpha)), Ink::Weights, here.clone())];
    for other in OTHERS.into_iter().filter(|other| (other - params.alpha).abs() > 0.04) {
        let name = format!("{} kept", Unit::Fraction.format(other));
        series.push(Series::fine(name, Ink::Edge, Stroke::Dashed, curve(other)));
    }
    let most = series.iter().flat_map(|s| &s.points).map(|p| p.1).fold(1.5, f64::max);
    let speed = params.at(params.drafted, params.alpha);
    Chart {
        label: params.finding(&params.outcome()),
        across: Axis::linear((0.0, f64::from(MOST))).written(Writing::Grouped).named("Tokens drafted"),
        up: Axis::linear((0.0, most * 1.08)).named("Times as fast"),
        series,
        rules: vec![Rule::up(1.0, "without drafting").stroke(Stroke::Dotted)],
        marks: vec![Mark::new((f64::from(params.drafted), speed), number(speed))],
    }
}

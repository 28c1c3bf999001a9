//! Speed-up over the tokens drafted, for the part that is kept and for others.

use ringside_core::quantity::{Unit, grouped, number};
use ringside_core::speculative::figure::{MOST, Outcome, Params};
use ringside_core::speculative::tokens;

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Stroke, Writing};
use crate::figure::{About, Figure, Table};
use crate::picture::Picture;

/// Parts kept that are drawn beside the one on show.
const OTHERS: [f64; 3] = [0.6, 0.8, 0.95];

/// The chart.
fn chart(params: &Params) -> Chart {
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

impl Figure for Params {
    fn about(&mut self) -> Option<About<'_>> {
        Some(About::Model(&mut self.model))
    }

    fn subtitle(&self) -> String {
        format!("{}, {} drafted, {} together", self.model.name(), self.drafted, grouped(self.batch))
    }

    fn finding(&self, outcome: &Outcome) -> String {
        self.finding(outcome)
    }

    fn picture(&self, _: &Outcome) -> Picture {
        chart(self).into()
    }

    /// Every number of tokens drafted.
    fn table(&self, _: &Outcome) -> Table {
        let row = |drafted: u32| {
            let other = Params { drafted, ..*self };
            let outcome = other.outcome();
            vec![
                drafted.to_string(),
                number(tokens(self.alpha, drafted)),
                Unit::Seconds.format(outcome.check),
                number(other.speedup(&outcome)),
            ]
        };
        let heads = ["Drafted", "tokens of a pass", "checking", "times as fast"];
        Table::of_numbers(heads, (0..=MOST).map(row).collect())
    }
}

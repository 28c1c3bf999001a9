//! Goodput and latencies over the requests a second that come, under every policy.

use ringside_core::quantity::{Unit, number};
use ringside_core::serving::figure::{Params, Shown, View};
use ringside_core::serving::scheduler::Policy;
use ringside_core::serving::sweep::Point;

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Stroke, Writing};

/// The chart of a view that is one.
pub fn chart(params: &Params, shown: &Shown) -> Chart {
    match params.view {
        View::Latency => latency(params, shown),
        View::Goodput | View::Schedule => goodput(params, shown),
    }
}

fn rates(shown: &Shown) -> (f64, f64) {
    let rates = shown.sweep.of.iter().flat_map(|(_, points)| points.iter().map(|p| p.rate));
    (0.0, rates.fold(0.0, f64::max).max(1e-3))
}

/// The line of each policy; the one that is chosen is strong.
fn lines(params: &Params, shown: &Shown, of: impl Fn(&Point) -> f64) -> Vec<Series> {
    let strokes = [Stroke::Dotted, Stroke::Dashed, Stroke::Solid, Stroke::Dashed];
    let line = |(policy, stroke): (Policy, Stroke)| {
        let points = shown.sweep.points(policy).iter().map(|p| (p.rate, of(p))).collect();
        let name = match policy {
            Policy::Disaggregated => "disaggregated, twice the GPUs",
            other => other.label(),
        };
        if policy == params.policy {
            Series::line(name, Ink::Weights, points).in_key()
        } else {
            Series::fine(name, Ink::Soft, stroke, points).in_key()
        }
    };
    let (own, others): (Vec<_>, Vec<_>) =
        Policy::ALL.into_iter().zip(strokes).partition(|(policy, _)| *policy == params.policy);
    others.into_iter().chain(own).map(line).collect()
}

fn across(shown: &Shown) -> Axis {
    Axis::linear(rates(shown)).named("Requests per second that arrive")
}

/// The rate that is set, where it lies in the chart.
fn here(params: &Params, shown: &Shown) -> Vec<Rule> {
    let inside = params.rate > 0.0 && params.rate <= rates(shown).1;
    inside.then(|| Rule::across(params.rate, "now").ink(Ink::Soft)).into_iter().collect()
}

/// Requests a second that keep the promise, over those that come.
fn goodput(params: &Params, shown: &Shown) -> Chart {
    let (_, most) = rates(shown);
    let mut series =
        vec![Series::fine("all that come", Ink::Edge, Stroke::Solid, vec![(0.0, 0.0), (most, most)]).in_key()];
    series.extend(lines(params, shown, |point| point.goodput));
    let points = shown.sweep.points(params.policy);
    let knee = shown.sweep.knee(params.policy).and_then(|knee| points.iter().find(|point| point.rate == knee));
    Chart {
        label: params.finding(shown),
        across: across(shown),
        up: Axis::linear((0.0, most)).named("Requests per second within the promise"),
        series,
        rules: here(params, shown),
        marks: knee
            .map(|p| Mark::new((p.rate, p.goodput), format!("knee: {} per second", number(p.rate))))
            .into_iter()
            .collect(),
    }
}

/// The 90th percentile of the time to the first token, over the requests a second that come.
fn latency(params: &Params, shown: &Shown) -> Chart {
    let all = shown.sweep.of.iter().flat_map(|(_, points)| points.iter().map(|p| p.first)).filter(|t| *t > 0.0);
    let (low, high) = all.fold((params.first, params.first), |(low, high), t| (low.min(t), high.max(t)));
    let promise = format!("promise {}", Unit::Seconds.format(params.first));
    let mut rules = here(params, shown);
    rules.push(Rule::up(params.first, promise).ink(Ink::Warn));
    Chart {
        label: params.finding(shown),
        across: across(shown),
        up: Axis::log10((low / 1.5, high * 1.5))
            .written(Writing::Unit(Unit::Seconds))
            .named("Time to the first token, 90th percentile"),
        series: lines(params, shown, |point| point.first),
        rules,
        marks: Vec::new(),
    }
}

//! A policy in training: score, worth and divergence over updates; the clipped objective over the ratio; advantages within a group.

use ringside_core::post_training::losses::ppo::surrogate;
use ringside_core::post_training::policy::{Params, Shown, Update};
use ringside_core::quantity::number;

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Shape, Stroke, Writing};

/// What a course begins with: the policy before any update.
fn course(shown: &Shown, of: impl Fn(&Update) -> f64) -> Vec<(f64, f64)> {
    shown.updates.iter().enumerate().map(|(i, update)| ((i + 1) as f64, of(update))).collect()
}

/// Score, worth and divergence over the updates; a rule at the update on show.
pub fn chart(params: &Params, shown: &Shown) -> Chart {
    let series = vec![
        Series::line("KL from the reference, nats", Ink::Soft, course(shown, Update::divergence))
            .stroke(Stroke::Dotted)
            .in_key(),
        Series::line("reward model’s score", Ink::Gradients, course(shown, Update::score))
            .stroke(Stroke::Dashed)
            .in_key(),
        Series::line("what the answers are worth", Ink::Weights, course(shown, Update::worth)).in_key(),
    ];
    let most = series.iter().flat_map(|s| &s.points).map(|p| p.1).fold(1.0, f64::max);
    let at = if params.step == 0 { shown.updates.len() as u64 } else { params.step.min(shown.updates.len() as u64) };
    Chart {
        label: params.finding(shown),
        across: Axis::linear((1.0, shown.updates.len().max(2) as f64)).written(Writing::Grouped).named("Update"),
        up: Axis::linear((0.0, most * 1.08)),
        series,
        rules: vec![Rule::across(at as f64, "").stroke(Stroke::Dotted)],
        ..Chart::default()
    }
}

/// The objective of one token over its ratio, clipped and not.
pub fn objective(params: &Params, shown: &Shown) -> Chart {
    let advantage = params.advantage;
    let ratios = || (0..=100).map(|i| f64::from(i) * 0.025);
    let clipped = ratios().map(|r| (r, -surrogate(r, advantage, params.clip()).loss)).collect::<Vec<_>>();
    let plain = ratios().map(|r| (r, r * advantage)).collect::<Vec<_>>();
    let all = || clipped.iter().chain(&plain).map(|p| p.1);
    let (least, most) = (all().fold(0.0, f64::min), all().fold(0.0, f64::max));
    let at = params.ratio().min(2.5);
    let here = -surrogate(at, advantage, params.clip()).loss;
    let mut rules = vec![Rule::across(1.0, "1").stroke(Stroke::Dotted)];
    if params.clip > 0.0 {
        let clip = params.clip();
        rules.push(Rule::across(1.0 - clip.low, "1 − ε"));
        rules.push(Rule::across(1.0 + clip.high, "1 + ε"));
    }
    Chart {
        label: params.finding(shown),
        across: Axis::linear((0.0, 2.5)).named("Ratio"),
        up: Axis::linear((least * 1.08, most.max(0.1) * 1.08)).named("Objective of the token"),
        series: vec![
            Series::fine("ratio × advantage", Ink::Edge, Stroke::Dashed, plain).in_key(),
            Series::line("clipped", Ink::Weights, clipped).in_key(),
        ],
        rules,
        marks: vec![Mark::new((at, here), number(here))],
    }
}

/// The advantage of a right and of a wrong answer over how many of the group are right.
pub fn group(params: &Params, shown: &Shown) -> Chart {
    let of = |which: usize| (0..=params.group).map(|n| (n as f64, params.grouped(n)[which])).collect::<Vec<_>>();
    let (right, wrong) = (of(0), of(1));
    let all = || right.iter().chain(&wrong).map(|p| p.1);
    let range = (all().fold(-0.1, f64::min) * 1.1, all().fold(0.1, f64::max) * 1.1);
    let mark = (params.right as f64, shown.group[usize::from(params.right == 0)]);
    Chart {
        label: params.finding(shown),
        across: Axis::linear((0.0, params.group as f64)).written(Writing::Grouped).named("Right answers of the group"),
        up: Axis::linear(range).named("Advantage"),
        series: vec![
            Series::dots(
                "a right answer",
                Ink::Weights,
                Shape::Disc,
                right.into_iter().filter(|p| p.0 > 0.0).collect(),
            ),
            Series::dots(
                "a wrong answer",
                Ink::Gradients,
                Shape::Diamond,
                wrong.into_iter().filter(|p| p.0 < params.group as f64).collect(),
            ),
        ],
        rules: vec![Rule::up(0.0, "").stroke(Stroke::Dotted)],
        marks: vec![Mark::new(mark, number(mark.1))],
    }
}

//! Delayed scaling over steps, the losses of training with rounding, and errors of sums.

use ringside_core::loss_scaling::network::Run;
use ringside_core::quantity::{Unit, number};
use ringside_core::quantization::{Params, Shown};

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Stroke, Writing};

/// The largest value of each step, and the room that its scale leaves.
pub fn delayed(params: &Params, shown: &Shown) -> Chart {
    let steps = &shown.delayed;
    let most = steps.iter().flat_map(|d| [d.amax, d.room]).fold(1.0, f64::max);
    let bars = |over: bool| {
        let those = steps.iter().enumerate().filter(move |(_, d)| (d.saturated > 0.0) == over);
        those.map(|(i, d)| (i as f64 + 1.0, d.amax)).collect::<Vec<_>>()
    };
    let room = steps.iter().enumerate().flat_map(|(i, d)| [(i as f64 + 0.5, d.room), (i as f64 + 1.5, d.room)]);
    let series = vec![
        Series::bars("largest value of the step", Ink::Weights, bars(false)),
        Series::bars("values saturate", Ink::Warn, bars(true)),
        Series::line("room that the scale leaves", Ink::Ink, room.collect()).in_key(),
    ];
    Chart {
        label: params.finding(shown),
        across: Axis::linear((0.0, steps.len() as f64 + 1.0)).written(Writing::Grouped).named("Step"),
        up: Axis::linear((0.0, most * 1.08)).named("Largest absolute value"),
        series: series.into_iter().filter(|series| !series.points.is_empty()).collect(),
        ..Chart::default()
    }
}

/// The loss without rounding, then with it; and that of rounding in between.
pub fn training(params: &Params, shown: &Shown) -> Chart {
    let t = &shown.trained;
    let losses = |run: &Run, from: usize| {
        run.steps.iter().enumerate().map(|(i, s)| ((from + i) as f64 + 1.0, s.loss)).collect::<Vec<_>>()
    };
    let turn = t.float.steps.len();
    let (float, aware) = (losses(&t.float, 0), losses(&t.aware, turn));
    let most = float.iter().chain(&aware).map(|p| p.1).fold(t.rounded, f64::max) * 1.1;
    let last = (turn + t.aware.steps.len()) as f64;
    Chart {
        label: params.finding(shown),
        across: Axis::linear((0.0, last)).written(Writing::Grouped).named("Step"),
        up: Axis::linear((0.0, most)).named("Loss"),
        series: vec![
            Series::line("without rounding", Ink::Weights, float).in_key(),
            Series::line("with the rounding in the forward pass", Ink::Gradients, aware)
                .stroke(Stroke::Dashed)
                .in_key(),
        ],
        rules: vec![Rule::across(turn as f64, "").ink(Ink::Edge)],
        marks: vec![Mark::new((turn as f64, t.rounded), format!("rounded here: {}", number(t.rounded)))],
    }
}

/// Relative errors of a sum over its length.
pub fn accumulate(params: &Params, shown: &Shown) -> Chart {
    const LEAST: f64 = 1e-9;
    let curve =
        |i: usize| shown.sums.iter().map(|(k, errors)| (f64::from(*k), errors[i].max(LEAST))).collect::<Vec<_>>();
    let last = shown
        .sums
        .last()
        .map(|(k, errors)| Mark::new((f64::from(*k), errors[0].max(LEAST)), Unit::Fraction.format(errors[0])));
    Chart {
        label: params.finding(shown),
        across: Axis::log2((32.0, 8192.0)).written(Writing::Grouped).named("Products added"),
        up: Axis::log10((LEAST, 1.0)).named("Relative error of the sum"),
        series: vec![
            Series::line("as the accumulator adds", Ink::Gradients, curve(0)).in_key(),
            Series::line("added to fp32 every 128 products", Ink::Weights, curve(1)).stroke(Stroke::Dashed).in_key(),
            Series::line("in fp32", Ink::Optimizer, curve(2)).stroke(Stroke::Dotted).in_key(),
        ],
        marks: last.into_iter().collect(),
        ..Chart::default()
    }
}

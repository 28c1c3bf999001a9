//! The losses of two replicas beside those of a job whose streams are right.

use ringside_core::seed_streams::{Params, Shown};

use crate::chart::{Axis, Chart, Ink, Series, Stroke, Writing};

/// The losses over the steps.
pub fn chart(params: &Params, shown: &Shown) -> Chart {
    let of = |run: &ringside_core::seed_streams::Outcome, replica: usize| -> Vec<(f64, f64)> {
        let points = run.losses.iter().enumerate().map(|(i, both)| (i as f64 + 1.0, both[replica]));
        points.filter(|(_, loss)| loss.is_finite()).collect()
    };
    let [right, first, second] = [of(&shown.right, 0), of(&shown.run, 0), of(&shown.run, 1)];
    let highest = right.iter().chain(&first).chain(&second).map(|p| p.1).fold(1.0, f64::max);
    Chart {
        label: params.finding(shown),
        across: Axis::linear((0.0, right.len().max(2) as f64)).written(Writing::Grouped).named("Step"),
        up: Axis::linear((0.0, highest * 1.08)).named("Loss"),
        series: vec![
            Series::fine("right streams", Ink::Ink, Stroke::Dotted, right).in_key(),
            Series::line("replica 1", Ink::Weights, second).stroke(Stroke::Dashed).in_key(),
            Series::line("replica 0", Ink::Gradients, first).in_key(),
        ],
        ..Chart::default()
    }
}

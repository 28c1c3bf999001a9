//! The loss of a run that was never interrupted, and of one that was resumed.

use ringside_core::resume::{Params, Resumed};

use crate::chart::{Axis, Chart, Ink, Rule, Series, Stroke, Writing};

/// From this ratio of the largest loss to the smallest on, the axis is logarithmic.
const ORDERS: f64 = 20.0;
/// A loss beyond which nothing is drawn.
const HIGHEST: f64 = 3.0;

/// Both losses over the steps.
pub fn chart(params: &Params, run: &Resumed) -> Chart {
    let points = |steps: &[ringside_core::loss_scaling::network::Step], from: usize| {
        let points = steps.iter().enumerate().map(|(i, step)| ((from + i) as f64 + 1.0, step.loss));
        points.filter(|(_, loss)| loss.is_finite()).map(|(step, loss)| (step, loss.min(HIGHEST))).collect::<Vec<_>>()
    };
    let (whole, resumed) = (points(&run.whole, 0), points(&run.resumed, run.begins()));
    let top = whole.iter().chain(&resumed).map(|point| point.1).fold(0.5, f64::max) * 1.05;
    let low = whole.iter().chain(&resumed).map(|point| point.1).fold(top, f64::min);
    let up = if low > 0.0 && top / low >= ORDERS { Axis::log10((low / 1.3, top)) } else { Axis::linear((0.0, top)) };
    Chart {
        label: params.finding(run),
        across: Axis::linear((0.0, run.whole.len() as f64)).written(Writing::Grouped).named("Step"),
        up: up.named("Loss"),
        series: vec![
            Series::line("resumed", Ink::Gradients, resumed).in_key(),
            Series::fine("never interrupted", Ink::Ink, Stroke::Solid, whole).in_key(),
        ],
        rules: vec![Rule::across(run.begins() as f64 + 0.5, "checkpoint").ink(Ink::Soft)],
        marks: Vec::new(),
    }
}

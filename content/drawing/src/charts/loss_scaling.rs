//! The loss of a run beside that of fp32, its gradients by exponent, and a scaler's scale.

use ringside_core::float::power_of_two;
use ringside_core::loss_scaling::finding::{loss, power};
use ringside_core::loss_scaling::network::{Run, Step};
use ringside_core::loss_scaling::{Params, Shown, View};

use super::float_bits::columns;
use super::powers_of_two;
use crate::chart::{Axis, Chart, Ink, Rule, Series, Shape, Stroke, Writing};
use crate::figure::{Column, Figure, Table};
use crate::picture::Picture;

/// A loss beyond which nothing is drawn.
const HIGHEST_LOSS: f64 = 6.0;

fn losses(run: &Run) -> Vec<(f64, f64)> {
    let points = run.steps.iter().enumerate().map(|(i, step)| (i as f64 + 1.0, step.loss));
    points.take_while(|(_, loss)| loss.is_finite()).map(|(step, loss)| (step, loss.min(HIGHEST_LOSS))).collect()
}

/// The loss over the steps.
fn run(params: &Params, shown: &Shown) -> Chart {
    let (run, reference) = (losses(&shown.run), losses(&shown.reference));
    let highest = run.iter().chain(&reference).map(|p| p.1).fold(1.0, f64::max) * 1.08;
    let steps = shown.run.steps.len() as f64;
    let dead = shown.run.steps.iter().position(|step| !step.loss.is_finite()).map(|i| i as f64 + 1.0);
    let mut rules = vec![Rule::across(params.at() as f64 + 1.0, "").ink(Ink::Edge)];
    rules.extend(dead.map(|at| Rule::across(at, "NaN from here on").ink(Ink::Warn).stroke(Stroke::Solid)));
    let skipped = shown.run.steps.iter().enumerate().filter(|(_, step)| step.skipped);
    let skipped: Vec<(f64, f64)> = skipped.map(|(i, _)| (i as f64 + 1.0, 0.0)).collect();
    let mut series = vec![
        Series::fine("the same in fp32", Ink::Ink, Stroke::Dotted, reference),
        Series::line(params.compute.label(), Ink::Gradients, run),
    ];
    if !skipped.is_empty() {
        series.push(Series::dots("step skipped", Ink::Warn, Shape::Diamond, skipped));
    }
    Chart {
        label: params.finding(shown),
        across: Axis::linear((0.0, steps.max(2.0))).written(Writing::Grouped).named("Step"),
        up: Axis::linear((0.0, highest)).named("Loss"),
        series,
        rules,
        ..Chart::default()
    }
}

/// Exponents that are drawn.
const EXPONENTS: (i32, i32) = (-44, 22);

/// The gradients of the step on show, moved by the loss scale.
fn gradients(params: &Params, shown: &Shown) -> Chart {
    let format = params.compute.held();
    let fate = |e: i32| match format.nearest(1.5 * power_of_two(e)) {
        0.0 => 2,
        held if held.is_infinite() => 3,
        held if held < format.min_normal() => 1,
        _ => 0,
    };
    let counts = shown.reference.steps.get(params.at()).map_or([0; Step::BINADES], |step| step.gradients.0);
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let moved = counts.iter().enumerate().map(|(i, n)| (Step::LOWEST + i as i32 + params.shift(), f64::from(*n)));
    let inside = |at: &f64| (power_of_two(EXPONENTS.0)..power_of_two(EXPONENTS.1)).contains(at);
    let ends = [(format.min_positive(), "begins"), (format.max(), "ends")].into_iter().filter(|(at, _)| inside(at));
    Chart {
        label: params.finding(shown),
        across: powers_of_two(EXPONENTS, 8).named("Gradient of a weight, times the loss scale"),
        up: Axis::linear((0.0, f64::from(most) * 1.1)).named(format!("Gradients at step {}", params.at() + 1)),
        series: columns(moved.filter(|(e, _)| inside(&power_of_two(*e))), fate),
        rules: ends.map(|(at, what)| Rule::across(at, format!("{} {what}", format.name))).collect(),
        ..Chart::default()
    }
}

/// The scale that each step used, and the one after the last.
fn scaler(params: &Params, shown: &Shown) -> Chart {
    let steps = &shown.scaler;
    let corners =
        steps.iter().enumerate().flat_map(|(i, step)| [(i as f64 + 0.5, step.used), (i as f64 + 1.5, step.used)]);
    let last = steps.last().map(|step| (steps.len() as f64 + 0.5, step.scale));
    let course: Vec<(f64, f64)> = corners.chain(last).collect();
    let (low, high) = course.iter().fold((f64::MAX, f64::MIN_POSITIVE), |(l, h), p| (l.min(p.1), h.max(p.1)));
    let low = low.min(high);
    let every = steps.len().div_ceil(16).max(1);
    let ticks = (1..=steps.len()).step_by(every).map(|step| (step as f64, step.to_string()));
    let overflows =
        steps.iter().enumerate().filter(|(_, step)| step.overflow).map(|(i, step)| (i as f64 + 1.0, step.used));
    Chart {
        label: params.finding(shown),
        across: Axis::linear((0.5, steps.len().max(1) as f64 + 1.0)).at(ticks).named("Step"),
        up: Axis::log2((low / 2.0, high * 2.0)).named("Loss scale"),
        series: vec![
            Series::line("Scale", Ink::Weights, course),
            Series::dots("overflow", Ink::Warn, Shape::Diamond, overflows.collect()),
        ],
        ..Chart::default()
    }
}

impl Figure for Params {
    /// Neither what is shown of a run nor the step that is looked at changes it.
    fn computed(&self) -> Self {
        Self { view: View::Train, step: 1, ..self.clone() }
    }

    fn subtitle(&self) -> String {
        match self.view {
            View::Scaler => format!("{} steps", self.overflows.0.len()),
            _ => format!("{} · loss scaling: {}", self.compute.label(), self.scaling.label()),
        }
    }

    fn finding(&self, shown: &Shown) -> String {
        self.finding(shown)
    }

    fn picture(&self, shown: &Shown) -> Picture {
        let chart = match self.view {
            View::Train => run(self, shown),
            View::Gradients => gradients(self, shown),
            View::Scaler => scaler(self, shown),
        };
        chart.into()
    }

    /// The run step by step, as a log prints it.
    fn table(&self, s: &Shown) -> Table {
        let row = |(i, step): (usize, &Step)| {
            vec![
                (i + 1).to_string(),
                loss(step.printed.into()),
                loss(step.loss),
                s.reference.steps.get(i).map_or_else(String::new, |step| loss(step.loss)),
                power(step.scale),
                if step.skipped { "skipped" } else { "" }.to_owned(),
                step.broken.map_or("", |(op, _)| op.name()).to_owned(),
            ]
        };
        let numbers = ["Step", "Loss in the log", "Loss", "Loss in fp32", "Scale"].map(Column::Numbers);
        let words = ["Update", "First ∞ or NaN"].map(Column::Words);
        let columns: Vec<Column> = numbers.into_iter().chain(words).collect();
        Table::of(columns, s.run.steps.iter().enumerate().map(row).collect())
    }
}

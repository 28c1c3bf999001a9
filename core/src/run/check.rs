//! Assertions about a run, for CI.

use super::compare::{Report, compare};
use super::file::Run;
use crate::expr::Assertion;
use crate::hardware::constants;

/// What came of an assertion.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// As it was written.
    pub text: String,
    /// Whether it holds; none if it can't be decided.
    pub holds: Option<bool>,
    /// Both sides, if they have values.
    pub values: Option<[f64; 2]>,
    /// Why it can't be decided: a sentence, or empty.
    pub why: String,
}

/// The value of a name in a run's assertions: a prediction (`memory.total`, `step_time`, `mfu`, `tokens_per_second`), a measurement
/// (`measured.mfu`), or a fact of the hardware (`h100_80.memory`).
pub fn named(run: &Run, report: &Report, name: &str) -> Option<f64> {
    let id = name.replace('_', "-");
    let part = |label: &str| {
        report.ledger("memory")?.predicted.iter().find(|cause| cause.label == label).map(|cause| cause.size)
    };
    let is_memory = |row: &&super::compare::Row| row.id.starts_with("memory-");
    match id.split_once('.') {
        Some(("measured", metric)) => report
            .row(metric)
            .and_then(|row| row.measured)
            .or_else(|| run.measured(super::measure::Metric::find(metric)?)),
        // The whole of what a GPU holds, at its highest: a plan that could fail doesn't pass.
        Some(("memory", "total")) => report.rows.iter().find(is_memory).and_then(|row| row.predicted).map(|p| p[2]),
        Some(("memory", "weights")) => part("Weights"),
        Some(("memory", "gradients")) => part("Gradients"),
        Some(("memory", "optimizer")) => part("Optimizer states"),
        Some(("memory", "activations")) => part("Activations"),
        Some(_) => None,
        None => report.row(&id).and_then(|row| row.predicted).map(|p| p[1]),
    }
    .or_else(|| constants::find(name).map(|(value, _)| value))
}

/// Holds the assertions of a run's `check`, and others, against it.
pub fn check(run: &Run, others: &[String]) -> (Report, Vec<Checked>) {
    let report = compare(run);
    let names = ["memory.total", "memory.weights", "memory.gradients", "memory.optimizer", "memory.activations"];
    let known = || {
        let rows = report.rows.iter().map(|row| row.id.replace('-', "_"));
        rows.chain(names.map(str::to_owned)).collect::<Vec<_>>().join(", ")
    };
    let judge = |text: &String| {
        let undecided = |why: String| Checked { text: text.clone(), holds: None, values: None, why };
        let assertion = match Assertion::parse(text) {
            Ok(assertion) => assertion,
            Err(why) => return undecided(why),
        };
        match assertion.eval(&|name| named(run, &report, name)) {
            Ok((holds, values)) => {
                Checked { text: text.clone(), holds: Some(holds), values: Some(values), why: String::new() }
            }
            Err(error) => {
                let known = if error.unknown.is_some() {
                    format!(" Known here: {}, and measured.… of each.", known())
                } else {
                    String::new()
                };
                undecided(format!("{error}{known}"))
            }
        }
    };
    let checked = run.check.iter().chain(others).map(judge).collect();
    (report, checked)
}

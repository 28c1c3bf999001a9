//! Assertions about a run, for CI.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::compare::{Report, compare};
use super::file::Run;
use super::measure::Metric;
use super::plan::Assumed;
use crate::expr::Assertion;
use crate::hardware::constants;
use crate::quantity::listed;

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
/// (`measured.mfu`), or a fact of the hardware (`h100_80.memory`). `at` is the place in the predicted range: 0 for its lower end, 1 for what
/// is predicted, 2 for its upper end.
pub fn named(run: &Run, report: &Report, name: &str, at: usize) -> Option<f64> {
    let id = name.replace('_', "-");
    let is_open = report.assumed.iter().any(Assumed::is_spanned);
    // The parts are those of one layout: where there are several, they have no value.
    let part = |label: &str| {
        let ledger = report.ledger("memory").filter(|_| !is_open)?;
        ledger.predicted.iter().find(|cause| cause.label == label).map(|cause| cause.size)
    };
    let is_memory = |row: &&super::compare::Row| row.id.starts_with("memory-");
    match id.split_once('.') {
        Some(("measured", metric)) => {
            report.row(metric).and_then(|row| row.measured).or_else(|| run.measured(Metric::find(metric)?))
        }
        // The whole of what a GPU holds, at its highest: a plan that could fail doesn't pass.
        Some(("memory", "total")) => {
            let at = if is_open { at } else { 2 };
            report.rows.iter().find(is_memory)?.predicted?.get(at).copied()
        }
        Some(("memory", "weights")) => part("Weights"),
        Some(("memory", "gradients")) => part("Gradients"),
        Some(("memory", "optimizer")) => part("Optimizer states"),
        Some(("memory", "activations")) => part("Activations"),
        Some(_) => None,
        None => report.row(&id).and_then(|row| row.predicted?.get(at).copied()),
    }
    .or_else(|| constants::find(name).map(|(value, _)| value))
}

/// The assumed settings that a name's value rests on, and whose other values its range doesn't span.
fn rests_on<'a>(run: &Run, report: &'a Report, name: &str) -> Vec<&'a str> {
    let id = name.replace('_', "-");
    let is_given = |metric: &str| {
        let read = Metric::find(metric).and_then(|metric| run.measured(metric));
        let shown = report.row(metric).and_then(|row| row.measured);
        read.is_some() && (shown.is_none() || shown == read)
    };
    let counts = |a: &Assumed| {
        let is_of_serving = a.key.starts_with("serving.");
        let is_outside = !is_of_serving && !a.is_spanned();
        match id.split_once('.') {
            // A rate that follows from a step's time counts the tokens of the step.
            Some(("measured", metric)) => is_outside && !is_given(metric),
            Some(("memory", "total")) => is_outside,
            Some(("memory", _)) => !is_of_serving,
            Some(_) => false,
            None if report.row(&id).is_none() => false,
            None => match id.as_str() {
                "weights" => matches!(a.key, "model.sizes" | "serving.tp" | "serving.pp" | "serving.weight"),
                "kv-memory" | "kv-tokens" => a.key == "model.sizes" || is_of_serving,
                "step-time" | "tokens-per-second" | "tokens-per-gpu" | "mfu" => is_outside,
                id if id.starts_with("memory-") => is_outside,
                // What is sent is that of one layout.
                _ => !is_of_serving,
            },
        }
    };
    // The network is assumed for a measured bandwidth alone.
    let is_beside = |a: &Assumed| a.key == "cluster.net" && id != Metric::BusBandwidth.id();
    report.assumed.iter().filter(|a| counts(a) && !is_beside(a)).map(|a| a.key).collect()
}

/// Why an assertion that rests on these settings isn't decided.
fn depends<'a>(keys: impl Iterator<Item = &'a str>) -> String {
    let keys: Vec<String> = keys.map(str::to_owned).collect();
    let (are, them) = if keys.len() == 1 { ("is", "it") } else { ("are", "them") };
    format!("It depends on {}, which {are} assumed. Set {them} in the run file.", listed(&keys))
}

/// Most names with a range in one assertion.
const MOST_RANGES: usize = 8;

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
        let names = RefCell::new(BTreeSet::new());
        let middle = assertion.eval(&|name| {
            names.borrow_mut().insert(name.to_owned());
            named(run, &report, name, 1)
        });
        let names = names.into_inner();
        if let Some(why) = report.contradiction.as_ref().filter(|_| names.iter().any(|n| n.starts_with("measured."))) {
            return undecided(why.clone());
        }
        let keys: BTreeSet<&str> = names.iter().flat_map(|name| rests_on(run, &report, name)).collect();
        if !keys.is_empty() {
            return undecided(depends(keys.into_iter()));
        }
        match middle {
            Ok((holds, values)) => {
                let end = |name: &str, at| named(run, &report, name, at);
                let wide: Vec<&String> = names.iter().filter(|name| end(name, 0) != end(name, 2)).collect();
                // All ends of all ranges: what holds for each of them holds between.
                let holds_at = |corner: usize| {
                    let at = |name: &str| {
                        let place = wide.iter().position(|other| *other == name);
                        place.map_or(1, |place| (corner >> place & 1) * 2)
                    };
                    assertion.eval(&|name| named(run, &report, name, at(name))).is_ok_and(|(other, _)| other == holds)
                };
                if wide.len() > MOST_RANGES {
                    return undecided(format!(
                        "It has more than {MOST_RANGES} names with a predicted range. Split it into shorter assertions."
                    ));
                }
                if !(0..1_usize << wide.len()).all(holds_at) {
                    // Assumed settings of the layout don't widen what an engine has room for.
                    let is_of_layout = wide.iter().any(|name| !matches!(name.as_str(), "kv_tokens" | "kv_memory"));
                    let is_open = |a: &&Assumed| is_of_layout && a.is_spanned();
                    let open: Vec<&Assumed> = report.assumed.iter().filter(is_open).collect();
                    return undecided(if open.is_empty() {
                        "Only part of the predicted range meets it.".to_owned()
                    } else {
                        depends(open.into_iter().map(|a| a.key))
                    });
                }
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

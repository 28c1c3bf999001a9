//! States side by side.

use super::axis;
use super::{Sliced, headlines, within, written};
use crate::catalogue::{Entry, Named};
use crate::kernels::measured::quoted;
use crate::quantity::{Unit, number};
use crate::query::Query;

/// Evaluates states to be compared, the first of which the others are compared with.
#[derive(Debug, Clone)]
pub struct Compare {
    entry: Entry,
    queries: Vec<Query>,
    states: Vec<State>,
}

/// One of the states.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Every parameter.
    pub query: Query,
    /// The headline quantities; none where the state has no result.
    pub values: Vec<Option<f64>>,
    /// The same as their figure writes them; a dash where there is none.
    pub texts: Vec<String>,
    /// Why there is no result, where there is none.
    pub error: Option<String>,
}

/// A parameter in which states differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Differs {
    /// What a person calls it.
    pub label: &'static str,
    /// Its value in each state, as a person reads it.
    pub values: Vec<String>,
}

/// States side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The quantities that are compared.
    pub quantities: Vec<Named>,
    /// The states.
    pub states: Vec<State>,
    /// The parameters in which they differ.
    pub differing: Vec<Differs>,
}

/// How one value stands to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// By how much it is larger.
    pub by: f64,
    /// How many times as large it is; none where the other is 0 or has another sign.
    pub times: Option<f64>,
}

impl Change {
    /// From `base` to `value`.
    pub fn of(base: f64, value: f64) -> Self {
        let times = value / base;
        Self { by: value - base, times: Some(times).filter(|times| times.is_finite() && *times > 0.0) }
    }

    /// For a person: `+12 GB, ×1.5`. Percentages differ by points.
    pub fn text(self, unit: Unit) -> String {
        if self.by == 0.0 {
            return "same".to_owned();
        }
        let sign = if self.by > 0.0 { '+' } else { '−' };
        let size = match unit {
            Unit::Fraction => format!("{} points", number(self.by.abs() * 100.0)),
            _ => unit.format(self.by.abs()),
        };
        let times = self.times.filter(|_| unit != Unit::Fraction).map(|times| format!(", ×{}", number(times)));
        format!("{sign}{size}{}", times.unwrap_or_default())
    }
}

impl Compare {
    /// The comparison of these states.
    pub fn new(entry: Entry, queries: &[Query]) -> Self {
        Self { entry, queries: queries.iter().rev().cloned().collect(), states: Vec::new() }
    }

    /// The states as far as they are evaluated.
    pub fn comparison(&self) -> Comparison {
        let differs = |param: crate::catalogue::Declared| {
            let (name, default) = (param.spec.name, param.spec.default);
            let text = |state: &State| axis::written(param, state.query.get(name).unwrap_or(default));
            let values: Vec<String> = self.states.iter().map(text).collect();
            let same = values.windows(2).all(|pair| pair.first() == pair.last());
            (!same).then_some(Differs { label: param.look.label, values })
        };
        let differing = self.entry.params().filter_map(differs).collect();
        // What applies in none of the states has no column.
        let applies = |i: &usize| self.states.iter().any(|state| state.values.get(*i).is_some_and(Option::is_some));
        let heads = headlines(&self.entry);
        let kept: Vec<usize> = (0..heads.len()).filter(applies).collect();
        let quantities = kept.iter().filter_map(|i| heads.get(*i).copied()).collect();
        let of_kept = |state: &State| State {
            values: kept.iter().filter_map(|i| state.values.get(*i).copied()).collect(),
            texts: kept.iter().filter_map(|i| state.texts.get(*i).cloned()).collect(),
            ..state.clone()
        };
        Comparison { quantities, states: self.states.iter().map(of_kept).collect(), differing }
    }
}

impl Sliced for Compare {
    fn step(&mut self) -> bool {
        if let Some(query) = self.queries.pop() {
            let result = (self.entry.evaluate)(&query);
            let value = |id: &str| result.quantities.iter().find(|q| q.id == id && q.applies).map(|q| q.value);
            let text = |named: Named| {
                value(named.0).map_or_else(|| "–".to_owned(), |value| written(&self.entry, named, value))
            };
            let heads = headlines(&self.entry);
            let (values, texts) =
                (heads.iter().map(|(id, ..)| value(id)).collect(), heads.into_iter().map(text).collect());
            self.states.push(State { query: result.query, values, texts, error: result.error });
        }
        !self.queries.is_empty()
    }

    fn progress(&self) -> (usize, usize) {
        (self.states.len(), self.states.len() + self.queries.len())
    }
}

impl Comparison {
    /// The change of a headline quantity from the first state to another.
    pub fn change(&self, state: usize, quantity: usize) -> Option<Change> {
        let value = |state: usize| self.states.get(state)?.values.get(quantity).copied().flatten();
        Some(Change::of(value(0)?, value(state)?))
    }

    /// What differs between the first state and another, and what that does: a sentence.
    pub fn said(&self, state: usize) -> String {
        let changed = |param: &Differs| match (param.values.first(), param.values.get(state)) {
            (Some(base), Some(value)) if base != value => {
                Some(format!("{} {value} instead of {base}", within(param.label)))
            }
            _ => None,
        };
        let changed: Vec<String> = self.differing.iter().filter_map(changed).collect();
        if changed.is_empty() {
            return "Nothing differs from the present state.".to_owned();
        }
        let size = |change: Change| change.times.map_or(f64::MAX, |times| times.ln().abs());
        let moved =
            self.quantities.iter().enumerate().filter_map(|(i, quantity)| {
                Some((quantity, i, self.change(state, i).filter(|change| change.by != 0.0)?))
            });
        let most = moved.max_by(|a, b| size(a.2).total_cmp(&size(b.2)));
        let with = changed.join(", ");
        let text =
            |state: usize, i: usize| self.states.get(state).and_then(|s| s.texts.get(i).cloned()).unwrap_or_default();
        match most {
            Some(((_, label, _), i, change)) => {
                let (from, to) = (text(0, i), text(state, i));
                let times = change.times.map(|times| format!(" (×{})", number(times))).unwrap_or_default();
                format!("With {with}: {} from {from} to {to}{times}.", within(label))
            }
            None => match [state, 0].map(|at| self.states.get(at).and_then(|s| s.error.as_ref())) {
                [Some(why), _] => format!("With {with}, there is no result: {why}"),
                [None, Some(why)] => format!("The first state has no result to compare with: {why}"),
                [None, None] => format!("With {with}, no headline number that both states have changes."),
            },
        }
    }

    /// All of it as CSV, quantities in base units.
    pub fn csv(&self, names: &[String]) -> String {
        let params = self.differing.iter().map(|param| param.label.to_owned());
        let quantities = self.quantities.iter().map(|(_, label, unit)| match unit {
            Unit::Bytes => format!("{label} (B)"),
            Unit::BytesPerSecond => format!("{label} (B/s)"),
            Unit::Seconds => format!("{label} (s)"),
            Unit::Flop => format!("{label} (FLOP)"),
            Unit::FlopPerSecond => format!("{label} (FLOP/s)"),
            Unit::Count | Unit::Ratio | Unit::Fraction => (*label).to_owned(),
        });
        let head = ["State".to_owned()].into_iter().chain(params).chain(quantities).chain(["Link".to_owned()]);
        let mut lines = vec![head.map(|text| quoted(&text)).collect::<Vec<_>>().join(",")];
        for (i, state) in self.states.iter().enumerate() {
            let name = names.get(i).cloned().unwrap_or_default();
            let params = self.differing.iter().map(|param| param.values.get(i).cloned().unwrap_or_default());
            let values = state.values.iter().map(|value| value.map(|v| v.to_string()).unwrap_or_default());
            let words = [name].into_iter().chain(params).map(|text| quoted(&text));
            let cells = words.chain(values).chain([quoted(&state.query.to_string())]);
            lines.push(cells.collect::<Vec<_>>().join(","));
        }
        lines.join("\n") + "\n"
    }
}

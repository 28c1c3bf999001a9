//! A figure asked backward: which setting meets a limit ([`Solve`], [`Map`]), what drives a quantity ([`Drivers`]), how states
//! differ ([`Compare`]), and what would make a decision good ([`Levers`]).
//!
//! All of it works on a catalogue entry and a state, so every figure has it. What takes many evaluations is [`Sliced`]: each step makes one
//! evaluation, so that a page can stop between any two of them.

mod axis;
mod compare;
mod decide;
mod drivers;
mod goal;
mod map;
mod solve;
mod state;
#[cfg(test)]
mod tests;

pub use axis::{Axis, axes};
pub use compare::{Change, Compare, Comparison, Differs, State};
pub use decide::{Decided, Levers, Remedy, decided};
pub use drivers::{Driver, Drivers, MOST as MOST_DRIVERS, Move};
pub use goal::{Goal, Relation};
pub use map::{Cell, Map};
pub use solve::{Outcome, Point, Solve};
pub use state::{EXPLORE, Explored, MOST_KEPT, Tool, carried};

use crate::answer;
use crate::catalogue::{Entry, Named};
use crate::declare::Shown;
use crate::query::Query;

/// The quantities that a figure is read by, as it declares them.
pub fn headlines(entry: &Entry) -> Vec<Named> {
    entry.shown().filter(|shown| shown.headline).map(|Shown { id, label, unit, .. }| (id, label, unit)).collect()
}

/// A value of a quantity as its figure writes it: `480 GB`, `Yes`.
pub fn written(entry: &Entry, (id, _, unit): Named, value: f64) -> String {
    entry.shown().find(|shown| shown.id == id).map_or_else(|| unit.format(value), |shown| shown.text(value))
}

/// Two values of a quantity side by side: as its figure writes them, or with as many digits as tell them apart.
fn apart(entry: &Entry, quantity: Named, values: [f64; 2]) -> [String; 2] {
    let usual = values.map(|value| written(entry, quantity, value));
    let [a, b] = values;
    if usual[0] != usual[1] || a == b {
        return usual;
    }
    let digits = |digits| values.map(|value| answer::write(value, quantity.2, digits));
    (4..=MOST_DIGITS).map(digits).find(|[a, b]| a != b).unwrap_or(usual)
}

/// What a state holds a quantity against, as a person types it; none where it is held against nothing.
pub fn declared_limit(entry: &Entry, state: &Query, (id, _, unit): Named) -> Option<String> {
    let quantities = (entry.evaluate)(state).quantities;
    let limit = quantities.iter().find(|q| q.id == id && q.applies)?.limit?;
    Some(answer::write(limit, unit, 4))
}

/// The most significant digits with which two values are told apart.
const MOST_DIGITS: u32 = 12;

/// Work that stops between any two evaluations.
pub trait Sliced {
    /// Makes one evaluation, and says whether there are more to make.
    fn step(&mut self) -> bool;

    /// How many evaluations are made, and how many there are at most.
    fn progress(&self) -> (usize, usize);

    /// Makes all of them.
    fn finish(mut self) -> Self
    where
        Self: Sized,
    {
        while self.step() {}
        self
    }
}

/// Why a state that is possible has no value of a quantity.
const NOT_HERE: &str = "This number doesn’t apply in this state.";

/// The value of a quantity in a state.
///
/// # Errors
/// Why this state has none: a sentence.
fn value(entry: &Entry, query: &Query, quantity: &str) -> Result<f64, String> {
    let result = (entry.evaluate)(query);
    let found = result.quantities.iter().find(|q| q.id == quantity && q.applies).map(|q| q.value);
    found.ok_or_else(|| result.error.unwrap_or_else(|| NOT_HERE.to_owned()))
}

/// A label as it stands within a sentence: `Peak memory` becomes `peak memory`; `GPUs` and `ZeRO stage` stay.
pub fn within(label: &str) -> String {
    let mut letters = label.chars();
    let first = letters.next();
    let is_name =
        letters.clone().take_while(|letter| *letter != ' ').any(|letter| !letter.is_lowercase() && letter != '-');
    first.filter(|_| !is_name).map_or_else(|| label.to_owned(), |first| first.to_lowercase().chain(letters).collect())
}

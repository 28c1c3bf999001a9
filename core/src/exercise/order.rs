//! Putting things in order: steps of a procedure, or sizes that a model computes.

use serde::{Deserialize, Serialize};

use super::resolve::{Evaluate, names_of};
use super::{Exercise, Params, query};
use crate::quantity::Unit;
use crate::query::Query;

/// `kind = "order"`: items to be put in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// The items; in the right order if there is no `by`. Shown in an order of its own for every seed.
    pub items: Vec<Item>,
    /// An expression that is computed for each item, with the item's parameters: the smallest comes first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// What `by` counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// What the order runs from, and to: `["least", "most"]`, `["first", "last"]`.
    pub ends: [String; 2],
    /// What to say once it is right: a Markdown template.
    pub say: String,
}

/// One item of an order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// What it says: a Markdown template.
    pub text: String,
    /// What `by` is computed with, in addition to the exercise's parameters.
    #[serde(default, skip_serializing_if = "Params::is_empty")]
    pub set: Params,
    /// What to say when it stands too early: a Markdown template.
    pub say: String,
}

/// The right order of an exercise for one set of parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Ordered {
    /// By item: its place, from 0; items that are equal have the same.
    pub ranks: Vec<usize>,
    /// By item: its value in base units, if the order is computed.
    pub values: Vec<f64>,
}

/// What came of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placed {
    /// It is right.
    Right,
    /// Item `early` stands directly before item `late` and belongs after it; there is no such pair before this one.
    Swapped {
        /// The item that stands too early.
        early: usize,
        /// The item that belongs before it.
        late: usize,
    },
    /// Some item is missing or there twice.
    Incomplete,
}

/// The right order of `order` with `parameters` from [`draw`](super::draw).
///
/// # Errors
/// Why it cannot be computed: a sentence.
pub fn right_order(
    exercise: &Exercise,
    order: &Order,
    parameters: &Query,
    evaluate: Evaluate<'_>,
) -> Result<Ordered, String> {
    let Some(by) = &order.by else {
        return Ok(Ordered { ranks: (0..order.items.len()).collect(), values: Vec::new() });
    };
    let mut values = Vec::with_capacity(order.items.len());
    for (i, item) in order.items.iter().enumerate() {
        let changed = parameters.with(&query(&item.set));
        let value = names_of(exercise, &changed, evaluate).and_then(|env| env.eval(by));
        values.push(value.map_err(|e| format!("item {}: {e}", i + 1))?);
    }
    let ranks = values.iter().map(|v| values.iter().filter(|other| below(**other, *v)).count()).collect();
    Ok(Ordered { ranks, values })
}

/// Whether `a` is smaller by more than rounding.
fn below(a: f64, b: f64) -> bool {
    a < b && (b - a) > 1e-9 * a.abs().max(b.abs())
}

impl Ordered {
    /// Judges an order, given as indices of items.
    pub fn check(&self, given: &[usize]) -> Placed {
        let complete = given.len() == self.ranks.len() && (0..self.ranks.len()).all(|i| given.contains(&i));
        if !complete {
            return Placed::Incomplete;
        }
        let rank = |item: &usize| self.ranks.get(*item).copied().unwrap_or(usize::MAX);
        let wrong = given.windows(2).find_map(|pair| match pair {
            [a, b] if rank(a) > rank(b) => Some((*a, *b)),
            _ => None,
        });
        wrong.map_or(Placed::Right, |(early, late)| Placed::Swapped { early, late })
    }

    /// An order to begin with: `shown`, and where that happens to be right, with its ends exchanged.
    pub fn begin(&self, mut shown: Vec<usize>) -> Vec<usize> {
        if self.check(&shown) == Placed::Right && shown.len() > 1 {
            let last = shown.len() - 1;
            shown.swap(0, last);
        }
        shown
    }
}

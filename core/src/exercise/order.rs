//! Putting things in order: steps of a procedure, or sizes that a model computes.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::export::{Form, Leaves, escaped};
use super::kind::{ExerciseKind, Field, Posed, Visit, sets_of};
use super::names::{Evaluate, names_of};
use super::paper::{List, Marks, filled};
use super::report::Report;
use super::written::{indices, mark_list, write_list};
use super::{Env, Exercise, Params, query};
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

impl Order {
    fn right(&self, posed: &Posed<'_>) -> Result<Ordered, String> {
        right_order(posed.exercise, self, &posed.parameters, posed.evaluate)
    }

    /// The items in the right order.
    fn sorted(&self, posed: &Posed<'_>) -> Result<Vec<usize>, String> {
        let ranks = self.right(posed)?.ranks;
        let mut items: Vec<usize> = (0..ranks.len()).collect();
        items.sort_by_key(|i| ranks.get(*i));
        Ok(items)
    }
}

impl ExerciseKind for Order {
    fn shuffled(&self) -> usize {
        self.items.len()
    }

    fn texts(&mut self, visit: Visit<'_>) {
        visit(Field::blocks("say"), &mut self.say);
        for (i, item) in self.items.iter_mut().enumerate() {
            visit(Field::line("text").within("items", i).as_choice(), &mut item.text);
            visit(Field::blocks("say").within("items", i), &mut item.say);
        }
    }

    fn sets(&self) -> Vec<(String, Cow<'_, Params>)> {
        sets_of("item", &self.items, |item| &item.set)
    }

    fn review(&self, _exercise: &Exercise, report: &mut Report) {
        report.unless(self.items.len() >= 3, || "items: There must be at least three to put in order.".into());
        report.unless(self.by.is_some() == self.unit.is_some(), || {
            "unit: It says what by counts; they stand together.".into()
        });
    }

    fn prove(&self, posed: &Posed<'_>, _env: &Env, report: &mut Report) -> Result<(), String> {
        let right = self.right(posed)?;
        for i in 0..right.ranks.len() {
            if let Some(first) = right.ranks.iter().take(i).position(|rank| Some(rank) == right.ranks.get(i)) {
                let message = format!("item {}: It comes out equal to item {}.", i + 1, first + 1);
                report.of_seed("equal items", message);
            }
        }
        Ok(())
    }

    fn mark(&self, posed: &Posed<'_>, answer: &str) -> Result<&'static str, String> {
        let right = self.right(posed)?;
        Ok(mark_list(answer, self.items.len(), |given| right.check(given) == Placed::Right))
    }

    fn solve(&self, posed: &Posed<'_>) -> Result<Option<String>, String> {
        Ok(Some(write_list(self.sorted(posed)?)))
    }

    fn in_words(&self, answer: &str) -> Vec<String> {
        let given = indices(answer, self.items.len()).unwrap_or_default();
        given.into_iter().filter_map(|i| self.items.get(i)).map(|item| item.text.clone()).collect()
    }

    fn on_paper(&self, posed: &Posed<'_>, env: &Env) -> Result<Vec<List>, String> {
        let all: Vec<usize> = (0..self.items.len()).collect();
        let shown = self.right(posed)?.begin(posed.shuffled(&all));
        let [first, last] = &self.ends;
        let lead = format!("Number them, from “{first}” to “{last}”.");
        let texts = shown.into_iter().filter_map(|i| self.items.get(i)).map(|item| &item.text);
        Ok(vec![List::filled(&lead, Marks::None, texts, env)?.with_blanks()])
    }

    fn answer_key(&self, posed: &Posed<'_>, env: &Env) -> Result<Vec<String>, String> {
        let items = self.sorted(posed)?.into_iter().filter_map(|i| self.items.get(i));
        items.map(|item| filled(&[&item.text], env)).collect()
    }

    fn is_in_order(&self) -> bool {
        true
    }

    fn leaves(&self, posed: &Posed<'_>, env: &Env) -> Result<Leaves, String> {
        let [first, last] = self.ends.each_ref().map(|end| escaped(end));
        Ok(Leaves::As {
            below: format!("<p>Order them from “{first}” to “{last}”.</p>"),
            explained: filled(&[&self.say], env)?,
            form: Form::Order { items: self.answer_key(posed, env)? },
            lost: "",
            picture: None,
        })
    }
}

//! A model, as everything outside it sees it.

use super::{Decision, Look, Shown, Take, Takes};
use crate::quantity::{Quantity, Unit};
use crate::query::{Kind, ParamSpec, Problem, Query, nearest, parse_number, shorten};

/// A model, as everything outside it sees it.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The id of the widget: `memory-breakdown`.
    pub id: &'static str,
    /// Its title for people.
    pub title: &'static str,
    /// What it shows, in one sentence.
    pub summary: &'static str,
    /// The parameter at a place among those it reads; none beyond the last.
    pub param_at: fn(usize) -> Option<Declared>,
    /// The quantity at a place among those it yields, always all of them, in this order; none beyond the last.
    pub quantity_at: fn(usize) -> Option<Shown>,
    /// Reads its parameters: as understood, and what could not be used. Computes nothing.
    pub read: fn(&Query) -> (Query, Vec<Problem>),
    /// Computes it. Never fails: what cannot be read is replaced by its default and reported; what is read but
    /// impossible yields no quantities and says so in [`Evaluation::error`].
    pub evaluate: fn(&Query) -> Evaluation,
    /// The state after the control of a parameter was set to a value, as a query has it: with whatever that control changes as well.
    pub turn: fn(&Query, &str, &str) -> Query,
    /// What a person decides with it, if it plans something.
    pub decision: Option<Decision>,
}

/// One parameter, as everything outside its model sees it.
#[derive(Debug, Clone, Copy)]
pub struct Declared {
    /// Its name, what it means, what values it takes, its default.
    pub spec: &'static ParamSpec,
    /// How a person sees and sets it.
    pub look: &'static Look,
    /// What of a learner's setup it takes, if anything.
    pub takes: Option<Take>,
}

impl Declared {
    /// Whether it says which model a figure is about.
    pub fn is_model(&self) -> bool {
        self.takes.is_some_and(|take| take.what == Takes::Model)
    }

    /// A value of it in words: what a person calls the option, or the number with its unit.
    pub fn in_words(&self, value: &str) -> String {
        match self.spec.kind {
            Kind::Choice(options) => options
                .iter()
                .position(|option| *option == value)
                .and_then(|nth| self.look.labels.get(nth))
                .map_or_else(|| value.to_owned(), |label| (*label).to_owned()),
            _ => parse_number(value).map_or_else(|| value.to_owned(), self.look.format),
        }
    }

    /// What a page says of a problem with a value in its link: by the names on its controls, where a query goes by ids.
    pub fn says(&self, problem: &Problem) -> String {
        const LISTED: usize = 8;
        let (label, format) = (self.look.label, self.look.format);
        let range =
            |kind: &str, [min, max]: [f64; 2]| format!("It takes {kind} from {} to {}.", format(min), format(max));
        let takes = match self.spec.kind {
            _ if !problem.refused || label.is_empty() => return problem.message.clone(),
            Kind::Choice(options) => match nearest(&problem.value, options) {
                Some(near) => format!("Did you mean “{}”?", self.in_words(near)),
                None if options.len() <= LISTED => {
                    let all: Vec<String> = options.iter().map(|option| self.in_words(option)).collect();
                    format!("It can be {}.", all.join(", "))
                }
                None => format!("Choose another under “{label}”."),
            },
            Kind::Integer { min, max } => range("a whole number", [min as f64, max as f64]),
            Kind::Real { min, max } => range("a number", [min, max]),
        };
        let used = match self.spec.default {
            "" => "It was left out".to_owned(),
            default => format!("{} is shown", self.in_words(default)),
        };
        format!("“{label}” can’t be “{}”. {used}. {takes}", shorten(&problem.value))
    }
}

/// A quantity of a model: its id, what a person calls it, its unit.
pub type Named = (&'static str, &'static str, Unit);

impl Entry {
    /// Its parameters.
    pub fn params(&self) -> impl Iterator<Item = Declared> + use<> {
        (0..).map_while(self.param_at)
    }

    /// The values that each parameter takes.
    pub fn specs(&self) -> Vec<&'static ParamSpec> {
        self.params().map(|param| param.spec).collect()
    }

    /// The parameter of this name.
    pub fn param(&self, name: &str) -> Option<Declared> {
        self.params().find(|param| param.spec.name == name)
    }

    /// What a person calls a parameter; its name, if there is none of that name.
    pub fn label(&self, name: &str) -> String {
        self.param(name).map_or_else(|| name.to_owned(), |param| param.look.label.to_owned())
    }

    /// Its quantities.
    pub fn quantities(&self) -> impl Iterator<Item = Named> + use<> {
        self.shown().map(|Shown { id, label, unit, .. }| (id, label, unit))
    }

    /// How a person sees each of its quantities.
    pub fn shown(&self) -> impl Iterator<Item = Shown> + use<> {
        (0..).map_while(self.quantity_at)
    }
}

/// What came of one evaluation.
#[derive(Debug, Clone, Default)]
pub struct Evaluation {
    /// The parameters as understood; reading this again gives the same state.
    pub query: Query,
    /// Parameters that could not be used as given.
    pub problems: Vec<Problem>,
    /// The result; empty if `error` is set.
    pub quantities: Vec<Quantity>,
    /// Why there is no result: a sentence.
    pub error: Option<String>,
}

impl Evaluation {
    /// Of `query`, read with `problems`: the quantities, or why there are none.
    pub fn new(query: Query, problems: Vec<Problem>, result: Result<Vec<Quantity>, String>) -> Self {
        let (quantities, error) = match result {
            Ok(quantities) => (quantities, None),
            Err(why) => (Vec::new(), Some(why)),
        };
        Self { query, problems, quantities, error }
    }

    /// The value of the quantity `id`, in base units.
    pub fn get(&self, id: &str) -> Option<f64> {
        self.quantities.iter().find(|q| q.id == id).map(|q| q.value)
    }
}

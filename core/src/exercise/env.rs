//! The names that an exercise's expressions and templates may use, with their values.

use std::collections::BTreeSet;

use crate::catalogue::Evaluation;
use crate::expr::{Expr, continues_name, name_of};
use crate::hardware::constants;
use crate::quantity::{Quantity, Unit};
use crate::query::{Query, did_you_mean, parse_number};

/// Names with values, for [expressions](crate::expr) and [templates](super::Template).
pub trait Names {
    /// The number called `name`, in base units.
    fn number(&self, name: &str) -> Option<f64>;
    /// What the number called `name` counts, if that is known.
    fn unit(&self, name: &str) -> Option<Unit>;
    /// What a person reads instead of 0, 1 and so on of the number called `name`; nothing where that is a number.
    fn words(&self, name: &str) -> &'static [&'static str];
    /// The parameter called `name`, as it is written in a query string.
    fn text(&self, name: &str) -> Option<&str>;
    /// Every name, each once.
    fn names(&self) -> Vec<&str>;
}

/// Names and values: a model's quantities, and its parameters as the model understood them.
///
/// An id with a hyphen is written with `_`. Where a quantity and a parameter have the same name, the name means the
/// quantity.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Env {
    numbers: Vec<Number>,
    texts: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq)]
struct Number {
    name: String,
    value: f64,
    unit: Option<Unit>,
    words: &'static [&'static str],
}

impl Env {
    /// The names of one evaluation of a model.
    pub fn new(evaluation: &Evaluation) -> Self {
        let mut env = Self::default();
        for quantity in &evaluation.quantities {
            let &Quantity { id, value, unit, words, .. } = quantity;
            env.numbers.push(Number { name: name_of(id), value, unit: Some(unit), words });
        }
        env.add_parameters(&evaluation.query);
        env
    }

    /// The parameters alone, for an exercise without a model.
    pub fn of_parameters(query: &Query) -> Self {
        let mut env = Self::default();
        env.add_parameters(query);
        env
    }

    fn add_parameters(&mut self, query: &Query) {
        for (name, _) in query.iter() {
            let value = query.get(name).unwrap_or_default();
            let name = name_of(name);
            if self.text(&name).is_some() {
                continue;
            }
            let fact = constants::find(value).map(|(number, unit)| (number, Some(unit)));
            if let Some((value, unit)) = parse_number(value).map(|number| (number, None)).or(fact)
                && self.number(&name).is_none()
            {
                self.numbers.push(Number { name: name.clone(), value, unit, words: &[] });
            }
            self.texts.push((name, value.to_owned()));
        }
    }

    /// This with one more name, which hides others of that name.
    pub fn with(mut self, name: &str, value: f64, unit: Unit) -> Self {
        self.numbers.insert(0, Number { name: name.to_owned(), value, unit: Some(unit), words: &[] });
        self
    }

    /// The number called `name`, in base units: one of these, or a fact of the hardware.
    pub fn number(&self, name: &str) -> Option<f64> {
        let own = self.own(name).map(|number| number.value);
        own.or_else(|| constants::find(name).map(|(value, _)| value))
    }

    /// What the number called `name` counts, if it is a quantity or a fact of the hardware.
    pub fn unit(&self, name: &str) -> Option<Unit> {
        self.own(name).map_or_else(|| constants::find(name).map(|(_, unit)| unit), |number| number.unit)
    }

    fn own(&self, name: &str) -> Option<&Number> {
        self.numbers.iter().find(|number| number.name == name)
    }

    /// The parameter called `name`, as it is written in a query string.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.iter().find(|(n, _)| n == name).map(|(_, text)| text.as_str())
    }

    /// Every name, numbers first, each once.
    pub fn names(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let all = self.numbers.iter().map(|number| &number.name).chain(self.texts.iter().map(|(n, _)| n));
        all.map(String::as_str).filter(|name| seen.insert(*name)).collect()
    }

    /// The value of an expression over these names; the error is a sentence.
    pub fn eval(&self, text: &str) -> Result<f64, String> {
        let names: &dyn Names = self;
        names.eval_parsed(&Expr::parse(text).map_err(|e| names.explain(text, e))?, text)
    }
}

impl Names for Env {
    fn number(&self, name: &str) -> Option<f64> {
        self.number(name)
    }

    fn unit(&self, name: &str) -> Option<Unit> {
        self.unit(name)
    }

    fn words(&self, name: &str) -> &'static [&'static str] {
        self.own(name).map_or(&[], |number| number.words)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.text(name)
    }

    fn names(&self) -> Vec<&str> {
        self.names()
    }
}

impl dyn Names + '_ {
    /// The value of an expression that was read from `text`; the error is a sentence.
    pub(super) fn eval_parsed(&self, expr: &Expr, text: &str) -> Result<f64, String> {
        if let Some(name) = self.hyphenated(text) {
            let id = name.replace('_', "-");
            return Err(format!("“{text}”: Write {name} for {id}; for a difference put spaces around the minus."));
        }
        expr.eval(&|name| self.number(name)).map_err(|e| self.explain(text, e))
    }

    /// The name whose id stands in `text` with its hyphens, which would be read as differences: `total-zero-1`.
    fn hyphenated(&self, text: &str) -> Option<String> {
        let ids =
            text.split(|c: char| !continues_name(c) && c != '-').filter(|id| id.contains('-') && !id.contains('_'));
        ids.map(name_of).find(|name| self.number(name).is_some() || self.text(name).is_some())
    }

    pub(super) fn explain(&self, text: &str, error: crate::expr::Error) -> String {
        let Some(name) = error.unknown else {
            return format!("“{text}”: {}", error.message);
        };
        match self.text(&name) {
            Some(value) => format!("“{text}”: {name} is the text “{value}” here, which cannot be calculated with."),
            None if text.trim() == name => self.unknown(&name),
            None => format!("“{text}”: {}", self.unknown(&name)),
        }
    }

    /// A sentence for a name that does not exist: which do.
    fn unknown(&self, name: &str) -> String {
        if name.contains('.') {
            return unknown_fact(name);
        }
        let names = self.names();
        let hint = did_you_mean(name, &names);
        if names.is_empty() {
            return format!(
                "There is nothing called “{name}”: there are no names at all without a model or parameters."
            );
        }
        format!("There is nothing called “{name}”{hint}. There are: {}.", names.join(", "))
    }
}

/// A sentence for a fact of the hardware that is not in its tables.
fn unknown_fact(name: &str) -> String {
    let all: Vec<String> = constants::all().map(|(name, ..)| name).collect();
    let names: Vec<&str> = all.iter().map(String::as_str).collect();
    let hint = did_you_mean(name, &names);
    format!(
        "There is no fact “{name}” in the tables of the hardware{hint}. Write one like h100_80.peak or ndr.bandwidth."
    )
}

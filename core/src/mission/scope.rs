//! What expressions of a mission see, and the models that it asks.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::catalogue::{self, Entry, Evaluation};
use crate::exercise::{Env, Params};
use crate::expr::{self, Expr, name_of};
use crate::hardware::constants;
use crate::quantity::Unit;
use crate::query::{Kind, Query, did_you_mean, parse_number, plain};

/// Finds a model by its id.
type Find<'a> = Box<dyn Fn(&str) -> Option<&'static Entry> + 'a>;

/// The models of a mission. What was computed is kept: a search asks the same over and over.
pub struct Models<'a> {
    find: Find<'a>,
    known: RefCell<BTreeMap<(String, String), Rc<Evaluation>>>,
}

impl<'a> Models<'a> {
    /// Those that `find` knows.
    pub fn new(find: impl Fn(&str) -> Option<&'static Entry> + 'a) -> Self {
        Self { find: Box::new(find), known: RefCell::default() }
    }

    /// All of the catalogue.
    pub fn all() -> Self {
        Self::new(catalogue::find)
    }

    /// The model with this id.
    pub fn entry(&self, id: &str) -> Option<&'static Entry> {
        (self.find)(id)
    }

    /// Computes it.
    fn evaluate(&self, entry: &Entry, query: &Query) -> Rc<Evaluation> {
        let key = (entry.id.to_owned(), query.to_string());
        if let Some(known) = self.known.borrow().get(&key) {
            return Rc::clone(known);
        }
        let evaluation = Rc::new((entry.evaluate)(query));
        self.known.borrow_mut().insert(key, Rc::clone(&evaluation));
        evaluation
    }
}

/// Names and their values.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Scope {
    numbers: BTreeMap<String, (f64, Option<Unit>)>,
    texts: BTreeMap<String, String>,
}

impl Scope {
    /// The number of this name: one of the mission's, or a fact of the hardware.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        let own = self.numbers.get(name).map(|(value, _)| *value);
        own.or_else(|| constants::find(name).map(|(value, _)| value))
    }

    pub(super) fn set(&mut self, name: &str, value: f64, unit: Option<Unit>) {
        self.numbers.insert(name.to_owned(), (value, unit));
    }

    pub(super) fn set_text(&mut self, name: &str, text: &str) {
        self.texts.insert(name.to_owned(), text.to_owned());
    }

    /// The value of an expression.
    ///
    /// # Errors
    /// A sentence that quotes it.
    pub(super) fn eval(&self, text: &str) -> Result<f64, String> {
        let explain = |error: expr::Error| match &error.unknown {
            None => format!("“{text}”: {}", error.message),
            Some(name) => {
                let names: Vec<&str> = self.numbers.keys().map(String::as_str).collect();
                format!("“{text}”: There is nothing called “{name}” here{}.", did_you_mean(name, &names))
            }
        };
        Expr::parse(text).map_err(explain)?.eval(&|name| self.number(name)).map_err(explain)
    }

    /// Does `name = expression`.
    ///
    /// # Errors
    /// What is wrong with it: a sentence.
    pub(super) fn assign(&mut self, text: &str, is_variable: &dyn Fn(&str) -> bool) -> Result<(), String> {
        let (name, expression) =
            text.split_once('=').ok_or_else(|| format!("“{text}”: Write name = expression, as in days = days + 1."))?;
        let name = name.trim();
        if !is_variable(name) {
            return Err(format!("“{text}”: There is no variable “{name}” in the state."));
        }
        let value = self.eval(expression.trim())?;
        let unit = self.numbers.get(name).and_then(|(_, unit)| *unit);
        self.set(name, value, unit);
        Ok(())
    }

    /// Whether a condition holds.
    ///
    /// # Errors
    /// What is wrong with it: a sentence.
    pub(super) fn holds(&self, condition: &str) -> Result<bool, String> {
        let mut all = true;
        for part in condition.split(" and ").filter(|part| !part.trim().is_empty()) {
            all &= self.compare(part)?;
        }
        Ok(all)
    }

    fn compare(&self, part: &str) -> Result<bool, String> {
        for operator in ["<=", ">=", "==", "!=", "<", ">"] {
            let Some((left, right)) = part.split_once(operator) else { continue };
            let (left, right) = (self.eval(left.trim())?, self.eval(right.trim())?);
            let same = (left - right).abs() <= 1e-9 * left.abs().max(right.abs());
            return Ok(match operator {
                "<=" => left < right || same,
                ">=" => left > right || same,
                "==" => same,
                "!=" => !same,
                "<" => left < right && !same,
                _ => left > right && !same,
            });
        }
        Err(format!("“{part}”: A condition compares two expressions with <, <=, ==, !=, >= or >."))
    }

    /// The parameters that a mission gives a model.
    ///
    /// # Errors
    /// What is wrong with them: a sentence.
    pub(super) fn fill(&self, params: &Params) -> Result<Query, String> {
        let mut query = Query::default();
        for (name, value) in params {
            let value = value.as_str();
            let text = if let Some(expression) = value.strip_prefix('=') {
                plain(self.eval(expression.trim())?)
            } else if let Some(options) = value.strip_prefix('?') {
                self.pick(options)?.to_owned()
            } else if let Some(text) = value.strip_prefix('@') {
                let known = self.texts.get(text).cloned();
                known.ok_or_else(|| format!("{name}: There is no text “{text}” here."))?
            } else {
                value.to_owned()
            };
            query.set(name, text);
        }
        Ok(query)
    }

    /// Of `condition:text,condition:text,text` the first text whose condition is not 0.
    fn pick<'t>(&self, options: &'t str) -> Result<&'t str, String> {
        for option in options.split(',') {
            let Some((condition, text)) = option.split_once(':') else { return Ok(option.trim()) };
            if self.eval(condition.trim())? != 0.0 {
                return Ok(text.trim());
            }
        }
        Err(format!("“?{options}”: No condition holds; end with a text that has none."))
    }

    /// Asks a model, and adds what it says under names that begin with `prefix`.
    ///
    /// # Errors
    /// Why there is no result: the model's sentence.
    pub(super) fn ask(&mut self, models: &Models<'_>, model: &str, prefix: &str, query: &Query) -> Result<(), String> {
        let entry = models.entry(model).ok_or_else(|| format!("There is no model “{model}”."))?;
        let evaluation = models.evaluate(entry, query);
        if let Some(problem) = evaluation.problems.first() {
            return Err(problem.message.clone());
        }
        if let Some(error) = &evaluation.error {
            return Err(error.clone());
        }
        // A link leaves out what is as it is by default; an expression may name it.
        for param in entry.params() {
            let text = evaluation.query.get(param.spec.name).unwrap_or(param.spec.default);
            let name = format!("{prefix}_{}", plain_name(param.spec.name));
            if let Some(value) = parse_number(text) {
                self.set(&name, value, None);
            }
            self.set_text(&name, text);
            let Kind::Choice(options) = param.spec.kind else { continue };
            for option in options {
                self.set(&format!("{name}_{}", plain_name(option)), f64::from(u8::from(*option == text)), None);
            }
        }
        for quantity in &evaluation.quantities {
            self.set(&format!("{prefix}_{}", plain_name(quantity.id)), quantity.value, Some(quantity.unit));
        }
        Ok(())
    }

    /// The names for templates.
    pub(super) fn env(&self) -> Env {
        let texts = self.texts.iter().filter(|(name, _)| !self.numbers.contains_key(*name));
        let env = Env::of_parameters(&Query::new(texts.map(|(name, text)| (name.as_str(), text.as_str()))));
        env.with_all(self.numbers.iter().map(|(name, (value, unit))| (name.clone(), *value, *unit)))
    }
}

/// An id as a part of a name.
pub(super) fn plain_name(id: &str) -> String {
    name_of(id).chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

//! What expressions of a mission see, and the models that it asks.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::catalogue::{self, Entry, Evaluation};
use crate::exercise::{Names, Params};
use crate::expr::{self, Expr, name_of};
use crate::hardware::constants;
use crate::quantity::Unit;
use crate::query::{Kind, Query, did_you_mean, parse_number, plain};

/// Finds a model by its id.
type Find<'a> = Box<dyn Fn(&str) -> Option<&'static Entry> + 'a>;

/// The models of a mission. What was computed is kept: a search asks the same over and over.
pub struct Models<'a> {
    find: Find<'a>,
    /// By a model's id and its parameters as it understood them.
    known: RefCell<BTreeMap<(&'static str, String), Rc<Evaluation>>>,
    /// By what names begin with, a model's id and its parameters as they were given.
    said: RefCell<BTreeMap<[String; 3], Answer>>,
}

/// What a model said, or why there is no result.
type Answer = Result<Rc<Said>, String>;

impl<'a> Models<'a> {
    /// Those that `find` knows.
    pub fn new(find: impl Fn(&str) -> Option<&'static Entry> + 'a) -> Self {
        Self { find: Box::new(find), known: RefCell::default(), said: RefCell::default() }
    }

    /// All of the catalogue.
    pub fn all() -> Self {
        Self::new(catalogue::find)
    }

    /// The model with this id.
    pub fn entry(&self, id: &str) -> Option<&'static Entry> {
        (self.find)(id)
    }

    /// What a model says of these parameters, under names that begin with `prefix`.
    fn ask(&self, model: &str, prefix: &str, query: &Query) -> Answer {
        let key = [prefix.to_owned(), model.to_owned(), query.to_string()];
        if let Some(said) = self.said.borrow().get(&key) {
            return said.clone();
        }
        let said = self.evaluate(model, query).map(|(entry, evaluation)| Rc::new(Said::of(prefix, entry, &evaluation)));
        self.said.borrow_mut().insert(key, said.clone());
        said
    }

    fn evaluate(&self, model: &str, query: &Query) -> Result<(&'static Entry, Rc<Evaluation>), String> {
        let entry = self.entry(model).ok_or_else(|| format!("There is no model “{model}”."))?;
        let (understood, problems) = (entry.read)(query);
        if let Some(problem) = problems.into_iter().next() {
            return Err(problem.message);
        }
        let key = (entry.id, understood.to_string());
        let known = self.known.borrow().get(&key).map(Rc::clone);
        let evaluation = known.unwrap_or_else(|| {
            let evaluation = Rc::new((entry.evaluate)(&understood));
            self.known.borrow_mut().insert(key, Rc::clone(&evaluation));
            evaluation
        });
        evaluation.error.clone().map_or(Ok((entry, evaluation)), Err)
    }
}

/// Numbers and texts by their names.
#[derive(Debug, Clone, PartialEq, Default)]
struct Named {
    numbers: BTreeMap<String, (f64, Option<Unit>)>,
    texts: BTreeMap<String, String>,
    /// Of numbers that a person reads as words, the words.
    words: BTreeMap<String, &'static [&'static str]>,
}

/// What a model said: its parameters and quantities, under names that all begin alike.
#[derive(Debug, PartialEq)]
struct Said {
    prefix: String,
    named: Named,
}

impl Said {
    fn of(prefix: &str, entry: &Entry, evaluation: &Evaluation) -> Self {
        let mut named = Named::default();
        // A link leaves out what is as it is by default; an expression may name it.
        for param in entry.params() {
            let text = evaluation.query.get(param.spec.name).unwrap_or(param.spec.default);
            let name = format!("{prefix}_{}", plain_name(param.spec.name));
            if let Some(value) = parse_number(text) {
                named.numbers.insert(name.clone(), (value, None));
            }
            if let Kind::Choice(options) = param.spec.kind {
                for option in options {
                    let is_this = f64::from(u8::from(*option == text));
                    named.numbers.insert(format!("{name}_{}", plain_name(option)), (is_this, None));
                }
            }
            named.texts.insert(name, text.to_owned());
        }
        for quantity in &evaluation.quantities {
            let name = format!("{prefix}_{}", plain_name(quantity.id));
            named.words.insert(name.clone(), quantity.words);
            named.numbers.insert(name, (quantity.value, Some(quantity.unit)));
        }
        Self { prefix: prefix.to_owned(), named }
    }
}

/// Names and their values.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Scope {
    own: Named,
    /// What models said, in the order in which they were asked.
    said: Vec<Rc<Said>>,
}

impl Scope {
    /// Every list of names that may have this one, what was said last first.
    fn lists(&self, name: &str) -> impl Iterator<Item = &Named> {
        let said = self.said.iter().rev().filter(move |said| name.starts_with(&said.prefix));
        std::iter::once(&self.own).chain(said.map(|said| &said.named))
    }

    fn find(&self, name: &str) -> Option<(f64, Option<Unit>)> {
        let own = self.lists(name).find_map(|named| named.numbers.get(name).copied());
        own.or_else(|| constants::find(name).map(|(value, unit)| (value, Some(unit))))
    }

    /// The number of this name: one of the mission's, or a fact of the hardware.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.find(name).map(|(value, _)| value)
    }

    pub(super) fn set(&mut self, name: &str, value: f64, unit: Option<Unit>) {
        self.own.numbers.insert(name.to_owned(), (value, unit));
    }

    pub(super) fn set_text(&mut self, name: &str, text: &str) {
        self.own.texts.insert(name.to_owned(), text.to_owned());
    }

    /// The value of an expression.
    ///
    /// # Errors
    /// A sentence that quotes it.
    pub(super) fn eval(&self, text: &str) -> Result<f64, String> {
        let explain = |error: expr::Error| match &error.unknown {
            None => format!("“{text}”: {}", error.message),
            Some(name) => {
                format!("“{text}”: There is nothing called “{name}” here{}.", did_you_mean(name, &self.names()))
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
        let unit = self.find(name).and_then(|(_, unit)| unit);
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
                let known = self.lists(text).find_map(|named| named.texts.get(text));
                known.cloned().ok_or_else(|| format!("{name}: There is no text “{text}” here."))?
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
        let said = models.ask(model, prefix, query)?;
        self.said.retain(|other| other.prefix != said.prefix);
        self.said.push(said);
        Ok(())
    }
}

impl Names for Scope {
    fn number(&self, name: &str) -> Option<f64> {
        self.number(name)
    }

    fn unit(&self, name: &str) -> Option<Unit> {
        self.find(name).and_then(|(_, unit)| unit)
    }

    fn words(&self, name: &str) -> &'static [&'static str] {
        self.lists(name).find_map(|named| named.words.get(name).copied()).unwrap_or_default()
    }

    /// Of what is a number too, the number is meant.
    fn text(&self, name: &str) -> Option<&str> {
        let text = self.lists(name).find_map(|named| named.texts.get(name))?;
        let is_number = self.lists(name).any(|named| named.numbers.contains_key(name));
        (!is_number).then_some(text)
    }

    fn names(&self) -> Vec<&str> {
        let lists = std::iter::once(&self.own).chain(self.said.iter().map(|said| &said.named));
        lists
            .flat_map(|named| named.numbers.keys().chain(named.texts.keys()))
            .map(String::as_str)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect()
    }
}

/// An id as a part of a name.
pub(super) fn plain_name(id: &str) -> String {
    name_of(id).chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

//! An exercise as an author writes it, and what it comes to for one set of parameters.
//!
//! Content holds exercises as data (`exercises.toml`) and hands them to the browser as JSON; both have the shape of
//! [`Exercise`]. Nothing here knows how an exercise looks. An exercise never carries the number it expects: it names a
//! model of the [catalogue](crate::catalogue), parameters, and an [expression](crate::expr) over the model's
//! quantities, so the answer is computed from the numbers in the question, and fresh numbers cost nothing.
//!
//! ```toml
//! [[exercise]]
//! id = "weights-30b"
//! kind = "number"
//! skill = "memory-accounting.budget"
//! level = 1
//! prompt = "A model has {params} parameters in {dtype}. How much memory do its weights take?"
//! model = "memory-breakdown"
//! params = { params = "30e9", dtype = "bf16" }
//! draw = { params = ["7e9", "13e9", "70e9"] }
//! answer = "weights"
//! unit = "bytes"
//! hints = ["How many bytes does one number in {dtype} take?"]
//! solution = ["{params} × 2 bytes = {weights|GB}"]
//!
//! [[exercise.mistake]]
//! set = { dtype = "fp32" }
//! say = "{mistake} would be four bytes a parameter; {dtype} takes two."
//! ```
//!
//! Templates (`prompt`, `hints`, `solution`, `say`, `reveal`, an option's `text`) are Markdown with `{…}` where a
//! computed number goes; [`template`] says what may stand there.

mod choice;
mod draw;
mod env;
mod explain;
pub mod input;
mod kernel;
mod order;
mod pairs;
mod paper;
mod resolve;
mod sketch;
mod task;
pub mod template;
mod trace;
mod validate;

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::quantity::Unit;
use crate::query::{Query, plain};

pub use choice::Chosen;
pub(crate) use draw::fnv1a;
pub use draw::{MAX_SEED, draw, option_order, parse_seed};
pub use env::Env;
pub use explain::Explain;
pub use kernel::Kernel;
pub use order::{Item, Order, Ordered, Placed, right_order};
pub use pairs::{Label, Match, Matched, Pair, Part, check_partners};
pub use paper::{List, Marks, on_paper};
pub use resolve::{Evaluate, Resolved, by_catalogue, environment, resolve};
pub use sketch::{Curve, Sketch};
pub use task::{Goal, Judged, Task};
pub use template::Template;
pub use trace::{Change, Measured, Trace};
pub use validate::validate;

/// Values of a model's parameters by their standard names, in the order of the names.
pub type Params = BTreeMap<String, Value>;

/// One exercise: what all kinds have, and what its [`Kind`] adds. Fields of both stand side by side in TOML and JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exercise {
    /// Names the exercise in links, in exports and in what a learner's browser keeps: lower-case letters, digits and
    /// hyphens. Changing it makes learners' past answers homeless.
    pub id: String,
    /// The skill that it trains, one of the chapter's "must be able to": `memory-accounting.budget`.
    pub skill: String,
    /// How hard it is: 1 (recall and read off), 2 (apply), 3 (combine and diagnose).
    #[serde(default = "first_level")]
    pub level: u8,
    /// A few words for lists. The beginning of the prompt is used where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The question, a Markdown template. State every number that the answer needs.
    pub prompt: String,
    /// The catalogue's id of the model that computes the answer. Without one, expressions and templates have only the
    /// parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The model's parameters, under the names and in the form of its page's query string. TOML strings, integers,
    /// floats and booleans are all taken. The model's default applies to what is left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: Params,
    /// For "another one like this": by parameter, the values to choose from. List only values with which the question
    /// still makes sense, in every combination.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub draw: BTreeMap<String, Vec<Value>>,
    /// Markdown templates, shown one at a time on request; each gives away a little more than the one before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
    /// The worked solution: Markdown templates, one a step, with the same numbers as the question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub solution: Vec<String>,
    /// What is asked for, chosen by the field `kind`.
    #[serde(flatten)]
    pub kind: Kind,
}

/// What an exercise asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Kind {
    /// A number with its unit.
    Number(Number),
    /// One option, or several, of a list.
    Choice(Choice),
    /// A number to commit to before a figure is unlocked.
    Predict(Predict),
    /// A curve to draw before a figure is unlocked.
    Sketch(Sketch),
    /// Items to put in order.
    Order(Order),
    /// Things that belong together.
    Match(Match),
    /// Names for the parts of a bar.
    Label(Label),
    /// A goal on the state of a figure.
    Task(Task),
    /// A cause to find and to prove.
    Trace(Trace),
    /// An answer in one's own words.
    Explain(Explain),
    /// A kernel to write.
    Kernel(Kernel),
}

impl Kind {
    /// The name in `kind = "…"`.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Number(_) => "number",
            Kind::Choice(_) => "choice",
            Kind::Predict(_) => "predict",
            Kind::Sketch(_) => "sketch",
            Kind::Order(_) => "order",
            Kind::Match(_) => "match",
            Kind::Label(_) => "label",
            Kind::Task(_) => "task",
            Kind::Trace(_) => "trace",
            Kind::Explain(_) => "explain",
            Kind::Kernel(_) => "kernel",
        }
    }

    /// The figure that waits for the answer, for the kinds that commit a learner to one.
    pub fn unlocks(&self) -> Option<&str> {
        match self {
            Kind::Predict(predict) => Some(&predict.unlocks),
            Kind::Sketch(sketch) => Some(&sketch.unlocks),
            _ => None,
        }
    }

    /// How many things are shown in an order of their own for every seed.
    fn shuffled(&self) -> usize {
        match self {
            Kind::Choice(choice) => choice.options.len(),
            Kind::Order(order) => order.items.len(),
            Kind::Match(pairs) => pairs.pairs.len() + pairs.extra.len(),
            Kind::Label(label) => label.parts.len(),
            Kind::Trace(trace) => trace.causes.len(),
            Kind::Number(_)
            | Kind::Predict(_)
            | Kind::Sketch(_)
            | Kind::Task(_)
            | Kind::Explain(_)
            | Kind::Kernel(_) => 0,
        }
    }
}

/// `kind = "number"`: a number with its unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Number {
    /// What is right: an expression over the model's quantities and numeric parameters, in base units (bytes,
    /// seconds, FLOP, a fraction of one). Ids are written with `_` where they have `-`.
    pub answer: String,
    /// What the answer counts: `bytes`, `seconds`, `flop`, `flop-per-second`, `bytes-per-second`, `count`, `ratio` or
    /// `fraction`.
    pub unit: Unit,
    /// How close is right: `"2%"`, `"exact"`, or an amount such as `"0.5 GB"` or `"3"`.
    #[serde(default = "default_tolerance")]
    pub tolerance: String,
    /// Whether the learner may answer with an expression over the names of the parameters. Over symbols that the prompt
    /// defines, as in "n = {ranks}", it always may.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub expression: bool,
    /// The unit that the answer must be in, such as `GB`, where converting it is the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_in: Option<String>,
    /// Wrong answers that are worth a sentence of their own (`[[exercise.mistake]]`).
    #[serde(default, rename = "mistake", skip_serializing_if = "Vec::is_empty")]
    pub mistakes: Vec<MistakeDef>,
}

/// A wrong answer that learners give for a reason.
///
/// Its value is computed like the answer's: from the same model with some parameters changed, from another expression,
/// or from both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MistakeDef {
    /// Parameters as someone who makes this mistake has them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: Params,
    /// The expression as someone who makes this mistake has it; the exercise's own if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// What to say to them: a Markdown template with the names of the exercise, plus `mistake` for the wrong value.
    /// Say what went wrong, not only what is right.
    pub say: String,
}

/// `kind = "choice"`: one option, or several, of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// What there is to choose from; shown in an order of its own for every seed.
    pub options: Vec<OptionDef>,
    /// Whether more than one option may be right, so that all right ones have to be chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub several: bool,
}

/// One option of a choice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionDef {
    /// What it says: a Markdown template.
    pub text: String,
    /// Whether it is right.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub right: bool,
    /// Why it is right, or what is wrong with it: a Markdown template. Every option has one.
    #[serde(default)]
    pub say: String,
}

/// `kind = "predict"`: a number to commit to before a figure is unlocked. It has the fields of [`Number`] too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "PredictFields")]
pub struct Predict {
    /// The id of the figure in the chapter that stays covered until the learner has committed.
    pub unlocks: String,
    /// What to say when the figure is uncovered, right or wrong: a Markdown template.
    pub reveal: String,
    /// The number.
    #[serde(flatten)]
    pub number: Number,
}

/// [`Predict`] as it is written. A flattened struct would let misspelt fields pass.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PredictFields {
    unlocks: String,
    reveal: String,
    answer: String,
    unit: Unit,
    #[serde(default = "default_tolerance")]
    tolerance: String,
    #[serde(default)]
    expression: bool,
    #[serde(default)]
    written_in: Option<String>,
    #[serde(default, rename = "mistake")]
    mistakes: Vec<MistakeDef>,
}

impl From<PredictFields> for Predict {
    fn from(f: PredictFields) -> Self {
        let PredictFields { unlocks, reveal, answer, unit, tolerance, expression, written_in, mistakes } = f;
        Self { unlocks, reveal, number: Number { answer, unit, tolerance, expression, written_in, mistakes } }
    }
}

fn first_level() -> u8 {
    1
}

fn default_tolerance() -> String {
    "2%".to_owned()
}

impl Exercise {
    /// The parameters as written.
    pub fn query(&self) -> Query {
        query(&self.params)
    }

    /// The numeric part of the exercise, for the kinds that ask for a number.
    pub fn number(&self) -> Option<&Number> {
        match &self.kind {
            Kind::Number(number) => Some(number),
            Kind::Predict(predict) => Some(&predict.number),
            _ => None,
        }
    }
}

/// `params` as a query.
pub fn query(params: &Params) -> Query {
    Query::new(params.iter().map(|(name, value)| (name.as_str(), value.as_str())))
}

/// The value of a parameter as query text, whichever of TOML's types the author used.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Value(String);

impl Value {
    /// The text, as in a query string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T: Into<String>> From<T> for Value {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Value;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("the value of a parameter: a string, a number, true or false")
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<Value, E> {
                Ok(Value(v.to_owned()))
            }
            fn visit_bool<E: de::Error>(self, v: bool) -> Result<Value, E> {
                Ok(Value(v.to_string()))
            }
            fn visit_i64<E: de::Error>(self, v: i64) -> Result<Value, E> {
                Ok(Value(v.to_string()))
            }
            fn visit_u64<E: de::Error>(self, v: u64) -> Result<Value, E> {
                Ok(Value(v.to_string()))
            }
            fn visit_f64<E: de::Error>(self, v: f64) -> Result<Value, E> {
                if v.is_finite() { Ok(Value(plain(v))) } else { Err(E::custom("a parameter must be a finite number")) }
            }
        }
        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod kinds_tests;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

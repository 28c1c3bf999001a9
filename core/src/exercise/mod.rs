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
//! say = "{mistake} would be four bytes per parameter; {dtype} takes two."
//! ```
//!
//! Templates (`prompt`, `hints`, `solution`, `say`, `reveal`, an option's `text`) are Markdown with `{…}` where a
//! computed number goes; [`template`] says what may stand there.

mod choice;
mod draw;
mod env;
mod explain;
pub mod export;
pub mod input;
mod kernel;
mod kind;
mod kinds;
mod names;
mod number;
mod order;
mod pairs;
mod paper;
mod predict;
mod program;
mod report;
mod sketch;
mod task;
pub mod template;
mod trace;
mod validate;
mod written;

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::query::{Query, plain};

pub use choice::{Choice, Chosen, OptionDef};
pub use draw::{MAX_SEED, draw, fnv1a, option_order, parse_seed};
pub use env::{Env, Names};
pub use explain::Explain;
pub use input::{answer_key, on_paper};
pub use kernel::Kernel;
pub use kind::{Field, Form};
pub use kinds::Kind;
pub use names::{Evaluate, by_catalogue, environment};
pub use number::{MistakeDef, Number, Resolved, resolve};
pub use order::{Item, Order, Ordered, Placed, right_order};
pub use pairs::{Label, Match, Matched, Pair, Part, check_partners};
pub use paper::{Key, List, Marks, Worked};
pub use predict::Predict;
pub use program::Program;
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
    /// The figure that the prompt points at, in the state in which exports show it: `ring-all-reduce?ranks=4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figure: Option<String>,
    /// What is asked for, chosen by the field `kind`.
    #[serde(flatten)]
    pub kind: Kind,
}

fn first_level() -> u8 {
    1
}

impl Exercise {
    /// The parameters as written.
    pub fn query(&self) -> Query {
        query(&self.params)
    }

    /// The numeric part of the exercise, for the kinds that ask for a number.
    pub fn number(&self) -> Option<&Number> {
        self.kind.number()
    }

    /// How many points a whole answer has: as many as its rubric names, otherwise one.
    pub fn worth(&self) -> usize {
        match &self.kind {
            Kind::Explain(explain) => explain.rubric.len().max(1),
            _ => 1,
        }
    }

    /// Of an answer with several parts, how many are right and how many there are; nothing for a kind whose answers have none.
    pub fn parts(&self, answer: &str) -> Option<[usize; 2]> {
        self.kind.parts(answer)
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

//! A mission: one run, carried through decisions of which each changes what comes after.
//!
//! A mission is data (`content/missions/<nn-slug>.toml`, and JSON in the browser): a brief, a state that is carried, and decisions. A
//! decision is made in a widget, as a choice, or as a number. What follows is written as [expressions](crate::expr) over the state and
//! over the quantities of the course's models, so that nothing of a mission is known to this code. [`Game`] plays one, [`Search`] finds
//! the best that the same models allow, [`Report`] sets a run beside it.
//!
//! Names in expressions:
//!
//! | name | value |
//! | --- | --- |
//! | `money` | the variable of the state with this id |
//! | `layout_mfu`, `layout_tp` | a quantity or a parameter of the widget of the decision `layout`, or of a model that is asked (`[[decision.model]]`, and `[[model]]` at the beginning) |
//! | `layout_zero_any`, `cause_loader` | 1 if the parameter has this value, or the choice this option; 0 otherwise |
//! | `spares` | the number that was the answer to the decision `spares` |
//! | `seed` | the seed |

mod board;
mod counted;
mod link;
mod locked;
mod play;
mod report;
mod scope;
mod search;
#[cfg(test)]
mod tests;
mod validate;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::exercise::{Params, Value};
use crate::quantity::{Unit, dollars, number, plural};

pub use board::{Bar, Board, Filled, Kind as BarKind, Picture};
pub use link::{read, write};
pub use locked::Locked;
pub use play::{Game, MOST_MOVES, Move, Step, careless};
pub use report::{Mattered, Played, Report};
pub use scope::Models;
pub use search::{Path, Search};
pub use validate::{Finding, validate};

/// The seed where a link names none.
pub const SEED: u64 = 1;
/// The largest seed; the models that draw failures take no larger one.
pub const MOST_SEED: u64 = 999;
/// The name of what was answered, where a decision is no widget's.
pub const ANSWER: &str = "answer";

/// A mission. Texts are Markdown templates as the author wrote them, or what was rendered of them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mission {
    /// What it is called.
    pub title: String,
    /// What it asks of the learner: one sentence.
    pub question: String,
    /// How long it takes.
    pub minutes: u32,
    /// The company, the cluster, the money, the date: a template over the state at the beginning.
    pub brief: String,
    /// Models that are asked at the beginning, for the brief and for what the state starts with. Their parameters know the seed and the
    /// variables that are drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub model: Vec<Asked>,
    /// What is carried, in the order in which it is shown.
    pub state: Vec<Variable>,
    /// What is drawn of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<Board>,
    /// Why somebody new to missions begins with this one; nothing where others come first.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub newcomers: String,
    /// What the search makes as large as it can.
    pub score: Outcome,
    /// What else is compared at the end.
    #[serde(default)]
    pub outcome: Vec<Outcome>,
    /// The decisions, in order.
    pub decision: Vec<Decision>,
    /// What is said when it is over: a template over the last state.
    #[serde(default)]
    pub end: String,
}

/// How a number of the state is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// Things: tokens, GPUs, users.
    #[default]
    Count,
    /// US dollars.
    Dollars,
    /// Days.
    Days,
    /// Hours.
    Hours,
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
    /// A part of one, written in percent.
    Fraction,
    /// A pure number.
    Ratio,
}

impl Counted {
    /// The unit in which an answer is read and a template writes it. Days, hours and dollars are plain numbers there.
    pub fn unit(self) -> Unit {
        match self {
            Self::Count | Self::Dollars => Unit::Count,
            Self::Seconds => Unit::Seconds,
            Self::Bytes => Unit::Bytes,
            Self::Fraction => Unit::Fraction,
            Self::Days | Self::Hours | Self::Ratio => Unit::Ratio,
        }
    }

    /// The number for a person: `$1.2 M`, `31.5 days`.
    pub fn format(self, value: f64) -> String {
        match self {
            Self::Dollars => dollars(value),
            Self::Days => plural(&number(value), "day"),
            Self::Hours => format!("{} h", number(value)),
            // Memory is never negative: so much is missing.
            Self::Bytes if value < 0.0 => format!("{} short", Unit::Bytes.format(-value)),
            other => other.unit().format(value),
        }
    }
}

/// A number that is carried from decision to decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// Its name in expressions: letters, digits and `_`.
    pub id: String,
    /// What a person calls it.
    pub label: String,
    /// How it is written.
    #[serde(default)]
    pub unit: Counted,
    /// What it is at the beginning: an expression over those above it.
    #[serde(default = "nothing")]
    pub start: Value,
    /// Instead, values of which the seed takes one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub draw: Vec<f64>,
    /// Whether going back does not bring it back: time and money that are gone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spent: bool,
    /// Whether it is only for expressions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

fn nothing() -> Value {
    "0".into()
}

/// A number at the end.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// What a person calls it.
    pub label: String,
    /// How it is written.
    #[serde(default)]
    pub unit: Counted,
    /// An expression over all that there is at the end.
    pub value: String,
}

/// One decision.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// Its name in expressions: letters, digits and `_`.
    pub id: String,
    /// A few words.
    pub title: String,
    /// The chapter that teaches it.
    pub chapter: String,
    /// What is to be decided: a template over the state.
    pub ask: String,
    /// The widget in which it is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub widget: Option<String>,
    /// The widget's parameters: values as in its link, `=expression` for a number of the state, `@name` for a text that an earlier
    /// decision chose, `?name:text,name:text,text` for the first text whose name is not 0.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub given: Params,
    /// The widget's parameters that are the decision.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub free: Vec<String>,
    /// Given parameters that aren't listed as given: they only have the widget show what the brief says in other words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unlisted: Vec<String>,
    /// The widget's quantities that are shown before it is made. What the widget says besides is part of what follows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub show: Vec<String>,
    /// By free parameter, or `answer`: the least and the most that is taken.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<String, [f64; 2]>,
    /// What a number that is the answer counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<Counted>,
    /// What there is to choose from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub option: Vec<Choice>,
    /// By free parameter, or `answer`: the values that the search tries.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tries: BTreeMap<String, Vec<Value>>,
    /// By free parameter, or `answer`: what somebody decides who does not think.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub careless: Params,
    /// Models that are asked once it is made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub model: Vec<Asked>,
    /// What follows: `name = expression`, one after the other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<String>,
    /// What is said of it: a template over the state after it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub say: String,
    /// What follows besides: the first whose condition holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub case: Vec<Case>,
    /// What coming back to it costs besides the time and money that are gone: `name = expression`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub back: Vec<String>,
}

/// One of the answers to choose from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// Its name in expressions and links.
    pub id: String,
    /// What a person reads: a template over the state.
    pub text: String,
    /// What follows, before anything else of the decision.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<String>,
    /// What is said of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub say: String,
    /// Whether the decision has to be made again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
    /// Whether it turns out badly, so that it looks like it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bad: bool,
}

/// A model that is asked.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// What its quantities begin with in expressions.
    pub id: String,
    /// Its id in the catalogue.
    pub model: String,
    /// Its parameters, written as [`Decision::given`].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: Params,
}

/// A consequence under a condition.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// `expression < expression`, several with `and`; always, if left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub when: String,
    /// What follows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<String>,
    /// What is said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub say: String,
    /// Whether the decision has to be made again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
    /// Whether it turns out badly, so that it looks like it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bad: bool,
}

/// How a decision is made: whoever plays, checks or draws one matches on this.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Made<'a> {
    /// In a widget: its id.
    Widget(&'a str),
    /// As one of these.
    Choice(&'a [Choice]),
    /// As a number that counts this.
    Number(Counted),
}

impl Decision {
    /// How it is made. A file that names two ways, or none, is refused by [`validate`].
    pub fn made(&self) -> Made<'_> {
        match (&self.widget, self.number) {
            (Some(widget), _) => Made::Widget(widget),
            (None, Some(counted)) => Made::Number(counted),
            (None, None) => Made::Choice(&self.option),
        }
    }

    /// The names of what is decided: the free parameters, or `answer`.
    pub fn names(&self) -> Vec<&str> {
        match self.made() {
            Made::Widget(_) => self.free.iter().map(String::as_str).collect(),
            Made::Choice(_) | Made::Number(_) => vec![ANSWER],
        }
    }
}

impl Mission {
    /// The ids of all models that it asks, each once.
    pub fn models(&self) -> Vec<&str> {
        let widgets = self.decision.iter().filter_map(|decision| decision.widget.as_deref());
        let models = self.model.iter().chain(self.decision.iter().flat_map(|d| &d.model)).map(|m| m.model.as_str());
        let mut all: Vec<&str> = Vec::new();
        for id in widgets.chain(models) {
            if !all.contains(&id) {
                all.push(id);
            }
        }
        all
    }

    /// Every text that is a Markdown template, for whoever renders them.
    pub fn texts(&mut self) -> Vec<&mut String> {
        let mut all = vec![&mut self.brief, &mut self.end];
        for decision in &mut self.decision {
            all.push(&mut decision.ask);
            all.push(&mut decision.say);
            for option in &mut decision.option {
                all.push(&mut option.text);
                all.push(&mut option.say);
            }
            all.extend(decision.case.iter_mut().map(|case| &mut case.say));
        }
        all
    }
}

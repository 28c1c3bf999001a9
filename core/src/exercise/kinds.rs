//! The list of the kinds: a line for each.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::export::Leaves;
use super::kind::{ExerciseKind, Field, Posed, Slip};
use super::paper::List;
use super::report::Report;
use super::{
    Choice, Env, Exercise, Explain, Kernel, Label, Match, Number, Order, Params, Predict, Program, Sketch, Task, Trace,
};

fn unlocks<K: ExerciseKind>(kind: &K) -> Option<&str> {
    K::UNLOCKS.map(|figure| figure(kind))
}

/// The enum of the kinds, from a line for each. `$d` is a dollar sign, for the macro within.
macro_rules! kinds {
    ($d:tt $($(#[$doc:meta])* $kind:ident = $name:literal,)*) => {
        /// What an exercise asks for.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind")]
        pub enum Kind {
            $($(#[$doc])* #[serde(rename = $name)] $kind($kind),)*
        }

        impl Kind {
            /// The name in `kind = "…"`.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Kind::$kind(_) => $name,)*
                }
            }

            /// What a learner is told of the kind of this name: what a `trace` shows is no trace of a profiler.
            pub fn called(name: &str) -> &str {
                if name == "trace" { "diagnosis" } else { name }
            }

            /// The names of all kinds.
            pub const NAMES: &[&str] = &[$($name),*];

            /// The names of the kinds that commit a learner to an answer before a figure gives it.
            pub fn unlocking() -> impl Iterator<Item = &'static str> {
                let all = [$(($name, <$kind as ExerciseKind>::UNLOCKS.is_some())),*];
                all.into_iter().filter(|(_, unlocks)| *unlocks).map(|(name, _)| name)
            }

            /// Whether an answer to a kind with this name is a text that only its author, or what runs it, can mark.
            pub fn is_unmarked(name: &str) -> bool {
                match name {
                    $($name => <$kind as ExerciseKind>::UNMARKED,)*
                    _ => false,
                }
            }
        }

        /// Does the same with whichever kind it is. No trait object: each page links what it calls, and no more.
        macro_rules! each {
            ($d kind:expr, $d of:ident => $d result:expr) => {
                match $d kind {
                    $(Kind::$kind($d of) => $d result,)*
                }
            };
        }
    };
}

kinds! { $
    /// A number with its unit.
    Number = "number",
    /// One option, or several, of a list.
    Choice = "choice",
    /// A number to commit to before a figure is unlocked.
    Predict = "predict",
    /// A curve to draw before a figure is unlocked.
    Sketch = "sketch",
    /// Items to put in order.
    Order = "order",
    /// Things that belong together.
    Match = "match",
    /// Names for the parts of a bar.
    Label = "label",
    /// A goal on the state of a figure.
    Task = "task",
    /// A cause to find and to prove.
    Trace = "trace",
    /// An answer in one's own words.
    Explain = "explain",
    /// A kernel to write.
    Kernel = "kernel",
    /// A program to write, which runs on several ranks.
    Program = "program",
}

impl Kind {
    /// The figure that waits for the answer, for the kinds that commit a learner to one.
    pub fn unlocks(&self) -> Option<&str> {
        each!(self, of => unlocks(of))
    }

    /// Visits the templates that this kind has besides those of all exercises.
    pub fn visit_texts(&mut self, visit: &mut dyn FnMut(Field, &mut String)) {
        each!(self, of => of.texts(visit));
    }

    /// The templates that this kind has besides those of all exercises.
    pub(super) fn texts(&self) -> Vec<(Field, String)> {
        let mut texts = Vec::new();
        self.clone().visit_texts(&mut |field, text| texts.push((field, std::mem::take(text))));
        texts
    }

    pub(super) fn number(&self) -> Option<&Number> {
        each!(self, of => of.number())
    }

    pub(super) fn shuffled(&self) -> usize {
        each!(self, of => of.shuffled())
    }

    pub(super) fn sets(&self) -> Vec<(String, Cow<'_, Params>)> {
        each!(self, of => of.sets())
    }

    pub(super) fn review(&self, exercise: &Exercise, report: &mut Report) {
        each!(self, of => of.review(exercise, report));
    }

    pub(super) fn prove(&self, posed: &Posed<'_>, env: &Env, report: &mut Report) -> Result<(), String> {
        each!(self, of => of.prove(posed, env, report))
    }

    pub(super) fn mark(&self, posed: &Posed<'_>, answer: &str) -> Result<&'static str, String> {
        each!(self, of => of.mark(posed, answer))
    }

    pub(super) fn parts(&self, answer: &str) -> Option<[usize; 2]> {
        each!(self, of => of.parts(answer))
    }

    pub(super) fn slips(&self, posed: &Posed<'_>, answer: &str) -> Result<Vec<Slip>, String> {
        each!(self, of => of.slips(posed, answer))
    }

    pub(super) fn solve(&self, posed: &Posed<'_>) -> Result<Option<String>, String> {
        each!(self, of => of.solve(posed))
    }

    pub(super) fn in_words(&self, answer: &str) -> Vec<String> {
        each!(self, of => of.in_words(answer))
    }

    pub(super) fn on_paper(&self, posed: &Posed<'_>, env: &Env) -> Result<Vec<List>, String> {
        each!(self, of => of.on_paper(posed, env))
    }

    pub(super) fn answer_key(&self, posed: &Posed<'_>, env: &Env) -> Result<Vec<String>, String> {
        each!(self, of => of.answer_key(posed, env))
    }

    pub(super) fn right(&self, posed: &Posed<'_>) -> Vec<usize> {
        each!(self, of => of.right(posed))
    }

    pub(super) fn is_in_order(&self) -> bool {
        each!(self, of => of.is_in_order())
    }

    pub(super) fn leaves(&self, posed: &Posed<'_>, env: &Env) -> Result<Leaves, String> {
        each!(self, of => of.leaves(posed, env))
    }

    pub(super) fn fingerprint(&self, posed: &Posed<'_>) -> Result<Option<String>, String> {
        each!(self, of => of.fingerprint(posed))
    }
}

//! A goal on the state of a figure: the learner moves its controls until every condition holds.

use serde::{Deserialize, Serialize};

use super::resolve::{Evaluate, names_of};
use super::{Exercise, Params};
use crate::query::Query;

/// `kind = "task"`: conditions on the figure of the exercise's model. Any state that meets them is right.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// What must hold.
    pub goals: Vec<Goal>,
    /// Parameters that must stay as the exercise sets them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<String>,
    /// Changes of the exercise's parameters that each meet every goal: the proof that it can be done.
    pub wins: Vec<Params>,
    /// What to say once it is done: a Markdown template over the state that the learner found.
    pub say: String,
}

/// A condition on a figure's state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// What must hold, in words: a Markdown template over the state as the exercise begins.
    pub text: String,
    /// An expression over the quantities and parameters of the state.
    pub value: String,
    /// The most that `value` may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<String>,
    /// The least that `value` may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<String>,
}

/// How far a state is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// By goal, whether it is met.
    pub met: Vec<bool>,
    /// Fixed parameters that were changed.
    pub strayed: Vec<String>,
}

impl Judged {
    /// Whether the task is done.
    pub fn is_right(&self) -> bool {
        self.strayed.is_empty() && self.met.iter().all(|met| *met)
    }
}

impl Task {
    /// Judges a figure's `state` against the goals, with `parameters` from [`draw`](super::draw) as the beginning.
    ///
    /// # Errors
    /// Why the state has no result: a sentence.
    pub fn judge(
        &self,
        exercise: &Exercise,
        parameters: &Query,
        state: &Query,
        evaluate: Evaluate<'_>,
    ) -> Result<Judged, String> {
        let env = names_of(exercise, state, evaluate)?;
        let begin = names_of(exercise, parameters, evaluate)?;
        let strayed = self.fixed.iter().filter(|name| {
            let name = crate::expr::name_of(name);
            env.text(&name) != begin.text(&name)
        });
        let mut met = Vec::with_capacity(self.goals.len());
        for (i, goal) in self.goals.iter().enumerate() {
            let of = |field: &str, text: &str| env.eval(text).map_err(|e| format!("goal {}, {field}: {e}", i + 1));
            let value = of("value", &goal.value)?;
            // Bounds are reached as well as passed: what a learner reads as equal is equal.
            let slack = 1e-9 * value.abs();
            let low = goal.at_least.as_deref().map(|text| of("at_least", text)).transpose()?;
            let high = goal.at_most.as_deref().map(|text| of("at_most", text)).transpose()?;
            met.push(low.is_none_or(|low| value >= low - slack) && high.is_none_or(|high| value <= high + slack));
        }
        Ok(Judged { met, strayed: strayed.cloned().collect() })
    }
}

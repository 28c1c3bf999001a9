//! A goal on the state of a figure: the learner moves its controls until every condition holds.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::export::Leaves;
use super::kind::{ExerciseKind, Field, Posed, Visit};
use super::names::{Evaluate, names_of};
use super::paper::{List, Marks};
use super::report::Report;
use super::template::Template;
use super::{Env, Exercise, Params, query};
use crate::catalogue;
use crate::query::{Query, did_you_mean};

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
    /// By goal, what its value is now, as a person reads it; empty for one that is no single quantity.
    pub now: Vec<String>,
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
        let (mut met, mut now) = (Vec::with_capacity(self.goals.len()), Vec::with_capacity(self.goals.len()));
        for (i, goal) in self.goals.iter().enumerate() {
            let of = |field: &str, text: &str| env.eval(text).map_err(|e| format!("goal {}, {field}: {e}", i + 1));
            let value = of("value", &goal.value)?;
            // Bounds are reached as well as passed: what a learner reads as equal is equal.
            let slack = 1e-9 * value.abs();
            let low = goal.at_least.as_deref().map(|text| of("at_least", text)).transpose()?;
            let high = goal.at_most.as_deref().map(|text| of("at_most", text)).transpose()?;
            now.push(Template::fill(&format!("{{{}|auto}}", goal.value), &env).unwrap_or_default());
            met.push(low.is_none_or(|low| value >= low - slack) && high.is_none_or(|high| value <= high + slack));
        }
        Ok(Judged { met, now, strayed: strayed.cloned().collect() })
    }
}

impl ExerciseKind for Task {
    fn texts(&mut self, visit: Visit<'_>) {
        visit(Field::blocks("say"), &mut self.say);
        for (i, goal) in self.goals.iter_mut().enumerate() {
            visit(Field::line("text").within("goals", i), &mut goal.text);
        }
    }

    fn sets(&self) -> Vec<(String, Cow<'_, Params>)> {
        self.wins.iter().enumerate().map(|(i, win)| (format!("win {}", i + 1), Cow::Borrowed(win))).collect()
    }

    fn review(&self, exercise: &Exercise, report: &mut Report) {
        report.unless(exercise.model.is_some(), || "model: A task is about the figure of a model.".into());
        report.unless(!self.goals.is_empty(), || "goals: There is nothing to reach.".into());
        report.unless(!self.wins.is_empty(), || "wins: Show at least one way to do it.".into());
        report.unless(!exercise.hints.is_empty(), || "hints: A task needs at least one.".into());
        report.unless(!exercise.solution.is_empty(), || "solution: A task needs a way to do it, step by step.".into());
        for (i, goal) in self.goals.iter().enumerate() {
            report.unless(goal.at_most.is_some() || goal.at_least.is_some(), || {
                format!("goal {}: It needs at_most or at_least.", i + 1)
            });
        }
        if let Some(entry) = exercise.model.as_deref().and_then(catalogue::find) {
            let names: Vec<&str> = entry.specs().iter().map(|spec| spec.name).collect();
            for name in self.fixed.iter().filter(|name| !names.contains(&name.as_str())) {
                report.say(format!("fixed: There is no parameter “{name}”{}.", did_you_mean(name, &names)));
            }
        }
    }

    fn prove(&self, posed: &Posed<'_>, _env: &Env, report: &mut Report) -> Result<(), String> {
        let judge = |state: &Query| self.judge(posed.exercise, &posed.parameters, state, posed.evaluate);
        if judge(&posed.parameters)?.is_right() {
            report.of_seed("start", "goals: The state in which the task begins meets them already.".into());
        }
        for (i, win) in self.wins.iter().enumerate() {
            let judged = judge(&posed.parameters.with(&query(win)))?;
            if let Some(goal) = judged.met.iter().position(|met| !met) {
                report.of_seed(&format!("win {i}"), format!("win {}: It does not meet goal {}.", i + 1, goal + 1));
            } else if let Some(name) = judged.strayed.first() {
                report.of_seed(&format!("win {i}"), format!("win {}: It changes {name}, which is fixed.", i + 1));
            }
        }
        Ok(())
    }

    fn mark(&self, posed: &Posed<'_>, answer: &str) -> Result<&'static str, String> {
        if answer.trim().is_empty() {
            return Ok("empty");
        }
        // A state without a result is an answer, and a wrong one.
        let judged = self.judge(posed.exercise, &posed.parameters, &Query::parse(answer), posed.evaluate);
        Ok(if judged.is_ok_and(|judged| judged.is_right()) { "right" } else { "wrong" })
    }

    fn solve(&self, posed: &Posed<'_>) -> Result<Option<String>, String> {
        let win = self.wins.first().ok_or("The task declares no state that does it.")?;
        Ok(Some(posed.parameters.with(&query(win)).to_string()))
    }

    fn in_words(&self, _answer: &str) -> Vec<String> {
        Vec::new()
    }

    fn on_paper(&self, _posed: &Posed<'_>, env: &Env) -> Result<Vec<List>, String> {
        let goals = self.goals.iter().map(|goal| &goal.text);
        Ok(vec![List::filled("What must hold:", Marks::None, goals, env)?])
    }

    fn answer_key(&self, _posed: &Posed<'_>, _env: &Env) -> Result<Vec<String>, String> {
        Ok(vec![self.goals.iter().map(|goal| goal.text.as_str()).collect::<Vec<_>>().join("; ")])
    }

    fn leaves(&self, _posed: &Posed<'_>, _env: &Env) -> Result<Leaves, String> {
        Ok(Leaves::Stays("the learner brings a figure into a state"))
    }
}

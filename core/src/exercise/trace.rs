//! Finding a cause: name it, then prove it by the one change that a measurement confirms.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::export::{Form, Leaves};
use super::kind::{ExerciseKind, Field, Posed, Visit, sets_of};
use super::names::{Evaluate, names_of};
use super::paper::{List, Marks};
use super::report::Report;
use super::written::cause_and_change;
use super::{Env, Exercise, OptionDef, Params, Template, query};
use crate::quantity::Unit;
use crate::query::Query;

/// `kind = "trace"`: a symptom with its measurements, causes to choose from, and changes to try.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// Quantities of the model that are shown as evidence, by their ids.
    pub evidence: Vec<String>,
    /// What may be the cause.
    pub causes: Vec<OptionDef>,
    /// What can be changed to find out.
    pub changes: Vec<Change>,
    /// What is measured before and after the change: an expression; less is better.
    pub measure: String,
    /// What `measure` counts.
    pub unit: Unit,
    /// By what factor it must fall for the change to be a proof: 2 for "at least halved".
    pub factor: f64,
}

/// Something to change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// What is changed, in words: a Markdown template.
    pub text: String,
    /// The parameters after it.
    pub set: Params,
    /// What the measurement means: a Markdown template with `before` and `after`.
    pub say: String,
}

/// What a change measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// As it was, in base units.
    pub before: f64,
    /// With the change.
    pub after: f64,
    /// Whether it fell far enough.
    pub proves: bool,
}

impl Trace {
    /// Measures the change with this index, with `parameters` from [`draw`](super::draw).
    ///
    /// # Errors
    /// Why it cannot be measured: a sentence.
    pub fn measure(
        &self,
        exercise: &Exercise,
        index: usize,
        parameters: &Query,
        evaluate: Evaluate<'_>,
    ) -> Result<Measured, String> {
        let change = self.changes.get(index).ok_or_else(|| format!("There is no change {}.", index + 1))?;
        let value = |query: &Query| names_of(exercise, query, evaluate).and_then(|env| env.eval(&self.measure));
        let before = value(parameters).map_err(|e| format!("measure: {e}"))?;
        let after = value(&parameters.with(&query(&change.set))).map_err(|e| format!("change {}: {e}", index + 1))?;
        Ok(Measured { before, after, proves: after * self.factor <= before * (1.0 + 1e-9) && after < before })
    }

    /// Whether the cause with this index is right.
    pub fn is_cause(&self, index: usize) -> bool {
        self.causes.get(index).is_some_and(|c| c.right)
    }
}

impl Trace {
    /// The evidence, a line each.
    fn measured(&self, posed: &Posed<'_>) -> Vec<String> {
        let measured = (posed.evaluate)(&posed.parameters).quantities;
        let quantity = |id: &String| measured.iter().find(|q| q.id == id);
        self.evidence.iter().filter_map(quantity).map(|q| format!("{}: {}", q.label, q.text())).collect()
    }

    fn proves(&self, posed: &Posed<'_>, change: usize) -> bool {
        self.measure(posed.exercise, change, &posed.parameters, posed.evaluate).is_ok_and(|m| m.proves)
    }
}

impl ExerciseKind for Trace {
    fn shuffled(&self) -> usize {
        self.causes.len()
    }

    fn texts(&mut self, visit: Visit<'_>) {
        OptionDef::texts(&mut self.causes, "causes", visit);
        for (i, change) in self.changes.iter_mut().enumerate() {
            visit(Field::line("text").within("changes", i).as_choice(), &mut change.text);
            visit(Field::blocks("say").within("changes", i).with_names_of_its_own(), &mut change.say);
        }
    }

    fn sets(&self) -> Vec<(String, Cow<'_, Params>)> {
        sets_of("change", &self.changes, |change| &change.set)
    }

    fn review(&self, exercise: &Exercise, report: &mut Report) {
        OptionDef::check(&self.causes, "cause", false, report);
        report.unless(self.changes.len() >= 2, || "changes: There must be at least two to choose from.".into());
        report.unless(self.factor > 1.0, || "factor: It must be greater than 1.".into());
        report.unless(exercise.model.is_some(), || "model: There is nothing to measure without one.".into());
    }

    fn prove(&self, posed: &Posed<'_>, env: &Env, report: &mut Report) -> Result<(), String> {
        let mut proofs = 0;
        for (i, change) in self.changes.iter().enumerate() {
            let measured = self.measure(posed.exercise, i, &posed.parameters, posed.evaluate)?;
            proofs += usize::from(measured.proves);
            let env = env.clone().with("before", measured.before, self.unit).with("after", measured.after, self.unit);
            if let Err(error) = Template::fill(&change.say, &env) {
                report.of_seed(&format!("change {i}"), format!("change {}, say: {error}", i + 1));
            }
        }
        if proofs == 0 || proofs == self.changes.len() {
            report.of_seed("proofs", format!("changes: {proofs} of {} prove anything.", self.changes.len()));
        }
        for id in &self.evidence {
            // Ids have hyphens where names have underscores.
            if id.contains('_') || env.unit(&crate::expr::name_of(id)).is_none() {
                report.of_seed("evidence", format!("evidence: The model has no quantity “{id}”."));
            }
        }
        Ok(())
    }

    fn mark(&self, posed: &Posed<'_>, answer: &str) -> Result<&'static str, String> {
        Ok(match cause_and_change(answer) {
            (None, None) => "empty",
            (Some(cause), Some(change)) if self.is_cause(cause) && self.proves(posed, change) => "right",
            _ => "wrong",
        })
    }

    fn solve(&self, posed: &Posed<'_>) -> Result<Option<String>, String> {
        let cause = self.causes.iter().position(|c| c.right).ok_or("The trace has no right cause.")?;
        let change = (0..self.changes.len()).find(|i| self.proves(posed, *i));
        let change = change.ok_or("The trace has no change that proves it.")?;
        Ok(Some(format!("{cause};{change}")))
    }

    fn in_words(&self, answer: &str) -> Vec<String> {
        let (cause, change) = cause_and_change(answer);
        let cause = cause.and_then(|i| self.causes.get(i)).map(|c| c.text.clone());
        let change = change.and_then(|i| self.changes.get(i)).map(|c| c.text.clone());
        cause.into_iter().chain(change).collect()
    }

    fn on_paper(&self, posed: &Posed<'_>, env: &Env) -> Result<Vec<List>, String> {
        let causes: Vec<&String> = self.causes.iter().map(|cause| &cause.text).collect();
        let changes = self.changes.iter().map(|change| &change.text);
        Ok(vec![
            List { lead: "Measured:".into(), marks: Marks::None, items: self.measured(posed), fill_in: false },
            List::filled("What is the cause?", Marks::Letters, posed.shuffled(&causes), env)?,
            List::filled("What will you change to prove it?", Marks::Numbers, changes, env)?,
        ])
    }

    fn answer_key(&self, _posed: &Posed<'_>, env: &Env) -> Result<Vec<String>, String> {
        OptionDef::key(&self.causes, env)
    }

    fn right(&self, posed: &Posed<'_>) -> Vec<usize> {
        OptionDef::places(&self.causes, posed)
    }

    fn leaves(&self, posed: &Posed<'_>, env: &Env) -> Result<Leaves, String> {
        let measured = self.measured(posed).iter().map(|line| format!("<li>{line}</li>")).collect::<String>();
        let causes = posed.shuffled(&self.causes.iter().collect::<Vec<_>>());
        Ok(Leaves::As {
            below: format!("<p>Measured:</p><ul>{measured}</ul><p>What is the cause?</p>"),
            explained: String::new(),
            form: Form::Choice { several: false, options: OptionDef::answers(&causes, env)? },
            lost: "It asks for the cause. On the page a measurement also has to prove it.",
            picture: None,
        })
    }
}

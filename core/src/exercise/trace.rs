//! Finding a cause: name it, then prove it by the one change that a measurement confirms.

use serde::{Deserialize, Serialize};

use super::resolve::{Evaluate, names_of};
use super::{Exercise, OptionDef, Params, query};
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

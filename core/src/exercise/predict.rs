//! A number to commit to before a figure gives it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::export::Leaves;
use super::kind::{ExerciseKind, Field, Posed, Slip, Visit};
use super::number::{default_tolerance, told_apart};
use super::paper::List;
use super::report::Report;
use super::{Env, Exercise, MistakeDef, Number, Params};
use crate::quantity::Unit;

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
    #[serde(default)]
    converts: bool,
    #[serde(default, rename = "mistake")]
    mistakes: Vec<MistakeDef>,
}

impl From<PredictFields> for Predict {
    fn from(f: PredictFields) -> Self {
        let PredictFields { unlocks, reveal, answer, unit, tolerance, expression, written_in, converts, mistakes } = f;
        Self { unlocks, reveal, number: Number { answer, unit, tolerance, expression, written_in, converts, mistakes } }
    }
}

impl ExerciseKind for Predict {
    const UNLOCKS: Option<fn(&Self) -> &str> = Some(|predict| &predict.unlocks);

    fn number(&self) -> Option<&Number> {
        Some(&self.number)
    }

    fn texts(&mut self, visit: Visit<'_>) {
        visit(Field::blocks("reveal"), &mut self.reveal);
        self.number.texts(visit);
    }

    fn sets(&self) -> Vec<(String, Cow<'_, Params>)> {
        self.number.sets()
    }

    fn review(&self, exercise: &Exercise, report: &mut Report) {
        self.number.review(exercise, report);
    }

    fn prove(&self, posed: &Posed<'_>, _env: &Env, report: &mut Report) -> Result<(), String> {
        // A prediction may be as far off as its author likes, but not by a factor of two.
        told_apart(posed, |_, _| Vec::new(), report);
        Ok(())
    }

    fn mark(&self, posed: &Posed<'_>, answer: &str) -> Result<&'static str, String> {
        self.number.mark(posed, answer)
    }

    fn slips(&self, posed: &Posed<'_>, answer: &str) -> Result<Vec<Slip>, String> {
        self.number.slips(posed, answer)
    }

    fn solve(&self, posed: &Posed<'_>) -> Result<Option<String>, String> {
        self.number.solve(posed)
    }

    fn in_words(&self, answer: &str) -> Vec<String> {
        self.number.in_words(answer)
    }

    fn on_paper(&self, posed: &Posed<'_>, env: &Env) -> Result<Vec<List>, String> {
        self.number.on_paper(posed, env)
    }

    fn answer_key(&self, posed: &Posed<'_>, env: &Env) -> Result<Vec<String>, String> {
        self.number.answer_key(posed, env)
    }

    fn leaves(&self, posed: &Posed<'_>, env: &Env) -> Result<Leaves, String> {
        self.number.leaves(posed, env)
    }

    fn fingerprint(&self, posed: &Posed<'_>) -> Result<Option<String>, String> {
        self.number.fingerprint(posed)
    }
}

//! Free text, which nobody but its author marks: against a rubric and a model answer.

use serde::{Deserialize, Serialize};

use super::export::{Form, Leaves};
use super::kind::{ExerciseKind, Field, Posed, Visit};
use super::paper::{List, filled};
use super::report::Report;
use super::written::mark_text;
use super::{Env, Exercise};

/// `kind = "explain"`: an answer in one's own words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explain {
    /// What a good answer says, one point each: Markdown templates.
    pub rubric: Vec<String>,
    /// A good answer: a Markdown template.
    pub model_answer: String,
}

impl Explain {
    /// Whether the points that the learner finds in their own answer are all there are.
    pub fn is_right(&self, found: &[usize]) -> bool {
        (0..self.rubric.len()).all(|i| found.contains(&i))
    }
}

impl ExerciseKind for Explain {
    const UNMARKED: bool = true;

    fn texts(&mut self, visit: Visit<'_>) {
        visit(Field::blocks("model_answer"), &mut self.model_answer);
        for (i, point) in self.rubric.iter_mut().enumerate() {
            visit(Field::line("").within("rubric", i), point);
        }
    }

    fn review(&self, _exercise: &Exercise, report: &mut Report) {
        report.unless(self.rubric.len() >= 2, || "rubric: Name at least two points of a good answer.".into());
    }

    fn mark(&self, _posed: &Posed<'_>, answer: &str) -> Result<&'static str, String> {
        Ok(mark_text(answer))
    }

    fn solve(&self, _posed: &Posed<'_>) -> Result<Option<String>, String> {
        Ok(None)
    }

    fn in_words(&self, _answer: &str) -> Vec<String> {
        Vec::new()
    }

    fn on_paper(&self, _posed: &Posed<'_>, _env: &Env) -> Result<Vec<List>, String> {
        Ok(Vec::new())
    }

    fn answer_key(&self, _posed: &Posed<'_>, env: &Env) -> Result<Vec<String>, String> {
        Ok(vec![filled(&[&self.model_answer], env)?])
    }

    fn leaves(&self, _posed: &Posed<'_>, env: &Env) -> Result<Leaves, String> {
        let rubric = self.rubric.iter().map(|point| filled(&[point], env)).collect::<Result<_, _>>()?;
        Ok(Leaves::whole(Form::Essay { rubric, model: filled(&[&self.model_answer], env)? }))
    }

    fn fingerprint(&self, _posed: &Posed<'_>) -> Result<Option<String>, String> {
        Ok(None)
    }
}

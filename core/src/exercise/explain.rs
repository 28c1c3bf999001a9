//! Free text, which nobody but its author marks: against a rubric and a model answer.

use serde::{Deserialize, Serialize};

use super::export::{Form, Leaves, for_graders};
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
    /// An answer that doesn't suffice, as people write it: a Markdown template.
    pub weak_answer: String,
    /// The points of the rubric that the weak answer earns, counted from 1: fewer than half.
    pub weak_points: Vec<usize>,
}

impl Explain {
    /// How many of the rubric's points an answer has, in words.
    pub fn score(&self, points: usize) -> String {
        format!("{points} of {} points", self.rubric.len())
    }

    /// What stands before the weak answer.
    pub fn weak_title(&self) -> String {
        format!("Example of a weak answer ({} of {})", self.weak_points.len(), self.rubric.len())
    }

    /// The rubric, the model answer, and the weak one with its title, as HTML.
    fn written(&self, env: &Env) -> Result<(Vec<String>, String, String), String> {
        let rubric = self.rubric.iter().map(|point| filled(&[point], env)).collect::<Result<_, _>>()?;
        let weak = format!("<p>{}:</p>{}", self.weak_title(), filled(&[&self.weak_answer], env)?);
        Ok((rubric, filled(&[&self.model_answer], env)?, weak))
    }

    /// Whether the points that the learner finds in their own answer are all there are.
    pub fn is_right(&self, found: &[usize]) -> bool {
        (0..self.rubric.len()).all(|i| found.contains(&i))
    }
}

impl ExerciseKind for Explain {
    const UNMARKED: bool = true;

    fn texts(&mut self, visit: Visit<'_>) {
        visit(Field::blocks("model_answer"), &mut self.model_answer);
        visit(Field::blocks("weak_answer"), &mut self.weak_answer);
        for (i, point) in self.rubric.iter_mut().enumerate() {
            visit(Field::line("").within("rubric", i), point);
        }
    }

    fn review(&self, _exercise: &Exercise, report: &mut Report) {
        report.unless(self.rubric.len() >= 2, || "rubric: Name at least two points of a good answer.".into());
        report.unless(!self.weak_answer.trim().is_empty(), || {
            "weak_answer: Write an answer that does not suffice.".into()
        });
        let (count, mut earned) = (self.rubric.len(), self.weak_points.clone());
        earned.sort_unstable();
        earned.dedup();
        let fine = earned.len() == self.weak_points.len() && earned.iter().all(|&point| (1..=count).contains(&point));
        report.unless(fine, || format!("weak_points: Name points of the rubric once each, from 1 to {count}."));
        report.unless(2 * earned.len() < count, || {
            "weak_points: A weak answer earns fewer than half of the points.".into()
        });
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
        let (rubric, model, weak) = self.written(env)?;
        Ok(vec![for_graders(&rubric, &model, &weak)])
    }

    fn leaves(&self, _posed: &Posed<'_>, env: &Env) -> Result<Leaves, String> {
        let (rubric, model, weak) = self.written(env)?;
        Ok(Leaves::whole(Form::Essay { rubric, model, weak }))
    }

    fn fingerprint(&self, _posed: &Posed<'_>) -> Result<Option<String>, String> {
        Ok(None)
    }
}

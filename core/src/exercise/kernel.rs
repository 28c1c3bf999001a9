//! A kernel to write, which only a GPU can mark.

use serde::{Deserialize, Serialize};

use super::export::Leaves;
use super::kind::{ExerciseKind, Field, Posed, Visit};
use super::paper::{List, Marks, filled};
use super::report::Report;
use super::written::mark_text;
use super::{Env, Exercise};
use crate::declare::Model as _;
use crate::kernels::workbench;

/// `kind = "kernel"`: a puzzle of the workbench, named by the parameter `puzzle`. It is right when the workbench has found a
/// text right on the learner's own GPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    /// What to say once it is: a Markdown template.
    pub say: String,
}

/// Reports what is wrong with an exercise whose answer, a `what`, is written on the workbench `model`.
pub(super) fn review_written(exercise: &Exercise, report: &mut Report, what: &str, model: &str) {
    report.unless(exercise.model.as_deref() == Some(model), || {
        format!("model: A {what} is written on the workbench: “{model}”.")
    });
    report.unless(exercise.params.contains_key(Kernel::PUZZLE), || "params: Name the puzzle.".into());
    report.unless(exercise.draw.is_empty(), || "draw: Another puzzle is another exercise.".into());
    report.unless(!exercise.hints.is_empty(), || format!("hints: A {what} needs at least one."));
    report.unless(!exercise.solution.is_empty(), || "solution: Say how it is written, step by step.".into());
}

impl Kernel {
    /// The model that such an exercise is about.
    pub const MODEL: &str = workbench::Params::ID;
    /// The parameter that names the puzzle.
    pub const PUZZLE: &str = "puzzle";
}

impl ExerciseKind for Kernel {
    const UNMARKED: bool = true;

    fn texts(&mut self, visit: Visit<'_>) {
        visit(Field::blocks("say"), &mut self.say);
    }

    fn review(&self, exercise: &Exercise, report: &mut Report) {
        review_written(exercise, report, "kernel", Kernel::MODEL);
        report.unless(
            exercise.params.get(Kernel::PUZZLE).is_none_or(|puzzle| puzzle.as_str() != workbench::OWN.id),
            || "params: A kernel of one’s own isn’t checked. Name a puzzle.".into(),
        );
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

    fn on_paper(&self, posed: &Posed<'_>, _env: &Env) -> Result<Vec<List>, String> {
        let puzzle = posed.parameters.get(Kernel::PUZZLE).and_then(workbench::find);
        let task = puzzle.map(|puzzle| puzzle.task.to_owned());
        let lead = "Write the body of main, in WGSL:".to_owned();
        Ok(vec![List { lead, marks: Marks::None, items: task.into_iter().collect(), fill_in: false }])
    }

    fn answer_key(&self, _posed: &Posed<'_>, env: &Env) -> Result<Vec<String>, String> {
        Ok(vec![filled(&[&self.say], env)?])
    }

    fn fingerprint(&self, _posed: &Posed<'_>) -> Result<Option<String>, String> {
        Ok(None)
    }

    fn leaves(&self, _posed: &Posed<'_>, _env: &Env) -> Result<Leaves, String> {
        Ok(Leaves::Stays("the learner’s kernel runs on a GPU"))
    }
}

//! A program for several ranks to write, which running it marks.

use serde::{Deserialize, Serialize};

use super::export::Leaves;
use super::kernel::review_written;
use super::kind::{ExerciseKind, Field, Posed, Visit};
use super::paper::{List, Marks, filled};
use super::report::Report;
use super::written::mark_text;
use super::{Env, Exercise};
use crate::declare::Model as _;
use crate::program::figure;

/// `kind = "program"`: a puzzle of the workbench for ranks, named by the parameter `puzzle`. It is right when the workbench has run a
/// text on every number of ranks that the puzzle names and found it right and within its budgets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// What to say once it is: a Markdown template.
    pub say: String,
}

impl Program {
    /// The model that such an exercise is about.
    pub const MODEL: &str = figure::Params::ID;
}

impl ExerciseKind for Program {
    const UNMARKED: bool = true;

    fn texts(&mut self, visit: Visit<'_>) {
        visit(Field::blocks("say"), &mut self.say);
    }

    fn review(&self, exercise: &Exercise, report: &mut Report) {
        review_written(exercise, report, "program", Program::MODEL);
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
        let lead =
            "Write the program, in Python with torch.distributed’s calls. Every rank runs the same text.".to_owned();
        Ok(vec![List { lead, marks: Marks::None, items: Vec::new(), fill_in: false }])
    }

    fn answer_key(&self, _posed: &Posed<'_>, env: &Env) -> Result<Vec<String>, String> {
        Ok(vec![filled(&[&self.say], env)?])
    }

    fn leaves(&self, _posed: &Posed<'_>, _env: &Env) -> Result<Leaves, String> {
        Ok(Leaves::Stays("the learner’s program runs in the browser"))
    }

    fn fingerprint(&self, _posed: &Posed<'_>) -> Result<Option<String>, String> {
        Ok(None)
    }
}

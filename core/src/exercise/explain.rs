//! Free text, which nobody but its author marks: against a rubric and a model answer.

use serde::{Deserialize, Serialize};

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

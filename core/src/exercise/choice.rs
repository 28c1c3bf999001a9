//! Whether the right options were chosen.

use super::Choice;

/// What came of a choice. Each option that was chosen has a sentence of its own, `say`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// Options that were chosen and are not right, in the order of the exercise.
    pub wrong: Vec<usize>,
    /// How many right options were not chosen; which is not for the learner to see yet.
    pub missing: usize,
}

impl Chosen {
    /// Whether exactly the right options were chosen.
    pub fn is_right(&self) -> bool {
        self.wrong.is_empty() && self.missing == 0
    }
}

impl Choice {
    /// Judges the options with the indices `chosen` (of [`Choice::options`], not of the order shown). Indices that do
    /// not exist are ignored, and so is choosing an option twice.
    pub fn check(&self, chosen: &[usize]) -> Chosen {
        let options = || self.options.iter().enumerate();
        let wrong = options().filter(|(i, o)| chosen.contains(i) && !o.right).map(|(i, _)| i).collect();
        let missing = options().filter(|(i, o)| !chosen.contains(i) && o.right).count();
        Chosen { wrong, missing }
    }
}

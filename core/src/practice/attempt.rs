//! What is kept of one exercise that somebody did.

use serde::{Deserialize, Serialize};

use super::date::Day;
use super::schedule::Rating;

/// One exercise with one set of parameters, from its first answer to a right one, to its solution, or to leaving it.
/// Answers that only had to be written more clearly ([`Verdict::asks`](crate::answer::Verdict::asks)) do not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// `<chapter>/<exercise>`.
    pub exercise: String,
    /// The skill that it trains.
    pub skill: String,
    /// When it ended.
    pub day: Day,
    /// The seed of its parameters.
    #[serde(default)]
    pub seed: u64,
    /// How hard the exercise is, 1 to 3.
    #[serde(default = "first_level")]
    pub level: u8,
    /// Whether it ended with a right answer.
    pub right: bool,
    /// How many answers were marked, the right one included.
    #[serde(default)]
    pub tries: u32,
    /// How many hints were opened before that.
    #[serde(default)]
    pub hints: u32,
    /// Whether the solution was opened before that.
    #[serde(default)]
    pub shown: bool,
}

impl Attempt {
    /// Whether it was not solved: wrong, or its solution was opened first.
    pub fn is_missed(&self) -> bool {
        Rating::of(self) == Rating::Again
    }
}

fn first_level() -> u8 {
    1
}

/// `1 day`, `2 days`.
pub(super) fn count(n: impl Into<i128>, thing: &str) -> String {
    let n = n.into();
    if n == 1 { format!("1 {thing}") } else { format!("{n} {thing}s") }
}

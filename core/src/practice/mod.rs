//! What to do next: when a skill is due again, whether it is mastered, where in the plan the learner is, what fits
//! into the next half hour, and an exam that can be marked again from its file alone.
//!
//! Time is passed in, as a [`Day`] or in Unix seconds: nothing here reads a clock. All types that are kept are plain
//! data for the browser's store; [`Practice`] holds those that belong together.
//!
//! - [`schedule`]: spaced repetition of a skill, by FSRS-6.
//! - [`mastery`]: what is known of a skill, and how well a learner's confidence matches what happens.
//! - [`plan`]: the four-week plan from a start date, with missed days forgiven.
//! - [`next`]: what to do in the minutes there are.
//! - [`queue`]: a run of practice, exercise by exercise.
//! - [`placement`]: a few questions that find where to begin.
//! - [`progress`]: how far somebody is, as one number.
//! - [`exam`]: a quiz, its result as a file, and marking that file again.
//! - [`record`]: what was shown, as a text for a link.
//! - [`date`]: days as people write them.
//!
//! Nothing here knows the course: skills, chapters and sources are ids and numbers of minutes that the caller has.

mod attempt;
pub mod date;
pub mod exam;
pub mod mastery;
pub mod next;
pub mod placement;
pub mod plan;
pub mod progress;
pub mod queue;
pub mod record;
pub mod schedule;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::decimal;
use crate::exercise::fnv1a;
pub use attempt::Attempt;
use attempt::count;
pub use date::Day;
use mastery::{Prediction, Standing};
use schedule::{Card, Rating};

/// How many attempts of one skill [`Practice`] keeps. What earlier ones come to is in the skill's [`Card`].
pub const KEPT: usize = 50;

/// What a learner's practice leaves behind, to be kept.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Practice {
    /// By skill: when it is due again.
    #[serde(default)]
    pub cards: BTreeMap<String, Card>,
    /// In the order in which they ended; the last [`KEPT`] of each skill.
    #[serde(default)]
    pub attempts: Vec<Attempt>,
    /// In the order in which they were made.
    #[serde(default)]
    pub predictions: Vec<Prediction>,
    /// Days on which anything was done: an exercise, a chapter, a source.
    #[serde(default)]
    pub days: BTreeSet<Day>,
    /// The plan: when it began and what of it is done.
    #[serde(default)]
    pub plan: plan::Progress,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl Practice {
    /// Takes note of an attempt: its skill's card, the attempt itself and its day.
    pub fn record(&mut self, attempt: Attempt) {
        let card = self.cards.get(&attempt.skill).copied().unwrap_or_default();
        let card = schedule::review(card, Rating::of(&attempt), attempt.day);
        self.cards.insert(attempt.skill.clone(), card);
        self.days.insert(attempt.day);
        let same = |a: &Attempt| a.skill == attempt.skill;
        if self.attempts.iter().filter(|a| same(a)).count() >= KEPT
            && let Some(oldest) = self.attempts.iter().position(same)
        {
            self.attempts.remove(oldest);
        }
        self.attempts.push(attempt);
    }

    /// Takes note of a prediction and its day. Its numbers are kept to twelve digits, which read back to the last bit.
    pub fn predict(&mut self, prediction: Prediction) {
        let kept = |x: f64| decimal::parse(&format!("{x:.11e}")).filter(|x| x.is_finite());
        self.days.insert(prediction.day);
        self.predictions.push(Prediction {
            given: prediction.given.and_then(kept),
            expected: prediction.expected.and_then(kept),
            ..prediction
        });
    }

    /// The last attempt of `skill`.
    pub fn last(&self, skill: &str) -> Option<&Attempt> {
        self.attempts.iter().rfind(|a| a.skill == skill)
    }

    /// What is known of `skill`.
    pub fn standing(&self, skill: &str, today: Day) -> Standing {
        let attempts: Vec<&Attempt> = self.attempts.iter().filter(|a| a.skill == skill).collect();
        mastery::standing(self.cards.get(skill), &attempts, today)
    }
}

/// A seed that is easy to read and to write, 1 to 999 999 999, from a text and a number. The same in every version.
fn seed_from(text: &str, number: u64) -> u64 {
    let hash = fnv1a(text.bytes().chain(number.to_le_bytes()));
    // The high bits of FNV-1a are mixed better than the low ones.
    1 + (hash ^ (hash >> 32)) % 999_999_999
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn attempt(skill: &str, day: Day, right: bool) -> Attempt {
        Attempt {
            exercise: "c/e".into(),
            skill: skill.into(),
            day,
            seed: 3,
            level: 1,
            right,
            tries: 1,
            hints: 0,
            shown: false,
        }
    }

    #[test]
    fn what_is_kept_reads_back_to_the_byte() {
        let mut practice = Practice::default();
        for i in 0..200 {
            practice.record(attempt(["a.x", "a.y", "b.z"][i % 3], 20_000 + 3 * i as Day, i % 7 != 3));
        }
        practice.predict(Prediction {
            exercise: "c/p".into(),
            day: 20_001,
            confidence: 70,
            right: false,
            given: Some(60e9),
            expected: Some(480e9),
        });
        practice.plan.start = Some(20_000);
        practice.rest.insert("later".into(), Value::from(1));
        assert_eq!(practice.attempts.iter().filter(|a| a.skill == "a.x").count(), KEPT);
        assert_eq!(practice.cards["a.x"].reviews, 67);
        assert_eq!(practice.days.len(), 201);
        let text = serde_json::to_string(&practice).unwrap();
        let again: Practice = serde_json::from_str(&text).unwrap();
        assert_eq!(again, practice);
        assert_eq!(serde_json::to_string(&again).unwrap(), text);
        assert_eq!(serde_json::from_str::<Practice>("{}").unwrap(), Practice::default());
    }

    #[test]
    fn seeds_are_readable_and_never_the_exercise_as_written() {
        let seeds: BTreeSet<u64> = (0..2000).map(|i| seed_from("memory-accounting/weights", i)).collect();
        assert_eq!(seeds.len(), 2000);
        assert!(seeds.iter().all(|s| (1..=999_999_999).contains(s)));
        // A promise: an exam's links hold over versions.
        assert_eq!(seed_from("memory-accounting/weights", 7), 760_534_434);
    }
}

//! An exam without a server: a quiz in a link, a result in a file, and marking that file again.
//!
//! An instructor's link names exercises and a seed ([`QuizSpec`]). Everyone who opens it sees the same numbers and
//! answers without feedback. [`ExamResult::mark`] makes the file that they hand in. [`recheck`] marks the file again
//! from the exercises' definitions, trusting none of its verdicts, and says where they differ; [`class_table`] puts
//! several files beside one another; [`csv`] writes them for a spreadsheet.
//!
//! What this can and cannot show is in [`HONESTY`], for the page.

pub mod csv;
mod gradebook;
mod quiz;
mod recheck;
mod report;
mod table;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::iter::Sum;

use serde::{Deserialize, Serialize};

use super::{count, date};
use crate::catalogue::Evaluation;
use crate::exercise::{self, Exercise, fnv1a};
use crate::query::Query;

pub use crate::exercise::MAX_SEED;
pub use gradebook::{Graded, gradebook};
pub use quiz::{MAX_EXERCISES, MAX_TITLE, QuizSpec};
pub use recheck::{Finding, Recheck, Rechecked, recheck};
pub use report::{Common, Shared, class_report};
pub use table::{ClassRow, ClassTable, class_table};

/// What a result can show and what it cannot: for the pages that make and read it.
pub const HONESTY: &str = "The file holds the answers as they were typed, so anybody can mark them again, their \
                           author too. There is no server behind it: it cannot prove who answered, when, or with what help.";

/// The version of the file that this writes.
pub const VERSION: u32 = 1;
/// The longest file that is read, in bytes.
pub const MAX_FILE: usize = 1 << 20;

/// What a file says that it is.
const FORMAT: &str = "ringside-exam";
/// The Ringside that this is.
const MADE_WITH: &str = env!("CARGO_PKG_VERSION");

/// Exercises by `<chapter>/<exercise>`, as the site hands them out.
pub type Definitions = BTreeMap<String, Exercise>;

/// Computes an exercise's model; [`by_catalogue`] where all models are loaded.
pub type Evaluator<'a> = &'a dyn Fn(&Exercise, &Query) -> Evaluation;

/// An [`Evaluator`] that takes the model from the catalogue.
pub fn by_catalogue(exercise: &Exercise, parameters: &Query) -> Evaluation {
    exercise::by_catalogue(exercise)(parameters)
}

/// What a learner hands in: the file's content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExamResult {
    /// Always `ringside-exam`.
    pub format: String,
    /// Always [`VERSION`] once read.
    pub version: u32,
    /// The version of Ringside that marked it.
    pub made_with: String,
    /// What was asked.
    pub quiz: QuizSpec,
    /// The learner's name as they typed it.
    pub learner: String,
    /// When it was begun, by the learner's clock, in Unix seconds.
    pub started: i64,
    /// When it was handed in.
    pub ended: i64,
    /// The answers, in the quiz's order.
    pub answers: Vec<Answered>,
}

/// An answer in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// `<chapter>/<exercise>`.
    pub exercise: String,
    /// The seed of its parameters.
    pub seed: u64,
    /// The answer in the form of [`exercise::input`].
    pub answer: String,
    /// What [`exercise::input::mark`] made of it then; `not-marked` where that was impossible.
    pub verdict: String,
    /// What the exercise was then: see [`fingerprint`]. Empty where it could not be marked.
    #[serde(default)]
    pub fingerprint: String,
}

/// What an answer counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// A point.
    Right,
    /// None.
    Wrong,
    /// None yet: a person should look at it. It has no unit, or can be read in two ways or not at all, and nothing is
    /// marked wrong for form alone.
    Unclear,
    /// Nothing was answered.
    Unanswered,
}

/// A verdict in words: `no unit` for `missing-unit`; nothing for one that this version does not know.
pub fn in_words(verdict: &str) -> Option<&'static str> {
    Some(match verdict {
        "right" => "right",
        "right-but-rounded" => "right, but rounded",
        "wrong" => "wrong",
        "declared-mistake" => "a known mistake",
        "missing-unit" => "no unit",
        "binary-for-decimal" => "GiB for GB",
        "decimal-for-binary" => "GB for GiB",
        "bits-for-bytes" => "bits for bytes",
        "wrong-prefix" => "another prefix",
        "power-of-ten-off" => "off by a power of ten",
        "factor-off" => "off by a factor",
        "wrong-sign" => "the wrong sign",
        "complement" => "the rest of it instead",
        "inverted" => "upside down",
        "not-in-unit" => "another unit than it asks for",
        "unit-of-other-kind" => "a unit of something else",
        "ambiguous" => "can be read in two ways",
        "unreadable" => "can’t be read",
        "unmarked" => "for a person to mark",
        "empty" => "no answer",
        NOT_MARKED => "not marked",
        _ => return None,
    })
}

/// What a verdict is where there could be none.
const NOT_MARKED: &str = "not-marked";

impl Mark {
    /// What a verdict's id counts for. One that this version does not know is for a person to look at.
    pub fn of(verdict: &str) -> Self {
        match verdict {
            "right" | "right-but-rounded" => Mark::Right,
            "empty" => Mark::Unanswered,
            "wrong" | "declared-mistake" | "binary-for-decimal" | "decimal-for-binary" | "wrong-prefix"
            | "power-of-ten-off" | "factor-off" | "wrong-sign" | "complement" | "inverted" => Mark::Wrong,
            // Those of which a verdict asks for a clearer answer among them.
            _ => Mark::Unclear,
        }
    }

    /// For tables and exports: `right`.
    pub fn id(self) -> &'static str {
        match self {
            Mark::Right => "right",
            Mark::Wrong => "wrong",
            Mark::Unclear => "unclear",
            Mark::Unanswered => "unanswered",
        }
    }
}

impl ExamResult {
    /// Marks a quiz that was just taken. `answers` are by exercise; those that are missing are empty.
    pub fn mark(
        quiz: &QuizSpec,
        learner: &str,
        (started, ended): (i64, i64),
        answers: &BTreeMap<String, String>,
        definitions: &Definitions,
        evaluate: Evaluator<'_>,
    ) -> Self {
        let answers = quiz.exercises.iter().map(|id| {
            let (seed, answer) = (quiz.seed_of(id, learner), answers.get(id).cloned().unwrap_or_default());
            let definition = definitions.get(id);
            let marked = definition.and_then(|e| verdict(e, seed, &answer, evaluate).ok());
            let fingerprint = definition.and_then(|e| fingerprint(e, seed, evaluate).ok()).unwrap_or_default();
            let verdict = marked.unwrap_or(NOT_MARKED).to_owned();
            Answered { exercise: id.clone(), seed, answer, verdict, fingerprint }
        });
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            made_with: MADE_WITH.to_owned(),
            quiz: quiz.clone(),
            learner: learner.to_owned(),
            started,
            ended,
            answers: answers.collect(),
        }
    }

    /// How much of it is right, from 0 to 1, each answer counting alike: of a wrong one the parts that are right.
    pub fn share(&self, definitions: &Definitions) -> f64 {
        let of = |a: &Answered| match Mark::of(&a.verdict) {
            Mark::Right => 1.0,
            Mark::Wrong => {
                let [right, all] = definitions.get(&a.exercise).and_then(|e| e.parts(&a.answer)).unwrap_or([0, 1]);
                right as f64 / all.max(1) as f64
            }
            Mark::Unclear | Mark::Unanswered => 0.0,
        };
        self.answers.iter().map(of).sum::<f64>() / self.answers.len().max(1) as f64
    }

    /// The file: JSON that a person can read.
    pub fn to_json(&self) -> String {
        // Plain strings and numbers always serialise.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Why it is not a result that this version can read: a sentence.
    pub fn read(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u64,
        }
        if text.len() > MAX_FILE {
            return Err(format!("The file is too long for a result: at most {} KiB are read.", MAX_FILE / 1024));
        }
        let text = text.trim_start_matches('\u{feff}');
        let other = "The file is not a result of a Ringside quiz.";
        let head: Head = serde_json::from_str(text).map_err(|_| other.to_owned())?;
        if head.format != FORMAT || head.version == 0 {
            return Err(other.to_owned());
        }
        if head.version > u64::from(VERSION) {
            let version = head.version;
            return Err(format!(
                "A later version of Ringside wrote the file (format {version}; this reads {VERSION})."
            ));
        }
        let result: Self = serde_json::from_str(text).map_err(|e| format!("The file is damaged: {e}."))?;
        if result.quiz.exercises.len().max(result.answers.len()) > MAX_EXERCISES {
            return Err(format!("The file has too many answers for a quiz: at most {MAX_EXERCISES} are read."));
        }
        Ok(result)
    }

    /// The file for a spreadsheet: a line for each answer, as it was marked then.
    pub fn to_csv(&self) -> String {
        let header =
            ["learner", "quiz", "started", "ended", "exercise", "seed", "answer", "verdict", "mark"].map(str::to_owned);
        let line = |a: &Answered| {
            vec![
                self.learner.clone(),
                self.quiz.to_query().to_string(),
                date::iso_time(self.started),
                date::iso_time(self.ended),
                a.exercise.clone(),
                a.seed.to_string(),
                a.answer.clone(),
                a.verdict.clone(),
                Mark::of(&a.verdict).id().to_owned(),
            ]
        };
        let lines: Vec<Vec<String>> = std::iter::once(header.to_vec()).chain(self.answers.iter().map(line)).collect();
        csv::write(&lines)
    }
}

/// Points, in hundredths: part of an answer may be right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
pub struct Points(u64);

impl Points {
    /// So many whole points.
    pub fn whole(points: usize) -> Self {
        Self((points as u64).saturating_mul(100))
    }

    /// Them as a number.
    pub fn count(self) -> f64 {
        self.0 as f64 / 100.0
    }

    /// `right` of `all` parts of an answer that is worth so many points, rounded down.
    fn part([right, all]: [usize; 2], worth: usize) -> Self {
        Self(Self::whole(worth).0.saturating_mul(right as u64) / (all.max(1) as u64))
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        Self(all.fold(0, |sum, points| sum.saturating_add(points.0)))
    }
}

/// `3`, `2.5`, `0.66`.
impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0 / 100, self.0 % 100) {
            (whole, 0) => write!(f, "{whole}"),
            (whole, part) if part % 10 == 0 => write!(f, "{whole}.{}", part / 10),
            (whole, part) => write!(f, "{whole}.{part:02}"),
        }
    }
}

/// A name as it is compared: spaces and capitals apart.
fn name(typed: &str) -> String {
    typed.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// What is made of `answer`: the id of a verdict.
///
/// # Errors
/// Why the exercise cannot be marked: a sentence.
pub fn verdict(exercise: &Exercise, seed: u64, answer: &str, evaluate: Evaluator<'_>) -> Result<&'static str, String> {
    exercise::input::mark(exercise, seed, answer, &|query| evaluate(exercise, query))
}

/// Sixteen hexadecimal digits that change when the exercise's text, parameters or expected answer do. No protection:
/// whoever edits a file can compute it.
///
/// # Errors
/// Why the expected answer cannot be computed: a sentence.
pub fn fingerprint(exercise: &Exercise, seed: u64, evaluate: Evaluator<'_>) -> Result<String, String> {
    // Plain strings and numbers always serialise.
    let mut text = serde_json::to_string(exercise).unwrap_or_default();
    let evaluate: exercise::Evaluate<'_> = &|query| evaluate(exercise, query);
    if let Some(answer) = exercise::input::fingerprint(exercise, seed, evaluate)? {
        text.push_str(&format!("\n{answer}"));
    }
    Ok(format!("{:016x}", fnv1a(text.bytes())))
}

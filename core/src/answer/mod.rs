//! What a learner types, read as a number with a unit and compared with what was expected.
//!
//! [`read()`] turns text into a number: `480 GB`, `447 GiB`, `4.8×10^11 B`, `480e9`, `3/4`, `12.5%`, `2 h 30 min`,
//! `7.5k`, `30 B` (billions of a count, bytes of memory), `1,000,000`, `14*(3.4 µs + 50 MB/(450 GB/s))`. What can be read in two ways is not guessed:
//! `1,500` is fifteen hundred, `1,5` asks which is meant, and so do `5 m` and `480 G`.
//!
//! [`check()`] compares it with the expected value and gives a [`Verdict`]: one sentence that helps and an [`Outcome`].
//! It tells slips of form (no unit, GB for GiB, bits for bytes, a power of ten) from wrong ideas, so that nothing is
//! marked wrong for form alone: see [`Verdict::asks`]. In this order: right, then a mistake that the author declared,
//! then what is recognised in general, then too large or too small.
//!
//! It does not know what an exercise is, and holds no state between attempts.

mod asked;
mod check;
mod read;
mod say;
mod separators;
mod units;

use crate::decimal;
use crate::quantity::{Unit, significant};

pub use asked::Asked;
pub use check::{Question, check};
pub use read::{Answer, Digits, MAX_LENGTH, Reading, read};
pub use say::how_far;
pub(crate) use units::suited;
pub use units::{Measure, Named, Prefix, find as find_unit, units_of, write};

/// How far from the expected value an answer may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tolerance {
    /// A fraction of the expected value: 0.02 for 2%.
    Relative(f64),
    /// An amount in base units.
    Absolute(f64),
    /// Not at all. Where the expected value is not a whole number in the unit typed, an answer to at least two
    /// significant digits may still be rounded.
    Exact,
}

impl Default for Tolerance {
    /// Within 2%.
    fn default() -> Self {
        Tolerance::Relative(0.02)
    }
}

impl Tolerance {
    /// Reads `2%`, `exact`, or an amount in `unit` such as `0.5 GB`; the error is a sentence.
    pub fn parse(text: &str, unit: Unit) -> Result<Self, String> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("exact") {
            return Ok(Tolerance::Exact);
        }
        let refuse = || {
            Err(format!(
                "The tolerance “{}” cannot be read: write a percentage such as 2%, an amount such as {}, or exact.",
                crate::query::shorten(text),
                units::examples(unit).1
            ))
        };
        if let Some(percent) = text.strip_suffix('%') {
            return match decimal::parse(percent.trim()) {
                Some(p) if (0.0..=50.0).contains(&p) && p > 0.0 => Ok(Tolerance::Relative(p / 100.0)),
                Some(_) => Err(format!("The tolerance “{text}” must be above 0% and at most 50%.")),
                None => refuse(),
            };
        }
        match read(text, unit, &[]) {
            Reading::Answer(Answer { value, unit: typed, .. })
                if value > 0.0 && typed.as_ref().is_none_or(|t| t.measure.fits(unit)) =>
            {
                Ok(Tolerance::Absolute(value))
            }
            _ => refuse(),
        }
    }

    /// For a person, as in "Answer … ": `within 2%`, `within 0.5 GB`, `exactly`.
    pub fn describe(self, unit: Unit) -> String {
        match self {
            Tolerance::Relative(part) => format!("within {}%", significant(part * 100.0, 3)),
            Tolerance::Absolute(amount) => format!("within {}", write(amount, unit, 3)),
            Tolerance::Exact => "exactly".to_owned(),
        }
    }

    /// Whether `value` is as close to `expected` as this allows. Never for what is not finite.
    pub fn accepts(self, value: f64, expected: f64) -> bool {
        // Room for the last bits of a double: 0.1 + 0.2 is 0.3.
        let slack = 1e-9 * expected.abs();
        let room = match self {
            Tolerance::Relative(part) => part.max(0.0) * expected.abs(),
            Tolerance::Absolute(amount) => amount.max(0.0),
            Tolerance::Exact => 0.0,
        };
        let distance = (value - expected).abs();
        distance.is_finite() && distance <= room + slack
    }
}

/// A wrong answer that the author foresaw.
#[derive(Debug, Clone, PartialEq)]
pub struct Mistake {
    /// The wrong value, in base units.
    pub value: f64,
    /// What to say to someone who gives it.
    pub say: String,
}

/// What came of comparing an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// What kind of answer it is.
    pub outcome: Outcome,
    /// What was understood, in base units, if a number was.
    pub value: Option<f64>,
    say: String,
}

/// The kind of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Within the tolerance.
    Right,
    /// Outside the tolerance, but the expected value rounded to the digits that were typed.
    RightButRounded {
        /// How many significant digits were typed.
        digits: u32,
    },
    /// A mistake that the author declared.
    DeclaredMistake {
        /// Its place in the list of mistakes.
        index: usize,
    },
    /// None was given, and the number could be in several.
    MissingUnit {
        /// The units in which it is right, the likeliest first.
        units: Vec<String>,
    },
    /// The digits are right in GiB, and GB was written.
    BinaryForDecimal,
    /// The digits are right in GB, and GiB was written.
    DecimalForBinary,
    /// The digits are right in bytes, and bits were written; or the other way round.
    BitsForBytes,
    /// The digits are right in another unit of the kind.
    WrongPrefix {
        /// The unit that was written.
        given: String,
        /// The unit in which it would be right.
        right: String,
    },
    /// The digits are right, a power of ten is not.
    PowerOfTenOff {
        /// The answer is 10 to this power times what it should be.
        power: i32,
    },
    /// Right but for a small whole factor.
    FactorOff {
        /// The answer is this times what it should be: 2, 0.5, ….
        factor: f64,
    },
    /// Right but for the sign.
    WrongSign,
    /// One minus what was asked for: the part that is left.
    Complement,
    /// One divided by what was asked for.
    Inverted,
    /// A right amount, in a unit other than the one that the question asks for.
    NotInUnit {
        /// The unit that it asks for.
        asked: String,
    },
    /// A unit of something else.
    UnitOfOtherKind {
        /// What the unit that was typed is a unit of.
        given: Unit,
    },
    /// Nothing that is recognised.
    Wrong {
        /// Whether it is too large, rather than too small.
        too_large: bool,
        /// Whether it is within a factor of ten.
        near: bool,
    },
    /// It can be read in more than one way.
    Ambiguous {
        /// The input, rewritten for each reading.
        readings: Vec<String>,
    },
    /// It cannot be read.
    Unreadable {
        /// Where, in bytes from the beginning of the input.
        at: usize,
    },
    /// Nothing was typed.
    Empty,
}

impl Outcome {
    /// A stable name for exports and tests: `right-but-rounded`.
    pub fn id(&self) -> &'static str {
        match self {
            Outcome::Right => "right",
            Outcome::RightButRounded { .. } => "right-but-rounded",
            Outcome::DeclaredMistake { .. } => "declared-mistake",
            Outcome::MissingUnit { .. } => "missing-unit",
            Outcome::BinaryForDecimal => "binary-for-decimal",
            Outcome::DecimalForBinary => "decimal-for-binary",
            Outcome::BitsForBytes => "bits-for-bytes",
            Outcome::WrongPrefix { .. } => "wrong-prefix",
            Outcome::PowerOfTenOff { .. } => "power-of-ten-off",
            Outcome::FactorOff { .. } => "factor-off",
            Outcome::WrongSign => "wrong-sign",
            Outcome::Complement => "complement",
            Outcome::Inverted => "inverted",
            Outcome::NotInUnit { .. } => "not-in-unit",
            Outcome::UnitOfOtherKind { .. } => "unit-of-other-kind",
            Outcome::Wrong { .. } => "wrong",
            Outcome::Ambiguous { .. } => "ambiguous",
            Outcome::Unreadable { .. } => "unreadable",
            Outcome::Empty => "empty",
        }
    }
}

impl Verdict {
    /// What to tell the learner. A declared mistake's sentence is given back as it was passed in (an exercise's is
    /// HTML); every other is plain text and may quote the input.
    pub fn say(&self) -> &str {
        &self.say
    }

    /// Whether the answer counts as right.
    pub fn is_right(&self) -> bool {
        matches!(self.outcome, Outcome::Right | Outcome::RightButRounded { .. })
    }

    /// Whether this only asks for a clearer answer, so that it does not count as an attempt.
    pub fn asks(&self) -> bool {
        matches!(
            self.outcome,
            Outcome::MissingUnit { .. }
                | Outcome::BitsForBytes
                | Outcome::NotInUnit { .. }
                | Outcome::UnitOfOtherKind { .. }
                | Outcome::Ambiguous { .. }
                | Outcome::Unreadable { .. }
                | Outcome::Empty
        )
    }
}

#[cfg(test)]
mod table;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

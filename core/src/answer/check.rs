//! From a number to a verdict.

use super::units::{Measure, Named, Prefix, find, suited, units_of};
use super::{Answer, Digits, Mistake, Outcome, Reading, Tolerance, Verdict, read, say};
use crate::quantity::Unit;

/// What an answer is compared with.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The right value, in base units.
    pub expected: f64,
    /// What it counts.
    pub unit: Unit,
    /// How close is right.
    pub tolerance: Tolerance,
    /// Wrong values with sentences of their own.
    pub mistakes: &'a [Mistake],
    /// Names that the answer may use, with their values; empty where only a number is wanted.
    pub names: &'a [(String, f64)],
    /// The unit that the question names: a bare number is in it.
    pub written_in: Option<&'a str>,
    /// Whether converting to that unit is the question, so that a right amount in another one is no answer yet.
    pub converts: bool,
}

/// Compares `input` with `expected`: see [`Question::check`].
///
/// ```
/// use ringside_core::answer::{Outcome, Tolerance, check};
/// use ringside_core::quantity::Unit;
/// let verdict = |input| check(480e9, Unit::Bytes, Tolerance::default(), &[], input);
/// assert!(verdict("480 GB").is_right() && verdict("447 GiB").is_right());
/// assert_eq!(verdict("447 GB").outcome, Outcome::BinaryForDecimal);
/// assert!(verdict("480").say().contains("unit"));
/// ```
pub fn check(expected: f64, unit: Unit, tolerance: Tolerance, mistakes: &[Mistake], input: &str) -> Verdict {
    Question { expected, unit, tolerance, mistakes, names: &[], written_in: None, converts: false }.check(input)
}

/// The factors that [`Outcome::FactorOff`] recognises, with their inverses.
const FACTORS: [f64; 7] = [2.0, 4.0, 8.0, 3.0, 6.0, 16.0, 5.0];

impl Question<'_> {
    /// Reads `input` and judges it. Never panics; what is expected but not finite has no right answer.
    pub fn check(&self, input: &str) -> Verdict {
        match read(input, self.unit, self.names) {
            Reading::Empty => Verdict { outcome: Outcome::Empty, value: None, say: say::empty(self.unit) },
            Reading::Unreadable { at, message } => {
                Verdict { outcome: Outcome::Unreadable { at }, value: None, say: message }
            }
            Reading::Ambiguous { readings, question } => {
                Verdict { outcome: Outcome::Ambiguous { readings }, value: None, say: question }
            }
            Reading::Answer(answer) => {
                let answer = self.in_asked_unit(answer);
                let (outcome, said) = self.judge(&answer, input);
                let say = said.unwrap_or_else(|| say::sentence(&outcome, self, &answer));
                Verdict { outcome, value: Some(answer.value), say }
            }
        }
    }

    /// A bare number in the unit that the question itself names: 13.5 where it asks how many GB. One that is written out in base units stays.
    fn in_asked_unit(&self, answer: Answer) -> Answer {
        let Some(asked) = self.written_in.and_then(find) else { return answer };
        if answer.unit.is_some() || answer.scaled || self.tolerance.accepts(answer.value, self.expected) {
            return answer;
        }
        let digits = answer.digits.map(|d| Digits { half_step: d.half_step * asked.factor, ..d });
        let unusual = answer.unusual.map(|(value, reading)| (value * asked.factor, reading));
        Answer { value: answer.number * asked.factor, unit: Some(asked), digits, unusual, ..answer }
    }

    fn judge(&self, answer: &Answer, input: &str) -> (Outcome, Option<String>) {
        if let Some(unit) = &answer.unit
            && !unit.measure.fits(self.unit)
        {
            return (Outcome::UnitOfOtherKind { given: unit.measure.unit() }, None);
        }
        let right = if self.tolerance.accepts(answer.value, self.expected) {
            Some(Outcome::Right)
        } else {
            self.rounded(answer).map(|digits| Outcome::RightButRounded { digits })
        };
        let unit = answer.unit.as_ref().map(|u| u.name.as_str());
        match (right, self.written_in) {
            (Some(_), Some(asked)) if self.converts && unit.is_some_and(|unit| unit != asked) => {
                return (Outcome::NotInUnit { asked: asked.to_owned() }, None);
            }
            (Some(right), _) => return (right, None),
            (None, _) => {}
        }
        // Before the declared mistakes: an eighth of the answer is one of them by accident.
        if let Some(unit) = answer.unit.as_ref().filter(|u| u.measure.is_bits())
            && self.with_other_unit(answer, unit) == Some(Outcome::BitsForBytes)
        {
            return (Outcome::BitsForBytes, None);
        }
        if let Some(declared) = self.declared(answer.value) {
            return declared;
        }
        if let Some((value, reading)) = &answer.unusual
            && self.tolerance.accepts(*value, self.expected)
        {
            let readings = vec![input.trim().to_owned(), reading.clone()];
            let question = say::point_or_thousands(input, reading);
            return (Outcome::Ambiguous { readings }, Some(question));
        }
        let slip = match &answer.unit {
            None => self.without_unit(answer),
            Some(unit) if matches!(unit.measure, Measure::Things | Measure::Times) => self.without_unit(answer),
            Some(unit) => self.with_other_unit(answer, unit).map(|outcome| (outcome, None)),
        };
        slip.or_else(|| self.recognised(answer).or_else(|| self.percentage(answer)).map(|outcome| (outcome, None)))
            .unwrap_or_else(|| (self.wrong(answer.value), None))
    }

    /// Whether the expected value, rounded to the digits that were typed, is what was typed.
    fn rounded(&self, answer: &Answer) -> Option<u32> {
        let digits = answer.digits?;
        if digits.significant < 2 || !self.expected.is_finite() {
            return None;
        }
        if self.tolerance == Tolerance::Exact {
            // A whole number can be typed as it is.
            let in_unit = self.expected / (answer.value / answer.number);
            if !in_unit.is_finite() || (in_unit - in_unit.round()).abs() <= 1e-9 * in_unit.abs() {
                return None;
            }
        }
        let off = (answer.value - self.expected).abs();
        // A mistake that rounds to the same digits is nearer to what was typed than the answer is.
        let mistaken = self.mistakes.iter().any(|m| (answer.value - m.value).abs() < off);
        (!mistaken && off <= digits.half_step * (1.0 + 1e-9)).then_some(digits.significant)
    }

    /// The nearest of the declared mistakes that `value` is one of.
    fn declared(&self, value: f64) -> Option<(Outcome, Option<String>)> {
        let distance = |mistake: &Mistake| (value - mistake.value).abs();
        let (index, mistake) = self
            .mistakes
            .iter()
            .enumerate()
            .filter(|(_, m)| !self.tolerance.accepts(m.value, self.expected))
            .filter(|(_, m)| self.tolerance.accepts(value, m.value) || close(value, m.value, self.leeway()))
            .min_by(|(_, a), (_, b)| distance(a).total_cmp(&distance(b)))?;
        Some((Outcome::DeclaredMistake { index }, Some(mistake.say.clone())))
    }

    /// How near a slip has to be to be recognised: as near as the tolerance, between 0.5% and 2%.
    fn leeway(&self) -> f64 {
        let part = match self.tolerance {
            Tolerance::Relative(part) => part,
            Tolerance::Absolute(amount) => amount / self.expected.abs(),
            Tolerance::Exact => 0.0,
        };
        if part.is_finite() { part.clamp(0.005, 0.02) } else { 0.005 }
    }

    /// Whether `value` would be recognised as the answer, had it been written as it should be.
    fn meant(&self, value: f64, answer: &Answer) -> bool {
        if close(value, self.expected, self.leeway()) {
            return true;
        }
        let scale = value / answer.value;
        answer.digits.is_some_and(|d| {
            let half_step = (d.half_step * scale).abs();
            d.significant >= 2 && (value - self.expected).abs() <= half_step * (1.0 + 1e-9)
        })
    }

    /// A bare number that is not right in base units.
    fn without_unit(&self, answer: &Answer) -> Option<(Outcome, Option<String>)> {
        // Who writes out a power of ten means base units, unless the result would be absurd.
        if answer.scaled
            && let Some(outcome @ Outcome::PowerOfTenOff { power: -4..=4 }) = self.recognised(answer)
        {
            return Some((outcome, None));
        }
        let candidates = units_of(self.unit);
        let units: Vec<String> = candidates
            .iter()
            .filter(|u| u.factor != 1.0 && self.meant(answer.number * u.factor, answer))
            .map(|u| u.name.clone())
            .collect();
        if !units.is_empty() {
            return Some((Outcome::MissingUnit { units }, None));
        }
        // What it was meant in is asked first: a slip is named only in an amount that was written.
        if self.wants_unit(answer) {
            return Some((Outcome::MissingUnit { units }, None));
        }
        candidates.iter().filter(|u| u.factor != 1.0).find_map(|u| self.declared(answer.number * u.factor))
    }

    /// Whether a number without a unit is asked for one, right or wrong: what is asked for is written with a prefix.
    fn wants_unit(&self, answer: &Answer) -> bool {
        let is_amount = !matches!(self.unit, Unit::Count | Unit::Ratio | Unit::Fraction);
        let is_prefixed = suited(self.expected, self.unit).is_some_and(|unit| unit.factor != 1.0);
        is_amount && is_prefixed && answer.unit.is_none() && !answer.scaled && answer.value != 0.0
    }

    /// A bare number above 1 for a part of one: a percentage, in all likelihood, and it is asked whether it is.
    fn percentage(&self, answer: &Answer) -> Option<Outcome> {
        let is_bare = answer.unit.is_none() && !answer.scaled;
        let is_part = self.unit == Unit::Fraction && (0.0..=1.0).contains(&self.expected);
        (is_bare && is_part && answer.value > 1.0).then(|| Outcome::MissingUnit { units: vec!["%".to_owned()] })
    }

    /// The right number in front of another unit of the kind.
    fn with_other_unit(&self, answer: &Answer, given: &Named) -> Option<Outcome> {
        let mut candidates = units_of(self.unit);
        if given.measure.is_bits() && self.unit == Unit::Bytes {
            candidates.retain(|u| u.measure == Measure::Bytes);
        }
        let right: Vec<&Named> = candidates
            .iter()
            .filter(|u| u.name != given.name && self.meant(answer.number * u.factor, answer))
            .collect();
        let twin = |power: Prefix| right.iter().any(|u| u.measure == given.measure && u.prefix == power);
        match given.prefix {
            Prefix::Decimal(power) if power > 0 && twin(Prefix::Binary(power)) => {
                return Some(Outcome::BinaryForDecimal);
            }
            Prefix::Binary(power) if twin(Prefix::Decimal(power)) => return Some(Outcome::DecimalForBinary),
            _ => {}
        }
        let bits_for_bytes = |u: &&&Named| u.measure.is_bits() != given.measure.is_bits() && u.prefix == given.prefix;
        if right.iter().any(|u| bits_for_bytes(&u)) {
            return Some(Outcome::BitsForBytes);
        }
        let pure = matches!(self.unit, Unit::Ratio | Unit::Fraction);
        let first = right.iter().find(|u| pure || u.measure == given.measure)?;
        Some(Outcome::WrongPrefix { given: given.name.clone(), right: first.name.clone() })
    }

    /// Slips in the number itself.
    fn recognised(&self, answer: &Answer) -> Option<Outcome> {
        let (value, expected) = (answer.value, self.expected);
        let off = value / expected;
        if !off.is_finite() || off == 0.0 {
            return None;
        }
        // A bare number far from the expected one is in a unit that nobody knows, so its size says nothing.
        let dimensionless = matches!(self.unit, Unit::Count | Unit::Ratio | Unit::Fraction);
        if answer.unit.is_none() && !dimensionless && !(1e-4..=1e4).contains(&off.abs()) {
            return None;
        }
        if self.meant(-value, answer) {
            return Some(Outcome::WrongSign);
        }
        if matches!(self.unit, Unit::Fraction | Unit::Ratio) {
            if (0.0..1.0).contains(&expected) && close(value, 1.0 - expected, self.leeway()) {
                return Some(Outcome::Complement);
            }
            let inverse = 1.0 / expected;
            let rounds_to_it = answer.digits.is_some_and(|d| (value - inverse).abs() <= d.half_step);
            if close(value, inverse, self.leeway()) || rounds_to_it && value != 0.0 && inverse.is_finite() {
                return Some(Outcome::Inverted);
            }
        }
        let power = off.abs().log10().round();
        if power != 0.0 && power.abs() <= 30.0 && self.meant(value / 10_f64.powi(power as i32), answer) {
            return Some(Outcome::PowerOfTenOff { power: power as i32 });
        }
        FACTORS
            .into_iter()
            .flat_map(|f| [f, 1.0 / f])
            .find(|f| close(value, expected * f, self.leeway()))
            .map(|factor| Outcome::FactorOff { factor })
    }

    fn wrong(&self, value: f64) -> Outcome {
        let off = value / self.expected;
        Outcome::Wrong { too_large: value > self.expected, near: (0.1..=10.0).contains(&off) }
    }
}

/// Whether `value` is within `part` of `target`.
fn close(value: f64, target: f64, part: f64) -> bool {
    (value - target).abs() <= part * target.abs()
}

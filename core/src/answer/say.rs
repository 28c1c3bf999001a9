//! The sentence for each verdict: plain text, kind, and about this answer.

use super::units::{Named, examples, find, write};
use super::{Answer, Outcome, Question, Tolerance};
use crate::quantity::{Unit, grouped, significant};
use crate::query::shorten;

/// What to say when nothing was typed.
pub(super) fn empty(unit: Unit) -> String {
    format!("Nothing is written here yet. Answer with {}, such as {}.", kind(unit), examples(unit).1)
}

/// What to ask when the point of `1.500` may separate thousands, or the comma of `1,500` decimals.
pub(super) fn point_or_thousands(input: &str, other: &str) -> String {
    let (sign, here, meant) =
        if input.contains(',') { ("comma", "thousands", "decimals") } else { ("point", "decimals", "thousands") };
    format!(
        "Does the {sign} in “{}” separate decimals or thousands? Here a {sign} is for {here}; if you mean {meant}, write {other}.",
        shorten(input.trim())
    )
}

/// What to say of a unit that is one of something else than what was asked for.
pub(super) fn other_kind(given: &Named, asked: Unit) -> String {
    let of = kind(given.measure.unit());
    let is = if given.name.is_empty() { format!("That is {of}") } else { format!("“{}” is for {of}", given.name) };
    format!("{is}, and this asks for {}, such as {}. Which did you mean?", kind(asked), examples(asked).1)
}

/// An amount of this unit, with its article.
fn kind(unit: Unit) -> &'static str {
    match unit {
        Unit::Bytes => "an amount of memory",
        Unit::Seconds => "a time",
        Unit::Flop => "a number of operations",
        Unit::FlopPerSecond => "a rate of operations",
        Unit::BytesPerSecond => "a bandwidth",
        Unit::Count => "a count",
        Unit::Ratio => "a pure number",
        Unit::Fraction => "a fraction or percentage",
    }
}

/// What to say about `answer`. Declared mistakes and questions have sentences of their own.
pub(super) fn sentence(outcome: &Outcome, question: &Question, answer: &Answer) -> String {
    let unit = question.unit;
    let expected = |digits| write_like(question.expected, unit, answer, digits);
    let typed = typed(answer);
    match outcome {
        Outcome::Right => right(question, answer),
        Outcome::RightButRounded { digits } => {
            format!("Right to the {digits} digits that you gave; it comes to {}.", expected(digits + 2))
        }
        Outcome::MissingUnit { .. } => missing_unit(unit, &typed),
        Outcome::BinaryForDecimal | Outcome::DecimalForBinary => {
            let given = answer.unit.as_ref().map_or("", |u| u.name.as_str());
            let (other, advice) = match outcome {
                Outcome::BinaryForDecimal => (insert_i(given), "counts in powers of 1000"),
                _ => (given.replacen('i', "", 1).replacen("KB", "kB", 1), "counts in powers of 1024"),
            };
            let convert = if question.converts { "" } else { ", or convert it" };
            format!(
                "The digits are right in {other}, and you wrote {given}, which {advice}. Write {} {other}{convert}.",
                significant(answer.number, 6)
            )
        }
        Outcome::BitsForBytes => bits_for_bytes(answer),
        Outcome::WrongPrefix { given, .. } => {
            let way = size(answer.value, question.expected);
            format!(
                "The digits are right and the unit is not: in {given} this is {way}. Check which unit the number is in."
            )
        }
        Outcome::PowerOfTenOff { power } => {
            let way = if *power > 0 { "large" } else { "small" };
            let zeros = power.unsigned_abs();
            let factor = match zeros {
                1 => "ten".to_owned(),
                2..=6 => grouped(10_u64.pow(zeros)),
                _ => format!("10^{zeros}"),
            };
            format!("The digits are right, but it is {factor} times too {way}: check the zeros and the prefixes.")
        }
        Outcome::FactorOff { factor } => factor_off(*factor, unit),
        Outcome::WrongSign => "The size is right and the sign is not: which is subtracted from which?".to_owned(),
        Outcome::Complement => format!(
            "That is the other part: {typed} is what is left when you take away what was asked for. The two add up to \
             one whole."
        ),
        Outcome::Inverted => {
            format!("That is the ratio upside down: {typed} is one divided by what was asked for.")
        }
        Outcome::NotInUnit { asked } => format!("Convert it: the question asks for {asked}."),
        Outcome::UnitOfOtherKind { .. } => {
            answer.unit.as_ref().map_or_else(String::new, |named| other_kind(named, unit))
        }
        Outcome::Wrong { .. } => wrong(question, answer),
        Outcome::DeclaredMistake { .. } | Outcome::Ambiguous { .. } | Outcome::Unreadable { .. } | Outcome::Empty => {
            String::new()
        }
    }
}

/// The right amount as it was typed; in the unit that suits it where the digits alone would need a power of ten.
fn exactly(question: &Question, answer: &Answer) -> String {
    if significant(answer.number, 6).contains('e') { write(answer.value, question.unit, 4) } else { typed(answer) }
}

/// The number as it was understood, with its unit.
fn typed(answer: &Answer) -> String {
    let number = significant(answer.number, 6);
    answer.unit.as_ref().map_or(number.clone(), |u| u.attach(&number))
}

/// The expected value in the unit that the learner used, or in the usual one.
fn write_like(expected: f64, unit: Unit, answer: &Answer, digits: u32) -> String {
    match &answer.unit {
        Some(named) if !named.name.is_empty() => named.write(expected, digits),
        _ => write(expected, unit, digits),
    }
}

fn right(question: &Question, answer: &Answer) -> String {
    let said = right_as_typed(question, answer);
    match (question.written_in.and_then(find), &answer.unit) {
        (Some(asked), Some(given)) if given.name != asked.name => {
            format!("{said} In the unit asked for it is {}.", asked.write(question.expected, 4))
        }
        _ => said,
    }
}

fn right_as_typed(question: &Question, answer: &Answer) -> String {
    let exact = (answer.value - question.expected).abs() <= 1e-3 * question.expected.abs();
    match question.tolerance {
        _ if exact => format!("Right: {}.", exactly(question, answer)),
        Tolerance::Exact => format!("Right: {}.", exactly(question, answer)),
        tolerance => format!(
            "Right, {}: it comes to {}.",
            tolerance.describe(question.unit),
            write_like(question.expected, question.unit, answer, 4)
        ),
    }
}

fn missing_unit(unit: Unit, typed: &str) -> String {
    match unit {
        Unit::Fraction => {
            format!("{typed} what? If it is a percentage, write {typed}%. A bare number is a part of 1.")
        }
        Unit::Count => {
            format!("{typed} what? The digits are right: add k, M, B (billion) or T, or write all the zeros.")
        }
        Unit::Bytes => format!("{typed} what? Add a unit: {typed} MB, {typed} GB or {typed} GiB."),
        _ => format!("{typed} what? Add a unit, such as {}.", examples(unit).1),
    }
}

/// `GB` → `GiB`.
fn insert_i(name: &str) -> String {
    let mut letters = name.chars();
    match letters.next() {
        Some(first) => format!("{}i{}", first.to_ascii_uppercase(), letters.as_str()),
        None => String::new(),
    }
}

fn bits_for_bytes(answer: &Answer) -> String {
    let given = answer.unit.as_ref().map_or("", |u| u.name.as_str());
    let number = significant(answer.number, 6);
    if answer.unit.as_ref().is_some_and(|u| u.measure.is_bits()) {
        let bytes = given.replacen("bit", "B", 1);
        return format!(
            "That is in bits: a small b is a bit, an eighth of a byte. Do you mean {number} {bytes}? Then write a capital B."
        );
    }
    let bits = given.replacen('B', "bit", 1);
    format!("That is in bytes, and one byte is eight bits. Do you mean {number} {bits}? Then write that.")
}

/// "1,000 times too large".
fn size(value: f64, expected: f64) -> String {
    let off = (value / expected).abs();
    if off >= 1.0 {
        format!("{} times too large", significant(off, 2))
    } else {
        format!("{} times too small", significant(1.0 / off, 2))
    }
}

/// How far a number that can't be tried again is from what it should be: a sentence.
pub fn how_far(value: f64, expected: f64) -> String {
    let way = if value > expected { "large" } else { "small" };
    let off = value / expected;
    match (off, off.max(1.0 / off)) {
        (off, _) if !off.is_finite() || off <= 0.0 => format!("Too {way}."),
        (off, ..1.5) => format!("{}% too {way}.", significant((off - 1.0).abs() * 100.0, 2)),
        (_, times) => format!("{} times too {way}.", significant(times, 2)),
    }
}

fn factor_off(factor: f64, unit: Unit) -> String {
    let whole = if factor >= 1.0 { factor } else { 1.0 / factor };
    let times = significant(whole, 2);
    let bits = matches!(unit, Unit::Bytes | Unit::BytesPerSecond) && whole == 8.0;
    match (factor >= 1.0, bits) {
        (true, _) if whole == 2.0 => {
            "Exactly twice what it should be: is something counted twice, or in both directions?".to_owned()
        }
        (false, _) if whole == 2.0 => {
            "Exactly half of what it should be: is there a second copy, a second direction or a factor of two missing?"
                .to_owned()
        }
        (true, true) => "Exactly 8 times what it should be: are these bits, or all eight GPUs of a node?".to_owned(),
        (false, true) => "Exactly an eighth of what it should be: a byte is eight bits, and a node often has eight \
                          GPUs. Is one of those divided by once too often?"
            .to_owned(),
        (true, false) => {
            format!("Exactly {times} times what it should be: look for a factor of {times} that is one too many.")
        }
        (false, false) => format!("{times} times too small: look for a factor of {times} that is missing."),
    }
}

fn wrong(question: &Question, answer: &Answer) -> String {
    let (value, expected) = (answer.value, question.expected);
    let dimensionless = matches!(question.unit, Unit::Count | Unit::Ratio | Unit::Fraction);
    let off = (value / expected).abs();
    if answer.unit.is_none() && !dimensionless && !(1e-4..=1e4).contains(&off) {
        let (units, _) = examples(question.unit);
        return format!("Not yet, in any unit. Write the unit too ({units}): it helps to find what is wrong.");
    }
    let way = if value > expected { "large" } else { "small" };
    let distance = match off {
        _ if value == 0.0 || expected == 0.0 => return format!("Not yet: it is too {way}."),
        _ if value.is_sign_negative() != expected.is_sign_negative() => {
            return format!("Not yet: it is too {way}, and its sign is wrong.");
        }
        off if (0.8..=1.25).contains(&off) => {
            let within = match question.tolerance {
                Tolerance::Exact => "this one has to be exact".to_owned(),
                tolerance => format!("it should be {}", tolerance.describe(question.unit)),
            };
            return format!("Close, but too {way}: {within}.");
        }
        off if (0.5..=2.0).contains(&off) => "by less than a factor of two",
        off if (0.1..=10.0).contains(&off) => "by a factor between two and ten",
        off if (1e-3..=1e3).contains(&off) => "by more than a factor of ten",
        _ => "by more than a factor of a thousand",
    };
    format!("Not yet: it is too {way}, {distance}.")
}

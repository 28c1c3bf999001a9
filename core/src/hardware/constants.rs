//! What expressions call the facts of the tables: `h100_80.peak`, `nvlink4.bandwidth`. The id with `_` for its hyphens, a point, and what is
//! meant, in base units.

use super::{ALL, Accelerator, links};
use crate::expr::{name_matches, name_of};
use crate::quantity::Unit;

/// A fact of an accelerator: its name, its unit, and where it stands in a row.
type Fact<R> = (&'static str, Unit, fn(&R) -> Option<f64>);

const OF_GPU: [Fact<Accelerator>; 11] = [
    ("peak", Unit::FlopPerSecond, |a| Some(a.peak)),
    ("fp8", Unit::FlopPerSecond, |a| a.fp8),
    ("bandwidth", Unit::BytesPerSecond, |a| Some(a.bandwidth)),
    ("memory", Unit::Bytes, |a| Some(a.memory.0)),
    ("sold", Unit::Bytes, |a| Some(a.sold.0)),
    ("sms", Unit::Count, |a| Some(a.chip?.sms as f64)),
    ("clock", Unit::Ratio, |a| Some(a.chip?.clock)),
    ("shared", Unit::Bytes, |a| Some(a.chip?.shared as f64)),
    ("l2", Unit::Bytes, |a| Some(a.chip?.l2 as f64)),
    ("l2_bandwidth", Unit::BytesPerSecond, |a| a.chip?.l2_bandwidth),
    ("latency", Unit::Seconds, |a| a.chip?.latency.memory),
];

const OF_LINK: [Fact<links::Link>; 2] =
    [("bandwidth", Unit::BytesPerSecond, |l| Some(l.bandwidth)), ("latency", Unit::Seconds, |l| Some(l.latency))];

/// The constant of this name, in the base unit of what it counts.
///
/// ```
/// use ringside_core::hardware::constants::find;
/// assert_eq!(find("h100_80.peak").map(|(value, _)| value), Some(989e12));
/// assert_eq!(find("h100_80.price"), None);
/// ```
pub fn find(name: &str) -> Option<(f64, Unit)> {
    let (id, fact) = name.split_once('.')?;
    let of_gpu = || value(&OF_GPU, fact, ALL.iter().find(|a| name_matches(a.id, id))?);
    let of_link = || value(&OF_LINK, fact, links::all().find(|l| name_matches(l.id, id))?);
    of_gpu().or_else(of_link)
}

fn value<R>(facts: &[Fact<R>], fact: &str, row: &R) -> Option<(f64, Unit)> {
    let (_, unit, of) = facts.iter().find(|(name, ..)| *name == fact)?;
    of(row).map(|value| (value, *unit))
}

/// The name, value and unit of every constant.
pub fn all() -> impl Iterator<Item = (String, f64, Unit)> {
    let gpus = ALL.iter().flat_map(|row| named(row.id, &OF_GPU, row));
    gpus.chain(links::all().flat_map(|row| named(row.id, &OF_LINK, row)))
}

fn named<R: 'static>(
    id: &'static str,
    facts: &'static [Fact<R>],
    row: &'static R,
) -> impl Iterator<Item = (String, f64, Unit)> {
    facts.iter().filter_map(move |(fact, unit, of)| Some((format!("{}.{fact}", name_of(id)), of(row)?, *unit)))
}

/// What the numbers of an expression, or those in front of a unit, stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// In base units, as `989e12`.
    Base,
    /// Perhaps without its prefix, as 989 for TFLOP/s.
    Scaled,
}

/// The constants that a literal of three significant digits or more repeats. Round ones are no facts of a table: 900, 8e12. Nor are multiples
/// of 16 below a thousand million, which are sizes: 128, 768, 65,536.
pub fn repeated(literal: f64, written: Written) -> Vec<String> {
    let is_size = literal < 1e9 && literal % 16.0 == 0.0;
    if !literal.is_finite() || is_size || significant_digits(literal) < 3 {
        return Vec::new();
    }
    let is = |value: f64| (literal / value - 1.0).abs() < 1e-9;
    let scaled = written == Written::Scaled;
    let repeats = |name: &str, value: f64, unit: Unit| {
        let rate = matches!(unit, Unit::FlopPerSecond | Unit::BytesPerSecond) && is_gpu(name);
        is(value) || scaled && rate && (is(value / 1e12) || is(value / 1e9))
    };
    all().filter(|(name, value, unit)| repeats(name, *value, *unit)).map(|(name, ..)| name).collect()
}

/// Whether a constant is of an accelerator; otherwise it is of a link.
fn is_gpu(name: &str) -> bool {
    name.split_once('.').is_some_and(|(id, _)| ALL.iter().any(|a| name_matches(a.id, id)))
}

/// Digits of a number without zeros at its ends.
fn significant_digits(value: f64) -> usize {
    let text = format!("{value:e}");
    let digits = text.split('e').next().unwrap_or_default();
    digits.bytes().filter(u8::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_is_found_by_its_name() {
        for (name, value, unit) in all() {
            assert_eq!(find(&name), Some((value, unit)), "{name}");
            assert!(crate::expr::evaluate(&name, &|name| find(name).map(|(value, _)| value)) == Ok(value), "{name}");
        }
        assert!(["h100_80", "h100_80.", ".peak", "", "h100-80.price"].iter().all(|name| find(name).is_none()));
    }

    #[test]
    fn a_literal_that_repeats_one_is_told_its_names() {
        let of = |literal, written| repeated(literal, written).join(" ");
        assert_eq!(of(989e12, Written::Base), "h100_80.peak h800.peak h200_141.peak");
        assert_eq!(of(989.0, Written::Base), "");
        assert_eq!(of(3.35, Written::Scaled), "h100_80.bandwidth h800.bandwidth");
        assert_eq!(of(2039.0, Written::Scaled), "a100_80.bandwidth a800_80.bandwidth");
        assert_eq!(of(132.0, Written::Scaled), "h100_80.sms h800.sms");
        for size in [768.0, 900.0, 8e12, 0.0, -312.0, f64::NAN, 80e9, 128.0] {
            assert_eq!(of(size, Written::Scaled), "", "{size}");
        }
    }
}

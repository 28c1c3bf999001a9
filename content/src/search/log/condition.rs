//! Conditions on what was kept: `skipped > 0`, `reserved - allocated > 0.1 total`, `xid in 13 31`.

use ringside_core::answer::{Measure, find_unit};
use ringside_core::decimal;

/// A condition. It does not hold where a value cannot be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    left: Vec<Term>,
    relation: Relation,
}

#[derive(Debug, Clone, PartialEq)]
enum Relation {
    Is(&'static str, Vec<Term>),
    In(Vec<f64>),
}

/// A number times what is kept under a name.
#[derive(Debug, Clone, PartialEq)]
struct Term {
    factor: f64,
    name: Option<String>,
}

const RELATIONS: [&str; 6] = ["<", "<=", ">", ">=", "=", "!="];

impl Condition {
    /// Reads one; `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "in" || RELATIONS.contains(word))?;
        let (left, right) = (terms(words.get(..at)?)?, words.get(at + 1..)?);
        let relation = match RELATIONS.iter().find(|r| words.get(at) == Some(r)) {
            Some(relation) => Relation::Is(relation, terms(right)?),
            None => Relation::In(right.iter().map(|n| decimal::parse(n)).collect::<Option<Vec<f64>>>()?),
        };
        Some(Self { left, relation })
    }

    /// The names that it asks for.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let right: &[Term] = match &self.relation {
            Relation::Is(_, terms) => terms,
            Relation::In(_) => &[],
        };
        self.left.iter().chain(right).filter_map(|term| term.name.as_deref())
    }

    /// Whether it holds.
    pub fn holds(&self, kept: &[(String, String)]) -> bool {
        let Some(left) = sum(&self.left, kept) else { return false };
        match &self.relation {
            Relation::In(list) => list.iter().any(|n| same(*n, left)),
            Relation::Is(relation, right) => sum(right, kept).is_some_and(|right| match *relation {
                "<" => left < right,
                "<=" => left <= right,
                ">" => left > right,
                ">=" => left >= right,
                "=" => same(left, right),
                _ => !same(left, right),
            }),
        }
    }
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

/// `reserved - 0.1 total + 64 MiB`.
fn terms(words: &[&str]) -> Option<Vec<Term>> {
    if words.last().is_some_and(|word| matches!(*word, "+" | "-")) {
        return None;
    }
    let mut all = Vec::new();
    let mut sign = 1.0;
    for part in words.split_inclusive(|word| matches!(*word, "+" | "-")) {
        let next = part.last().filter(|word| matches!(**word, "+" | "-"));
        let part = part.get(..part.len() - usize::from(next.is_some()))?;
        let term = match part {
            [one] => match decimal::parse(one) {
                Some(number) => Term { factor: number, name: None },
                None => Term { factor: 1.0, name: Some((*one).to_owned()) },
            },
            [number, name] => {
                let number = decimal::parse(number)?;
                match find_unit(name).filter(|unit| unit.measure == Measure::Bytes) {
                    Some(unit) => Term { factor: number * unit.factor, name: None },
                    None => Term { factor: number, name: Some((*name).to_owned()) },
                }
            }
            _ => return None,
        };
        all.push(Term { factor: sign * term.factor, ..term });
        sign = if next == Some(&"-") { -1.0 } else { 1.0 };
    }
    (!all.is_empty()).then_some(all)
}

fn sum(terms: &[Term], kept: &[(String, String)]) -> Option<f64> {
    terms.iter().try_fold(0.0, |sum, term| {
        let value = match &term.name {
            Some(name) => kept.iter().find(|(n, _)| n == name).and_then(|(_, text)| value(text))?,
            None => 1.0,
        };
        Some(sum + term.factor * value)
    })
}

/// The number at the beginning of a text; a size in bytes: `15.02 GiB`, `57.9%`, `(1.0`. Of two values, as where a program writes one more
/// than the pattern knows, none is read.
fn value(text: &str) -> Option<f64> {
    if text.contains(';') {
        return None;
    }
    let mut words = text.split_whitespace();
    let first = words.next()?.trim_start_matches(['(', '[']).trim_end_matches(|c: char| !c.is_ascii_digit());
    let number = decimal::parse(first).filter(|n| n.is_finite())?;
    let unit = words.next().and_then(|unit| find_unit(unit.trim_end_matches(['.', ',', ';', ')'])));
    Some(unit.filter(|unit| unit.measure == Measure::Bytes).map_or(number, |unit| number * unit.factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(condition: &str, kept: &[(&str, &str)]) -> bool {
        let kept: Vec<(String, String)> = kept.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect();
        Condition::parse(condition).expect("a condition").holds(&kept)
    }

    #[test]
    fn sizes_and_numbers_are_compared() {
        let memory =
            [("asked", "98.00 MiB"), ("free", "540.64 MiB"), ("total", "15.77 GiB"), ("n", "0"), ("p", "57.9%")];
        assert!(holds("free > asked", &memory));
        assert!(!holds("free > 0.1 total", &memory));
        assert!(holds("total - free > 15 GiB", &memory));
        assert!(holds("asked < 100 MiB", &memory));
        assert!(!holds("n != 0", &memory));
        assert!(holds("n = 0", &memory) && holds("p > 50", &memory));
        assert!(holds("n in 3 0", &memory) && !holds("n in 3 4", &memory));
    }

    #[test]
    fn what_cannot_be_read_does_not_hold() {
        let kept = [("a", "nan"), ("b", ""), ("c", "12:30"), ("d", "15.77 GiB allowed; 15.40 GiB")];
        for name in ["a", "b", "c", "d", "missing"] {
            for condition in [" > 0", " <= 0", " != 1", " = 0", " in 0 1"] {
                assert!(!holds(&format!("{name}{condition}"), &kept), "{name}{condition}");
            }
        }
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for text in ["", "a", "a >", "> 1", "a > 1 2 3", "a in x", "a ~ b", "a - > 1"] {
            assert_eq!(Condition::parse(text), None, "{text}");
        }
        assert_eq!(Condition::parse("a - 2 b > c").expect("one").names().collect::<Vec<_>>(), ["a", "b", "c"]);
    }
}

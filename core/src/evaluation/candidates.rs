//! Programs as a model writes them: a draft, likely by its logit, and slips in it. Temperature divides logits and makes slips likelier.

use super::language::{Scanned, Sign, scan};
use super::problems::Problem;
use crate::mix::{Stream, mix};

/// The probability of a slip at each sign, at temperature 1.
const SLIPS: f64 = 0.02;

/// Sample number `sample` of problem number `number`. It does not depend on how many are taken.
pub fn write(problem: &Problem, number: u64, sample: u64, temperature: f64, seed: u64) -> String {
    let mut stream = Stream::new(mix(seed) ^ (number << 32 | sample));
    slipped(draft(problem, temperature, stream.unit()), SLIPS * temperature, &mut stream)
}

/// The draft in whose share of the probability a number lies.
fn draft(problem: &Problem, temperature: f64, at: f64) -> &'static str {
    let most = problem.drafts.iter().map(|(_, logit)| *logit).fold(f64::MIN, f64::max);
    let weight = |logit: f64| ((logit - most) / temperature).exp();
    let sum: f64 = problem.drafts.iter().map(|(_, logit)| weight(*logit)).sum();
    let mut below = 0.0;
    let found = problem.drafts.iter().find(|(_, logit)| {
        below += weight(*logit) / sum;
        at < below
    });
    found.or(problem.drafts.last()).map_or("", |(text, _)| text)
}

/// The text with slips after its first `=`: numbers off by one, an operator in the place of another, a bracket left out.
fn slipped(text: &str, chance: f64, stream: &mut Stream) -> String {
    let signs = scan(text).unwrap_or_default();
    let head = signs.iter().position(|s| s.sign == Sign::Mark("=")).map_or(0, |i| i + 1);
    let mut out = text.get(..signs.get(head).map_or(0, |s| s.from)).unwrap_or_default().to_owned();
    let mut at = out.len();
    for Scanned { sign, from, to } in signs.iter().skip(head) {
        out += text.get(at..*from).unwrap_or_default();
        let own = text.get(*from..*to).unwrap_or_default();
        // Drawn for each sign, so that one slip does not move the others.
        let (slips, which) = (stream.unit() < chance, stream.below(4));
        match other(sign, which).filter(|_| slips) {
            Some(slip) => out += &slip,
            None => out += own,
        }
        at = *to;
    }
    out
}

/// What is written in the place of a sign.
fn other(sign: &Sign, which: u64) -> Option<String> {
    let pick = |all: [&str; 2]| Some(all.get((which % 2) as usize).copied().unwrap_or_default().to_owned());
    match sign {
        Sign::Int(n) => Some(if which.is_multiple_of(2) { n + 1 } else { (n - 1).max(0) }.to_string()),
        Sign::Mark(mark) => match *mark {
            "<" => pick(["<=", ">"]),
            ">" => pick([">=", "<"]),
            "==" => pick(["!=", "<"]),
            "+" => pick(["-", "*"]),
            "-" => pick(["+", "-"]),
            "*" => pick(["+", "*"]),
            ")" | "]" if which == 0 => Some(String::new()),
            _ => None,
        },
        Sign::Name(name) => match name.as_str() {
            "head" => Some("tail".to_owned()),
            "min" => Some("max".to_owned()),
            "max" => Some("min".to_owned()),
            _ => None,
        },
    }
}

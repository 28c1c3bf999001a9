//! Text with computed numbers in it.
//!
//! Between braces stands an [expression](crate::expr) over [names](super::Names), and behind a bar how to write it:
//!
//! | Template | Becomes |
//! | --- | --- |
//! | `{weights}` | a quantity in the unit that suits it: `60 GB` |
//! | `{params}`, `{dtype}` | a parameter: a number (`30 B`, `64`), or text as it is |
//! | `{weights/dp\|GB}`, `{weights\|GiB}`, `{step_time\|ms}`, `{bubble\|%}` | in this unit, to three digits |
//! | `{weights\|GB\|5}` | in this unit, to five digits |
//! | `{fits}` | a quantity that has words for 0, 1 and so on: `Yes` |
//! | `{2*(dp-1)/dp\|3}` | a bare number to three digits |
//! | `{weights\|auto}` | as without a bar, and an error for what is not one quantity |
//! | `{6*params\|count}` | with k, M, B or T: `180 B` |
//! | `{params\|exact}` | a whole number in full: `8 030 261 248` |
//! | `{optimizer\|text}` | the parameter as written, where a quantity has the same name |
//! | `{{` and `}}` | a brace |
//!
//! Everything that is put in is escaped for HTML, and a number stays on one line with its unit; what stands around it is left
//! as it is.

use std::ops::Range;

use super::env::Names;
use crate::answer::{find_unit, units_of};
use crate::decimal;
use crate::expr::Expr;
use crate::quantity::{Unit, count, dollars, exact, number, significant, unbroken, word};

/// What fills templates.
#[derive(Debug, Clone, Copy)]
pub struct Template;

impl Template {
    /// Replaces each `{…}` of `text` by its value in `env`. The error is a sentence for the author.
    pub fn fill(text: &str, env: &dyn Names) -> Result<String, String> {
        Self::fill_with(text, |inside| value(inside, env))
    }

    /// Replaces each `{…}` of `text` by an ellipsis, for as long as its value is on its way.
    pub fn outline(text: &str) -> Result<String, String> {
        Self::fill_with(text, |_| Ok("…".to_owned()))
    }

    fn fill_with(text: &str, value: impl Fn(&str) -> Result<String, String>) -> Result<String, String> {
        let mut filled = String::with_capacity(text.len());
        for piece in pieces(text)? {
            match piece {
                Piece::Text(range) => filled.push_str(text.get(range).unwrap_or_default()),
                Piece::Brace(brace) => filled.push(brace),
                Piece::Hole(range) => escape(&value(text.get(range).unwrap_or_default())?, &mut filled),
            }
        }
        Ok(filled)
    }

    /// The places of what stands between braces, without them.
    pub fn holes(text: &str) -> Result<Vec<Range<usize>>, String> {
        let hole = |piece| match piece {
            Piece::Hole(range) => Some(range),
            _ => None,
        };
        Ok(pieces(text)?.into_iter().filter_map(hole).collect())
    }
}

enum Piece {
    Text(Range<usize>),
    Brace(char),
    Hole(Range<usize>),
}

fn pieces(text: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|rest| rest.find(['{', '}'])) {
        let at = from + found;
        let rest = text.get(at..).unwrap_or_default();
        pieces.push(Piece::Text(from..at));
        if let Some(brace) = ['{', '}'].into_iter().find(|&b| doubled(rest, b)) {
            pieces.push(Piece::Brace(brace));
            from = at + 2;
            continue;
        }
        if rest.starts_with('}') {
            return Err(format!("There is a “}}” without its “{{” {}: write }}}} for a brace.", near(text, at)));
        }
        let Some(length) = rest.get(1..).and_then(|inside| inside.find(['{', '}', '\n'])) else {
            return Err(format!("The “{{” {} is never closed: write {{{{ for a brace.", near(text, at)));
        };
        let end = at + 1 + length;
        if text.as_bytes().get(end) != Some(&b'}') {
            return Err(format!("The “{{” {} is never closed: write {{{{ for a brace.", near(text, at)));
        }
        pieces.push(Piece::Hole(at + 1..end));
        from = end + 1;
    }
    pieces.push(Piece::Text(from..text.len()));
    Ok(pieces)
}

fn doubled(rest: &str, brace: char) -> bool {
    rest.chars().take(2).eq([brace, brace])
}

/// Where a brace stands, in words: a few characters from it on.
fn near(text: &str, at: usize) -> String {
    let excerpt: String = text.get(at..).unwrap_or_default().chars().take(20).collect();
    format!("at “{excerpt}”")
}

/// The text of one `{…}`.
fn value(inside: &str, env: &dyn Names) -> Result<String, String> {
    let mut parts = inside.split('|').map(str::trim);
    let source = parts.next().unwrap_or_default();
    let formats: Vec<&str> = parts.collect();
    if source.is_empty() {
        return Err(format!("“{{{inside}}}” is empty: put a name or an expression there, or write {{{{ for a brace."));
    }
    let expr = Expr::parse(source).map_err(|e| env.explain(source, e))?;
    if let Some(name) = expr.as_name() {
        let text = env.text(name);
        match (formats.as_slice(), text) {
            (["text"], Some(text)) => return Ok(text.to_owned()),
            (["text"], None) => {
                return Err(format!("“{{{inside}}}”: there is no parameter “{name}” to write as text."));
            }
            ([], Some(text)) if env.number(name).is_none() => return Ok(text.to_owned()),
            ([], Some(text)) if env.unit(name).is_some() && decimal::parse(text).is_none() => {
                return Err(format!(
                    "“{{{inside}}}” is both a quantity and the parameter “{text}”: write {{{name}|auto}} or {{{name}|text}}."
                ));
            }
            _ => {}
        }
    }
    let result = env.eval_parsed(&expr, source)?;
    let words = expr.as_name().map_or(&[][..], |name| env.words(name));
    if let ([] | ["auto"], Some(word)) = (formats.as_slice(), word(words, result)) {
        return Ok(word.to_owned());
    }
    let unit = expr.as_name().and_then(|name| env.unit(name));
    written(result, unit, &formats).map(|text| unbroken(&text)).ok_or_else(|| {
        format!(
            "“{{{inside}}}” cannot be written that way: after the bar put a unit such as GB, GiB, ms or %, a number of \
             digits from 1 to 12, count, dollars, exact for a whole number in full, or text for a parameter; auto is for a single quantity."
        )
    })
}

fn written(value: f64, unit: Option<Unit>, formats: &[&str]) -> Option<String> {
    let digits = |text: &str| text.parse::<u32>().ok().filter(|d| (1..=12).contains(d));
    match formats {
        [] => Some(unit.map_or_else(|| bare(value), |unit| unit.format(value))),
        ["auto"] => unit.map(|unit| unit.format(value)),
        ["count"] => Some(count(value)),
        ["dollars"] => Some(dollars(value)),
        ["exact"] => exact(value),
        [one] if digits(one).is_some() => digits(one).map(|d| significant(value, d)),
        [name] => in_unit(value, name, 3),
        [name, precise] => digits(precise).and_then(|d| in_unit(value, name, d)),
        _ => None,
    }
}

fn in_unit(value: f64, name: &str, digits: u32) -> Option<String> {
    if name == "count" {
        let scale = units_of(Unit::Count).into_iter().rev().find(|u| value.abs() >= u.factor)?;
        return Some(scale.write(value, digits));
    }
    find_unit(name).map(|unit| unit.write(value, digits))
}

/// A number that nobody gave a unit: whole numbers below a million in full.
pub(super) fn bare(value: f64) -> String {
    if value.fract() == 0.0 { count(value) } else { number(value) }
}

fn escape(text: &str, into: &mut String) {
    for c in text.chars() {
        match c {
            '&' => into.push_str("&amp;"),
            '<' => into.push_str("&lt;"),
            '>' => into.push_str("&gt;"),
            '"' => into.push_str("&quot;"),
            '\'' => into.push_str("&#39;"),
            c => into.push(c),
        }
    }
}

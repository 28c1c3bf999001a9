//! Inline values: numbers in prose that `core` computes when the site is built.
//!
//! `` `=memory-breakdown total ? params=30e9&zero=3&dp=64 as GB` ``: after `=` a model's id, an expression over its
//! quantities and numeric parameters, optionally `?` and a query, optionally `as` and a format. A lone quantity is
//! written by its id (`bubble-fraction`); in an expression its hyphens are `_`. Formats: a unit (`GB`, `GiB`, `ms`, `%`:
//! those of [`ringside_core::answer`]), `auto` (a lone quantity's own way, which is also the default), `count`, `exact` (a whole
//! number in full: 8,030,261,248), or a number of significant digits.
//!
//! Facts of the hardware have names of their own ([`constants`]) and need no model: `` `=h100_80.peak` ``, `` `=1024*h100_80.peak as 3` ``.
//! What is quoted from elsewhere and only happens to be such a fact stands as it is: `` `=quoted 989 TFLOP/s` ``.

use ringside_core::answer::{find_unit, units_of};
use ringside_core::catalogue::{Entry, Evaluation};
use ringside_core::hardware::constants;
use ringside_core::quantity::{Unit, dollars, exact, number, significant};
use ringside_core::query::{Query, parse_number};
use ringside_core::{catalogue, expr};

use crate::evaluated::evaluated;

/// A computed number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Value {
    /// In base units.
    pub(crate) value: f64,
    /// For a person.
    pub(crate) text: String,
}

/// What is wrong with an inline value.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Trouble {
    pub(crate) message: String,
    /// What was written where something else was expected, and what that could have been.
    pub(crate) given: String,
    pub(crate) options: Vec<String>,
}

impl Trouble {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), ..Self::default() }
    }

    fn near(message: impl Into<String>, given: &str, options: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let options = options.into_iter().map(Into::into).collect();
        Self { message: message.into(), given: given.to_owned(), options }
    }
}

/// Computes what stands between the `=` and the closing backtick.
pub(crate) fn compute(source: &str) -> Result<Value, Trouble> {
    let source = source.trim();
    let (model, rest) = source.split_once(char::is_whitespace).unwrap_or((source, ""));
    if let Some(value) = without_model(source) {
        return value;
    }
    if rest.is_empty() {
        return Err(Trouble::new(
            "An inline value is `=model expression ? query as format`, such as `=amdahl speedup ? n=8`.",
        ));
    }
    let Some(entry) = catalogue::find(model) else {
        return Err(Trouble::near(format!("There is no model “{model}”."), model, catalogue::ALL.iter().map(|e| e.id)));
    };
    let (rest, format) = split_format(rest);
    let (expression, query) = rest.split_once('?').unwrap_or((rest, ""));
    let evaluation = evaluated(entry, &Query::parse(query));
    if let Some(problem) = evaluation.problems.first() {
        return Err(Trouble::new(problem.message.clone()));
    }
    if let Some(error) = &evaluation.error {
        return Err(Trouble::new(error.clone()));
    }
    let (value, unit) = evaluate(entry, &evaluation, expression.trim())?;
    Ok(Value { value, text: write(value, unit, format)? })
}

/// Begins what is quoted: it stands as it is written.
pub(crate) const QUOTED: &str = "quoted ";

fn split_format(source: &str) -> (&str, &str) {
    match source.rfind(" as ") {
        Some(at) => (&source[..at], source[at + 4..].trim()),
        None => (source, "auto"),
    }
}

/// What needs no model: a quotation, or an expression over facts of the hardware alone.
fn without_model(source: &str) -> Option<Result<Value, Trouble>> {
    if let Some(text) = source.strip_prefix(QUOTED) {
        let digits = text.split(|c: char| !(c.is_ascii_digit() || c == '.')).next().unwrap_or_default();
        return Some(Ok(Value { value: parse_number(digits).unwrap_or_default(), text: text.trim().to_owned() }));
    }
    let (expression, format) = split_format(source);
    let parsed = expr::Expr::parse(expression).ok()?;
    let names = parsed.names();
    if names.is_empty() || !names.iter().all(|name| name.contains('.')) {
        return None;
    }
    let unit = parsed.as_name().and_then(constants::find).map(|(_, unit)| unit);
    let value = parsed.eval(&|name| constants::find(name).map(|(value, _)| value)).map_err(|e| match e.unknown {
        Some(name) => {
            Trouble::near(format!("There is no fact “{name}” of the hardware."), &name, constants::all().map(|c| c.0))
        }
        None => Trouble::new(e.message),
    });
    Some(value.and_then(|value| Ok(Value { value, text: write(value, unit, format)? })))
}

/// The value of an expression and, of a lone quantity, its unit.
fn evaluate(entry: &Entry, evaluation: &Evaluation, expression: &str) -> Result<(f64, Option<Unit>), Trouble> {
    if let Some(quantity) = evaluation.quantities.iter().find(|q| q.id == expression) {
        return Ok((quantity.value, Some(quantity.unit)));
    }
    let lookup = |name: &str| {
        let quantity = evaluation.quantities.iter().find(|q| expr::name_matches(q.id, name));
        let parameter = || evaluation.query.iter().find(|(n, _)| expr::name_matches(n, name)).map(|(_, v)| v);
        let own = quantity.map(|q| q.value).or_else(|| parameter().and_then(parse_number));
        own.or_else(|| constants::find(name).map(|(value, _)| value))
    };
    let parsed = expr::Expr::parse(expression).map_err(|e| Trouble::new(e.message))?;
    let unit = parsed
        .as_name()
        .and_then(|name| evaluation.quantities.iter().find(|q| expr::name_matches(q.id, name)))
        .map(|q| q.unit);
    let value = parsed.eval(&lookup).map_err(|e| match e.unknown {
        Some(name) => Trouble::near(
            format!("“{name}” is neither a quantity nor a numeric parameter of {}.", entry.id),
            &name,
            entry.quantities().map(|(id, ..)| id).chain(entry.params().map(|p| p.spec.name)).map(expr::name_of),
        ),
        None => Trouble::new(e.message),
    })?;
    Ok((value, unit))
}

fn write(value: f64, unit: Option<Unit>, format: &str) -> Result<String, Trouble> {
    match format {
        "auto" => return Ok(unit.map_or_else(|| number(value), |u| u.format(value))),
        "count" => return Ok(Unit::Count.format(value)),
        "dollars" => return Ok(dollars(value)),
        "exact" => {
            let problem = || Trouble::new(format!("{} is not a whole number to be written in full.", number(value)));
            return exact(value).ok_or_else(problem);
        }
        _ => {}
    }
    if let Some(digits) = format.parse::<u32>().ok().filter(|d| (1..=15).contains(d)) {
        return Ok(significant(value, digits));
    }
    let Some(named) = find_unit(format) else {
        let message = format!(
            "“{format}” is not a format; formats are units such as GB, GiB, ms or %, auto, count, dollars, exact, or a number \
             of significant digits from 1 to 15."
        );
        return Err(Trouble::near(
            message,
            format,
            ["GB", "GiB", "MB", "MiB", "ms", "auto", "count", "dollars", "exact"],
        ));
    };
    if let Some(unit) = unit.filter(|u| !units_of(*u).iter().any(|n| n.name == named.name)) {
        let what = match unit {
            Unit::Ratio => "a pure number".to_owned(),
            Unit::Count => "a count".to_owned(),
            unit => units_of(unit).first().map_or_else(String::new, |base| format!("in {}", base.name)),
        };
        return Err(Trouble::new(format!("This value is {what}, so it cannot be written in {format}.")));
    }
    Ok(named.write(value, 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(source: &str) -> String {
        compute(source).map(|v| v.text).unwrap_or_else(|t| t.message)
    }

    #[test]
    fn values_are_computed_and_formatted() {
        assert_eq!(text("amdahl speedup ? serial=0.05&n=64"), "15.4");
        assert_eq!(text("amdahl scaled-speedup ? n=64 as 4"), "60.85");
        assert_eq!(text("amdahl scaled_speedup / n ? n=64"), "0.951");
        assert_eq!(text("amdahl efficiency?n=64"), "24.1%");
        assert_eq!(text("amdahl 1 - efficiency ? n=64 as %"), "75.9%");
        assert_eq!(text("amdahl n * 1000 ? n=1234 as 2"), "1,200,000");
        assert_eq!(text("amdahl n*1e9 ? n=60 as GiB"), "55.9 GiB");
        assert_eq!(text("amdahl n*1e6 ? n=64 as exact"), "64,000,000");
        assert_eq!(compute("amdahl n ? n=64").map(|v| v.value), Ok(64.0));
        assert_eq!(text("h100_80.peak"), "989 TFLOP/s");
        assert_eq!(text("h100_80.bandwidth as TB/s"), "3.35 TB/s");
        assert_eq!(text("2 * h100_80.peak / h100_80.bandwidth as 3"), "590");
        assert_eq!(text("amdahl n * nvlink4.bandwidth ? n=2 as GB/s"), "900 GB/s");
        assert_eq!(text("quoted 989 TFLOP/s"), "989 TFLOP/s");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (source, message) in [
            ("amdahl", "An inline value is"),
            ("", "An inline value is"),
            ("amdal speedup", "There is no model “amdal”"),
            ("amdahl spedup", "“spedup” is neither"),
            ("amdahl speedup ? m=3", "There is no parameter “m”"),
            ("amdahl speedup ? n=many", "n must be a whole number"),
            ("amdahl speedup as GBB", "“GBB” is not a format"),
            ("amdahl speedup as GB", "This value is a pure number"),
            ("memory-breakdown total as ms", "This value is in B"),
            ("amdahl speedup as 16", "is not a format"),
            ("amdahl 1/0", "divides by zero"),
            ("amdahl n/3 ? n=64 as exact", "is not a whole number"),
            ("h100_80.peek", "no fact “h100_80.peek”"),
            ("h100_80.peak as GB", "cannot be written in GB"),
        ] {
            assert!(text(source).contains(message), "{source}: {}", text(source));
        }
    }
}

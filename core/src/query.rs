//! Parameters as text: what a link, a `widget` block or an exercise says, read without ever giving up.
//!
//! A model's parameters have the field's standard names (`params`, `dtype`, `zero`, `dp`). Reading yields a value for
//! each one plus a list of [`Problem`]s: a value that is unknown or out of range is named, its default is used, and the
//! rest is kept.

use std::fmt;

use crate::decimal;

/// Names and values in the order in which they were given; a later value for a name wins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// A query from pairs.
    pub fn new<N: Into<String>, V: Into<String>>(pairs: impl IntoIterator<Item = (N, V)>) -> Self {
        Self(pairs.into_iter().map(|(n, v)| (n.into(), v.into())).collect())
    }

    /// Reads the query of a URL, percent-encoded, without its question mark: `params=30e9&dp=64`. A name without `=` has an
    /// empty value. Writing it ([`fmt::Display`]) and reading it again gives the same.
    pub fn parse(text: &str) -> Self {
        let pairs = text.split('&').map(str::trim).filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name.trim()), decode(value.trim()))
        });
        Self::new(pairs)
    }

    /// The last value given for `name`.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }

    /// Replaces every value of `name` by one.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.0.retain(|(n, _)| n != name);
        self.0.push((name.to_owned(), value.into()));
    }

    /// This query without `name`.
    pub fn without(&self, name: &str) -> Self {
        Self(self.0.iter().filter(|(n, _)| n != name).cloned().collect())
    }

    /// This query with the pairs of `changes` put over it.
    pub fn with(&self, changes: &Query) -> Self {
        let mut merged = self.clone();
        for (name, value) in changes.iter() {
            merged.set(name, value);
        }
        merged
    }

    /// The pairs.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(n, v)| (n.as_str(), v.as_str()))
    }

    /// Whether there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.0.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { "&" })?;
            encode(f, name)?;
            f.write_str("=")?;
            encode(f, value)?;
        }
        Ok(())
    }
}

fn encode(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    text.bytes().try_for_each(|byte| {
        if byte.is_ascii_alphanumeric() || b"-_.~,:/*".contains(&byte) {
            write!(f, "{}", char::from(byte))
        } else {
            write!(f, "%{byte:02X}")
        }
    })
}

fn decode(text: &str) -> String {
    let hex = |b: u8| char::from(b).to_digit(16).map(|digit| digit as u8);
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        bytes.push(match (first, tail) {
            (b'%', [a, b, after @ ..]) if let (Some(a), Some(b)) = (hex(*a), hex(*b)) => {
                rest = after;
                a * 16 + b
            }
            (b'+', _) => b' ',
            (byte, _) => *byte,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Something about a parameter that a learner, an author or an instructor has to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The parameter it is about.
    pub name: String,
    /// The value that was given.
    pub value: String,
    /// What is wrong and what would be valid; a full sentence.
    pub message: String,
    /// Whether the parameter can't have the value, whatever others have.
    pub refused: bool,
}

/// One parameter of a model, as its page documents it and its author's mistakes are checked against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ParamSpec {
    /// The standard name, as in a query string.
    pub name: &'static str,
    /// What it means, with its unit.
    pub doc: &'static str,
    /// What values it takes.
    pub kind: Kind,
    /// The value used when none is given, written as in a query string; empty where absence means something.
    pub default: &'static str,
}

impl ParamSpec {
    /// What is wrong with a number, if the parameter does not take it: a sentence.
    pub fn refuses(&self, value: f64) -> Option<String> {
        let (kind, min, max, fits) = match self.kind {
            Kind::Real { min, max } => ("number", min, max, true),
            Kind::Integer { min, max } => ("whole number", min as f64, max as f64, value.fract() == 0.0),
            Kind::Choice(_) => return None,
        };
        let wrong = !fits || !(min..=max).contains(&value);
        wrong.then(|| {
            format!("{} must be a {kind} from {} to {}, not {}.", self.name, plain(min), plain(max), plain(value))
        })
    }

    /// Whether `text` says the default.
    pub fn is_default(&self, text: &str) -> bool {
        match self.kind {
            Kind::Choice(_) => text == self.default,
            Kind::Integer { .. } | Kind::Real { .. } => parse_number(text) == parse_number(self.default),
        }
    }
}

/// A parameter that takes one of some words.
pub const fn choice(
    name: &'static str,
    doc: &'static str,
    options: &'static [&'static str],
    default: &'static str,
) -> ParamSpec {
    ParamSpec { name, doc, kind: Kind::Choice(options), default }
}

/// The values that a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A real number in a closed interval.
    Real {
        /// Smallest valid value.
        min: f64,
        /// Largest valid value.
        max: f64,
    },
    /// A whole number in a closed interval.
    Integer {
        /// Smallest valid value.
        min: u64,
        /// Largest valid value.
        max: u64,
    },
    /// One of a few names; any text if there are none.
    Choice(&'static [&'static str]),
}

/// Choices that had another name, in links that were made before, and their name now.
const RENAMED: [(&str, &str); 3] = [("v100", "v100-32"), ("a100", "a100-80"), ("h100", "h100-80")];

/// Reads a model's parameters one by one and collects what was wrong.
#[derive(Debug)]
pub struct Reader<'a> {
    specs: Vec<&'a ParamSpec>,
    query: &'a Query,
    problems: Vec<Problem>,
}

impl<'a> Reader<'a> {
    /// Starts reading `query` by `specs`. Names that no spec has are reported at once. Names for a page rather than
    /// for the model (`present`, `embed`, `step`) belong in `specs` too or must be taken out before.
    pub fn new(specs: &'a [ParamSpec], query: &'a Query) -> Self {
        Self::over(specs.iter().collect(), query)
    }

    /// The same, of specs that lie apart.
    pub fn over(specs: Vec<&'a ParamSpec>, query: &'a Query) -> Self {
        let known: Vec<&str> = specs.iter().map(|s| s.name).collect();
        let unknown = |name: &&str| !known.contains(name);
        let mut seen: Vec<&str> = Vec::new();
        let mut problems = Vec::new();
        for (name, value) in query.iter().filter(|(name, _)| unknown(name)) {
            if seen.contains(&name) {
                continue;
            }
            seen.push(name);
            let hint = did_you_mean(name, &known);
            problems.push(Problem {
                name: name.to_owned(),
                value: value.to_owned(),
                message: format!("There is no parameter “{}”{hint}. It was ignored.", shorten(name)),
                refused: false,
            });
        }
        Self { specs, query, problems }
    }

    /// The query that is read.
    pub fn query(&self) -> &'a Query {
        self.query
    }

    fn spec(&self, name: &str) -> Option<&'a ParamSpec> {
        self.specs.iter().find(|s| s.name == name).copied()
    }

    /// What was given for a parameter; none for nothing or blanks.
    pub(crate) fn text(&self, name: &str) -> Option<&'a str> {
        self.query.get(name).map(str::trim).filter(|v| !v.is_empty())
    }

    /// Records a problem that only the model can see, such as two parameters that exclude each other.
    pub fn problem(&mut self, name: &str, message: impl Into<String>) {
        self.report(name, message.into(), false);
    }

    fn report(&mut self, name: &str, message: String, refused: bool) {
        let value = self.query.get(name).unwrap_or_default().to_owned();
        self.problems.push(Problem { name: name.to_owned(), value, message, refused });
    }

    /// A real parameter, or its default with a problem; `None` if it was not given and its default is empty.
    pub fn real_or_none(&mut self, name: &str) -> Option<f64> {
        let spec = self.spec(name)?;
        let default = decimal::parse(spec.default);
        let (min, max) = match spec.kind {
            Kind::Real { min, max } => (min, max),
            Kind::Integer { min, max } => (min as f64, max as f64),
            Kind::Choice(_) => return default,
        };
        let Some(text) = self.text(name) else {
            return default;
        };
        let whole = matches!(spec.kind, Kind::Integer { .. });
        match parse_number(text) {
            Some(v) if (min..=max).contains(&v) && (!whole || v.fract() == 0.0) => Some(v),
            _ => {
                let kind = if whole { "a whole number" } else { "a number" };
                let used = if spec.default.is_empty() { String::new() } else { format!("; {} is used", spec.default) };
                let message = format!(
                    "{name} must be {kind} from {} to {}, not “{}”{used}.",
                    plain(min),
                    plain(max),
                    shorten(text)
                );
                self.report(name, message, true);
                default
            }
        }
    }

    /// A real parameter, or its default with a problem.
    pub fn real(&mut self, name: &str) -> f64 {
        self.real_or_none(name).unwrap_or_default()
    }

    /// A whole-number parameter, or its default with a problem.
    pub fn integer(&mut self, name: &str) -> u64 {
        self.real(name) as u64
    }

    /// A named choice, or the default with a problem. Case does not matter.
    pub fn choice(&mut self, name: &str) -> &'static str {
        let Some(spec) = self.spec(name) else {
            return "";
        };
        let Kind::Choice(options) = spec.kind else {
            return spec.default;
        };
        let Some(text) = self.text(name) else {
            return spec.default;
        };
        if let Some(found) = options.iter().find(|o| o.eq_ignore_ascii_case(text)) {
            return found;
        }
        let now = RENAMED.iter().find(|(before, _)| before.eq_ignore_ascii_case(text)).map(|(_, now)| *now);
        if let Some(found) = options.iter().find(|o| now == Some(**o)) {
            return found;
        }
        // A GPU may go by the name that its driver gives it.
        let gpu = crate::hardware::in_place_of_id(text).map(|gpu| gpu.id);
        if let Some(found) = options.iter().find(|o| gpu == Some(**o)) {
            return found;
        }
        let hint = did_you_mean(text, options);
        let used =
            if spec.default.is_empty() { "It was ignored".to_owned() } else { format!("{} is used", spec.default) };
        let message =
            format!("“{}” is not a value of {name}{hint}. Choose from {}. {used}.", shorten(text), options.join(", "));
        self.report(name, message, true);
        spec.default
    }

    /// Everything that was wrong, also with parameters that the model had no use for and did not read.
    pub fn finish(mut self) -> Vec<Problem> {
        for spec in self.specs.clone() {
            if self.text(spec.name).is_none() || self.problems.iter().any(|p| p.name == spec.name) {
                continue;
            }
            match spec.kind {
                // Any text, which the page reads by itself.
                Kind::Choice([]) => {}
                Kind::Choice(_) => _ = self.choice(spec.name),
                Kind::Integer { .. } | Kind::Real { .. } => _ = self.real_or_none(spec.name),
            }
        }
        self.problems
    }
}

/// A number as people write it in a link: `30e9`, `7.5`, `30B`, `8b`, `1_000`, `512k`. `None` for anything else, and for
/// infinities.
pub fn parse_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let (digits, factor) = match text.char_indices().next_back()? {
        (i, 'k' | 'K') => (&text[..i], 1e3),
        (i, 'm' | 'M') => (&text[..i], 1e6),
        (i, 'b' | 'B' | 'g' | 'G') => (&text[..i], 1e9),
        (i, 't' | 'T') => (&text[..i], 1e12),
        _ => (text, 1.0),
    };
    let digits = digits.trim_end().replace('_', "");
    if !digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-')) {
        return None;
    }
    decimal::parse(&digits).map(|v| v * factor).filter(|v| v.is_finite())
}

/// `", did you mean “x”?"`-style hint, empty when nothing is near.
pub fn did_you_mean(given: &str, options: &[&str]) -> String {
    nearest(given, options).map_or_else(String::new, |option| format!(" (did you mean “{option}”?)"))
}

/// The option that what was given is a slip of, if there is one.
pub(crate) fn nearest<'a>(given: &str, options: &[&'a str]) -> Option<&'a str> {
    let given = given.to_ascii_lowercase();
    let near = options.iter().map(|o| (edit_distance(&given, &o.to_ascii_lowercase()), *o)).min_by_key(|(d, _)| *d);
    near.filter(|(distance, option)| *distance <= 1 + option.chars().count() / 4).map(|(_, option)| option)
}

/// Levenshtein distance in characters; long strings are cut at 64.
fn edit_distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(64).collect();
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let cost = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

/// Text for a message: at most 40 characters of it.
pub fn shorten(text: &str) -> String {
    if text.chars().count() <= 40 { text.to_owned() } else { text.chars().take(39).chain(['…']).collect() }
}

/// A bound or value as short as it can be written in a query string: `30e9`, `64`, `0.5`.
pub fn plain(value: f64) -> String {
    if value.abs() >= 1e6 || (value != 0.0 && value.abs() < 1e-3) {
        let text = format!("{value:e}");
        return text;
    }
    format!("{value}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECS: &[ParamSpec] = &[
        ParamSpec { name: "params", doc: "parameters", kind: Kind::Real { min: 1.0, max: 1e15 }, default: "7e9" },
        ParamSpec { name: "dp", doc: "ranks", kind: Kind::Integer { min: 1, max: 65536 }, default: "1" },
        ParamSpec { name: "dtype", doc: "type", kind: Kind::Choice(&["fp32", "bf16"]), default: "bf16" },
    ];

    #[test]
    fn a_bad_value_is_named_and_the_rest_is_kept() {
        let query = Query::new([("params", "30B"), ("dp", "2.5"), ("dtype", "bf61"), ("zreo", "3")]);
        let mut reader = Reader::new(SPECS, &query);
        assert_eq!(reader.real("params"), 30e9);
        assert_eq!(reader.integer("dp"), 1);
        assert_eq!(reader.choice("dtype"), "bf16");
        let problems = reader.finish();
        assert_eq!(problems.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["zreo", "dp", "dtype"]);
        assert!(problems[2].message.contains("did you mean “bf16”"), "{}", problems[2].message);
    }

    #[test]
    fn what_is_written_reads_back() {
        let query = Query::new([("params", "30e9"), ("name", "a b&c=d%+é"), ("empty", "")]);
        assert_eq!(query.to_string(), "params=30e9&name=a%20b%26c%3Dd%25%2B%C3%A9&empty=");
        assert_eq!(Query::parse(&query.to_string()), query);
        assert_eq!(Query::parse("%zz=1&%&&x&y=a+b"), Query::new([("%zz", "1"), ("%", ""), ("x", ""), ("y", "a b")]));
    }

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (text, value) in
            [("30e9", 30e9), ("30B", 30e9), ("7.5 b", 7.5e9), ("1_000", 1000.0), ("512k", 512e3), ("-1", -1.0)]
        {
            assert_eq!(parse_number(text), Some(value), "{text}");
        }
        for text in ["", "NaN", "inf", "1e999", "12abc", "1,5", "0x10", "é"] {
            assert_eq!(parse_number(text), None, "{text}");
        }
    }
}

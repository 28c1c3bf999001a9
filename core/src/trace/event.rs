//! The fields of one event, read from its text without building a tree of it.
//!
//! Some writers leave escapes that JSON does not have: such a character stands for itself.

use std::borrow::Cow;

use crate::decimal;

/// A value, as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Raw<'a> {
    /// What stands between quotation marks, escapes and all.
    Text(&'a [u8]),
    /// A number, or `true`, `false`, `null`.
    Bare(&'a [u8]),
    /// An object or a list, with its brackets.
    Nested(&'a [u8]),
}

impl<'a> Raw<'a> {
    /// The text of it, or the number as it is written.
    pub fn text(self) -> Cow<'a, str> {
        match self {
            Raw::Text(raw) if raw.contains(&b'\\') => Cow::Owned(unescaped(raw)),
            Raw::Text(raw) | Raw::Bare(raw) | Raw::Nested(raw) => String::from_utf8_lossy(raw),
        }
    }

    /// A number, also one between quotation marks.
    pub fn number(self) -> Option<f64> {
        match self {
            Raw::Text(raw) | Raw::Bare(raw) => decimal::parse(std::str::from_utf8(raw).ok()?.trim()),
            Raw::Nested(_) => None,
        }
    }

    /// A whole number.
    pub fn whole(self) -> Option<i64> {
        let (Raw::Text(raw) | Raw::Bare(raw)) = self else { return None };
        let text = std::str::from_utf8(raw).ok()?.trim();
        text.parse().ok().or_else(|| {
            let number = decimal::parse(text).filter(|n| n.fract() == 0.0 && n.abs() < 9e15)?;
            Some(number as i64)
        })
    }

    /// A number of microseconds in nanoseconds, without the rounding that a double would bring to times since 1970. None for
    /// what is no number, and for more than a century.
    pub fn nanoseconds(self) -> Option<i64> {
        let (Raw::Text(raw) | Raw::Bare(raw)) = self else { return None };
        let text = std::str::from_utf8(raw).ok()?.trim();
        exact(text).or_else(|| {
            let number = decimal::parse(text)? * 1e3;
            (number.abs() < CENTURY as f64).then(|| number.round() as i64)
        })
    }
}

/// No trace has a time beyond this, in nanoseconds: a century.
const CENTURY: i64 = 3_200_000_000 * 1_000_000_000;

/// Digits with at most three decimals, in thousandths.
fn exact(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() || fraction.len() > 3 {
        return None;
    }
    let padding = [b'0'; 3];
    let decimals = fraction.bytes().chain(padding).take(3);
    let value = whole.bytes().chain(decimals).try_fold(0_i64, |n, b| {
        let digit = b.is_ascii_digit().then(|| i64::from(b - b'0'))?;
        n.checked_mul(10)?.checked_add(digit)
    })?;
    (value < CENTURY).then_some(if negative { -value } else { value })
}

/// Calls `take` with every member of an object: its name, without its escapes undone, and its value. Whether it is an object to
/// its end.
pub fn members<'a>(object: &'a [u8], mut take: impl FnMut(&'a [u8], Raw<'a>)) -> bool {
    let mut rest = space(object);
    let Some(after) = rest.strip_prefix(b"{") else { return false };
    rest = space(after);
    if rest.starts_with(b"}") {
        return true;
    }
    loop {
        let Some((Raw::Text(name), after)) = value(rest) else { return false };
        let Some(after) = space(after).strip_prefix(b":") else { return false };
        let Some((found, after)) = value(space(after)) else { return false };
        take(name, found);
        rest = space(after);
        match rest {
            [b',', after @ ..] => rest = space(after),
            [b'}', ..] => return true,
            _ => return false,
        }
    }
}

fn space(text: &[u8]) -> &[u8] {
    text.trim_ascii_start()
}

/// The value at the beginning of `text`, and what comes after it.
fn value(text: &[u8]) -> Option<(Raw<'_>, &[u8])> {
    match text {
        [b'"', after @ ..] => {
            let end = closing(after)?;
            Some((Raw::Text(after.get(..end)?), after.get(end + 1..)?))
        }
        [b'{' | b'[', ..] => {
            let end = matching(text)?;
            Some((Raw::Nested(text.get(..end)?), text.get(end..)?))
        }
        _ => {
            let end = text.iter().position(|b| matches!(b, b',' | b'}' | b']') || b.is_ascii_whitespace())?;
            (end > 0).then_some((Raw::Bare(text.get(..end)?), text.get(end..)?))
        }
    }
}

/// Where the quotation mark is that ends a text.
fn closing(text: &[u8]) -> Option<usize> {
    let mut escaped = false;
    text.iter().position(|&byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}

/// How long what begins with a bracket is.
fn matching(text: &[u8]) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_u32, false, false);
    for (i, &byte) in text.iter().enumerate() {
        if quoted {
            quoted = byte != b'"' || escaped;
            escaped = byte == b'\\' && !escaped;
            continue;
        }
        match byte {
            b'"' => (quoted, escaped) = (true, false),
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 && !quoted {
            return Some(i + 1);
        }
    }
    None
}

fn unescaped(raw: &[u8]) -> String {
    let text = String::from_utf8_lossy(raw);
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match rest.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some('u') => {
                let digits: String = rest.clone().take(4).collect();
                match u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32) {
                    Some(c) if digits.len() == 4 => {
                        plain.push(c);
                        rest.by_ref().take(4).for_each(drop);
                    }
                    _ => plain.push('u'),
                }
            }
            Some(other) => plain.push(other),
            None => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<(String, String)>, bool) {
        let mut found = Vec::new();
        let whole = members(text.as_bytes(), |name, value| {
            found.push((String::from_utf8_lossy(name).into_owned(), value.text().into_owned()));
        });
        (found, whole)
    }

    #[test]
    fn members_are_found_whatever_stands_in_them() {
        let (found, whole) = read(r#" { "a" : "x\"y" , "b":[1,{"c":"]}"}], "d": -1.5e3,"e":{} }"#);
        assert!(whole);
        let pairs: Vec<(&str, &str)> = found.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(pairs, [("a", "x\"y"), ("b", r#"[1,{"c":"]}"}]"#), ("d", "-1.5e3"), ("e", "{}")]);
    }

    #[test]
    fn what_is_no_object_is_told_and_nothing_panics() {
        for text in
            ["", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\" 1}", "[1]", "{a:1}", "{\"a\":\"\\", "{\"a\":{\"b\":1}"]
        {
            assert!(!read(text).1, "{text}");
        }
        assert!(read("{}").1);
    }

    #[test]
    fn escapes_that_json_does_not_have_stand_for_themselves() {
        let (found, _) = read(r#"{"a":"\d\\\u0041\u00zz\n"}"#);
        assert_eq!(found[0].1, "d\\Au00zz\n");
    }

    #[test]
    fn times_are_exact_to_the_nanosecond() {
        let ns = |text: &str| Raw::Bare(text.as_bytes()).nanoseconds();
        assert_eq!(ns("1665536373729077.123"), Some(1_665_536_373_729_077_123));
        assert_eq!(ns("-0.5"), Some(-500));
        assert_eq!(ns("12"), Some(12_000));
        assert_eq!(ns("1.5e3"), Some(1_500_000));
        assert_eq!(ns("0.0004"), Some(0));
        assert_eq!(
            (ns("1e300"), ns("9999999999999999999"), ns("null"), ns(""), ns("1.2.3")),
            (None, None, None, None, None)
        );
    }
}

//! Arithmetic as authors and learners write it: `2*(n-1)/n`, `params × 2 + 12.5% · x`, `ceil(log2(dp))`.
//!
//! An expression is parsed once, into a list of steps for a stack machine, and evaluated as often as wanted with names
//! looked up by the caller. It has:
//!
//! - numbers: `64`, `.5`, `3.35e12`, and percentages `12.5%` (a hundredth of the number before the sign);
//! - `+ - * / ^`, parentheses, a leading minus; also `× · ⋅ ÷ −`. `^` binds most tightly and to the right: `-2^2` is −4;
//! - names: a letter or `_`, then letters, digits and `_`; of a fact of the hardware the row's and the fact's with a point between them
//!   (`h100_80.peak`, see [`crate::hardware::constants`]). The id of a quantity or parameter that has a hyphen
//!   (`bubble-fraction`) is written with `_` in its place (`bubble_fraction`); [`name_of`] and [`name_matches`] do that;
//! - functions: `min` and `max` of one or more, and `ceil floor round sqrt log2 log10 ln exp` of one;
//! - multiplication without a sign before a parenthesis or a name: `2(n-1)/n`, `6 n d`. After a division it could mean
//!   two things (`1/2n`), so there it is an error that asks for parentheses.
//!
//! Evaluation is total: every step yields a finite number or an [`Error`] that says what would be valid. Length and
//! nesting are limited ([`MAX_LENGTH`], [`MAX_DEPTH`]).

use std::fmt;

use crate::decimal;
use crate::query::shorten;

/// The longest expression that is read, in bytes.
pub const MAX_LENGTH: usize = 2000;

/// How deeply parentheses, signs and powers may be nested.
pub const MAX_DEPTH: usize = 60;

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Where in the text, in bytes from its beginning; its length if something is missing at the end.
    pub at: usize,
    /// What is wrong there and what would be valid: a sentence.
    pub message: String,
    /// The name that the caller did not know, if that is what is wrong, so that the caller can say which it does know.
    pub unknown: Option<String>,
}

impl Error {
    fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), unknown: None }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// The name under which the quantity or parameter `id` appears in an expression: `_` for `-`.
pub fn name_of(id: &str) -> String {
    id.replace('-', "_")
}

/// Whether `name`, as written in an expression, means the quantity or parameter `id`.
pub fn name_matches(id: &str, name: &str) -> bool {
    id.len() == name.len() && id.bytes().zip(name.bytes()).all(|(i, n)| i == n || (i == b'-' && n == b'_'))
}

/// The names of the functions, for messages and documentation.
pub const FUNCTIONS: [&str; 10] = ["min", "max", "ceil", "floor", "round", "sqrt", "log2", "log10", "ln", "exp"];

/// Parses and evaluates `text`; `lookup` gives the value of a name.
///
/// ```
/// use ringside_core::expr::evaluate;
/// let names = |name: &str| (name == "n").then_some(8.0);
/// assert_eq!(evaluate("2(n-1)/n", &names), Ok(1.75));
/// assert!(evaluate("1/(n-8)", &names).unwrap_err().message.contains("divides by zero"));
/// ```
pub fn evaluate(text: &str, lookup: &dyn Fn(&str) -> Option<f64>) -> Result<f64, Error> {
    Expr::parse(text)?.eval(lookup)
}

/// The names that `text` uses, each once, in the order in which they appear.
pub fn names(text: &str) -> Result<Vec<String>, Error> {
    Ok(Expr::parse(text)?.names().into_iter().map(str::to_owned).collect())
}

/// An expression that has been read.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// In the order of a stack machine, each with its place in the text.
    steps: Vec<(usize, Step)>,
}

#[derive(Debug, Clone, PartialEq)]
enum Step {
    Number(f64),
    Name(String),
    Negate,
    Binary(char),
    Call(&'static str, usize),
}

impl Expr {
    /// Reads `text`.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if text.len() > MAX_LENGTH {
            let message = format!("This is too long to be read: at most {MAX_LENGTH} characters are.");
            return Err(Error::new(0, message));
        }
        let mut parser = Parser { text, at: 0, depth: 0, steps: Vec::new() };
        parser.sum()?;
        match parser.peek() {
            None => Ok(Self { steps: parser.steps }),
            Some(')') => Err(Error::new(parser.at, "There is a “)” without its “(”.")),
            Some(',') => {
                Err(Error::new(parser.at, "A comma only separates what min and max choose from, as in min(1, 2)."))
            }
            Some(_) => Err(parser.unexpected("an operator such as + or ×")),
        }
    }

    /// The names used, each once, in the order in which they appear.
    pub fn names(&self) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        for (_, step) in &self.steps {
            if let Step::Name(name) = step
                && !found.contains(&name.as_str())
            {
                found.push(name);
            }
        }
        found
    }

    /// The numbers written in it, each with its place in the text.
    pub fn literals(&self) -> impl Iterator<Item = (usize, f64)> {
        self.steps.iter().filter_map(|(at, step)| match step {
            Step::Number(value) => Some((*at, *value)),
            _ => None,
        })
    }

    /// The one name that this expression consists of, if it does.
    pub fn as_name(&self) -> Option<&str> {
        match self.steps.as_slice() {
            [(_, Step::Name(name))] => Some(name),
            _ => None,
        }
    }

    /// The value, with names looked up by `lookup`.
    pub fn eval(&self, lookup: &dyn Fn(&str) -> Option<f64>) -> Result<f64, Error> {
        let mut stack: Vec<f64> = Vec::new();
        for (at, step) in &self.steps {
            let at = *at;
            let value = match step {
                Step::Number(value) => *value,
                Step::Name(name) => look_up(at, name, lookup)?,
                Step::Negate => -pop(&mut stack, at)?,
                Step::Binary(operator) => {
                    let right = pop(&mut stack, at)?;
                    let left = pop(&mut stack, at)?;
                    binary(at, *operator, left, right)?
                }
                Step::Call(function, count) => {
                    let from = stack.len().saturating_sub(*count);
                    call(at, function, &stack.split_off(from))?
                }
            };
            stack.push(value);
        }
        pop(&mut stack, 0)
    }
}

/// A comparison of two expressions: `total < 75e9`.
#[derive(Debug, Clone, PartialEq)]
pub struct Assertion {
    left: Expr,
    sign: &'static str,
    right: Expr,
}

/// The comparisons; longer ones first, since they begin as the shorter ones do.
const COMPARISONS: [&str; 5] = ["<=", ">=", "==", "<", ">"];

impl Assertion {
    /// Reads `total < 75e9`.
    ///
    /// # Errors
    /// A sentence: it compares nothing, or a side can't be read.
    pub fn parse(text: &str) -> Result<Self, String> {
        let found = COMPARISONS.iter().find_map(|sign| Some((text.split_once(sign)?, *sign)));
        let Some(((left, right), sign)) = found else {
            return Err(format!("“{text}” compares nothing. Write it with <, <=, >, >= or ==: 'total < 75e9'."));
        };
        let side = |side: &str| Expr::parse(side.trim()).map_err(|error| format!("“{text}”: {error}"));
        Ok(Self { left: side(left)?, sign, right: side(right)? })
    }

    /// Whether it holds, and the values of both sides, with names looked up by `lookup`.
    ///
    /// # Errors
    /// A side has no value.
    pub fn eval(&self, lookup: &dyn Fn(&str) -> Option<f64>) -> Result<(bool, [f64; 2]), Error> {
        let (left, right) = (self.left.eval(lookup)?, self.right.eval(lookup)?);
        let holds = match self.sign {
            "<=" => left <= right,
            ">=" => left >= right,
            "==" => left == right,
            "<" => left < right,
            _ => left > right,
        };
        Ok((holds, [left, right]))
    }
}

fn pop(stack: &mut Vec<f64>, at: usize) -> Result<f64, Error> {
    stack.pop().ok_or_else(|| Error::new(at, "Something is missing here: a number or a name."))
}

fn look_up(at: usize, name: &str, lookup: &dyn Fn(&str) -> Option<f64>) -> Result<f64, Error> {
    match lookup(name) {
        Some(value) if value.is_finite() => Ok(value),
        Some(_) => Err(Error::new(at, format!("“{}” is not a finite number.", shorten(name)))),
        None => {
            let message = format!("There is nothing called “{}” here.", shorten(name));
            Err(Error { at, message, unknown: Some(name.to_owned()) })
        }
    }
}

fn finite(at: usize, value: f64) -> Result<f64, Error> {
    if value.is_finite() { Ok(value) } else { Err(Error::new(at, "This comes to a number that is too large.")) }
}

fn binary(at: usize, operator: char, left: f64, right: f64) -> Result<f64, Error> {
    let value = match operator {
        '+' => left + right,
        '-' => left - right,
        '*' => left * right,
        '/' if right == 0.0 => return Err(Error::new(at, "This divides by zero.")),
        '/' => left / right,
        _ if left == 0.0 && right < 0.0 => {
            return Err(Error::new(at, "This divides by zero: zero has no negative powers."));
        }
        _ if left < 0.0 && right.fract() != 0.0 => {
            return Err(Error::new(at, "A negative number only has whole-number powers."));
        }
        _ => left.powf(right),
    };
    finite(at, value)
}

fn call(at: usize, function: &'static str, arguments: &[f64]) -> Result<f64, Error> {
    let first = arguments.first().copied().unwrap_or_default();
    let value = match function {
        "min" => arguments.iter().copied().fold(first, f64::min),
        "max" => arguments.iter().copied().fold(first, f64::max),
        "ceil" => first.ceil(),
        "floor" => first.floor(),
        "round" => first.round(),
        "sqrt" if first < 0.0 => {
            return Err(Error::new(at, "A negative number has no square root."));
        }
        "sqrt" => first.sqrt(),
        "exp" => first.exp(),
        _ if first <= 0.0 => {
            return Err(Error::new(at, format!("{function} needs a number above zero.")));
        }
        "log2" => first.log2(),
        "log10" => first.log10(),
        _ => first.ln(),
    };
    finite(at, value)
}

/// The ASCII form of an operator that has others, or the character itself.
pub fn plain_operator(c: char) -> char {
    match c {
        '×' | '·' | '⋅' | '∙' | '∗' | '✕' | '⨯' => '*',
        '÷' | '∕' | '⁄' => '/',
        '−' | '–' | '﹣' | '－' => '-',
        '＋' => '+',
        other => other,
    }
}

/// Whether `c` can begin a name.
pub fn begins_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// Whether `c` can stand in a name.
pub fn continues_name(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c.is_ascii_digit()
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    steps: Vec<(usize, Step)>,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next character that is not a space, as its plain operator.
    fn peek(&mut self) -> Option<char> {
        let blank = |c: char| c.is_whitespace() || matches!(c, '\u{200b}' | '\u{2060}' | '\u{feff}');
        let rest = self.rest();
        let spaces = rest.len() - rest.trim_start_matches(blank).len();
        self.at += spaces;
        self.rest().chars().next().map(plain_operator)
    }

    fn step(&mut self) {
        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
    }

    fn unexpected(&mut self, expected: &str) -> Error {
        let found = match self.peek() {
            None => return Error::new(self.at, format!("Something is missing at the end: {expected}.")),
            Some(c) if begins_name(c) => self.rest().chars().take_while(|&c| continues_name(c)).collect(),
            Some(c) if c.is_control() => c.escape_default().to_string(),
            Some(_) => self.rest().chars().take(1).collect::<String>(),
        };
        let hint = match found.as_str() {
            "²" | "³" | "⁴" | "⁵" | "⁶" | "*" => " Write powers with ^, as in n^2.",
            "[" | "{" => " Only round parentheses are read.",
            _ => "",
        };
        Error::new(self.at, format!("There is “{}” where {expected} was expected.{hint}", shorten(&found)))
    }

    fn deeper(&mut self) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("This is nested too deeply: at most {MAX_DEPTH} parentheses and signs are read.");
            return Err(Error::new(self.at, message));
        }
        Ok(())
    }

    fn sum(&mut self) -> Result<(), Error> {
        self.product()?;
        while let Some(operator @ ('+' | '-')) = self.peek() {
            let at = self.at;
            self.step();
            self.product()?;
            self.steps.push((at, Step::Binary(operator)));
        }
        Ok(())
    }

    fn product(&mut self) -> Result<(), Error> {
        self.signed()?;
        let mut divided = false;
        loop {
            let Some(next) = self.peek() else {
                return Ok(());
            };
            let at = self.at;
            match next {
                '*' | '/' => {
                    divided = next == '/';
                    self.step();
                    self.signed()?;
                    self.steps.push((at, Step::Binary(next)));
                }
                c if c == '(' || begins_name(c) => {
                    if divided {
                        let message = "It is not clear what is divided by: write a sign or parentheses, as in \
                                       1/(2*n) or (1/2)*n.";
                        return Err(Error::new(at, message));
                    }
                    self.power()?;
                    self.steps.push((at, Step::Binary('*')));
                }
                c if c.is_ascii_digit() => {
                    return Err(Error::new(at, "There are two numbers side by side: write the sign between them."));
                }
                _ => return Ok(()),
            }
        }
    }

    fn signed(&mut self) -> Result<(), Error> {
        match self.peek() {
            Some(sign @ ('-' | '+')) => {
                let at = self.at;
                self.step();
                self.deeper()?;
                self.signed()?;
                self.depth -= 1;
                if sign == '-' {
                    self.steps.push((at, Step::Negate));
                }
                Ok(())
            }
            _ => self.power(),
        }
    }

    fn power(&mut self) -> Result<(), Error> {
        self.atom()?;
        if self.peek() == Some('^') {
            let at = self.at;
            self.step();
            self.deeper()?;
            self.signed()?;
            self.depth -= 1;
            self.steps.push((at, Step::Binary('^')));
        }
        Ok(())
    }

    fn atom(&mut self) -> Result<(), Error> {
        match self.peek() {
            Some('(') => {
                let at = self.at;
                self.step();
                self.deeper()?;
                self.sum()?;
                self.close(at)?;
                self.depth -= 1;
                Ok(())
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if begins_name(c) => self.name(),
            _ => Err(self.unexpected("a number, a name or “(”")),
        }
    }

    fn close(&mut self, opened: usize) -> Result<(), Error> {
        match self.peek() {
            Some(')') => {
                self.step();
                Ok(())
            }
            None => Err(Error::new(opened, "This “(” is never closed: a “)” is missing.")),
            Some(',') => {
                Err(Error::new(self.at, "A comma only separates what min and max choose from, as in min(1, 2)."))
            }
            Some(_) => Err(self.unexpected("“)” or an operator such as + or ×")),
        }
    }

    fn number(&mut self) -> Result<(), Error> {
        let at = self.at;
        let digits = number_length(self.rest());
        let text = self.rest().get(..digits).unwrap_or_default();
        let value = decimal::parse(text).ok_or_else(|| {
            let message = format!("“{}” is not a number: write one like 64, 0.5 or 3e9.", shorten(text));
            Error::new(at, message)
        })?;
        let mut value = finite(at, value)?;
        self.at += digits;
        if let Some('%') = self.peek() {
            self.step();
            value /= 100.0;
        }
        self.steps.push((at, Step::Number(value)));
        Ok(())
    }

    fn name(&mut self) -> Result<(), Error> {
        let at = self.at;
        let mut name: String = self.rest().chars().take_while(|&c| continues_name(c)).collect();
        self.at += name.len();
        if self.rest().strip_prefix('.').is_some_and(|fact| fact.starts_with(begins_name)) {
            let fact: String = self.rest().chars().skip(1).take_while(|&c| continues_name(c)).collect();
            self.at += 1 + fact.len();
            name = format!("{name}.{fact}");
        }
        let function = FUNCTIONS.into_iter().find(|f| *f == name);
        let Some(function) = function.filter(|_| self.peek() == Some('(')) else {
            self.steps.push((at, Step::Name(name)));
            return Ok(());
        };
        let opened = self.at;
        self.step();
        self.deeper()?;
        let mut count = 1;
        self.sum()?;
        while self.peek() == Some(',') {
            if !matches!(function, "min" | "max") {
                return Err(Error::new(self.at, format!("{function} takes one number: write “)” here.")));
            }
            self.step();
            self.sum()?;
            count += 1;
        }
        self.close(opened)?;
        self.depth -= 1;
        self.steps.push((at, Step::Call(function, count)));
        Ok(())
    }
}

/// How many bytes at the beginning of `text` are a number: digits, at most one point, and an exponent if it has digits.
pub(crate) fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes.iter().skip(from).take_while(|b| b.is_ascii_digit()).count();
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end += 1;
        end += digits(end);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    end
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names_for_tests(name: &str) -> Option<f64> {
        match name {
            "n" => Some(8.0),
            "params" => Some(30e9),
            "bubble_fraction" => Some(0.25),
            "zero" => Some(0.0),
            "broken" => Some(f64::NAN),
            _ => None,
        }
    }

    fn value(text: &str) -> f64 {
        evaluate(text, &names_for_tests).unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    #[test]
    fn arithmetic_is_read_as_it_is_written_on_paper() {
        for (text, expected) in [
            ("1+2*3", 7.0),
            ("(1+2)*3", 9.0),
            ("2^3^2", 512.0),
            ("-2^2", -4.0),
            ("2^-1", 0.5),
            ("2*-3", -6.0),
            ("--3", 3.0),
            ("+3", 3.0),
            ("10-4-3", 3.0),
            ("64/8/2", 4.0),
            ("2*(n-1)/n", 1.75),
            ("2(n-1)/n", 1.75),
            ("(n-1)(n+1)", 63.0),
            ("2 n^2", 128.0),
            ("6 n n", 384.0),
            ("n(n-1)/2", 28.0),
            ("30e9 × 2", 60e9),
            ("4.8·10^11", 4.8e11),
            ("3 ÷ 4 − 1", -0.25),
            ("12.5%", 0.125),
            ("100% - 12.5 %", 0.875),
            ("1.5e-3", 0.0015),
            (".5", 0.5),
            ("5.", 5.0),
            ("params * 2", 60e9),
            ("1 - bubble_fraction", 0.75),
            ("min(3, 2, n)", 2.0),
            ("max(1)", 1.0),
            ("ceil(7/2) + floor(7/2) + round(2.5)", 10.0),
            ("sqrt(n*2) + log2(n) + log10(1000) + ln(exp(2))", 12.0),
            ("\u{a0}1\u{2009}+\u{202f}1", 2.0),
            ("0*zero", 0.0),
        ] {
            assert!((value(text) - expected).abs() <= 1e-12 * expected.abs(), "{text} = {}", value(text));
        }
    }

    #[test]
    fn errors_say_where_and_what_would_be_valid() {
        for (text, at, fragment) in [
            ("", 0, "missing at the end: a number"),
            ("1+", 2, "missing at the end"),
            ("1+*2", 2, "“*” where a number"),
            ("n**2", 2, "powers with ^"),
            ("(1+2", 0, "never closed"),
            ("1+2)", 3, "without its “(”"),
            ("1 2", 2, "two numbers side by side"),
            ("n n 2", 4, "two numbers side by side"),
            ("1/0", 1, "divides by zero"),
            ("1/zero", 1, "divides by zero"),
            ("0^-1", 1, "divides by zero"),
            ("(-8)^0.5", 4, "whole-number powers"),
            ("sqrt(-1)", 0, "no square root"),
            ("log2(0)", 0, "above zero"),
            ("1e999", 0, "too large"),
            ("10^400", 2, "too large"),
            ("exp(1e9)", 0, "too large"),
            ("1 + foo", 4, "nothing called “foo”"),
            ("sine(1)", 0, "nothing called “sine”"),
            ("broken", 0, "not a finite number"),
            ("1/2n", 3, "1/(2*n) or (1/2)*n"),
            ("1/n(n-1)", 3, "1/(2*n) or (1/2)*n"),
            ("sqrt(1,2)", 6, "takes one number"),
            ("1,5", 1, "A comma only separates"),
            ("(1,5)", 2, "A comma only separates"),
            ("min()", 4, "“)” where a number"),
            ("n²", 1, "powers with ^"),
            ("[1]", 0, "round parentheses"),
            (".", 0, "“.” is not a number"),
            ("1.2.3", 3, "operator such as"),
            ("n%", 1, "operator such as"),
            ("1\u{0}", 1, "\\u{0}"),
            ("é", 0, "nothing called “é”"),
        ] {
            let error = evaluate(text, &names_for_tests).unwrap_err();
            assert!(error.message.contains(fragment), "{text}: {error}");
            assert_eq!(error.at, at, "{text}: {error}");
        }
        assert_eq!(evaluate("foo", &|_| None).unwrap_err().unknown.as_deref(), Some("foo"));
    }

    #[test]
    fn size_is_limited() {
        for text in [
            "(".repeat(1999),
            "-".repeat(1999),
            "2^".repeat(999) + "1",
            "1+".repeat(100_000),
            "min(".repeat(400),
            "9".repeat(2000),
        ] {
            assert!(evaluate(&text, &|_| None).is_err());
        }
        let deep = "(".repeat(MAX_DEPTH) + "1" + &")".repeat(MAX_DEPTH);
        assert_eq!(evaluate(&deep, &|_| None), Ok(1.0));
        assert_eq!(evaluate(&("1+".repeat(900) + "1"), &|_| None), Ok(901.0));
    }

    #[test]
    fn names_are_listed_once() {
        assert_eq!(names("2(n-1)/n + min(params, 3) + min").unwrap(), ["n", "params", "min"]);
        assert!(Expr::parse(" params ").unwrap().as_name() == Some("params"));
        assert!(Expr::parse("params+0").unwrap().as_name().is_none());
        assert!(name_matches("bubble-fraction", "bubble_fraction") && !name_matches("bubble-fraction", "bubble"));
        assert!(!name_matches("a_b", "a-b"));
        assert_eq!(names("2 h100_80.peak/n.x").unwrap(), ["h100_80.peak", "n.x"]);
        assert!(Expr::parse("n.5").is_err() && Expr::parse("n.").is_err());
        let literals: Vec<_> = Expr::parse("2*(n+989e12)").unwrap().literals().collect();
        assert_eq!(literals, [(0, 2.0), (5, 989e12)]);
        assert_eq!(name_of("bubble-fraction"), "bubble_fraction");
    }

    proptest! {
        #[test]
        fn anything_is_a_finite_number_or_an_error_inside_the_text(text in "\\PC*|[-0-9a-z+*/^()%,. e×]{0,60}") {
            match evaluate(&text, &names_for_tests) {
                Ok(value) => prop_assert!(value.is_finite()),
                Err(error) => prop_assert!(error.at <= text.len() && text.is_char_boundary(error.at)),
            }
        }

        #[test]
        fn a_number_written_is_read(value in proptest::num::f64::NORMAL) {
            prop_assert_eq!(evaluate(&format!("{value:e}"), &|_| None), Ok(value));
        }
    }
}

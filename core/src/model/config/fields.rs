//! The fields of a config, read by name, with what was wrong with each.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;

use serde::Deserialize;
use serde::de::{self, MapAccess, Visitor};
use serde_json::Value;

use super::companions::joined;
use super::unread;
use crate::model::problem::ConfigProblem;
use crate::model::shape::{Attention, MAX_LAYERS, MAX_ROWS, MAX_WIDTH, Shape};
use crate::query::shorten;

/// The top level of the file, in order, so that a field given twice is seen.
pub(super) struct Pairs(pub(super) Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Top;
        impl<'de> Visitor<'de> for Top {
            type Value = Pairs;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Top)
    }
}

impl Pairs {
    /// The last value of a field.
    pub(super) fn last(&self, name: &str) -> Option<&Value> {
        self.0.iter().rev().find(|(n, _)| n == name).map(|(_, value)| value)
    }
}

/// A config, and a file that says more of it.
fn two_files(text: &str) -> Option<Pairs> {
    let mut files = serde_json::Deserializer::from_str(text).into_iter::<Pairs>();
    let (first, second) = (files.next()?.ok()?, files.next()?.ok()?);
    if files.next().is_some() { None } else { joined(first, second) }
}

pub(super) fn parse(text: &str) -> Result<Vec<(String, Value)>, ConfigProblem> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err(ConfigProblem::new("", "The text is empty: paste the whole config.json, braces included."));
    }
    let (text, printed) = without_heading(text);
    let text = quoted_words(&text);
    let mut reader = serde_json::Deserializer::from_str(&text);
    // After a printed config, a log goes on.
    let read = Pairs::deserialize(&mut reader).and_then(|p| match reader.end() {
        Err(rest) if !printed => two_files(&text).ok_or(rest),
        _ => Ok(p),
    });
    read.map(|p| p.0).map_err(|e| {
        let (line, column) = (e.line(), e.column());
        let what = e.to_string();
        let what = what.split(" at line ").next().unwrap_or_default();
        let message = if what.contains("recursion limit") {
            format!("The text is nested too deeply at line {line}, column {column}: a config.json has a few levels.")
        } else if e.classify() == serde_json::error::Category::Data {
            format!("A config.json is one object in braces {{ }}; this is something else ({what}).")
        } else {
            let rest = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
            let near: String = rest.chars().skip(column.saturating_sub(1)).take(12).collect();
            let python = near.starts_with(['\'', 'T', 'F', 'N']) || rest.trim_start().starts_with("{'");
            let near = if near.trim().is_empty() { String::new() } else { format!(", near “{}”", near.trim()) };
            let instead = if python { " It looks like a Python dict: print it with json.dumps." } else { "" };
            format!("The text is not JSON: {what} at line {line}, column {column}{near}.{instead}")
        };
        ConfigProblem::new("", message)
    })
}

/// The text with spaces for what transformers prints before a config, and whether it was there: `Model config LlamaConfig {`.
fn without_heading(text: &str) -> (Cow<'_, str>, bool) {
    let (heading, rest) = text.split_at(text.find('{').unwrap_or(text.len()));
    if !heading.trim_end().ends_with("Config") {
        return (Cow::Borrowed(text), false);
    }
    let blank = |c: char| if c == '\n' { c } else { ' ' };
    (Cow::Owned(heading.chars().map(blank).chain(rest.chars()).collect()), true)
}

/// The text with `NaN`, `Infinity` and `-Infinity`, which Python's json writes and JSON does not know, in quotes: no size is one.
fn quoted_words(text: &str) -> Cow<'_, str> {
    const WORDS: [&str; 3] = ["NaN", "-Infinity", "Infinity"];
    if !WORDS.iter().any(|word| text.contains(word)) {
        return Cow::Borrowed(text);
    }
    let (mut out, mut rest, mut quoted) = (String::with_capacity(text.len()), text, false);
    while let Some(c) = rest.chars().next() {
        // An escape is two characters; a word is none of another's end.
        let escape = if quoted && c == '\\' { rest.chars().nth(1).map_or(1, |next| 1 + next.len_utf8()) } else { 0 };
        let ends = out.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let word = WORDS.iter().find(|word| !quoted && !ends && rest.starts_with(**word));
        let len = match word {
            _ if escape > 0 => escape,
            Some(word) => word.len(),
            None => c.len_utf8(),
        };
        let (part, after) = rest.split_at_checked(len).unwrap_or((rest, ""));
        quoted ^= c == '"';
        match word {
            Some(word) => out.extend(["\"", word, "\""]),
            None => out.push_str(part),
        }
        rest = after;
    }
    Cow::Owned(out)
}

/// A value as a message shows it: `the text “thirty-two”`, `-32`, `a list`.
pub(super) fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(b) => b.to_string(),
        Value::Number(n) if n.is_f64() => match n.as_f64() {
            Some(f) if f.abs() >= 1e15 => format!("{f:e}"),
            _ => n.to_string(),
        },
        Value::Number(n) => n.to_string(),
        Value::String(s) => format!("the text “{}”", shorten(s)),
        Value::Array(_) => "a list".into(),
        Value::Object(_) => "an object".into(),
    }
}

/// The fields of a config, read by name, with what was wrong.
pub(super) struct Fields<'a> {
    pairs: &'a [(String, Value)],
    /// Which of them a rule has looked at.
    read: Vec<Cell<bool>>,
    /// What a rule has looked at inside an object: its name and the field's.
    read_inside: RefCell<Vec<(&'static str, &'static str)>>,
    /// The family by whose rules they are read.
    pub family: &'static str,
    /// Whether they are the `text_config` of a model with several parts, which is stored as what differs from its class.
    pub nested: bool,
    /// Whether that family is not its own: what it leaves out is not what that family's class has.
    pub derived: bool,
    /// Whether that family is only what they look like.
    pub guessing: bool,
    /// What makes the config unusable.
    pub problems: Vec<ConfigProblem>,
    /// What a reader should know.
    pub warnings: Vec<ConfigProblem>,
    /// What the file says that the family's rule does not count: "attn_config.qk_ln true".
    pub doubts: Vec<String>,
}

/// What is a size by its name in an unread value, however deep it stands; a parser bounds the depth.
fn sizes_within(path: &str, name: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(inner) if !unread::is_no_size(name) => {
            for (n, v) in inner {
                sizes_within(&format!("{path}.{n}"), n, v, found);
            }
        }
        _ if unread::concerns_sizes(name, value) => found.push(said(path, value)),
        _ => {}
    }
}

/// "attn_config.qk_ln true".
pub(super) fn said(name: &str, value: &Value) -> String {
    let name = shorten(name);
    match value {
        Value::Array(_) | Value::Object(_) => name,
        _ => format!("{name} {}", describe(value)),
    }
}

/// What an absent lesser size falls back on.
#[derive(Clone, Copy)]
pub(super) enum Absent {
    /// A number that the library's class has; said in a warning.
    Class(u64),
    /// A number that follows from the others; not worth a warning.
    Derived(u64),
}

impl<'a> Fields<'a> {
    pub(super) fn new(pairs: &'a [(String, Value)]) -> Self {
        Self {
            pairs,
            read: vec![Cell::new(false); pairs.len()],
            read_inside: RefCell::default(),
            family: "",
            nested: false,
            derived: false,
            guessing: false,
            problems: Vec::new(),
            warnings: Vec::new(),
            doubts: Vec::new(),
        }
    }

    /// The last value of a field, as JSON readers take it. `null` counts as given.
    pub(super) fn raw(&self, name: &str) -> Option<&'a Value> {
        let mut found = None;
        for ((_, value), read) in self.pairs.iter().zip(&self.read).filter(|((n, _), _)| n == name) {
            read.set(true);
            found = Some(value);
        }
        found
    }

    /// A field of an object of the file; `null` counts as absent.
    pub(super) fn within(&self, object: &'static str, name: &'static str) -> Option<&'a Value> {
        self.read_inside.borrow_mut().push((object, name));
        let (_, outer) = self.pairs.iter().rev().find(|(n, _)| n == object)?;
        outer.get(name).filter(|v| !v.is_null())
    }

    /// Fields that the library's class has and does not use.
    pub(super) fn unused(&self, names: &[&str]) {
        for name in names {
            self.raw(name);
        }
    }

    /// A field that makes the total a guess unless it is `usual` or absent.
    pub(super) fn expect(&mut self, name: &str, usual: &Value) {
        if let Some(value) = self.value(name)
            && value != usual
        {
            self.doubts.push(said(name, value));
        }
    }

    /// The same inside an object.
    pub(super) fn expect_within(&mut self, object: &'static str, name: &'static str, usual: &Value) {
        if let Some(value) = self.within(object, name)
            && value != usual
        {
            self.doubts.push(said(&format!("{object}.{name}"), value));
        }
    }

    /// What no rule has looked at and, by its name, concerns sizes.
    pub(super) fn unread_sizes(&self) -> Vec<String> {
        let mut found = Vec::new();
        for ((name, value), _) in self.pairs.iter().zip(&self.read).filter(|(_, read)| !read.get()) {
            match value {
                _ if unread::is_no_size(name) || self.is_said_by_another_name(name, value) => {}
                Value::Object(inner) => {
                    let known = self.read_inside.borrow();
                    for (n, v) in inner.iter().filter(|(n, _)| !known.iter().any(|(o, f)| o == name && f == n)) {
                        sizes_within(&format!("{name}.{n}"), n, v, &mut found);
                    }
                }
                _ if unread::concerns_sizes(name, value) => found.push(said(name, value)),
                _ => {}
            }
        }
        found
    }

    /// Whether a count of experts stands under two names with one value, and the other was read.
    fn is_said_by_another_name(&self, name: &str, value: &Value) -> bool {
        let mut read = self.pairs.iter().zip(&self.read).filter(|(_, read)| read.get()).map(|(pair, _)| pair);
        unread::COUNTS_OF_EXPERTS.contains(&name)
            && read.any(|(other, same)| unread::COUNTS_OF_EXPERTS.contains(&other.as_str()) && same == value)
    }

    /// A window of no tokens is no window here, and a cache of none in the library’s classes.
    pub(super) fn doubt_empty_window(&mut self) {
        if self.value("sliding_window").and_then(Value::as_u64) == Some(0) {
            self.doubts.push("sliding_window 0".to_owned());
        }
    }

    /// The value of a field; `null` counts as absent.
    pub(super) fn value(&self, name: &str) -> Option<&'a Value> {
        self.raw(name).filter(|v| !v.is_null())
    }

    pub(super) fn problem(&mut self, field: &'static str, message: String) {
        self.problems.push(ConfigProblem::new(field, message));
    }

    /// A field that is given twice with two values cannot be trusted.
    fn check_twice(&mut self, name: &'static str) {
        let mut given = self.pairs.iter().filter(|(n, _)| n == name).map(|(_, v)| v);
        let (first, last) = (given.next(), given.next_back());
        if let (Some(first), Some(last)) = (first, last)
            && first != last
        {
            let (first, last) = (describe(first), describe(last));
            self.problem(name, format!("{name} is given twice, as {first} and as {last}; remove one."));
        }
    }

    /// A whole number in a range, or a problem.
    pub(super) fn whole(&mut self, name: &'static str, value: &Value, min: u64, max: u64) -> Option<u64> {
        self.check_twice(name);
        let number = match value {
            Value::Number(number) => number,
            Value::String(text) if text.trim().parse::<u64>().is_ok() => {
                let text = text.trim();
                self.problem(
                    name,
                    format!("{name}: expected a whole number, got the text “{text}” (write it without quotes)."),
                );
                return None;
            }
            other => {
                self.problem(name, format!("{name}: expected a whole number, got {}.", describe(other)));
                return None;
            }
        };
        let shown = describe(value);
        if let Some(n) = number.as_u64() {
            if n < min {
                self.problem(name, format!("{name} must be a whole number of at least {min}, got {shown}."));
                return None;
            }
            if n > max {
                self.problems.push(ConfigProblem::out_of_range(name, &shown, min, max));
                return None;
            }
            return Some(n);
        }
        let real = number.as_f64().unwrap_or(f64::NAN);
        if real < min as f64 {
            self.problem(name, format!("{name} must be a whole number of at least {min}, got {shown}."));
        } else if real > max as f64 {
            self.problems.push(ConfigProblem::out_of_range(name, &shown, min, max));
        } else if real.fract() == 0.0 {
            let n = real as u64;
            self.warnings.push(ConfigProblem::new(name, format!("{name} is written {shown}; it was read as {n}.")));
            return Some(n);
        } else {
            self.problem(name, format!("{name}: expected a whole number, got {shown}."));
        }
        None
    }

    /// A size that defines the model, under any of `names`; missing is a problem that names the first.
    pub(super) fn need(&mut self, names: &[&'static str], what: &str, like: u64, max: u64) -> u64 {
        let given: Vec<(&'static str, &Value)> =
            names.iter().filter_map(|&name| Some((name, self.value(name)?))).collect();
        if let Some(&(name, value)) = given.first() {
            if let Some((other, another)) = given.iter().find(|(_, other)| *other != value) {
                let (one, two) = (describe(value), describe(another));
                self.problem(name, format!("{name} is {one} and {other} is {two}, which mean the same; remove one."));
            }
            return self.whole(name, value, 1, max).unwrap_or(0);
        }
        let name = names.first().copied().unwrap_or_default();
        let family = self.family;
        if self.nested
            && !self.derived
            && let Some(n) = class_size(family, name)
        {
            return self.size(name, Absent::Class(n), n, max);
        }
        self.problem(name, format!("{name} is missing (for {family} it is {what}, for example {like})."));
        0
    }

    /// A lesser size. `null` means what [`Absent::Derived`] gives, or `null_is`.
    pub(super) fn size(&mut self, name: &'static str, absent: Absent, null_is: u64, max: u64) -> u64 {
        match (self.raw(name), absent) {
            (Some(Value::Null), _) => null_is,
            (Some(value), _) => self.whole(name, value, 0, max).unwrap_or(null_is),
            (None, Absent::Derived(n)) => n,
            (None, Absent::Class(n)) => {
                self.warnings.push(ConfigProblem::of_class(name, self.family, n));
                n
            }
        }
    }

    /// Says what the library's class takes for an absent field that is no number.
    pub(super) fn warn_class(&mut self, name: &'static str, what: &str) {
        let family = self.family;
        self.warnings.push(ConfigProblem::new(
            name,
            format!("{name} is absent; as the library’s class for {family} has it, {what}."),
        ));
    }

    /// A size that may be absent.
    pub(super) fn maybe(&mut self, name: &'static str, max: u64) -> Option<u64> {
        let value = self.value(name)?;
        self.whole(name, value, 1, max)
    }

    /// A size inside an object of the file.
    pub(super) fn inside(&mut self, object: &'static str, name: &'static str, min: u64, max: u64) -> u64 {
        match self.within(object, name) {
            Some(value) => self.whole(name, value, min, max).unwrap_or(0),
            None => {
                let family = self.family;
                self.problem(name, format!("{name} is missing: for {family} it stands in {object}."));
                0
            }
        }
    }

    /// A switch.
    pub(super) fn flag(&mut self, name: &'static str, default: bool) -> bool {
        self.check_twice(name);
        match self.value(name) {
            None => default,
            Some(Value::Bool(b)) => *b,
            Some(other) => {
                self.problem(name, format!("{name}: expected true or false, got {}.", describe(other)));
                default
            }
        }
    }

    /// A number under any of the names if it is one; nobody's problem otherwise.
    pub(super) fn quiet(&self, names: &[&str]) -> Option<u64> {
        self.unused(names);
        names.iter().find_map(|name| self.value(name)?.as_u64())
    }

    /// How many of the first `layers` layers `layer_types` gives a window: a sliding one, or chunks (Llama 4).
    pub(super) fn sliding_types(&mut self, layers: u64) -> Option<u64> {
        let list = match self.value("layer_types")? {
            Value::Array(list) => list,
            other => {
                let got = describe(other);
                self.problem("layer_types", format!("layer_types: expected a list with one text a layer, got {got}."));
                return None;
            }
        };
        if list.len() as u64 != layers && layers != 0 {
            let len = list.len();
            self.problem("layer_types", format!("layer_types has {len} entries, but num_hidden_layers is {layers}."));
        }
        if let Some(other) = list.iter().find(|kind| !unread::is_softmax(kind)) {
            self.doubts.push(said("layer_types", other));
        }
        let bounded = |kind: &&Value| matches!(kind.as_str(), Some("sliding_attention" | "chunked_attention"));
        Some(list.iter().filter(bounded).count() as u64)
    }

    /// Heads of a stated or derived width, with the class's defaults for what is absent.
    pub(super) fn heads(&mut self, names: Names, hidden: u64, heads: u64, kv: Absent, dim: Option<u64>) -> Attention {
        let kv_heads = match self.size("num_key_value_heads", kv, heads, MAX_WIDTH) {
            0 if heads > 0 && self.value("num_key_value_heads").is_some_and(|v| v.as_u64() == Some(0)) => {
                self.problem(
                    "num_key_value_heads",
                    "num_key_value_heads must be a whole number of at least 1, got 0.".into(),
                );
                heads
            }
            n => n,
        };
        let head_dim = match (self.raw("head_dim"), dim) {
            (Some(Value::Null), _) | (None, None) => self.divide(names, hidden, heads),
            (Some(value), _) => self.whole("head_dim", value, 1, MAX_WIDTH).unwrap_or(0),
            (None, Some(default)) => self.size("head_dim", Absent::Class(default), 0, MAX_WIDTH),
        };
        Attention::Heads { kv_heads, head_dim }
    }

    /// hidden / heads, which must come out whole.
    pub(super) fn divide(&mut self, (width, number): Names, hidden: u64, heads: u64) -> u64 {
        if hidden == 0 || heads == 0 {
            return 0;
        }
        if !hidden.is_multiple_of(heads) {
            let message = format!("{width} {hidden} is not a multiple of {number} {heads} and no head_dim is given.");
            self.problem(width, message);
        }
        hidden / heads
    }
}

/// The sizes that the library's class gives a language model inside a larger one, whose `text_config` leaves out what does not
/// differ from it (`configuration_<family>.py`).
fn class_size(family: &str, name: &str) -> Option<u64> {
    let [hidden, layers, heads, vocab, mlp] = match family {
        "llama" => [4096, 32, 32, 32_000, 11_008],
        "mistral" => [4096, 32, 32, 32_000, 14_336],
        "qwen2" => [4096, 32, 32, 151_936, 22_016],
        "gemma3_text" => [2304, 26, 8, 262_208, 9216],
        _ => return None,
    };
    Some(match name {
        "hidden_size" => hidden,
        "num_hidden_layers" => layers,
        "num_attention_heads" => heads,
        "vocab_size" => vocab,
        "intermediate_size" => mlp,
        _ => return None,
    })
}

/// What a family calls its width and its number of heads.
pub(super) type Names = (&'static str, &'static str);
pub(super) const HF: Names = ("hidden_size", "num_attention_heads");
pub(super) const GPT: Names = ("n_embd", "n_head");

/// Width, layers, heads and vocabulary under their usual names.
pub(super) fn usual(f: &mut Fields<'_>) -> Shape {
    Shape {
        hidden_size: f.need(&["hidden_size"], "the model width", 4096, MAX_WIDTH),
        num_hidden_layers: f.need(&["num_hidden_layers"], "the number of layers", 32, MAX_LAYERS),
        num_attention_heads: f.need(&["num_attention_heads"], "the number of query heads", 32, MAX_WIDTH),
        vocab_size: f.need(&["vocab_size"], "the number of tokens", 32_000, MAX_ROWS),
        ..Shape::default()
    }
}

pub(super) fn dense_width(f: &mut Fields<'_>) -> u64 {
    f.need(&["intermediate_size"], "the width of the MLP", 11_008, MAX_ROWS)
}

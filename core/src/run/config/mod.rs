//! Configurations of frameworks, read back: the inverse of [`crate::memory::export`], and the serving engines' commands.
//!
//! A setting that isn't known is listed and kept in the run file ([`Run::unread`](super::Run)). One that is known and says nothing of memory
//! or time, such as a learning rate, is passed over in silence.

pub(super) mod deepspeed;
pub(super) mod fsdp;
pub(super) mod megatron;
pub(super) mod serve;
pub(super) mod torchtitan;

use std::collections::BTreeMap;

use super::card::Card;

/// An option of a command: `--name value value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Given {
    /// Without its hyphens, `-` for `_`.
    pub name: String,
    /// What stands behind it, up to the next option.
    pub values: Vec<String>,
    /// Its line, from 1.
    pub line: usize,
}

impl Given {
    /// The first value.
    pub fn value(&self) -> &str {
        self.values.first().map_or("", String::as_str)
    }

    /// As it stands.
    pub fn text(&self) -> String {
        format!("--{} {}", self.name, self.values.join(" ")).trim_end().to_owned()
    }
}

/// The most words of a text that are looked at.
const WORDS: usize = 20_000;

/// The most variables of a script that are put in their places.
const VARIABLES: usize = 1000;

/// The options in a text: a script, a command, an array of arguments. Variables that the text sets are put in their places.
pub(super) fn options(text: &str) -> Vec<Given> {
    let variables = variables(text);
    let mut all: Vec<Given> = Vec::new();
    let words = text.lines().enumerate().flat_map(|(i, line)| words(uncommented(line)).map(move |word| (i + 1, word)));
    for (line, word) in words.take(WORDS) {
        let word = expanded(&word, &variables);
        if let Some(name) = word.strip_prefix("--").filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic())) {
            let (name, values) = match name.split_once('=') {
                Some((name, value)) => (name, vec![value.to_owned()]),
                None => (name, Vec::new()),
            };
            all.push(Given { name: name.replace('_', "-"), values, line });
        } else if let Some(last) = all.last_mut().filter(|_| !matches!(word.as_str(), "&&" | "|")) {
            last.values.push(word);
        }
    }
    all
}

fn uncommented(line: &str) -> &str {
    match line.trim_start().strip_prefix('#') {
        // `#SBATCH` too: `launch::header_of` reads those.
        Some(_) => "",
        None => line.split_once(" #").map_or(line, |(line, _)| line),
    }
}

/// The variables that a text gives one value. One that branches or functions set to several, or to what isn't read, has none that is known.
fn variables(text: &str) -> Vec<(&str, String)> {
    // The order counts: one may hold another that is set before it.
    let mut all: BTreeMap<&str, (usize, Option<&str>)> = BTreeMap::new();
    let parts = text.lines().map(uncommented).flat_map(|line| line.split([';', '&', '|']));
    for (at, (name, value)) in parts.filter_map(assignment).enumerate() {
        let (_, known) = all.entry(name).or_insert((at, value));
        *known = known.filter(|known| Some(*known) == value);
    }
    let mut known: Vec<(usize, &str, String)> =
        all.into_iter().filter_map(|(name, (at, value))| Some((at, name, value?.to_owned()))).collect();
    known.sort_unstable_by_key(|(at, ..)| *at);
    known.truncate(VARIABLES);
    known.into_iter().map(|(_, name, value)| (name, value)).collect()
}

/// `NAME=value`, with or without `export`, quotes and a default: `${NAME:-value}`. No value if it isn't one word; the variable of a loop has
/// none either.
fn assignment(line: &str) -> Option<(&str, Option<&str>)> {
    let mut line = line.trim();
    if let Some(rest) = line.strip_prefix("for ") {
        let name = rest.split_once(" in ")?.0.trim();
        return is_name(name).then_some((name, None));
    }
    for word in ["then ", "else ", "do ", "{ ", "export ", "local ", "readonly "] {
        line = line.strip_prefix(word).map_or(line, str::trim_start);
    }
    let (name, value) = line.split_once('=')?;
    let is_whole = ['"', '\''].iter().all(|quote| value.matches(*quote).count() % 2 == 0);
    let value = value.trim_matches(['"', '\'']);
    let value = value.strip_prefix("${").and_then(|v| v.strip_suffix('}')?.split_once(":-")).map_or(value, |(_, v)| v);
    let is_known = is_whole && !value.contains([' ', '(', '`']) && value.len() < 200;
    is_name(name).then_some((name, is_known.then_some(value)))
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// The words of a line. Quotes and parentheses hold a group of flags as often as one word, so they count as spaces.
fn words(line: &str) -> impl Iterator<Item = String> {
    let line = line.replace(['"', '\'', '(', ')'], " ");
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    words.into_iter().filter(|word| word != "\\" && !word.ends_with('='))
}

fn expanded(word: &str, variables: &[(&str, String)]) -> String {
    if !word.contains('$') {
        return word.to_owned();
    }
    let mut text = word.to_owned();
    for (name, value) in variables.iter().rev() {
        if !text.contains(name) {
            continue;
        }
        for form in [format!("${{{name}}}"), format!("${name}")] {
            if text == form || text.ends_with(&form) || text.contains(&format!("{form}/")) {
                text = text.replace(&form, value);
            }
        }
        if text.len() > 4000 {
            break;
        }
    }
    text
}

/// A whole number that a setting gives; notes it if it is none.
pub(super) fn whole(card: &mut Card, text: &str, setting: &str, line: usize) -> Option<u64> {
    match crate::query::parse_number(text).filter(|n| (0.0..1e15).contains(n) && n.fract() == 0.0) {
        Some(n) => Some(n as u64),
        None => {
            let why = if text.contains('$') {
                "the variable isn't set in this text, or is set to different values"
            } else {
                "not a whole number"
            };
            card.unread_setting(setting, why, line);
            None
        }
    }
}

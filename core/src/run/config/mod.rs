//! Configurations of frameworks, read back: the inverse of [`crate::memory::export`], and the serving engines' commands.
//!
//! A setting that isn't known is listed and kept in the run file ([`Run::unread`](super::Run)). One that is known and says nothing of memory
//! or time, such as a learning rate, is passed over in silence.

pub(super) mod deepspeed;
pub(super) mod fsdp;
pub(super) mod megatron;
pub(super) mod serve;
pub(super) mod torchtitan;
pub(super) mod trainer;

use std::collections::BTreeMap;
use std::ops::Range;

use super::card::Card;
use super::file::Layout;
use crate::quantity::grouped;
use crate::serving::command::not_read;

/// What a setting was understood as, for its card: "bf16" for `--bf16 True`. What is a number or a name stands as it is written.
fn understood(label: &str, layout: &Layout, written: &str) -> String {
    let said = match label {
        "Precision" => layout.dtype.map(|dtype| dtype.id().to_owned()),
        "ZeRO stage" => layout.zero.map(|stage| stage.to_string()),
        "Recomputation" => layout.recompute.map(|what| what.label().to_owned()),
        "Optimizer" => layout.optimizer.map(|optimizer| optimizer.label().to_owned()),
        _ => None,
    };
    said.unwrap_or_else(|| match written {
        "" => "on".to_owned(),
        "true" | "True" | "yes" => "yes".to_owned(),
        "false" | "False" | "no" => "no".to_owned(),
        _ => written.parse().map_or_else(|_| written.to_owned(), grouped),
    })
}

/// An option of a command: `--name value value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Given {
    /// Without its hyphens, `-` for `_`.
    pub name: String,
    /// What stands behind it, up to the next option.
    pub values: Vec<String>,
    /// Its line, from 1.
    pub line: usize,
    /// Whether it stands in a file, as `name: value`.
    pub is_key: bool,
    /// Whether what it is given has settings of its own.
    pub is_map: bool,
}

impl Given {
    /// The first value.
    pub fn value(&self) -> &str {
        self.values.first().map_or("", String::as_str)
    }

    /// As it stands.
    pub fn text(&self) -> String {
        if self.is_key {
            return format!("{}: {}", self.name.replace('-', "_"), self.values.join(", "));
        }
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
    // Whether what comes next may belong to the last option, and whether the line before was the end of its command.
    let (mut goes_on, mut is_over) = (false, false);
    let lines = text.lines().enumerate().flat_map(|(i, line)| {
        let line = uncommented(line);
        let (is_value, is_end) = (is_value_alone(line), !line.trim_end().ends_with('\\'));
        let words: Vec<String> = words(line).collect();
        let last = words.len().saturating_sub(1);
        words.into_iter().enumerate().map(move |(n, word)| (i, word, n == 0, is_value, is_end && n == last))
    });
    for (at, word, is_first, is_value, is_end) in lines.take(WORDS) {
        if is_first && is_over {
            // A list has a value on a line of its own.
            goes_on &= is_value && all.last().is_some_and(|last| last.values.is_empty());
        }
        is_over = is_end;
        let (line, word) = (at + 1, expanded(&word, at, &variables));
        let (word, ends) = (word.trim_end_matches(';'), word.ends_with(';'));
        if ENDS.contains(&word) {
            goes_on = false;
            continue;
        }
        if let Some(name) = word.strip_prefix("--").filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic())) {
            let (name, values) = match name.split_once('=') {
                Some((name, value)) => (name, vec![value.to_owned()]),
                None => (name, Vec::new()),
            };
            all.push(Given { name: name.replace('_', "-"), values, line, is_key: false, is_map: false });
            goes_on = true;
        } else if let Some(last) = all.last_mut().filter(|_| goes_on) {
            last.values.push(word.to_owned());
        }
        goes_on &= !ends;
    }
    all
}

/// Whether a line is one value of a list: `- "32"`, `"32",`, `32`.
fn is_value_alone(line: &str) -> bool {
    let line = line.trim();
    let item = line.strip_prefix("- ").map(str::trim_start);
    let marks = ['"', '\'', '$', '/'];
    let is_marked = |item: &str| item.starts_with(marks) || item.starts_with(|c: char| c.is_ascii_digit());
    !item.unwrap_or(line).contains(' ') && (item.is_some() || is_marked(line))
}

/// Words of a shell that end a command.
const ENDS: [&str; 16] =
    ["", "&&", "||", "|", "&", ">", ">>", "<", "2>&1", "then", "else", "do", "done", "fi", "esac", "}"];

fn uncommented(line: &str) -> &str {
    match line.trim_start().strip_prefix('#') {
        // `#SBATCH` too: `launch::header_of` reads those.
        Some(_) => "",
        None => line.split_once(" #").map_or(line, |(line, _)| line),
    }
}

/// A variable that has one value, and the lines on which it has it, from 0.
pub(super) struct Variable<'a> {
    name: &'a str,
    value: String,
    lines: Range<usize>,
}

/// The variables that a text gives one value. One that branches or functions set to several, or to what isn't read, has none that is known;
/// what a branch, a loop or a function sets holds inside it alone, since nobody knows whether it runs.
fn variables(text: &str) -> Vec<Variable<'_>> {
    // The order counts: one may hold another that is set before it.
    let mut all: BTreeMap<&str, (usize, Option<&str>, Range<usize>)> = BTreeMap::new();
    let (set, blocks) = assignments(text);
    for (at, (name, value, block)) in set.into_iter().enumerate() {
        let lines = blocks.get(block).cloned().unwrap_or_default();
        let (_, known, holds) = all.entry(name).or_insert((at, value, lines.clone()));
        let within = |inner: &Range<usize>, outer: &Range<usize>| outer.start <= inner.start && inner.end <= outer.end;
        *known = known.filter(|known| Some(*known) == value && (within(&lines, holds) || within(holds, &lines)));
        if within(holds, &lines) {
            *holds = lines;
        }
    }
    let header = crate::launch::header_of(text);
    let node = Some(header.gpus_of_a_node()).filter(|n| *n > 0);
    let of_slurm = [
        ("SLURM_NNODES", header.nodes),
        ("SLURM_JOB_NUM_NODES", header.nodes),
        ("SLURM_GPUS_ON_NODE", node),
        ("SLURM_GPUS_PER_NODE", node),
    ];
    let of_slurm = of_slurm
        .into_iter()
        .filter(|(name, _)| !all.contains_key(name))
        .filter_map(|(name, n)| Some(Variable { name, value: n?.to_string(), lines: 0..usize::MAX }));
    let of_slurm: Vec<Variable<'_>> = of_slurm.collect();
    let mut known: Vec<(usize, Variable<'_>)> = all
        .into_iter()
        .filter_map(|(name, (at, value, lines))| Some((at, Variable { name, value: value?.to_owned(), lines })))
        .collect();
    known.sort_unstable_by_key(|(at, _)| *at);
    of_slurm.into_iter().chain(known.into_iter().map(|(_, variable)| variable)).take(VARIABLES).collect()
}

/// A name, its value if that is known, and the index of the block of lines in which it is set.
type Set<'a> = (&'a str, Option<&'a str>, usize);

/// What a text sets, and its blocks: the first is all of it, the others branches, loops and functions.
fn assignments(text: &str) -> (Vec<Set<'_>>, Vec<Range<usize>>) {
    let mut set = Vec::new();
    let whole = 0..usize::MAX;
    let mut blocks = vec![whole];
    let mut open = vec![0];
    for (i, line) in text.lines().enumerate() {
        let begin = |open: &mut Vec<usize>, blocks: &mut Vec<Range<usize>>| {
            open.push(blocks.len());
            blocks.push(i..usize::MAX);
        };
        let end = |open: &mut Vec<usize>, blocks: &mut Vec<Range<usize>>| {
            if let Some(block) = open.pop_if(|block| *block > 0).and_then(|block| blocks.get_mut(block)) {
                // On one line nobody sees where a block ends.
                block.end = if block.start == i { i } else { i + 1 };
            }
        };
        let line = uncommented(line);
        // `[ -n "$X" ] && Y=1`
        let mut is_tested = false;
        for part in line.split([';', '&', '|']).map(str::trim) {
            let first = |part: &str| part.split_whitespace().next().unwrap_or_default().to_owned();
            if matches!(first(part).as_str(), "else" | "elif") {
                end(&mut open, &mut blocks);
                begin(&mut open, &mut blocks);
            }
            let command = ["then ", "else ", "do ", "{ "].iter().fold(part, |part, word| part.trim_start_matches(word));
            match first(command).as_str() {
                "if" | "case" | "for" | "while" | "until" | "{" => begin(&mut open, &mut blocks),
                "fi" | "esac" | "done" | "}" => end(&mut open, &mut blocks),
                "[" | "[[" | "test" | "((" => is_tested = true,
                word if (part.contains("()") || word == "function") && part.contains('{') => {
                    begin(&mut open, &mut blocks)
                }
                _ => {}
            }
            if let Some((name, value)) = assignment(part) {
                set.push((name, value.filter(|_| !is_tested), open.last().copied().unwrap_or_default()));
            }
        }
        // The next case.
        if line.contains(";;") && open.len() > 1 {
            end(&mut open, &mut blocks);
            begin(&mut open, &mut blocks);
        }
    }
    (set, blocks)
}

/// `NAME=value`, with or without `export`, quotes and a default: `${NAME:-value}`. No value if it isn't one word; the variable of a loop has
/// none either.
fn assignment(line: &str) -> Option<(&str, Option<&str>)> {
    let mut line = line.trim();
    if let Some(rest) = line.strip_prefix("for ") {
        let name = rest.split_once(" in ")?.0.trim();
        return is_name(name).then_some((name, None));
    }
    // The arm of a case: `7b) TP=4 ;;`
    if let Some((_, rest)) = line.split_once(')').filter(|(pattern, _)| !pattern.contains(['=', '('])) {
        line = rest.trim_start();
    }
    for word in ["then ", "else ", "do ", "{ ", "export ", "local ", "readonly "] {
        line = line.strip_prefix(word).map_or(line, str::trim_start);
    }
    let (name, value) = line.split_once('=')?;
    let is_whole = ['"', '\''].iter().all(|quote| value.matches(*quote).count() % 2 == 0);
    let value = value.trim_matches(['"', '\'']);
    let value = value.strip_prefix("${").and_then(|v| v.strip_suffix('}')?.split_once(":-")).map_or(value, |(_, v)| v);
    // An argument, `$1`, is what each call makes it.
    let is_argument = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '{'));
    let is_fixed = !value.split('$').skip(1).any(is_argument);
    let is_known = is_whole && is_fixed && !value.contains([' ', '(', '`']) && value.len() < 200;
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

/// A word of a line, counted from 0, with the variables in it that are known there.
fn expanded(word: &str, line: usize, variables: &[Variable<'_>]) -> String {
    if !word.contains('$') {
        return word.to_owned();
    }
    let mut text = word.to_owned();
    for Variable { name, value, .. } in variables.iter().rev().filter(|variable| variable.lines.contains(&line)) {
        if !text.contains(*name) {
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

/// A whole number that a setting gives; notes it if it is none, with the setting's key in a run file if it has one.
pub(super) fn whole(card: &mut Card, key: Option<&str>, text: &str, setting: &str, line: usize) -> Option<u64> {
    let n = crate::query::parse_number(text).filter(|n| (0.0..1e15).contains(n) && n.fract() == 0.0);
    if n.is_none() {
        let why = not_read(text, "not a whole number");
        match key {
            Some(key) => card.unknown(key, setting, why, line),
            None => card.unread_setting(setting, why, line),
        }
    }
    n.map(|n| n as u64)
}

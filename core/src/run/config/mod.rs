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

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use toml::{Table, Value};

use super::card::Card;
use super::file::{Layout, Run};
use crate::launch::{Arm, Branches, Fate};
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
    /// The branch in which it is given, where it isn't known whether that is run.
    pub open: Option<Open>,
}

/// A branch of a script of which nobody knows whether it is run; which of several it is, where one of them is.
type Open = Option<Arm>;

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

/// The options in a text: a script, a command, an array of arguments. Variables that the text sets are put in their places. What stands in a branch
/// that the script itself doesn't run isn't given; where that isn't known, it is given in an [`Open`] branch.
pub(super) fn options(text: &str) -> Vec<Given> {
    let branches = Branches::of(text);
    let variables = variables(text, &branches);
    let holders = holders(text);
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
        let fate = branches.of_word(at + 1, word.trim_end_matches(';'));
        if is_callers(&word) {
            goes_on = false;
            continue;
        }
        // What it holds counts where it is set.
        let held = word.strip_prefix('$').map(|name| name.trim_start_matches('{').split(['[', '}', ';']).next());
        if held.flatten().is_some_and(|name| holders.contains(name)) {
            goes_on = false;
            continue;
        }
        let word = option_of_set(&word).map_or(word.clone(), str::to_owned);
        let (line, word) = (at + 1, expanded(&word, at, &variables));
        let (word, ends) = (word.trim_end_matches(';'), word.ends_with(';'));
        if ENDS.contains(&word) {
            goes_on = false;
            continue;
        }
        if let Some(name) = word.strip_prefix("--").filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic())) {
            goes_on = fate != Some(Fate::Passed);
            if !goes_on {
                continue;
            }
            let (name, values) = match name.split_once('=') {
                Some((name, value)) => (name, vec![value.to_owned()]),
                None => (name, Vec::new()),
            };
            let open = fate.and_then(|fate| if let Fate::Open(arm) = fate { Some(arm) } else { None });
            all.push(Given { name: name.replace('_', "-"), values, line, is_key: false, is_map: false, open });
        } else if let Some(last) = all.last_mut().filter(|_| goes_on) {
            last.values.push(word.to_owned());
        }
        goes_on &= !ends;
    }
    close(&mut all);
    all
}

/// The option of `NAME=--option`.
fn option_of_set(word: &str) -> Option<&str> {
    word.split_once('=').filter(|(name, option)| is_name(name) && option.starts_with("--")).map(|(_, option)| option)
}

/// The variables of a text that hold options: `ARGS="--a 1"`, `ARGS=(`, `ARGS="$ARGS --a 1"`.
fn holders(text: &str) -> BTreeSet<&str> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut all = BTreeSet::new();
    for (at, _) in text.match_indices('=') {
        let [left, right] = [text.get(..at), text.get(at + 1..)].map(Option::unwrap_or_default);
        let left = left.trim_end_matches('+');
        let begin = left.rfind(|c| !is_of_name(c)).map_or(0, |i| i + 1);
        let name = left.get(begin..).unwrap_or_default();
        let is_set = !name.is_empty() && !left.get(..begin).unwrap_or_default().ends_with(['-', '$', '{']);
        if !is_set || right.starts_with(char::is_whitespace) {
            continue;
        }
        let value = right.trim_start_matches(['"', '\'', '(', ' ', '\t', '\n', '\\', '\r']);
        let line = || value.chars().take(400).take_while(|c| !matches!(c, '\n' | ';' | '|' | '&')).collect::<String>();
        if value.starts_with("--") || value.starts_with('$') && line().contains(" --") {
            all.insert(name);
        }
    }
    all
}

/// What every one of a conditional's branches gives is given whichever is run.
fn close(all: &mut [Given]) {
    let mut arms: BTreeMap<(usize, &str, &[String]), BTreeSet<usize>> = BTreeMap::new();
    let arm = |given: &Given| given.open.flatten();
    for given in all.iter() {
        if let Some(Arm { group, at, .. }) = arm(given) {
            arms.entry((group, &given.name, &given.values)).or_default().insert(at);
        }
    }
    let is_in_all = |given: &Given| {
        arm(given).is_some_and(|Arm { group, of, .. }| {
            arms.get(&(group, given.name.as_str(), given.values.as_slice())).is_some_and(|arms| arms.len() == of)
        })
    };
    let closed: Vec<bool> = all.iter().map(is_in_all).collect();
    for (given, closed) in all.iter_mut().zip(closed) {
        given.open = given.open.filter(|_| !closed);
    }
}

/// Whether a command goes on behind the end of a text.
pub(super) fn is_cut(text: &str) -> bool {
    text.trim_end().ends_with('\\')
}

/// What is said of the last line of such a text.
pub(super) const CUT: &str = "the command goes on behind this line, and the rest isn’t here";

/// Notes that the rest of a command isn't here, so that these settings aren't known unless they are given.
fn cut(card: &mut Card, text: &str, line: usize, keys: &[(&str, bool)]) {
    card.unread(text, CUT, line);
    let open = keys.iter().filter(|(_, is_given)| !is_given).map(|(key, _)| (*key).to_owned());
    leave_open(card, open.collect());
}

/// Whether a word stands for all that a script, or a function of it, was called with.
fn is_callers(word: &str) -> bool {
    matches!(word, "$@" | "$*" | "${@}" | "${*}") || word.starts_with("${@:")
}

/// Notes where a command gets what the script was called with, which isn't here.
pub(super) fn note_callers(text: &str, card: &mut Card) {
    let has = |line: &str| words(uncommented(line)).skip(1).any(|word| is_callers(&word));
    // Where functions are called, it is what they are called with.
    let is_function = |line: &str| line.contains("()") || line.trim_start().starts_with("function ");
    if !text.lines().any(is_function)
        && let Some((i, line)) = text.lines().enumerate().find(|(_, line)| has(line))
    {
        card.unread(line, "the options that the script is called with aren’t here", i + 1);
    }
}

/// Why an option in an [`Open`] branch counts for nothing.
pub(super) const OPEN: &str = "it depends on a condition that isn’t decided here";

/// The most options in open branches that are looked at one by one.
const MOST_OPEN: usize = 40;

/// Reads options by `of`. One in an [`Open`] branch decides nothing: what it would change isn't known, and it is noted.
pub(super) fn read_given(given: &[Given], card: &mut Card, of: impl Fn(&[Given], &mut Card)) {
    let before = card.clone();
    let certain: Vec<Given> = given.iter().filter(|given| given.open.is_none()).cloned().collect();
    of(&certain, card);
    let is_it = |flag: &Given, other: &Given| (&other.name, &other.values) == (&flag.name, &flag.values);
    let mut open: Vec<&Given> = Vec::new();
    for flag in given.iter().filter(|given| given.open.is_some()) {
        if open.len() < MOST_OPEN && !open.iter().any(|other| is_it(flag, other)) {
            open.push(flag);
        }
    }
    if open.is_empty() {
        return;
    }
    let with = |is_on: &dyn Fn(&Given) -> bool| {
        let on: Vec<Given> = given.iter().filter(|given| given.open.is_none() || is_on(given)).cloned().collect();
        let mut trial = before.clone();
        of(&on, &mut trial);
        trial
    };
    let (without, all) = (card.clone(), with(&|_| true));
    let mut keys = changed(&without.run, &all.run);
    for flag in &open {
        // One may count only with another, as a number of experts does.
        let pairs = [(&without, with(&|other| is_it(flag, other))), (&all, with(&|other| !is_it(flag, other)))];
        let changed: BTreeSet<String> = pairs.iter().flat_map(|(a, b)| changed(&a.run, &b.run)).collect();
        if !changed.is_empty() || pairs.iter().any(|(a, b)| a.unread_count != b.unread_count) {
            card.unread_setting(&flag.text(), OPEN, flag.line);
        }
        keys.extend(changed);
    }
    leave_open(card, keys);
}

/// The settings of which two runs have other values, or of which one says that the value isn't known, by their keys.
fn changed(run: &Run, other: &Run) -> BTreeSet<String> {
    let tables = |run: &Run| Table::try_from(run).unwrap_or_default();
    let [mine, theirs] = [tables(run), tables(other)];
    let mut keys: BTreeSet<String> = other.unknown.iter().filter(|key| !run.unknown.contains(key)).cloned().collect();
    for table in ["model", "cluster", "layout", "serving"] {
        let of = |all: &Table| all.get(table).and_then(Value::as_table).cloned().unwrap_or_default();
        let [mine, theirs] = [of(&mine), of(&theirs)];
        let names: BTreeSet<&String> = mine.keys().chain(theirs.keys()).collect();
        keys.extend(
            names.into_iter().filter(|key| mine.get(*key) != theirs.get(*key)).map(|key| format!("{table}.{key}")),
        );
    }
    keys
}

/// Takes settings away from a card, whose values aren't known.
fn leave_open(card: &mut Card, keys: BTreeSet<String>) {
    let Ok(mut all) = Table::try_from(&card.run) else { return };
    for key in &keys {
        let (table, name) = key.split_once('.').unwrap_or((key, ""));
        if table == "model" {
            all.remove(table);
        } else if let Some(Value::Table(table)) = all.get_mut(table) {
            table.remove(name);
        }
    }
    if let Ok(run) = Value::Table(all).try_into() {
        card.run = run;
    }
    let open = keys.into_iter().map(|key| if key.starts_with("model.") { "model.sizes".to_owned() } else { key });
    for key in open {
        if !card.run.is_unknown(&key) {
            card.run.unknown.push(key);
        }
    }
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
fn variables<'a>(text: &'a str, branches: &Branches) -> Vec<Variable<'a>> {
    // The order counts: one may hold another that is set before it.
    let mut all: BTreeMap<&str, (usize, Option<&str>, Range<usize>)> = BTreeMap::new();
    let (set, blocks) = assignments(text, branches);
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    set.iter().for_each(|(name, ..)| *times.entry(name).or_default() += 1);
    for (at, (name, value, block)) in set.into_iter().enumerate() {
        let lines = blocks.get(block).cloned().unwrap_or_default();
        let (_, known, holds) = all.entry(name).or_insert((at, value, lines.clone()));
        let within = |inner: &Range<usize>, outer: &Range<usize>| outer.start <= inner.start && inner.end <= outer.end;
        *known = known.filter(|known| Some(*known) == value && (within(&lines, holds) || within(holds, &lines)));
        if within(holds, &lines) {
            *holds = lines;
        }
    }
    // Those of a container in a manifest: `- name: MODEL`, and below it `value: org/model`.
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for (at, pair) in lines.windows(2).enumerate() {
        let [first, second] = pair else { continue };
        let quoted = |text: &'a str| text.trim().trim_matches(['"', '\'']);
        let name = first.strip_prefix("- name:").map(quoted).filter(|name| is_name(name));
        let value =
            second.strip_prefix("value:").map(quoted).filter(|value| !value.contains([' ', '$']) && value.len() < 200);
        if let (Some(name), Some(value)) = (name, value) {
            let (_, known, _) = all.entry(name).or_insert((at, Some(value), 0..usize::MAX));
            *known = known.filter(|known| *known == value);
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
    let of_slurm: Vec<Variable<'a>> = of_slurm.collect();
    // What is set once for all of the script has the value that the shell works out: `$((NODES * 8))`.
    let evaluated = |name: &str, lines: &Range<usize>| {
        let is_once = *lines == (0..usize::MAX) && times.get(name) == Some(&1);
        let value = branches.value(name).filter(|value| is_once && !value.is_empty() && !value.contains(' '));
        value.filter(|value| value.len() < 200).map(str::to_owned)
    };
    let mut known: Vec<(usize, Variable<'a>)> = all
        .into_iter()
        .filter_map(|(name, (at, value, lines))| {
            let value = value.map(str::to_owned).or_else(|| evaluated(name, &lines))?;
            Some((at, Variable { name, value, lines }))
        })
        .collect();
    known.sort_unstable_by_key(|(at, _)| *at);
    of_slurm.into_iter().chain(known.into_iter().map(|(_, variable)| variable)).take(VARIABLES).collect()
}

/// A name, its value if that is known, and the index of the block of lines in which it is set.
type Set<'a> = (&'a str, Option<&'a str>, usize);

/// What a text sets, and its blocks: the first is all of it, the others branches, loops and functions.
fn assignments<'a>(text: &'a str, branches: &Branches) -> (Vec<Set<'a>>, Vec<Range<usize>>) {
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
                let block = open.last().copied().unwrap_or_default();
                match branches.of_set(i + 1, name) {
                    Some(Fate::Passed) => {}
                    Some(Fate::Ran) => set.push((name, value, 0)),
                    _ => set.push((name, value.filter(|_| !is_tested), block)),
                }
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

#[cfg(test)]
mod tests {
    use super::OPEN;
    use crate::memory::Dtype;
    use crate::run::{Card, Outcome, compare, read};

    const SIZES: &str = "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --vocab-size 32000 --micro-batch-size 1 --global-batch-size 8 --swiglu --disable-bias-linear --normalization RMSNorm --position-embedding-type rope --untie-embeddings-and-output-weights --ffn-hidden-size 11008";

    /// As Pai-Megatron-Patch's `run_mcore_llama3.sh` and `run_mcore_qwen.sh` have them.
    const BRANCHES: &str = r#"if [ $PR = fp16 ]; then
    pr="--fp16"
elif [ $PR = bf16 ]; then
    pr="--bf16"
elif [ $PR = fp8 ]; then
    pr="--bf16 --fp8-format hybrid"
fi
if [ $SIZE = A8x7 ]; then
    moe="--num-experts 8 --moe-router-topk 2"
fi
"#;

    fn launch(before: &str) -> Card {
        let card = read(
            "run.sh",
            &format!(
                "#!/bin/bash\n{before}nvidia-smi -L\ntorchrun --nnodes 1 --nproc_per_node 8 pretrain_gpt.py {SIZES} $ac $pr $moe\n"
            ),
        );
        assert_ne!(card.outcome, Outcome::Refused, "{card:?}");
        card
    }

    fn open(card: &Card) -> Vec<&str> {
        card.unread.iter().filter(|unread| unread.why == OPEN).map(|unread| unread.text.as_str()).collect()
    }

    #[test]
    fn an_option_that_depends_on_a_condition_decides_nothing() {
        let card = launch(&format!("PR=$1\nSIZE=$2\n{BRANCHES}"));
        assert_eq!(open(&card), ["--fp16", "--bf16", "--fp8-format hybrid", "--num-experts 8", "--moe-router-topk 2"]);
        assert_eq!((card.outcome, card.run.layout.dtype, card.run.layout.fp8), (Outcome::Partly, None, None));
        assert!(card.run.model.sizes.is_empty() && card.run.model.name.is_empty(), "{:?}", card.run.model);
        for key in ["layout.dtype", "layout.fp8", "model.sizes"] {
            assert!(card.run.is_unknown(key), "{key}: {:?}", card.run.unknown);
        }
        let mut run = card.run.clone();
        run.cluster.gpu = Some("v100-32".to_owned());
        let report = compare(&run);
        assert!(!report.missing.is_empty(), "{report:?}");
        // What every branch gives is given.
        let same = "if [ -f x ]; then\n  pr=\"--bf16 --sequence-parallel\"\nelse\n  pr=\"--bf16\"\nfi\n";
        let card = launch(same);
        assert_eq!((open(&card), card.run.layout.dtype), (vec!["--sequence-parallel"], Some(Dtype::Bf16)));
        assert_eq!((card.run.layout.sp, card.run.is_unknown("layout.sp")), (None, true));
        // On one line, and in a case.
        for text in [
            "[ -n \"$1\" ] && pr=\"--bf16\"\n",
            "if [ $1 = a ]; then pr=\"--bf16\"; fi\n",
            "case $1 in\n  a) pr=--bf16 ;;\nesac\n",
            "case $1 in a) pr=\"--bf16\";; b) pr=\"--fp16\";; esac\n",
            "for x in $(cat list); do\n  pr=\"--bf16\"\ndone\n",
            "if [ $1 = a ]; then\n  if [ 1 = 1 ]; then\n    pr=(--bf16)\n  fi\nfi\n",
        ] {
            let card = launch(text);
            assert_eq!(card.run.layout.dtype, None, "{text}");
            if !text.contains("pr=--bf16") {
                assert!(card.run.is_unknown("layout.dtype") && open(&card).contains(&"--bf16"), "{text}: {card:?}");
            }
        }
    }

    #[test]
    fn a_condition_that_the_script_decides_is_read() {
        let card = launch(&format!("PR=bf16\nSIZE=dense\n{BRANCHES}"));
        assert_eq!((card.outcome, open(&card)), (Outcome::Read, Vec::new()), "{:?}", card.unread);
        assert_eq!((card.run.layout.dtype, card.run.layout.fp8), (Some(Dtype::Bf16), None));
        let dense = card.run.model.clone();
        let card = launch(&format!("PR=${{1:-fp16}}\nPR=${{PR:-fp16}}\nSIZE=A8x7\n{BRANCHES}"));
        assert_ne!(card.run.model, dense, "experts");
        let card = launch(&format!("PR=${{PR:-fp16}}\nSIZE=A8x7\n{BRANCHES}"));
        assert_eq!((card.outcome, card.run.layout.dtype), (Outcome::Read, Some(Dtype::Fp16)), "{:?}", card.unread);
        // Variables, too.
        let card = launch(
            "SIZE=7b\ncase $SIZE in\n  7b) TP=2 ;;\n  70b) TP=8 ;;\n  *) exit 1 ;;\nesac\nac=\"--tensor-model-parallel-size $TP\"\n",
        );
        assert_eq!((card.outcome, card.run.layout.tp), (Outcome::Read, Some(2)), "{:?}", card.unread);
        let card = launch(
            "SIZE=$1\ncase $SIZE in\n  7b) TP=2 ;;\n  70b) TP=8 ;;\n  *) exit 1 ;;\nesac\nac=\"--tensor-model-parallel-size $TP\"\n",
        );
        assert_eq!((card.run.layout.tp, card.run.is_unknown("layout.tp")), (None, true), "{card:?}");
    }

    /// LumiOpen/Megatron-DeepSpeed `examples_deepspeed/azure/run-1t.sh`.
    #[test]
    fn what_the_script_works_out_is_read() {
        let card = launch(
            "GPN=8\nNODES=2\nGLOBAL_BATCH=$(( ${GPN} * 4 * ${NODES} ))\nTP=$(expr $GPN / 2)\nac=\"--tensor-model-parallel-size $TP --context-parallel-size $GLOBAL_BATCH\"\n",
        );
        assert_eq!((card.run.layout.tp, card.run.layout.cp), (Some(4), Some(64)), "{:?}", card.unread);
        // Not where a loop or a caller makes it.
        for before in
            ["N=$1\nTP=$((N * 2))\n", "for i in 1 2; do\n  TP=$((i * 2))\ndone\n", "TP=$((1 * 2))\nTP=$((2 * 2))\n"]
        {
            let card = launch(&format!("{before}ac=\"--tensor-model-parallel-size $TP\"\n"));
            assert_eq!((card.run.layout.tp, card.run.is_unknown("layout.tp")), (None, true), "{before}");
        }
    }

    #[test]
    fn options_of_the_caller_are_not_here() {
        let command = format!("#!/bin/bash\ntorchrun --nproc_per_node 8 pretrain_gpt.py {SIZES} --bf16");
        let card = read("run.sh", &format!("{command} \"$@\"\n"));
        assert!(card.unread.iter().any(|unread| unread.line == 2 && unread.why.contains("called with")), "{card:?}");
        assert_eq!((card.outcome, read("run.sh", &format!("{command}\n")).outcome), (Outcome::Partly, Outcome::Read));
    }

    #[test]
    fn the_branch_that_launches_is_read() {
        let command = format!("torchrun --nnodes 1 --nproc_per_node 8 pretrain_gpt.py {SIZES} --bf16");
        for (before, after) in [
            ("if [ -f data.idx ]; then\n  ", "\nfi\n"),
            ("if [ -z \"$1\" ]; then\n  echo \"usage: run.sh data\"\nelse\n  ", "\nfi\n"),
            ("cd /w && pip install -e . && ", "\n"),
            ("train() {\n  ", "\n}\nif [ -f data.idx ]; then\n  train\nfi\n"),
            ("while true; do\n  ", "\n  sleep 5\ndone\n"),
            ("mkdir -p logs || exit 1\n", " || { echo failed; exit 1; }\n"),
        ] {
            let card = read("run.sh", &format!("#!/bin/bash\n{before}{command}{after}"));
            assert_eq!(
                (open(&card), card.run.layout.dtype, card.run.cluster.node),
                (Vec::new(), Some(Dtype::Bf16), Some(8)),
                "{before}: {:?}",
                card.unread
            );
        }
        // Of two that launch, nobody knows which is run.
        let card = read(
            "run.sh",
            &format!("#!/bin/bash\nif [ -f x ]; then\n  {command} --fp8-format hybrid\nelse\n  {command}\nfi\n"),
        );
        assert_eq!((open(&card), card.run.layout.dtype), (vec!["--fp8-format hybrid"], Some(Dtype::Bf16)));
    }

    #[test]
    fn the_trainers_options_in_branches_decide_nothing() {
        let script = |before: &str| {
            format!(
                "#!/bin/bash\n{before}torchrun --nproc_per_node 8 train.py --model_name_or_path meta-llama/Llama-2-7b-hf --per_device_train_batch_size 1 --bf16 True $EXTRA\n"
            )
        };
        let card = read(
            "train.sh",
            &script("if [ \"$OFFLOAD\" = 1 ]; then\n  EXTRA=\"--deepspeed ds.json --gradient_checkpointing\"\nfi\n"),
        );
        assert_eq!(open(&card), ["--deepspeed ds.json", "--gradient-checkpointing"]);
        assert!(card.run.is_unknown("layout.zero") && card.run.is_unknown("layout.recompute"), "{:?}", card.run);
        let card = read(
            "train.sh",
            &script(
                "OFFLOAD=0\nif [ \"$OFFLOAD\" = 1 ]; then\n  EXTRA=\"--deepspeed ds.json\"\nelse\n  EXTRA=\"--gradient_checkpointing\"\nfi\n",
            ),
        );
        assert_eq!((card.outcome, open(&card), card.run.is_unknown("layout.zero")), (Outcome::Read, vec![], false));
        let card = read(
            "train.sh",
            "#!/bin/bash\nif [ -n \"$MULTI\" ]; then\n  A=\"--nnodes 4 --nproc_per_node 8\"\nelse\n  A=\"--nproc_per_node 8\"\nfi\ntorchrun $A train.py --per_device_train_batch_size 1\n",
        );
        assert_eq!((card.run.cluster.nodes, card.run.cluster.node), (None, Some(8)), "{card:?}");
        assert_eq!(open(&card), ["--nnodes 4"]);
    }
}

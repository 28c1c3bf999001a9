//! Taking a paste apart that holds several things: a script and its log, a configuration and a log, a command and what it printed.
//!
//! What begins and ends by its own form (JSON, TOML, YAML, the matrix of `topo -m`) is cut out where it does. A script ends before the first line
//! that no shell would take. Lines between its last certain line and that one belong to either: they are said, and nothing that they could
//! overturn is. What is left over is one thing, such as a log around a configuration that it printed.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use serde::de::IgnoredAny;
use toml::Table;

use super::MOST;
use super::broken;
use super::card::{Card, Kind, Outcome};
use super::hardware;
use super::output::{APART, is_failure, is_heading, is_numbers};
use super::read::{is_head, is_row, read};
use crate::launch::yaml;
use crate::quantity::grouped;
use crate::terminal::plain;

/// Most things that are cut out of a text.
const PARTS: usize = 16;

/// Reads a text that may hold several things: a card for each, with the text that it was read from. What stands on a line keeps its number.
pub fn read_all<'a>(name: &str, text: &'a str) -> Vec<(Card, Cow<'a, str>)> {
    if text.len() > MOST {
        return vec![(read(name, text), Cow::Borrowed(text))];
    }
    match broken::bare(text) {
        Cow::Borrowed(text) => apart(name, text),
        Cow::Owned(text) => {
            apart(name, &text).into_iter().map(|(card, own)| (card, Cow::Owned(own.into_owned()))).collect()
        }
    }
}

/// The same of a text that Markdown neither quotes nor indents.
fn apart<'a>(name: &str, text: &'a str) -> Vec<(Card, Cow<'a, str>)> {
    let lines = Lines::of(text);
    let fences = (0..lines.len()).filter(|i| is_fence(lines.get(*i))).count();
    // Where several blocks are fenced, each may be a run of its own.
    let fence = if fences > 2 { APART } else { "\n" };
    let kept = |keeps: &dyn Fn(usize) -> bool| {
        lines.instead(|i| match is_fence(lines.get(i)) {
            true => Some(fence),
            false => Some("\n").filter(|_| !keeps(i)),
        })
    };
    let bare = if fences > 0 { Cow::Owned(kept(&|_| true)) } else { Cow::Borrowed(text) };
    let whole = || {
        let mut card = read(name, &bare);
        card.written = matches!(card.kind, Kind::Script | Kind::Megatron | Kind::Serve) && is_written(&bare);
        vec![(card, bare.clone())]
    };
    let parts = parts_of(name, &lines);
    let is_cut = |i: usize| parts.iter().any(|(part, ..)| part.lines.contains(&i));
    let is_left = |i: &usize| {
        let line = lines.get(*i);
        !is_cut(*i) && !line.trim().is_empty() && !is_elided(line) && !is_prompt(line) && !is_fence(line)
    };
    let left: Vec<usize> = (0..lines.len()).filter(is_left).collect();
    // A server's command and what it prints are one thing to their reader.
    let is_server = |(_, card, _): &(Part, Card, String)| card.kind == Kind::Serve;
    if parts.is_empty() || parts.len() == 1 && (left.is_empty() || parts.iter().any(is_server)) {
        return whole();
    }
    let rest = kept(&|i| !is_cut(i));
    let of_part = |(part, card, own): (Part, Card, String)| (part.placed(card, &lines), Cow::Owned(own));
    let mut all: Vec<(Card, Cow<'a, str>)> = parts.into_iter().map(of_part).collect();
    let Some((first, last)) = left.first().zip(left.last()) else { return all };
    let card = read(name, &rest);
    let has_errors = card.stop.is_some() || left.iter().any(|i| fails(lines.get(*i)));
    if card.outcome != Outcome::Refused || has_errors {
        all.push((Card { part: Some([first + 1, last + 1]), ..card }, rest.into()));
        all.sort_by_key(|(card, _)| card.part);
        return all;
    }
    for i in left {
        let begins_before = |(card, _): &(Card, _)| card.part.is_some_and(|[from, _]| from <= i + 1);
        let before = all.iter().rposition(begins_before).unwrap_or(0);
        if let Some((card, _)) = all.get_mut(before) {
            card.unread(lines.get(i), "it belongs to nothing that is recognized", i + 1);
            card.outcome = Outcome::Partly;
        }
    }
    all
}

/// The lines of a text, each with its end.
struct Lines<'a> {
    text: &'a str,
    /// Where each begins.
    from: Vec<usize>,
    /// Lines that may still be looked at for where something ends: a few times all of them, however many seem to begin something.
    patience: Cell<usize>,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let mut at = 0;
        let begin = |line: &str| {
            at += line.len();
            at - line.len()
        };
        let from: Vec<usize> = text.split_inclusive('\n').map(begin).collect();
        let patience = Cell::new(6 * from.len() + 1000);
        Self { text, from, patience }
    }

    /// Looks at lines from one on until it is told to stop, or patience ends; gives the line, or the end.
    fn look(&self, at: usize, mut goes_on: impl FnMut(usize) -> bool) -> Option<usize> {
        for i in at..self.len() {
            self.patience.set(self.patience.get().checked_sub(1)?);
            if !goes_on(i) {
                return Some(i);
            }
        }
        Some(self.len())
    }

    fn len(&self) -> usize {
        self.from.len()
    }

    /// From a line to the end.
    fn rest(&self, i: usize) -> &'a str {
        self.from.get(i).and_then(|from| self.text.get(*from..)).unwrap_or_default()
    }

    fn get(&self, i: usize) -> &'a str {
        self.rest(i).lines().next().unwrap_or_default()
    }

    /// The text with every other line empty, so that a line keeps its number.
    fn only(&self, keeps: impl Fn(usize) -> bool) -> String {
        self.instead(|i| if keeps(i) { None } else { Some("\n") })
    }

    /// The text with something else in place of some lines.
    fn instead(&self, other: impl Fn(usize) -> Option<&'static str>) -> String {
        self.text.split_inclusive('\n').enumerate().map(|(i, line)| other(i).unwrap_or(line)).collect()
    }

    /// Some of them, one after another.
    fn joined(&self, range: Range<usize>) -> &'a str {
        let from = self.from.get(range.start).copied().unwrap_or(self.text.len());
        let to = self.from.get(range.end).copied().unwrap_or(self.text.len());
        self.text.get(from..to).unwrap_or_default()
    }

    /// The end of a range without the empty lines at its end.
    fn last_said(&self, range: Range<usize>) -> usize {
        range.clone().rev().find(|i| !self.get(*i).trim().is_empty()).map_or(range.start, |i| i + 1)
    }

    /// Where what begins at a line ends, if it ends before a line that isn't its own.
    fn end(&self, at: usize, is_own: impl Fn(&str) -> bool) -> Option<usize> {
        Some(self.last_said(at..self.look(at, |i| is_own(self.get(i)))?))
    }
}

/// What a part is by its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Json,
    Toml,
    Yaml,
    Matrix,
    Rows,
    Names,
    Result,
    Shell,
}

impl Form {
    /// Whether what its reader made of it is what it was cut out for.
    fn takes(self, card: &Card) -> bool {
        let kinds: &[Kind] = match self {
            Self::Json => &[Kind::Config, Kind::DeepSpeed, Kind::Torchtitan],
            Self::Toml => &[Kind::Torchtitan, Kind::RunFile],
            Self::Yaml => &[Kind::Accelerate, Kind::Axolotl, Kind::Trainer, Kind::Script],
            Self::Matrix => &[Kind::Topology],
            Self::Rows => &[Kind::NcclTests],
            Self::Names => &[Kind::NvidiaSmi],
            Self::Result => &[Kind::Log],
            Self::Shell => &[Kind::Script, Kind::Megatron, Kind::Serve],
        };
        card.outcome != Outcome::Refused && kinds.contains(&card.kind)
    }
}

/// Lines that are one thing, from 0, and those behind them that may belong to it.
struct Part {
    form: Form,
    lines: Range<usize>,
    unsure: Vec<usize>,
}

impl Part {
    /// Its card, which says where it stands and how sure that is.
    fn placed(&self, mut card: Card, lines: &Lines<'_>) -> Card {
        card.part = Some([self.lines.start + 1, self.lines.end]);
        card.written = self.form == Form::Shell && self.unsure.is_empty();
        let Some((first, last)) = self.unsure.first().zip(self.unsure.last()) else { return card };
        for i in &self.unsure {
            card.unread(lines.get(*i), "it may be the script’s, or what it printed", i + 1);
        }
        (card.outcome, card.launches, card.stop) = (Outcome::Partly, false, None);
        let [first, last] = [first, last].map(|i| grouped(*i as u64 + 1));
        let place = if first == last { format!("Line {first}") } else { format!("Some lines from {first} to {last}") };
        card.said = format!(
            "{place} may belong to the script or to what it printed, so whether the launch works isn’t said. {}",
            card.said
        );
        card
    }
}

/// What is cut out of a text, with its card and its own text.
fn parts_of(name: &str, lines: &Lines<'_>) -> Vec<(Part, Card, String)> {
    let mut all: Vec<(Part, Card, String)> = Vec::new();
    let (mut i, mut tried) = (0, 0);
    // Whether a part ends before this line, or nothing stands before it.
    let mut is_free = true;
    while i < lines.len() && tried < PARTS {
        let line = lines.get(i);
        if line.trim().is_empty() || is_elided(line) {
            i += 1;
            continue;
        }
        // Between the fences of Markdown stands one thing.
        if is_fence(line) {
            is_free = true;
            i += 1;
            continue;
        }
        let read = begins(lines, i, is_free).and_then(|part| {
            tried += 1;
            let own = lines.only(|i| part.lines.contains(&i));
            let card = read(name, &own);
            part.form.takes(&card).then_some((part, card, own))
        });
        // A command that says nothing itself may stand above the file that it names: `llamafactory-cli train qwen.yaml`.
        if read.is_none() && is_free && is_command(line) && !is_prompt(line) {
            i = lines.look(i, |i| lines.get(i).trim_end().ends_with('\\')).map_or(lines.len(), |end| end + 1);
            is_free =
                (i..lines.len()).find(|i| !lines.get(*i).trim().is_empty()).is_some_and(|i| yaml(lines, i).is_some());
            continue;
        }
        // A prompt that shows a file, `$ cat config.json`, says nothing itself.
        is_free = read.is_some() || is_free && (is_prompt(line) || is_heading(line));
        i = read.as_ref().map_or(i + 1, |(part, ..)| part.lines.end.max(i + 1));
        all.extend(read);
    }
    all
}

/// A line that opens or closes a block of Markdown.
fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

/// Whether a line is a command that starts something, and no line of a configuration.
fn is_command(line: &str) -> bool {
    line_of(line.trim()) == Line::Shell && !line.trim_start().starts_with('#')
}

/// The part that begins on a line; `is_free` where it follows another one, or nothing.
fn begins(lines: &Lines<'_>, at: usize, is_free: bool) -> Option<Part> {
    let line = lines.get(at);
    if let Some((form, end)) = form(lines, at, is_free) {
        return Some(Part { form, lines: at..end, unsure: Vec::new() });
    }
    if let Some(end) = yaml(lines, at).filter(|_| is_free) {
        return Some(Part { form: Form::Yaml, lines: at..end, unsure: Vec::new() });
    }
    let is_script =
        ["#!", "#SBATCH"].iter().any(|start| line.trim_start().starts_with(start)) || prompted(line).is_some();
    (is_script || is_free).then(|| shell(lines, at)).flatten()
}

/// What begins on a line and ends by its own form, and where. TOML begins with a key only where that `is_free`.
fn form(lines: &Lines<'_>, at: usize, is_free: bool) -> Option<(Form, usize)> {
    let line = lines.get(at);
    if line.contains("GPU0") && line.contains("CPU Affinity") {
        return Some((Form::Matrix, matrix(lines, at)?));
    }
    if let Some(end) = json(lines, at) {
        let is_result = lines.joined(at..end).contains(RESULT);
        return Some((if is_result { Form::Result } else { Form::Json }, end));
    }
    // Rows of nccl-tests without the head by which the whole text is known.
    if is_row(line)
        && is_row(lines.get(at + 1))
        && !["busbw", "nThread", "_perf"].iter().any(|word| lines.text.contains(word))
    {
        return Some((Form::Rows, lines.end(at, is_row)?));
    }
    // Rows of nvidia-smi without the names of their columns.
    if hardware::are_names(line) && hardware::are_names(lines.get(at + 1)) {
        return Some((Form::Names, lines.end(at, hardware::are_names)?));
    }
    let end = (is_free || is_head(line)).then(|| toml(lines, at))??;
    Some((Form::Toml, end))
}

/// Keys that only a configuration has, by which an object on one line is told from a line of a log.
const CONFIGURES: [&str; 4] =
    ["\"zero_optimization\"", "\"model_type\"", "\"hidden_size\"", "\"train_micro_batch_size_per_gpu\""];

/// A key of what a serving benchmark writes.
const RESULT: &str = "\"mean_ttft_ms\"";

/// Where an object ends that takes several lines, or is a configuration on one.
fn json(lines: &Lines<'_>, at: usize) -> Option<usize> {
    let line = lines.get(at);
    // As transformers prints it: `Model config LlamaConfig {`.
    let named = line.rfind('{').filter(|_| line.contains("Model config ") && line.trim_end().ends_with('{'));
    let text = lines.rest(at).get(named.unwrap_or(0)..)?;
    text.trim_start().strip_prefix('{')?.trim_start().strip_prefix('"')?;
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    stream.next()?.ok()?;
    let (own, after) = text.split_at_checked(stream.byte_offset())?;
    let count = own.lines().count();
    let is_config = || CONFIGURES.iter().chain([&RESULT]).any(|key| own.contains(key));
    ((count > 1 || is_config()) && after.lines().next().unwrap_or_default().trim().is_empty()).then_some(at + count)
}

/// Where the matrix of `topo -m` ends, with its legend.
fn matrix(lines: &Lines<'_>, at: usize) -> Option<usize> {
    lines.end(at, |line| {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        let is_device = ["GPU", "NIC", "mlx", "Legend"].iter().any(|start| first.starts_with(start));
        first.is_empty() || is_device || words.next() == Some("=")
    })
}

/// Where TOML ends that begins here and has a table.
fn toml(lines: &Lines<'_>, at: usize) -> Option<usize> {
    // Without spaces it may be a shell's variable, which has capitals or a bare word.
    let is_value = |value: &str| {
        value.starts_with(|c: char| c.is_ascii_digit() || "\"'[{+-".contains(c)) || matches!(value, "true" | "false")
    };
    let sets = |key: &str, value: &str| {
        key.ends_with(' ') || is_value(value.trim()) && !key.contains(|c: char| c.is_ascii_uppercase())
    };
    let is_key = |line: &str| line.split_once('=').is_some_and(|(key, value)| is_word(key.trim()) && sets(key, value));
    let first = lines.get(at).trim();
    if !(is_head(first) || is_key(first) && first.contains(" =")) {
        return None;
    }
    let mut open = 0_i64;
    let end = lines.look(at, |i| {
        let line = lines.get(i).trim();
        if open == 0 && !line.is_empty() && !is_comment(line) && !is_head(line) && !is_key(line) {
            return false;
        }
        let count = |c| line.matches(c).count() as i64;
        open = if is_head(line) { 0 } else { (open + count('[') - count(']')).max(0) };
        true
    })?;
    let end = lines.last_said(at..end);
    let table: Table = lines.joined(at..end).parse().ok()?;
    table.values().any(toml::Value::is_table).then_some(end)
}

/// Where YAML ends that begins here: keys, their lists, and what is indented.
fn yaml(lines: &Lines<'_>, at: usize) -> Option<usize> {
    let is_key = |line: &str| {
        let key = line.split_once(':').filter(|(_, rest)| rest.is_empty() || rest.starts_with(' '));
        key.is_some_and(|(key, _)| is_word(key))
    };
    let is_mark = |line: &str| line.trim_end() == "---";
    let first = lines.look(at, |i| lines.get(i).trim().is_empty() || is_comment(lines.get(i)))?;
    if !is_key(lines.get(first)) && !is_mark(lines.get(first)) {
        return None;
    }
    let end = lines.end(at, |line| {
        let is_inside = line.starts_with(' ') || is_comment(line) || line.trim().is_empty() || line.starts_with("- ");
        (is_inside || is_mark(line) || is_key(line)) && !is_numbers(line)
    })?;
    (end > at + 2).then_some(end)
}

/// A comment of TOML or YAML, and not the first lines of a script.
fn is_comment(line: &str) -> bool {
    line.starts_with('#') && !["#!", "#SBATCH"].iter().any(|start| line.starts_with(start))
}

pub(super) fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

/// `…`, where somebody left lines out.
pub(super) fn is_elided(line: &str) -> bool {
    line.trim().trim_matches(['.', '…', '[', ']', '<', '>']).is_empty()
}

/// A command behind a prompt: `$ cat log.txt`, `user@host:~$ torchrun train.py`, `(env) [user@host examples]$ ls`, `root@host:/w# ls`.
fn prompted(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(command) = line.strip_prefix("$ ") {
        return Some(command);
    }
    let own = |mark: &str, user: &str| {
        let (prompt, command) = line.split_once(mark)?;
        // A Python environment, and who is where: `(env) user@host:~`, `[user@host folder]`.
        let place = prompt.split_once(") ").filter(|_| prompt.starts_with('(')).map_or(prompt, |(_, place)| place);
        let is_place = place.contains(':') || place.starts_with('[') && place.ends_with(']');
        (place.contains(user) && is_place && prompt.len() < 120).then_some(command)
    };
    own("$ ", "@").or_else(|| own("# ", "root@"))
}

/// A prompt with a command that only shows what follows.
fn is_prompt(line: &str) -> bool {
    const SHOWS: [&str; 8] = ["cat", "head", "tail", "less", "nvidia-smi", "more", "sbatch", "ls"];
    prompted(line).and_then(|command| command.split_whitespace().next()).is_some_and(|word| SHOWS.contains(&word))
}

/// What a line is to a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// A shell takes it.
    Shell,
    /// A program printed it.
    Printed,
    /// Either.
    Open,
}

/// The script or command that begins here, up to the first line that a program printed, or to what has a form of its own.
fn shell(lines: &Lines<'_>, at: usize) -> Option<Part> {
    if line_of(lines.get(at).trim()) != Line::Shell {
        return None;
    }
    let (mut end, mut unsure) = (at, Vec::new());
    // The word that ends a here-document, and whether the line before goes on.
    let (mut until, mut goes_on) = (None::<String>, false);
    for i in at..lines.len() {
        let bare = lines.get(i).trim();
        if let Some(word) = &until {
            let is_end = bare == word;
            until = until.filter(|_| !is_end);
            end = i + 1;
            continue;
        }
        if bare.is_empty() || is_elided(bare) {
            goes_on = false;
            continue;
        }
        if is_fence(bare) {
            unsure.retain(|i| *i >= end);
            return Some(Part { form: Form::Shell, lines: at..end, unsure });
        }
        let is = match goes_on {
            true => Line::Shell,
            false if i > at && form(lines, i, false).is_some() => Line::Printed,
            false => line_of(bare),
        };
        match is {
            Line::Shell => end = i + 1,
            Line::Open => unsure.push(i),
            Line::Printed => {
                // What may be either and stands before what a shell certainly takes is the script's.
                unsure.retain(|i| *i >= end);
                return Some(Part { form: Form::Shell, lines: at..end, unsure });
            }
        }
        goes_on = is == Line::Shell && bare.ends_with('\\');
        until = here(bare)
            .filter(|word| lines.look(i + 1, |i| lines.get(i).trim() != word).is_some_and(|end| end < lines.len()));
    }
    // Nothing that was printed follows, so all of it is the script.
    Some(Part { form: Form::Shell, lines: at..lines.last_said(at..lines.len()), unsure: Vec::new() })
}

/// The word that ends the here-document that a line begins.
fn here(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("<<").filter(|(_, rest)| !rest.starts_with('<'))?;
    let word = rest.trim_start_matches(['-', ' ']).split_whitespace().next()?.trim_matches(['"', '\'', '\\', ')', ';']);
    is_word(word).then(|| word.to_owned())
}

/// The longest text that is looked at as a script or settings, in bytes.
const WRITTEN: usize = 200_000;

/// Whether a line says that a program failed, and isn't one of a source that only speaks of it.
pub(super) fn fails(line: &str) -> bool {
    let line = plain(line);
    (is_failure(&line) || is_exit(&line)) && !is_source(&line)
}

/// Whether a line says how a process ended, and that it failed: torchrun's `exitcode  : -9 (pid: 143)`, DeepSpeed's `return code = -9`.
fn is_exit(line: &str) -> bool {
    ["exitcode", "exits with return code"].iter().any(|words| {
        let code = line
            .split_once(words)
            .map_or("", |(_, rest)| rest.trim_start().trim_start_matches([':', '=']).trim_start());
        let code: String = code.chars().take_while(|c| *c == '-' || c.is_ascii_digit()).collect();
        code.parse::<i64>().is_ok_and(|code| code != 0)
    })
}

/// Whether a line is one of a source, a script's or Python's: a comment, a handler, a message that is written out in it.
fn is_source(line: &str) -> bool {
    const PYTHON: [&str; 12] =
        ["except", "raise", "class", "def", "assert", "return", "with", "elif", "if", "import", "from", "async"];
    let bare = line.trim();
    let first = bare.split_whitespace().next().unwrap_or_default();
    let is_call = ["print(", "logger.", "logging.", "warnings."].iter().any(|start| bare.starts_with(start));
    is_call
        || PYTHON.contains(&first.trim_end_matches(':'))
        || line_of(bare) == Line::Shell && !first.starts_with(['-', '/', '.'])
}

/// Whether a text is a module of Python's: definitions and imports begin its lines, and no traceback does.
fn is_python(text: &str) -> bool {
    const STARTS: [&str; 6] = ["def ", "class ", "import ", "from ", "if __name__", "async def "];
    let is_start = |line: &&str| STARTS.iter().any(|start| line.starts_with(start));
    // What an error prints isn't indented, or has a rank before it; a module's own words of it stand in functions.
    text.lines().filter(is_start).count() > 1 && !text.lines().any(|line| !line.starts_with([' ', '\t']) && fails(line))
}

/// Whether somebody wrote all of a text, as a script or as settings, so that what looks like an error in it was never printed.
pub(super) fn is_written(text: &str) -> bool {
    if text.len() > WRITTEN {
        return false;
    }
    // A script with its first line, in which nothing was printed: no level of a logger, no time, no rank.
    let is_stamped = |line: &str| line.starts_with(|c: char| c.is_ascii_digit()) || line.starts_with("[rank");
    let is_shown = |line: &str| is_log_line(line) || is_stamped(line) || line.starts_with("Traceback (");
    let is_script = text.starts_with("#!") && !text.lines().any(|line| prompted(line).is_some() || is_shown(line));
    if is_python(text) || is_script {
        return true;
    }
    let lines = Lines::of(text);
    let said = || text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    if said().any(|line| prompted(line).is_some()) {
        return false;
    }
    // A pod may be called `head`.
    let shells = said().filter(|line| line_of(line) == Line::Shell && !is_logged(line)).count();
    if shells > 2 && 4 * shells > 3 * said().count() {
        let first = (0..lines.len()).find(|i| !lines.get(*i).trim().is_empty()).unwrap_or_default();
        let end = lines.last_said(first..lines.len());
        return shell(&lines, first).is_some_and(|part| part.lines.end >= end);
    }
    // Keys of settings begin with a small letter; what a logger writes before a colon rarely does.
    let is_key = |line: &str| {
        let key = line.trim_start_matches("- ").split(':').next().unwrap_or_default();
        line.starts_with("- ") || is_word(key) && key.starts_with(|c: char| c.is_ascii_lowercase())
    };
    let keys = said().filter(|line| line.contains(':') && is_key(line)).count();
    let is_map = |node: &yaml::Node| matches!(&node.value, yaml::Value::Map(entries) if entries.iter().all(|(key, ..)| is_key(key)));
    keys > 4
        && 4 * keys > 3 * said().filter(|line| line.contains(':')).count()
        && yaml::read(text).is_ok_and(|documents| !documents.is_empty() && documents.iter().all(is_map))
}

/// Whether a logger or a trainer that is known wrote a line: its level stands there, or numbers of a run.
pub fn is_log_line(line: &str) -> bool {
    const LEVELS: [&str; 5] = [" INFO ", " WARN ", "[INFO]", "[WARNING]", "[DEBUG]"];
    let line = plain(line);
    LEVELS.iter().any(|level| format!(" {line}").contains(level)) || is_numbers(&line)
}

/// Whether a line looks like one that a program prints.
pub(super) fn is_logged(line: &str) -> bool {
    is_log_line(line) || line_of(plain(line).trim()) == Line::Printed
}

fn line_of(line: &str) -> Line {
    /// What a line of a script begins with, as words.
    const COMMANDS: &str = "if then else elif fi for while until do done case esac function return local export set unset source . cd echo printf \
        exit wait sleep trap ulimit eval exec declare readonly shift read test [ [[ (( { } ( ) let true false : module ml conda mamba pip mkdir rm cp mv ln \
        chmod touch tar git env time nohup sudo numactl srun sbatch mpirun mpiexec torchrun deepspeed accelerate bash sh docker singularity apptainer \
        python python3 vllm llamafactory-cli axolotl swift megatron sglang trtllm-serve nsys ray kubectl uv nvidia-smi cat awk sed grep head tail tee hostname scontrol date ls which kill nvcc spack apt apt-get curl wget \
        unzip huggingface-cli hf wandb pushd popd alias composer";
    if let Some(command) = prompted(line) {
        return if command.trim().is_empty() { Line::Open } else { Line::Shell };
    }
    let first = line.split_whitespace().next().unwrap_or_default();
    // The kernel's stamp isn't bash's test: `[ 4778.915423] amdgpu 0000:c6:00.0: …`.
    let stamp = line.strip_prefix('[').and_then(|rest| rest.split_once("] ")?.0.trim().split_once('.'));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if stamp.is_some_and(|(seconds, parts)| is_digits(seconds) && is_digits(parts)) {
        return Line::Printed;
    }
    // nccl-tests begins its lines like comments.
    let is_table = ["# nThread", "# Collective", "# Using devices", "#  Rank", "#       size"];
    if is_table.iter().any(|start| line.starts_with(start)) {
        return Line::Printed;
    }
    let sets = first.split_once('=').is_some_and(|(name, _)| {
        let name = name.trim_end_matches('+');
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    });
    let is_option = first
        .strip_prefix('-')
        .is_some_and(|rest| rest.trim_start_matches('-').starts_with(|c: char| c.is_ascii_alphabetic()));
    // A path to a program, or a file that lies here.
    let is_path = (first.starts_with("./") || first.starts_with('/')) && !first.ends_with(':');
    let command = first.trim_end_matches(';');
    if COMMANDS.split_whitespace().any(|word| word == command) || line.starts_with('#') || sets || is_option || is_path
    {
        return Line::Shell;
    }
    // The arm of a case: `0|1) ;;`
    let is_arm = first.ends_with(')') && !first.contains('(');
    let is_arm_alone = is_arm && (line == first || line.ends_with(";;"));
    if !is_arm_alone && (is_numbers(line) || is_failure(line) || is_printed(line, first)) {
        return Line::Printed;
    }
    // A function, or a command that a variable holds: `"$@"`.
    let is_function = line.ends_with('{') && line.contains("()");
    let is_held = line
        .trim_start_matches('"')
        .strip_prefix('$')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '@' | '{' | '(' | '_')));
    if is_function || is_held {
        return Line::Shell;
    }
    let closes = line.trim_matches([')', '(', '"', '\'', ';', '}', '{', '&']).is_empty();
    // What only a shell would put in its place.
    if closes || is_arm || line.contains("${") || line.contains("$(") || line.contains(" && ") {
        Line::Shell
    } else {
        Line::Open
    }
}

/// Whether a line has a form that programs give what they log, and no script has.
fn is_printed(line: &str, first: &str) -> bool {
    const LEVELS: [&str; 7] = ["INFO", "WARN", "WARNING", "ERROR", "DEBUG", "CRITICAL", "NOTE"];
    let digits = first.bytes().take_while(u8::is_ascii_digit).count();
    let behind = first.as_bytes().get(digits).copied();
    // A date, a time, a rank, a share.
    let is_stamp = digits > 0 && behind.is_some_and(|b| b"-/:%|".contains(&b));
    // `W1120 10:12:03`
    let is_glog = first.len() > 4
        && first.starts_with(['I', 'W', 'E', 'F'])
        && first.bytes().skip(1).take(4).all(|b| b.is_ascii_digit());
    let is_tag = line.starts_with('[') && !line.starts_with("[ ") || line.starts_with("(") && line.contains(" pid=");
    let is_rule = ["***", "---", "===", "|", "> ", "+ ", "+-", "{'", "  File \"", "File \""]
        .iter()
        .any(|start| line.starts_with(start));
    let is_name = first.len() > 1 && first.ends_with(':');
    // `exitcode  : -9`
    let is_field = line.split_once(" : ").is_some_and(|(key, _)| is_word(key.trim()));
    let mut letters = first.chars();
    let is_sentence = letters.next().is_some_and(|c| c.is_ascii_uppercase())
        && first.len() > 1
        && letters.all(|c| c.is_ascii_lowercase() || matches!(c, ',' | '.'))
        && line.contains(' ');
    is_stamp
        || is_glog
        || is_tag
        || is_rule
        || is_name
        || is_field
        || is_sentence
        || LEVELS.contains(&first.trim_end_matches(':'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Metric, gather};

    const NANOGPT: &str = include_str!("../../../tests/fixtures/brought/nanogpt-110.txt");
    const SBATCH: &str = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=8\n#SBATCH --cpus-per-task=96\n\nexport MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)\nGPT_ARGS=\"\n    --num-layers 32\n    --hidden-size 4096\n    --num-attention-heads 32\n    --seq-length 4096\n    --micro-batch-size 1\n    --global-batch-size 128\n    --tensor-model-parallel-size 2\n    --bf16\n\"\ncat > note.txt <<EOF\n[2024-04-06 03:03:31] what a script writes down\nEOF\n\nsrun torchrun --nnodes=2 --nproc_per_node=8 --rdzv_id=1 --rdzv_backend=c10d --rdzv_endpoint=$MASTER_ADDR:29500 pretrain_gpt.py $GPT_ARGS\n";
    /// NVIDIA/Megatron-LM issue 756.
    const MEGATRON: &str = " [2024-04-06 03:03:31] iteration       85/     100 | consumed samples:        10880 | elapsed time per iteration (ms): 5580.9 | throughput per GPU (TFLOP/s/GPU): 234.0 | learning rate: 1.700000E-05 | global batch size:   128 | lm loss: 1.831795E+00 | loss scale: 1.0 | grad norm: 1.578 |\n [2024-04-06 03:03:37] iteration       86/     100 | consumed samples:        11008 | elapsed time per iteration (ms): 5695.8 | throughput per GPU (TFLOP/s/GPU): 229.3 | learning rate: 1.720000E-05 | global batch size:   128 | lm loss: 1.831625E+00 | loss scale: 1.0 | grad norm: 1.515 |\n";
    const DEEPSPEED: &str = "{\n  \"train_micro_batch_size_per_gpu\": 2,\n  \"gradient_accumulation_steps\": 8,\n  \"bf16\": {\"enabled\": true},\n  \"zero_optimization\": {\"stage\": 3}\n}\n";
    const TRAINER: &str = "{'loss': 1.31, 'learning_rate': 2e-05, 'epoch': 0.1}\n  1%|          | 9/1000 [00:08<2:23:20,  8.61s/it]\n  1%|          | 10/1000 [00:17<2:23:20,  8.61s/it]\n";
    const ACCELERATE: &str = "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nfsdp_config:\n  fsdp_sharding_strategy: FULL_SHARD\nmixed_precision: bf16\nnum_machines: 1\nnum_processes: 8\n";
    const LAUNCH: &str = "accelerate launch --num_processes 8 train.py \\\n  --model_name_or_path meta-llama/Llama-3.1-8B \\\n  --per_device_train_batch_size 2 --bf16 True\n";
    const TITAN: &str = "[job]\ndump_folder = \"./outputs\"\n\n[model]\nname = \"llama3\"\nflavor = \"8B\"\n\n[training]\nlocal_batch_size = 1\nseq_len = 8192\n\n[parallelism]\ndata_parallel_shard_degree = -1\n";
    const TOPO: &str = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV18\t0-55\t0\nGPU1\tNV18\t X \t0-55\t0\n\nLegend:\n\n  X    = Self\n  NV#  = Connection traversing a bonded set of # NVLinks\n";

    /// Each alone, and what it is.
    const ONE: [(&str, Kind); 9] = [
        (SBATCH, Kind::Megatron),
        (LAUNCH, Kind::Script),
        (DEEPSPEED, Kind::DeepSpeed),
        (include_str!("../../../tests/fixtures/configs/llama-3-8b.json"), Kind::Config),
        (ACCELERATE, Kind::Accelerate),
        (TITAN, Kind::Torchtitan),
        (TOPO, Kind::Topology),
        (MEGATRON, Kind::Log),
        (TRAINER, Kind::Log),
    ];

    fn kinds(text: &str) -> Vec<(Kind, Option<[usize; 2]>)> {
        read_all("pasted", text).iter().map(|(card, _)| (card.kind, card.part)).collect()
    }

    #[test]
    fn a_script_and_its_log_are_two_things() {
        assert_eq!(kinds(NANOGPT), [(Kind::Script, Some([1, 1])), (Kind::Log, Some([3, 13]))]);
        let cards: Vec<Card> = read_all("pasted", NANOGPT).into_iter().map(|(card, _)| card).collect();
        assert_eq!(cards[0].title(), "pasted, line 1");
        let (run, said) = gather(&cards);
        assert_eq!((run.cluster.node, said.len()), (Some(8), 0), "{said:?}");
        assert!(run.measured(Metric::StepTime).is_some_and(|seconds| (seconds - 0.56269).abs() < 1e-4));
        let both = format!("{SBATCH}{MEGATRON}");
        let cards: Vec<Card> = read_all("pasted", &both).into_iter().map(|(card, _)| card).collect();
        assert_eq!(
            (cards[0].title(), cards[1].title()),
            ("pasted, lines 1–22".to_owned(), "pasted, lines 23–24".to_owned())
        );
        let (run, _) = gather(&cards);
        assert_eq!((run.layout.tp, run.layout.seq, run.nodes()), (Some(2), Some(4096), (Some(8), Some(2))));
        // A line keeps the number that it has in what was pasted.
        let step = &run.measured[&Metric::StepTime];
        assert!((step.value - 5.63835).abs() < 1e-9 && step.from == "pasted, lines 23–24, median of 2", "{step:?}");
        assert!(cards[0].launches, "{:?}", cards[0]);
    }

    /// Of any two things, each is read as if it were alone.
    #[test]
    fn two_things_say_what_each_says() {
        for (a, first) in ONE {
            assert_eq!(kinds(a), [(first, None)], "{a}");
            for (b, second) in ONE.iter().filter(|(b, _)| *b != a) {
                // Of two outputs only the last run counts, and after output nothing begins that some program might have printed.
                let is_certain = matches!(
                    second,
                    Kind::Megatron | Kind::DeepSpeed | Kind::Config | Kind::Torchtitan | Kind::Topology
                );
                if first == Kind::Log && !is_certain {
                    continue;
                }
                let text = format!("{a}\n{b}");
                let cards: Vec<Card> = read_all("x", &text).into_iter().map(|(card, _)| card).collect();
                let is: Vec<Kind> = cards.iter().map(|card| card.kind).collect();
                let together =
                    matches!((first, second), (Kind::Megatron | Kind::Script, Kind::Megatron | Kind::Script));
                if together {
                    // Two scripts go on as one.
                    continue;
                }
                assert_eq!(is, [first, *second], "{text}");
                for (card, alone) in cards.iter().zip([a, b]) {
                    let alone = read("x", alone);
                    let layout = |card: &Card| {
                        (
                            card.run.layout.clone(),
                            card.run.cluster.clone(),
                            card.run.model.clone(),
                            card.run.unread.clone(),
                        )
                    };
                    assert_eq!(layout(card), layout(&alone), "{text}");
                    let values = |card: &Card| {
                        card.run.measured.iter().map(|(metric, m)| (*metric, m.value)).collect::<Vec<_>>()
                    };
                    assert_eq!(values(card), values(&alone), "{text}");
                    assert_eq!(
                        (card.outcome, card.stop.is_some(), card.launches),
                        (alone.outcome, alone.stop.is_some(), alone.launches),
                        "{text}"
                    );
                }
            }
        }
    }

    #[test]
    fn an_uncertain_seam_is_said_and_decides_nothing() {
        let hangs = SBATCH.replace("$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)", "localhost");
        let of = |between: &str| {
            let text = format!("{hangs}{between}{MEGATRON}");
            let all = read_all("x", &text);
            (all[0].0.clone(), all.len())
        };
        assert!(of("").0.stop.is_some());
        let (card, n) = of("run_the_second_half\n");
        assert_eq!((n, card.outcome, card.stop.is_some(), card.launches), (2, Outcome::Partly, false, false));
        assert!(card.said.starts_with("Line 23 may belong to the script or to what it printed"), "{}", card.said);
        assert!(card.unread.iter().any(|unread| unread.line == 23 && unread.text == "run_the_second_half"), "{card:?}");
        // A line that no shell takes leaves nothing open.
        for between in [
            "> initializing torch distributed ...\n",
            "[rank0]: W1120 10:00:00 x\n",
            "...\n",
            "Loading extension module fused_adam...\n",
            "+ srun x\n",
        ] {
            assert!(of(between).0.stop.is_some(), "{between}");
        }
    }

    #[test]
    fn one_thing_stays_one() {
        let heredoc = format!(
            "{}cat > ds.json <<EOF\n{DEEPSPEED}EOF\ndeepspeed --num_gpus 8 train.py --deepspeed ds.json --per_device_train_batch_size 2\n",
            "#!/bin/bash\n"
        );
        let arms = "#!/bin/bash\ncase $1 in\n  7b) TP=4 ;;\n  70b) TP=8 ;;\nesac\nif [ -f x ]; then\n  echo \"INFO: resumed\"\nfi\ntorchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --micro-batch-size 1\n";
        let serve = "$ vllm serve meta-llama/Llama-3.1-8B --tensor-parallel-size 2\nINFO 11-20 10:13:41 [gpu_model_runner.py:2392] Model loading took 7.6 GiB and 9.2 seconds\n";
        for text in [heredoc.as_str(), arms, serve, MEGATRON, ""] {
            assert_eq!(read_all("x", text).len(), 1, "{text}");
        }
        for text in [
            include_str!("../../../tests/fixtures/brought/srun-l.txt"),
            include_str!("../../../tests/fixtures/brought/printed-config.txt"),
            include_str!("../../../tests/fixtures/brought/nccl-tests-44.txt"),
            include_str!("../../../tests/fixtures/brought/zephyr-sft.yaml"),
            include_str!("../../../tests/fixtures/threads/deepspeedexamples-186.txt"),
            include_str!("../../../tests/fixtures/threads/llamafactory-6111.txt"),
            include_str!("../../../tests/fixtures/launch/33-pytorchjob-no-shm.yaml"),
            include_str!("../../../tests/fixtures/launch/34-neither-trains.sh"),
            include_str!("../../../tests/fixtures/runs/torchtitan-llama-3.1-8b-8xh100.toml"),
        ] {
            assert_eq!(kinds(text).len(), 1, "{text}\n{:?}", kinds(text));
        }
    }

    #[test]
    fn a_command_behind_a_prompt_is_read_above_its_error() {
        const ERROR: &str = "WARNING:torch.distributed.run:\nTraceback (most recent call last):\n  File \"/w/train.py\", line 8, in <module>\nModuleNotFoundError: No module named 'datasets'\n";
        for prompt in [
            "$ ",
            "user@host:~$ ",
            "[user@host examples]$ ",
            "(env) [user@host-20 examples]$ ",
            "(base) root@host:/w# ",
        ] {
            let text = format!("{prompt}torchrun --nproc_per_node=6 train.py\n{ERROR}");
            let all = read_all("x", &text);
            let is: Vec<Kind> = all.iter().map(|(card, _)| card.kind).collect();
            assert_eq!(is, [Kind::Script, Kind::Errors], "{prompt}");
        }
        for line in ["loss: 2.0 # of 3", "a@b costs 5$ or more", "# root@host: a comment"] {
            assert_eq!(prompted(line), None, "{line}");
        }
    }

    #[test]
    fn what_belongs_to_nothing_is_marked() {
        let text = format!("here is my setup\n{DEEPSPEED}and that was it\n");
        let all = read_all("x", &text);
        assert_eq!(all.len(), 1);
        let unread: Vec<usize> = all[0].0.unread.iter().map(|unread| unread.line).collect();
        assert_eq!((unread, all[0].0.outcome), (vec![1, 8], Outcome::Partly));
        // A prompt that shows a file is no part of it.
        let shown = format!("$ cat ds.json\n{DEEPSPEED}$ cat log.txt\n{TRAINER}");
        assert_eq!(kinds(&shown), [(Kind::DeepSpeed, Some([2, 7])), (Kind::Log, Some([9, 11]))]);
    }

    #[test]
    fn however_much_seems_to_begin_something_little_is_looked_at() {
        for line in [
            "a = 1\n",
            "[a]\n",
            "cat <<EOF\n",
            "a: 1\n",
            "#SBATCH -N 1\n",
            "{\"a\":\n",
            "$ ls\n",
            "GPU0 CPU Affinity\n",
            "[a]\nx\n",
            "[a\n",
        ] {
            for start in ["", "#!/bin/bash\n", "step 1 loss 2.0\n"] {
                let text = format!("{start}{}", line.repeat(60_000 / line.len()));
                let all = read_all("x", &text);
                assert!(!all.is_empty() && all.len() <= PARTS + 1, "{start}{line}");
            }
        }
    }
}

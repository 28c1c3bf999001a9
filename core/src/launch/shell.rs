//! As much of a shell as launch scripts use: words, quotes, variables, arrays, conditions, and the substitutions that name hosts.
//!
//! What a launch depends on and cannot be known is [`UNKNOWN`] in the text that it would be part of, and so in whatever is made of that text:
//! nothing is concluded from it. What is not evaluated is noted at its line. A value has at most [`LONGEST`] characters and the whole run takes
//! at most `STEPS` steps, so a script that doubles a variable at each line ends in a note.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::branches::{Arm, Branches, Fate};
use super::outside;
use super::parse::{DEEPEST, Inside, Item, Join, Loop, Simple, Step, Word, behind, parse};
use super::step::Job;
use crate::query::shorten;

/// Stands for text that is not known.
pub const UNKNOWN: char = '\u{e000}';
/// Most characters of a value.
pub const LONGEST: usize = 4096;
/// Most characters of all values.
const ALL: usize = 16 * LONGEST;
/// Characters that are looked at in all.
const STEPS: usize = 4_000_000;
/// Notes that are kept.
const NOTES: usize = 100;

/// Whether a text is known.
pub fn known(text: &str) -> bool {
    !text.contains(UNKNOWN)
}

/// What is written in the place of what isn't known.
pub(super) fn unknown() -> String {
    UNKNOWN.to_string()
}

/// A word of a command as the program gets it, and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arg {
    /// The word.
    pub text: String,
    /// Its line, from 1.
    pub line: usize,
}

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its value; several for an array.
    pub values: Vec<String>,
    /// Whether programs that are started have it.
    pub exported: bool,
    /// The line where it was set; 0 where the script did not.
    pub line: usize,
}

/// What a shell knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Env {
    /// What many have in common.
    base: Arc<BTreeMap<String, Variable>>,
    /// What is set here.
    own: BTreeMap<String, Variable>,
    /// Characters of what is set here.
    length: usize,
    /// The node that it runs on, from 0.
    pub node: u64,
    /// Whether something that was not read may have set variables.
    pub open: bool,
}

impl Env {
    /// Sets a variable.
    pub fn set(&mut self, name: &str, value: impl Into<String>, exported: bool, line: usize) {
        self.set_all(name, vec![value.into()], exported, line);
    }

    /// Sets an array; whether it was short enough to be kept as it is.
    pub fn set_all(&mut self, name: &str, mut values: Vec<String>, exported: bool, line: usize) -> bool {
        let before = self.variable(name);
        let exported = exported || before.is_some_and(|v| v.exported);
        let had = self.own.get(name).map_or(0, |v| length(&v.values) + name.len());
        let mut long = length(&values);
        let fits = long <= LONGEST && self.length - had.min(self.length) + long + name.len() <= ALL;
        if !fits {
            values = vec![unknown()];
            long = 1;
        }
        self.length = self.length - had.min(self.length) + long + name.len();
        self.own.insert(name.to_owned(), Variable { values, exported, line });
        fits
    }

    /// Takes a variable away.
    pub fn unset(&mut self, name: &str) {
        self.own.remove(name);
        if self.base.contains_key(name) {
            let mut base = (*self.base).clone();
            base.remove(name);
            self.base = Arc::new(base);
        }
    }

    /// A variable.
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.own.get(name).or_else(|| self.base.get(name))
    }

    /// The value of a variable; empty if it is known to have none.
    pub fn get(&self, name: &str) -> String {
        match self.variable(name) {
            Some(variable) => variable.values.first().cloned().unwrap_or_default(),
            None if self.open || outside::of_login(name) => unknown(),
            None => String::new(),
        }
    }

    /// A variable as a program sees it; none where it is not set, or only perhaps.
    pub fn exported(&self, name: &str) -> Option<&str> {
        self.variable(name).filter(|v| v.exported).and_then(|v| v.values.first()).map(String::as_str)
    }

    /// The line where a variable was set; 0 where it was not.
    pub fn line(&self, name: &str) -> usize {
        self.variable(name).map_or(0, |v| v.line)
    }

    /// The variables that are set here and have one value that is known.
    pub fn values(&self) -> impl Iterator<Item = (&str, &str)> {
        self.own.iter().filter_map(|(name, variable)| match variable.values.as_slice() {
            [value] if known(value) => Some((name.as_str(), value.as_str())),
            _ => None,
        })
    }

    /// What a program that is started here has.
    pub fn inherited(&self) -> Self {
        let all = self.base.iter().filter(|(name, _)| !self.own.contains_key(*name)).chain(&self.own);
        let base = all.filter(|(_, v)| v.exported).map(|(n, v)| (n.clone(), v.clone())).collect();
        Self { base: Arc::new(base), own: BTreeMap::new(), length: 0, node: self.node, open: self.open }
    }
}

fn length(values: &[String]) -> usize {
    values.iter().map(|v| v.chars().count() + 1).sum::<usize>().saturating_sub(1)
}

/// What hangs on something that was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Reach {
    /// Nothing but what it would have printed or set, which counts as not known.
    #[default]
    Nothing,
    /// Variables: it may have set some.
    Variables,
    /// Everything: it may launch something, or end the script.
    Everything,
}

/// Something about a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The line.
    pub line: usize,
    /// What hangs on it; none for a remark about what was read.
    pub reach: Option<Reach>,
    /// A sentence.
    pub text: String,
}

/// How a command went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Went {
    /// On it goes; with success, without, or with what is not known.
    On(Option<bool>),
    /// The script ends here, or what is launched is found.
    Stop,
    /// A function ends here.
    Return,
    /// A loop ends here.
    Break,
    /// The next round of a loop begins.
    Continue,
}

/// Runs commands that are not the shell's own.
pub type Run<'a> = &'a mut dyn FnMut(&mut Shell, &[Arg], bool) -> Went;

/// A shell.
#[derive(Debug, Clone, Default)]
pub struct Shell {
    /// What it knows.
    pub env: Env,
    /// The job that it runs in, if it is one of Slurm.
    pub job: Option<Arc<Job>>,
    /// Whether it is no job of a scheduler: somebody starts it.
    pub by_hand: bool,
    /// What there is to say of lines.
    pub notes: Vec<Note>,
    /// Variables that were read, and have no value: lines and names.
    pub unset: Vec<(usize, String)>,
    /// What becomes of branches, for a reader that asks.
    pub branches: Option<Branches>,
    functions: BTreeMap<String, Arc<Vec<Item>>>,
    arguments: Option<Vec<String>>,
    steps: usize,
    depth: usize,
}

/// Fields that a word becomes.
#[derive(Default)]
struct Fields {
    done: Vec<String>,
    current: String,
    begun: bool,
    long: usize,
}

impl Fields {
    fn push(&mut self, text: &str) {
        self.begun = true;
        // Twice nothing known is not more of it.
        if text.chars().all(|c| c == UNKNOWN) && self.current.ends_with(UNKNOWN) {
            return;
        }
        self.long += text.len();
        if self.long <= 4 * LONGEST {
            self.current.push_str(text);
        }
    }

    fn part(&mut self) {
        if self.begun {
            self.done.push(std::mem::take(&mut self.current));
            self.begun = false;
        }
    }

    /// The value of an expansion, which is split at blanks unless it is quoted.
    fn expanded(&mut self, text: &str, split: bool) {
        if !split {
            return self.push(text);
        }
        for (i, part) in text.split([' ', '\t', '\n']).enumerate() {
            if i > 0 {
                self.part();
            }
            if !part.is_empty() {
                self.push(part);
            }
        }
    }
}

impl Shell {
    /// A shell in a job.
    pub fn new(env: Env, job: Option<Arc<Job>>) -> Self {
        Self { env, job, ..Self::default() }
    }

    /// A shell that a task of this one's runs, with what is left of its steps.
    pub fn child(&mut self, env: Env) -> Self {
        Self { env, job: self.job.clone(), steps: self.steps, depth: self.depth + 1, ..Self::default() }
    }

    /// Takes over what a child used up and noted.
    pub fn join(&mut self, child: Self) {
        self.steps = child.steps;
        self.unset.extend(child.unset.into_iter().take(NOTES.saturating_sub(self.unset.len())));
        for note in child.notes {
            self.keep(note);
        }
    }

    fn keep(&mut self, note: Note) {
        let worse = |n: &Note| n.line == note.line && n.text == note.text && n.reach >= note.reach;
        if !self.notes.iter().any(worse)
            && (self.notes.len() < NOTES || note.reach > Some(Reach::Nothing))
            && self.notes.len() < 2 * NOTES
        {
            self.notes.push(note);
        }
    }

    /// Notes that something is not read.
    pub fn unread(&mut self, line: usize, reach: Reach, text: impl Into<String>) {
        self.env.open |= reach >= Reach::Variables;
        self.keep(Note { line, reach: Some(reach), text: text.into() });
    }

    /// Remarks on something that is read.
    pub fn remark(&mut self, line: usize, text: impl Into<String>) {
        self.keep(Note { line, reach: None, text: text.into() });
    }

    /// Takes steps; whether there are any left.
    fn spend(&mut self, steps: usize, line: usize) -> bool {
        self.steps = self.steps.saturating_add(steps.max(1));
        if self.steps > STEPS {
            self.unread(
                line,
                Reach::Everything,
                "The script takes too many steps: what comes from here on is not evaluated.",
            );
        }
        self.steps <= STEPS
    }

    /// What a word becomes in an assignment or between quotes: one text.
    pub fn text(&mut self, raw: &str, line: usize) -> String {
        let mut fields = Fields::default();
        self.expand(raw, line, false, &mut fields);
        // The elements of an array are joined.
        fields.part();
        self.bounded(fields.done.join(" "), line)
    }

    fn bounded(&mut self, text: String, line: usize) -> String {
        if text.chars().count() <= LONGEST {
            return text;
        }
        self.unread(line, Reach::Nothing, "This grows beyond 4,096 characters and is not followed.");
        unknown()
    }

    /// The fields that a word becomes: none, one or several.
    pub fn fields(&mut self, word: &Word) -> Vec<Arg> {
        let mut fields = Fields::default();
        self.expand(&word.raw, word.line, true, &mut fields);
        fields.part();
        if length(&fields.done) > 4 * LONGEST || fields.long > 4 * LONGEST {
            self.unread(word.line, Reach::Nothing, "This grows beyond 4,096 characters and is not followed.");
            fields.done = vec![unknown()];
        }
        fields.done.into_iter().map(|text| Arg { text: self.bounded(text, word.line), line: word.line }).collect()
    }

    fn expand(&mut self, raw: &str, line: usize, split: bool, out: &mut Fields) {
        if self.depth > DEEPEST || !self.spend(raw.len(), line) {
            self.unread(line, Reach::Everything, "This is nested too deeply to be evaluated.");
            return out.push(&unknown());
        }
        self.depth += 1;
        let chars: Vec<char> = raw.chars().collect();
        let (mut i, mut quoted) = (0, false);
        while let Some(&c) = chars.get(i) {
            let next = chars.get(i + 1).copied();
            i += 1;
            match c {
                '"' => {
                    quoted = !quoted;
                    out.push("");
                }
                '\'' if !quoted => {
                    let rest = chars.get(i..).unwrap_or_default();
                    let inner: String = rest.iter().take_while(|c| **c != '\'').collect();
                    i += inner.chars().count() + 1;
                    out.push(&inner);
                }
                '\\' => {
                    i += 1;
                    match next {
                        Some('\n') => {}
                        Some(next) if quoted && !matches!(next, '$' | '`' | '"' | '\\') => {
                            out.push(&format!("\\{next}"))
                        }
                        Some(next) => out.push(&next.to_string()),
                        None => out.push("\\"),
                    }
                }
                '`' => {
                    let (end, ..) = behind(&chars, i, Inside::Ticks);
                    let inner: String = chars.get(i..end.saturating_sub(1)).unwrap_or_default().iter().collect();
                    i = end;
                    let value = self.substitute(&inner.replace("\\`", "`").replace("\\$", "$"), line);
                    out.expanded(&value, split && !quoted);
                }
                '$' => i = self.dollar(&chars, i, line, split && !quoted, quoted || !split, out),
                UNKNOWN => out.push(&unknown()),
                c => out.push(c.encode_utf8(&mut [0; 4])),
            }
        }
        self.depth -= 1;
    }

    /// What stands behind a `$` at `i`; the place behind it.
    fn dollar(&mut self, chars: &[char], i: usize, line: usize, split: bool, quoted: bool, out: &mut Fields) -> usize {
        let inner = |from: usize, inside: Inside| {
            let (end, closed, _) = behind(chars, from, inside);
            let last = end - usize::from(closed);
            (chars.get(from..last.max(from)).unwrap_or_default().iter().collect::<String>(), end)
        };
        match chars.get(i).copied() {
            Some('(') => {
                let (text, end) = inner(i + 1, Inside::Parens);
                let sum = text.strip_prefix('(').and_then(|sum| sum.strip_suffix(')'));
                let value = match sum {
                    Some(sum) => self.sum(sum, line),
                    None => self.substitute(&text, line),
                };
                out.expanded(&value, split);
                end
            }
            Some('{') => {
                let (text, end) = inner(i + 1, Inside::Braces);
                self.parameter(&text, line, split, quoted, out);
                end
            }
            Some('\'') if !quoted => i,
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let rest = chars.get(i..).unwrap_or_default();
                let name: String = rest.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == '_').collect();
                let value = self.env.get(&name);
                self.spend(value.len(), line);
                if value.is_empty() && self.unset.len() < NOTES {
                    self.unset.push((line, name.clone()));
                }
                out.expanded(&value, split);
                i + name.len()
            }
            Some(c) if c.is_ascii_digit() || "@*#?$!-".contains(c) => {
                for (k, value) in self.argument(c).into_iter().enumerate() {
                    if k > 0 {
                        if c == '@' { out.part() } else { out.push(" ") }
                    }
                    out.expanded(&value, split);
                }
                i + 1
            }
            _ => {
                out.push("$");
                i
            }
        }
    }

    fn argument(&self, name: char) -> Vec<String> {
        let Some(arguments) = &self.arguments else { return vec![unknown()] };
        match (name, name.to_digit(10)) {
            ('@' | '*', _) => arguments.clone(),
            ('#', _) => vec![arguments.len().to_string()],
            (_, Some(n)) if n > 0 => vec![arguments.get(n as usize - 1).cloned().unwrap_or_default()],
            _ => vec![unknown()],
        }
    }

    /// `${…}`.
    fn parameter(&mut self, text: &str, line: usize, split: bool, quoted: bool, out: &mut Fields) {
        let counts = text.len() > 1 && text.starts_with('#');
        let body = if counts { text.get(1..).unwrap_or("") } else { text };
        let end = body.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(body.len());
        let (name, mut rest) = body.split_at(end);
        let special = name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit());
        let variable = self.env.variable(name).cloned();
        let mut values = match (&variable, special) {
            (_, true) => {
                let which = body.chars().next().unwrap_or('?');
                rest = body.get(which.len_utf8()..).unwrap_or("");
                if which.is_ascii_digit() || matches!(which, '@' | '*') {
                    self.argument(which)
                } else {
                    vec![unknown()]
                }
            }
            (Some(variable), _) => variable.values.clone(),
            (None, _) => Some(self.env.get(name)).filter(|v| !v.is_empty()).into_iter().collect(),
        };
        let mut whole = special && body.starts_with(['@', '*']);
        if let Some(index) = rest.strip_prefix('[') {
            let (index, after) = index.split_once(']').unwrap_or((index, ""));
            rest = after;
            if matches!(index, "@" | "*") {
                whole = true;
            } else {
                let number = self.sum(index, line);
                let at = number.parse::<i64>().ok();
                values = match at {
                    _ if values.iter().any(|v| !known(v)) => vec![unknown()],
                    Some(at) => {
                        let at = if at < 0 { values.len() as i64 + at } else { at };
                        usize::try_from(at).ok().and_then(|at| values.get(at).cloned()).into_iter().collect()
                    }
                    None => vec![unknown()],
                };
            }
        } else if !whole {
            values.truncate(1);
        }
        if counts {
            let is_known = values.iter().all(|v| known(v));
            let count = if whole { values.len() } else { values.first().map_or(0, |v| v.chars().count()) };
            return out.expanded(&if is_known { count.to_string() } else { unknown() }, split);
        }
        let joined = values.join(" ");
        self.spend(joined.len(), line);
        let operator = rest.get(..2).filter(|op| matches!(*op, ":-" | ":=" | ":+" | ":?")).or(rest.get(..1));
        let (operator, operand) = operator.map_or(("", ""), |op| rest.split_at(op.len()));
        let empty = if operator.starts_with(':') { joined.is_empty() } else { values.is_empty() && variable.is_none() };
        match operator {
            "" if whole && !(quoted && !split && body.contains('*')) => {
                for (k, value) in values.iter().enumerate() {
                    if k > 0 {
                        // In an assignment the elements are joined.
                        if split || quoted { out.part() } else { out.push(" ") }
                    }
                    out.expanded(value, split);
                }
            }
            "" => {
                if joined.is_empty() && self.unset.len() < NOTES {
                    self.unset.push((line, name.to_owned()));
                }
                out.expanded(&joined, split);
            }
            ":-" | "-" | ":=" | "=" if known(&joined) && empty || self.branches.is_some() && variable.is_none() => {
                let value = self.text(operand, line);
                if operator.ends_with('=') {
                    self.assign(name, vec![value.clone()], false, line);
                }
                out.expanded(&value, split);
            }
            ":-" | "-" | ":=" | "=" | ":?" | "?" => out.expanded(&joined, split),
            ":+" | "+" if !known(&joined) => out.expanded(&unknown(), split),
            ":+" | "+" => {
                let value = if empty { String::new() } else { self.text(operand, line) };
                out.expanded(&value, split);
            }
            _ => {
                let value = self.edited(&joined, rest, line);
                out.expanded(&value, split);
            }
        }
    }

    /// A value of which an end is cut off, or a part replaced.
    fn edited(&mut self, value: &str, edit: &str, line: usize) -> String {
        let named = |shell: &mut Self| {
            shell.unread(line, Reach::Nothing, format!("“{}” is not evaluated here.", shorten(edit)));
            unknown()
        };
        if !known(value) {
            return unknown();
        }
        if let Some(range) = edit.strip_prefix(':') {
            let (from, count) = range.split_once(':').map_or((range, None), |(from, count)| (from, Some(count)));
            let from = self.sum(from, line).parse::<i64>().ok();
            let count = count.map(|count| self.sum(count, line).parse::<usize>().ok());
            let (Some(from), None | Some(Some(_))) = (from, count) else { return unknown() };
            let all = value.chars().count() as i64;
            let from = if from < 0 { all.saturating_add(from).max(0) } else { from };
            let rest = value.chars().skip(usize::try_from(from).unwrap_or(usize::MAX));
            return rest.take(count.flatten().unwrap_or(usize::MAX)).collect();
        }
        match edit {
            ",," => return value.to_lowercase(),
            "^^" => return value.to_uppercase(),
            _ => {}
        }
        let (kind, pattern) = ["##", "#", "%%", "%", "//", "/"]
            .into_iter()
            .find_map(|kind| edit.strip_prefix(kind).map(|rest| (kind, rest)))
            .unwrap_or(("", ""));
        if kind.starts_with('/') {
            let (from, to) = pattern.split_once('/').unwrap_or((pattern, ""));
            let (from, to) = (self.text(from, line), self.text(to, line));
            if from.is_empty() || from.contains(['*', '?', '[', UNKNOWN]) {
                return named(self);
            }
            let times = if kind == "//" { usize::MAX } else { 1 };
            return value.replacen(&from, &to, times);
        }
        let pattern = self.text(pattern, line);
        if kind.is_empty() || pattern.contains(['[', '?', UNKNOWN]) || pattern.matches('*').count() > 1 {
            return named(self);
        }
        // One star, at an end, or none.
        let longest = kind.len() == 2;
        let cut = match (kind.starts_with('#'), pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
            (true, Some(end), _) => {
                let at = if longest { value.rfind(end) } else { value.find(end) };
                at.and_then(|at| value.get(at + end.len()..))
            }
            (false, _, Some(begin)) => {
                let at = if longest { value.find(begin) } else { value.rfind(begin) };
                at.and_then(|at| value.get(..at))
            }
            (true, None, None) => value.strip_prefix(pattern.as_str()),
            (false, None, None) => value.strip_suffix(pattern.as_str()),
            _ => return named(self),
        };
        cut.unwrap_or(value).to_owned()
    }

    /// What `$((…))` comes to.
    fn sum(&mut self, text: &str, line: usize) -> String {
        if self.depth > DEEPEST || !self.spend(text.len(), line) {
            return unknown();
        }
        let text = if text.contains(['$', '`']) { self.text(text, line) } else { text.to_owned() };
        let mut sum = outside::Sum::new(&text, &self.env);
        sum.value().map_or_else(unknown, |n| n.to_string())
    }

    /// Sets a variable, and says so where its value is too long.
    fn assign(&mut self, name: &str, values: Vec<String>, exported: bool, line: usize) {
        if !self.env.set_all(name, values, exported, line) {
            let text = format!("{} grows beyond 4,096 characters here and is not followed.", shorten(name));
            self.unread(line, Reach::Nothing, text);
        }
    }

    /// Takes `NAME=value`, `NAME+=value` or `NAME=( … )`; whether it is one.
    fn assignment(&mut self, word: &Word, exported: bool) -> bool {
        let Some((name, add, value)) = assignment(&word.raw) else { return false };
        let (name, line) = (name.to_owned(), word.line);
        let mut values = match value.strip_prefix('(').and_then(|list| list.strip_suffix(')')) {
            Some(list) => {
                let parsed = parse(list, line);
                let words = parsed.items.iter().flat_map(|item| match &item.step {
                    Step::Simple(simple) => simple.words.clone(),
                    _ => Vec::new(),
                });
                words.collect::<Vec<_>>().iter().flat_map(|word| self.fields(word)).map(|arg| arg.text).collect()
            }
            None => vec![self.text(value, line)],
        };
        let index = name.split_once('[').map(|(name, index)| (name.to_owned(), index.trim_end_matches(']').to_owned()));
        let Some((name, index)) = index else {
            if add {
                let before = self.env.variable(&name).map_or_else(Vec::new, |v| v.values.clone());
                values = if value.starts_with('(') {
                    before.into_iter().chain(values).collect()
                } else {
                    let begin = before.first().cloned().unwrap_or_else(|| self.env.get(&name));
                    vec![format!("{begin}{}", values.concat())]
                };
            }
            self.assign(&name, values, exported, line);
            return true;
        };
        let at = self.sum(&index, line).parse::<usize>().ok().filter(|at| *at <= 1024);
        let mut all = self.env.variable(&name).map_or_else(Vec::new, |v| v.values.clone());
        match at {
            Some(at) => {
                all.resize(all.len().max(at + 1), String::new());
                if let Some(place) = all.get_mut(at) {
                    *place = values.concat();
                }
            }
            None => all = vec![unknown()],
        }
        self.assign(&name, all, exported, line);
        true
    }

    /// What a command prints, without the line ends behind it.
    fn substitute(&mut self, inner: &str, line: usize) -> String {
        if self.depth > DEEPEST || !self.spend(inner.len(), line) {
            self.unread(line, Reach::Everything, "This is nested too deeply to be evaluated.");
            return unknown();
        }
        self.depth += 1;
        let parsed = parse(inner, line);
        let mut printed: Option<String> = Some(String::new());
        let mut said = false;
        let count = parsed.items.len();
        for (i, item) in parsed.items.iter().enumerate() {
            let Step::Simple(simple) = &item.step else {
                printed = None;
                break;
            };
            let is_pipe = item.join == Join::Pipe || i + 1 == count;
            let input = match &simple.input {
                Some((word, true)) => Some(self.text(&word.raw, line)),
                Some(_) => None,
                None => printed.take(),
            };
            let args: Vec<String> = simple.words.iter().flat_map(|w| self.fields(w)).map(|arg| arg.text).collect();
            let out = outside::printed(&args, input.as_deref(), &self.env, self.job.as_deref());
            said |= matches!(out, outside::Printed::Quiet);
            printed = match out {
                outside::Printed::Text(text) if is_pipe => Some(text),
                _ => None,
            };
            if printed.is_none() && !is_pipe {
                break;
            }
        }
        self.depth -= 1;
        if printed.is_none() && !said && count > 0 {
            self.unread(line, Reach::Nothing, format!("What “{}” prints is not known here.", shorten(inner.trim())));
        }
        printed.map_or_else(unknown, |text| text.trim_end_matches('\n').to_owned())
    }

    /// Runs what a text says.
    pub fn run_text(&mut self, text: &str, line: usize, run: Run<'_>) -> Went {
        if self.depth > DEEPEST || !self.spend(text.len(), line) {
            self.unread(line, Reach::Everything, "This is nested too deeply to be evaluated.");
            return Went::Stop;
        }
        self.depth += 1;
        let parsed = parse(text, line);
        if let Some((line, why)) = parsed.wrong {
            self.unread(line, Reach::Everything, why);
        }
        let went = self.run(&parsed.items, run);
        self.depth -= 1;
        went
    }

    /// Runs steps in order.
    fn run(&mut self, items: &[Item], run: Run<'_>) -> Went {
        let mut went = Some(true);
        let mut i = 0;
        while let Some(item) = items.get(i) {
            // A pipeline is run by its first command; the others read what that prints.
            let mut last = i;
            while items.get(last).is_some_and(|item| item.join == Join::Pipe) && last + 1 < items.len() {
                last += 1;
            }
            let pipeline = items.get(i..=last).unwrap_or_default();
            let before = i.checked_sub(1).and_then(|b| items.get(b)).map(|item| item.join);
            let skipped = match (before, went) {
                (Some(Join::And), Some(false)) | (Some(Join::Or), Some(true)) => {
                    self.note(pipeline, Fate::Passed);
                    true
                }
                (Some(Join::And | Join::Or), None) if !self.leads(pipeline) => {
                    self.note(pipeline, Fate::Open(None));
                    self.untaken(pipeline, item.line, "Whether this runs is not known here.");
                    true
                }
                _ => false,
            };
            if !skipped {
                let background = items.get(last).is_some_and(|item| item.join == Join::Background);
                went = match self.step(item, background, run) {
                    Went::On(went) if item.not => went.map(|went| !went),
                    Went::On(went) => went,
                    end => return end,
                };
                if pipeline.len() > 1 {
                    self.piped(pipeline.get(1..).unwrap_or_default());
                    let tells = |item: &Item| match &item.step {
                        Step::Simple(simple) => simple.words.first().is_some_and(|word| outside::tells(&word.raw)),
                        _ => true,
                    };
                    went = went.filter(|_| !items.get(last).is_some_and(tells));
                }
            }
            i = last + 1;
        }
        Went::On(went)
    }

    /// What reads what another prints: filters, as a rule.
    fn piped(&mut self, rest: &[Item]) {
        for item in rest {
            let filter = match &item.step {
                Step::Simple(simple) => simple.words.first().is_some_and(|w| outside::harmless(&w.raw)),
                _ => false,
            };
            if !filter {
                self.untaken(std::slice::from_ref(item), item.line, "What reads from a pipe is not evaluated here.");
            }
        }
    }

    fn step(&mut self, item: &Item, background: bool, run: Run<'_>) -> Went {
        if !self.spend(64, item.line) || self.depth > DEEPEST {
            return Went::Stop;
        }
        self.depth += 1;
        let went = match &item.step {
            Step::Simple(simple) => self.simple(simple, background, run),
            Step::If(arms, otherwise) => {
                let mut bodies = Vec::new();
                let mut is_chosen = false;
                for (condition, body) in arms {
                    let holds = if is_chosen { Some(false) } else { self.condition(condition) };
                    is_chosen |= holds == Some(true);
                    bodies.push((body.as_slice(), holds));
                }
                bodies.push((otherwise.as_slice(), Some(!is_chosen)));
                const OPEN: &str = "Whether this condition holds is not known here: neither branch is evaluated.";
                self.one_of(&bodies, item.line, OPEN, run)
            }
            Step::Case(subject, arms) => self.case(subject, arms, item.line, run),
            Step::Group(body, own) => {
                let before = own.then(|| self.env.clone());
                let went = self.run(body, run);
                if let Some(before) = before {
                    self.env = Env { open: self.env.open, ..before };
                }
                went
            }
            Step::Function(name, body) => {
                self.functions.insert(name.clone(), Arc::clone(body));
                Went::On(Some(true))
            }
            Step::Loop(head, body) => self.rounds(head, body, item.line, run),
        };
        self.depth -= 1;
        went
    }

    /// A loop over words that are known, or that counts; any other is not run.
    fn rounds(&mut self, head: &Loop, body: &[Item], line: usize, run: Run<'_>) -> Went {
        if let (Some(words), "for") = (&head.words, head.what)
            && let Some(values) = self.values(words)
        {
            for value in values {
                self.assign(&head.name, vec![value], false, line);
                match self.round(body, line, run) {
                    Went::On(_) | Went::Continue => {}
                    Went::Break => break,
                    end => return end,
                }
            }
            return Went::On(Some(true));
        }
        if let Some(counts) = head.name.strip_prefix("((").and_then(|inner| inner.strip_suffix("))"))
            && let [first, condition, next] = counts.split(';').collect::<Vec<_>>().as_slice()
            // Without a condition it goes on until something within it breaks.
            && !condition.trim().is_empty()
            && self.count(first, line)
        {
            loop {
                match self.sum(condition, line).parse::<i64>() {
                    Ok(0) => return Went::On(Some(true)),
                    Ok(_) => {}
                    Err(_) => break,
                }
                match self.round(body, line, run) {
                    Went::On(_) | Went::Continue => {}
                    Went::Break => return Went::On(Some(true)),
                    end => return end,
                }
                if !self.count(next, line) {
                    break;
                }
            }
        }
        if !head.name.starts_with('(') {
            self.assign(&head.name, vec![unknown()], false, line);
        }
        if self.leads(body) {
            return match self.round(body, line, run) {
                Went::Break | Went::Continue => Went::On(None),
                went => went,
            };
        }
        self.note(body, Fate::Open(None));
        self.untaken(body, line, &format!("“{}” is not evaluated here: write out what it does.", head.what));
        Went::On(None)
    }

    fn round(&mut self, body: &[Item], line: usize, run: Run<'_>) -> Went {
        if self.spend(64, line) { self.run(body, run) } else { Went::Stop }
    }

    /// What a loop goes through, where all of it is known.
    fn values(&mut self, words: &[Word]) -> Option<Vec<String>> {
        let mut all = Vec::new();
        for word in words {
            match braced(&word.raw) {
                Some(range) => all.extend(range.map(|n| n.to_string())),
                None if word.raw.replace("${", "").contains('{') => return None,
                None => all.extend(self.fields(word).into_iter().map(|arg| arg.text)),
            }
        }
        // Names of files are not known.
        all.iter().all(|value| known(value) && !value.contains(['*', '?', '['])).then_some(all)
    }

    /// `i=0`, `i++` or `i+=2` of a loop that counts; whether it is evaluated.
    fn count(&mut self, text: &str, line: usize) -> bool {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let sum = ["++", "--"].into_iter().find_map(|op| {
            let name = text.strip_suffix(op).or(text.strip_prefix(op))?;
            Some((name.to_owned(), format!("{name}{}1", &op[..1])))
        });
        let (name, sum) = match (sum, text.split_once('=')) {
            (Some(counted), _) => counted,
            (None, Some((name, by))) => match name.strip_suffix(['+', '-']) {
                Some(bare) => (bare.to_owned(), format!("{name}({by})")),
                None => (name.to_owned(), by.to_owned()),
            },
            (None, None) => return text.is_empty(),
        };
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let value = self.sum(&sum, line);
        if !is_name || !known(&value) {
            return false;
        }
        self.assign(&name, vec![value], false, line);
        true
    }

    fn case(&mut self, subject: &Word, arms: &[(Vec<Word>, Vec<Item>)], line: usize, run: Run<'_>) -> Went {
        let value = self.text(&subject.raw, subject.line);
        let mut bodies = Vec::new();
        let mut is_chosen = false;
        for (patterns, body) in arms {
            let mut matches = Some(false);
            for pattern in patterns.iter().filter(|_| !is_chosen) {
                let text = self.text(&pattern.raw, pattern.line);
                let one = match text.strip_suffix('*') {
                    Some("") => Some(true),
                    _ if !known(&value) || !known(&text) => None,
                    Some(begin) if !begin.contains(['*', '?', '[']) => Some(value.starts_with(begin)),
                    _ if text.contains(['*', '?', '[']) => None,
                    _ => Some(text == value),
                };
                matches = either(matches, one);
            }
            is_chosen |= matches == Some(true);
            bodies.push((body.as_slice(), matches));
        }
        bodies.push((&[][..], Some(!is_chosen)));
        self.one_of(&bodies, line, "Which of these patterns fits is not known here: none is evaluated.", run)
    }

    /// The first of some bodies whose condition holds; where that isn't known, none of them.
    fn one_of(&mut self, bodies: &[(&[Item], Option<bool>)], line: usize, text: &str, run: Run<'_>) -> Went {
        let open = bodies.iter().any(|(_, holds)| holds.is_none());
        let led = bodies.iter().position(|(body, holds)| open && *holds != Some(false) && self.leads(body));
        let chosen = led.or_else(|| bodies.iter().position(|(_, holds)| *holds == Some(true)).filter(|_| !open));
        let may: Vec<usize> =
            (0..bodies.len()).filter(|i| bodies.get(*i).is_some_and(|(_, h)| *h != Some(false))).collect();
        let group = self.branches.as_mut().map_or(0, Branches::group);
        for (i, (body, _)) in bodies.iter().enumerate() {
            let fate = match chosen {
                Some(chosen) if chosen == i => Fate::Ran,
                None if may.contains(&i) => Fate::Open(Some(Arm { group, at: i, of: may.len() })),
                _ => Fate::Passed,
            };
            self.note(body, fate);
        }
        if let Some((body, _)) = chosen.and_then(|at| bodies.get(at)) {
            return self.run(body, run);
        }
        for (body, _) in may.iter().filter_map(|i| bodies.get(*i)) {
            self.untaken(body, line, text);
        }
        Went::On(None)
    }

    /// Notes what becomes of a branch, for a reader that asks.
    fn note(&mut self, items: &[Item], fate: Fate) {
        let Some(mut branches) = self.branches.take() else { return };
        let words = branches.note(items, fate);
        self.branches = Some(branches);
        self.spend(words, items.first().map_or(0, |item| item.line));
    }

    /// Whether a reader takes a body to be run, whatever decides that: it has all that the script launches.
    fn leads(&mut self, items: &[Item]) -> bool {
        let Some((leads, seen)) = self.branches.as_ref().map(|branches| branches.has_all(items)) else { return false };
        self.spend(64 * seen, items.first().map_or(0, |item| item.line));
        leads
    }

    /// What is not run, though it may be: what it sets counts as not known.
    fn untaken(&mut self, items: &[Item], line: usize, text: &str) {
        let mut found = Survey::default();
        found.of(items, 0);
        self.spend(64 * found.seen, line);
        for (name, at) in found.sets {
            let exported = self.env.variable(&name).is_some_and(|v| v.exported);
            // What may be exported may be seen by what is started.
            self.assign(&name, vec![unknown()], exported || found.exports, at);
        }
        let reach = match (found.launches, found.calls) {
            (true, _) => Reach::Everything,
            (_, true) => Reach::Variables,
            _ => Reach::Nothing,
        };
        self.unread(line, reach, text);
    }

    /// Whether a condition holds, where it is one that can be evaluated.
    fn condition(&mut self, items: &[Item]) -> Option<bool> {
        let mut holds = None;
        let mut before = Join::Then;
        for item in items {
            let one = match &item.step {
                Step::Simple(simple) => self.tested(simple),
                _ => None,
            };
            let one = if item.not { one.map(|one| !one) } else { one };
            holds = match before {
                Join::And => both(holds, one),
                Join::Or => either(holds, one),
                Join::Pipe => None,
                _ => one,
            };
            before = item.join;
        }
        holds
    }

    /// A command that only tests.
    fn tested(&mut self, simple: &Simple) -> Option<bool> {
        let first = simple.words.first()?;
        let rest = simple.words.get(1..).unwrap_or_default();
        match first.raw.as_str() {
            "true" | ":" => Some(true),
            "false" => Some(false),
            "[[" => {
                let args: Vec<String> = rest.iter().map(|w| self.text(&w.raw, w.line)).collect();
                outside::test(args.strip_suffix(&["]]".to_owned()]).unwrap_or(args.as_slice()))
            }
            "[" | "test" => {
                let args: Vec<String> = rest.iter().flat_map(|w| self.fields(w)).map(|arg| arg.text).collect();
                outside::test(args.strip_suffix(&["]".to_owned()]).unwrap_or(args.as_slice()))
            }
            raw if raw.starts_with("((") => {
                let inner = raw.strip_prefix("((").and_then(|raw| raw.strip_suffix("))")).unwrap_or("");
                self.sum(inner, first.line).parse::<i64>().ok().map(|n| n != 0)
            }
            _ => None,
        }
    }

    fn simple(&mut self, simple: &Simple, background: bool, run: Run<'_>) -> Went {
        let sets = simple.words.iter().take_while(|w| assignment(&w.raw).is_some()).count();
        let (set, words) = simple.words.split_at(sets.min(simple.words.len()));
        let Some(first) = words.first() else {
            for word in set {
                self.assignment(word, false);
            }
            return Went::On(Some(true));
        };
        if first.raw == "[[" || first.raw == "[" || first.raw == "test" || first.raw.starts_with("((") {
            return Went::On(self.tested(&Simple { words: words.to_vec(), input: None }));
        }
        if let "export" | "declare" | "typeset" | "readonly" | "local" = first.raw.as_str() {
            self.declare(&first.raw, words.get(1..).unwrap_or_default());
            return Went::On(Some(true));
        }
        // What stands before a command is set for it alone.
        let before = (!set.is_empty()).then(|| self.env.clone());
        let args: Vec<Arg> = words.iter().flat_map(|w| self.fields(w)).collect();
        for word in set {
            self.assignment(word, true);
        }
        let went = self.command(&args, simple, background, run);
        if let Some(before) = before {
            self.env = Env { open: self.env.open, ..before };
        }
        went
    }

    fn declare(&mut self, how: &str, words: &[Word]) {
        let options = words.iter().take_while(|w| w.raw.starts_with('-'));
        let exported = how == "export" || options.clone().any(|w| w.raw.contains('x'));
        let not = options.clone().any(|w| w.raw.contains('n') && how == "export");
        for word in words.iter().skip(options.count()) {
            if self.assignment(word, exported) {
                continue;
            }
            for Arg { text, line } in self.fields(word) {
                if let Some((name, _, value)) = assignment(&text) {
                    let (name, value) = (name.to_owned(), value.to_owned());
                    self.assign(&name, vec![value], exported, line);
                } else if !known(&text) {
                    self.unread(line, Reach::Variables, "Which variables this sets is not known here.");
                } else if let Some(variable) = self.env.variable(&text).cloned() {
                    let line = variable.line;
                    self.env.set_all(&text, variable.values, exported && !not, line);
                }
            }
        }
    }

    fn command(&mut self, args: &[Arg], simple: &Simple, background: bool, run: Run<'_>) -> Went {
        let Some(first) = args.first() else { return Went::On(Some(true)) };
        let (name, line) = (first.text.as_str(), first.line);
        let rest = args.get(1..).unwrap_or_default();
        if !known(name) {
            self.unread(line, Reach::Everything, "Which command this is, is not known here.");
            return Went::On(None);
        }
        if let Some(body) = self.functions.get(name).cloned() {
            let arguments = rest.iter().map(|arg| arg.text.clone()).collect();
            let before = self.arguments.replace(arguments);
            let went = self.run(&body, run);
            self.arguments = before;
            return if went == Went::Return { Went::On(None) } else { went };
        }
        match name {
            "exit" => Went::Stop,
            "return" => Went::Return,
            "break" if rest.is_empty() => Went::Break,
            "continue" if rest.is_empty() => Went::Continue,
            "true" | ":" => Went::On(Some(true)),
            "false" => Went::On(Some(false)),
            "command" | "builtin" | "exec" | "nohup" | "time"
                if rest.first().is_some_and(|a| !a.text.starts_with('-')) =>
            {
                let went = self.command(rest, simple, background, run);
                // What exec starts is what the script ends with.
                if name == "exec" && matches!(went, Went::On(_)) { Went::Stop } else { went }
            }
            "exec" if rest.is_empty() => Went::On(Some(true)),
            "command" => Went::On(None),
            "unset" => {
                for arg in rest.iter().filter(|arg| !arg.text.starts_with('-')) {
                    self.env.unset(&arg.text);
                }
                Went::On(Some(true))
            }
            "eval" => {
                let text = rest.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ");
                if outside::activates(&text) {
                    self.remark(line, ACTIVATES);
                    return Went::On(Some(true));
                }
                if !known(&text) {
                    self.unread(line, Reach::Everything, "What this evaluates is not known here.");
                    return Went::On(None);
                }
                self.run_text(&text, line, run)
            }
            "source" | "." => {
                let file = rest.first().map_or("", |arg| arg.text.as_str());
                if outside::activates(file) {
                    self.remark(line, ACTIVATES);
                    return Went::On(Some(true));
                }
                let file = shorten(&file.replace(UNKNOWN, "…"));
                self.unread(
                    line,
                    Reach::Variables,
                    format!("“{file}” is not in this text. Paste the variables that it sets in its place."),
                );
                Went::On(None)
            }
            "module" | "ml" | "conda" | "mamba" | "micromamba" | "spack" => {
                self.remark(line, ACTIVATES);
                Went::On(Some(true))
            }
            "read" | "mapfile" | "readarray" | "let" | "getopts" => {
                self.filled(name, rest, simple, line);
                Went::On(Some(true))
            }
            name if outside::harmless(name) => Went::On(Some(true).filter(|_| !outside::tells(name))),
            _ => run(self, args, background),
        }
    }

    /// `mapfile` and `read`: variables from what is read.
    fn filled(&mut self, name: &str, rest: &[Arg], simple: &Simple, line: usize) {
        let mut names: Vec<&str> =
            rest.iter().map(|arg| arg.text.as_str()).filter(|text| !text.starts_with('-')).collect();
        let input = match &simple.input {
            Some((word, true)) => Some(self.text(&word.raw, line)),
            Some((word, false)) => {
                let inner = word.raw.strip_prefix("<(").and_then(|raw| raw.strip_suffix(')'));
                inner.map(|inner| self.substitute(inner, line))
            }
            None => None,
        };
        let plain = rest
            .iter()
            .all(|arg| matches!(arg.text.as_str(), "-t" | "-r" | "-ra" | "-a") || !arg.text.starts_with('-'));
        match (name, input.filter(|text| known(text) && plain)) {
            ("mapfile" | "readarray", Some(text)) if names.len() == 1 => {
                let values = text.lines().map(str::to_owned).collect();
                self.assign(names.remove(0), values, false, line);
            }
            ("read", Some(text)) if names.len() == 1 => {
                let array = rest.iter().any(|arg| arg.text.contains('a') && arg.text.starts_with('-'));
                let first = text.lines().next().unwrap_or("").trim();
                let values =
                    if array { first.split_whitespace().map(str::to_owned).collect() } else { vec![first.to_owned()] };
                self.assign(names.remove(0), values, false, line);
            }
            _ => {
                for name in names {
                    self.assign(name, vec![unknown()], false, line);
                }
                self.unread(line, Reach::Nothing, format!("What “{name}” reads is not known here."));
            }
        }
    }
}

const ACTIVATES: &str = "Assumed to change only where programs are found, and no variable that the launch depends on.";

fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn either(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    both(a.map(|a| !a), b.map(|b| !b)).map(|neither| !neither)
}

/// The name of an assignment, whether it adds, and its value.
fn assignment(raw: &str) -> Option<(&str, bool, &str)> {
    let end = raw.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
    let (name, rest) = raw.split_at(end);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if let Some(index) = rest.strip_prefix('[') {
        let close = index.find("]=")?;
        return Some((raw.get(..end + close + 2)?, false, index.get(close + 2..)?));
    }
    match (rest.strip_prefix("+="), rest.strip_prefix('=')) {
        (Some(value), _) => Some((name, true, value)),
        (_, Some(value)) => Some((name, false, value)),
        _ => None,
    }
}

/// The numbers of `{1..8}`.
fn braced(raw: &str) -> Option<std::ops::RangeInclusive<u64>> {
    let (from, to) = raw.strip_prefix('{')?.strip_suffix('}')?.split_once("..")?;
    // `{01..08}` keeps its zeros.
    if [from, to].iter().any(|n| n.len() > 1 && n.starts_with('0')) {
        return None;
    }
    let (from, to) = (from.parse::<u64>().ok()?, to.parse::<u64>().ok()?);
    (from <= to && to - from <= 1024).then_some(from..=to)
}

/// What steps would set, and whether they could launch something, or set what cannot be seen.
#[derive(Default)]
struct Survey {
    sets: Vec<(String, usize)>,
    exports: bool,
    launches: bool,
    calls: bool,
    loops: usize,
    /// Steps that were looked at.
    seen: usize,
}

impl Survey {
    fn of(&mut self, items: &[Item], depth: usize) {
        if depth > DEEPEST {
            self.launches = true;
            return;
        }
        for item in items {
            self.seen += 1;
            match &item.step {
                Step::Simple(simple) => self.simple(simple),
                Step::If(arms, otherwise) => {
                    for (condition, body) in arms {
                        self.of(condition, depth + 1);
                        self.of(body, depth + 1);
                    }
                    self.of(otherwise, depth + 1);
                }
                Step::Case(_, arms) => arms.iter().for_each(|(_, body)| self.of(body, depth + 1)),
                Step::Group(body, _) => self.of(body, depth + 1),
                Step::Loop(head, body) => {
                    self.sets.push((head.name.clone(), item.line));
                    self.loops += 1;
                    self.of(body, depth + 1);
                    self.loops -= 1;
                }
                Step::Function(..) => self.calls = true,
            }
        }
    }

    fn simple(&mut self, simple: &Simple) {
        let sets = simple.words.iter().take_while(|w| assignment(&w.raw).is_some()).count();
        let set = |survey: &mut Self, word: &Word| {
            let name = assignment(&word.raw).map_or(word.raw.as_str(), |(name, ..)| name);
            let name = name.split('[').next().unwrap_or(name);
            survey.sets.push((name.to_owned(), word.line));
        };
        let Some(first) = simple.words.get(sets) else {
            simple.words.iter().for_each(|word| set(self, word));
            return;
        };
        match first.raw.as_str() {
            "export" | "declare" | "typeset" | "readonly" | "local" | "read" | "mapfile" | "readarray" | "unset" => {
                self.exports |= matches!(first.raw.as_str(), "export" | "declare");
                simple.words.iter().skip(sets + 1).filter(|w| !w.raw.starts_with('-')).for_each(|word| set(self, word));
            }
            "[" | "[[" | "test" | "true" | "false" | ":" | "return" => {}
            // It may end a loop that is run, and with it what that launches.
            "break" | "continue" => self.launches |= self.loops == 0,
            raw if raw.starts_with("((") => {}
            "module" | "conda" => {}
            raw if outside::harmless(raw) => {}
            raw if outside::sets_variables(raw) => self.calls = true,
            _ => self.launches = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell() -> Shell {
        let mut env = Env { node: 1, ..Env::default() };
        env.set("N", "2", true, 1);
        env.set("SLURM_JOB_NODELIST", "gpu[01-02]", true, 0);
        Shell::new(env, Some(Arc::new(Job::of(2, 8))))
    }

    #[test]
    fn quotes_decide_where_a_variable_is_replaced() {
        for (raw, value) in [
            ("a$N", "a2"),
            ("\"${N}x\"", "2x"),
            ("'$N'", "$N"),
            ("${M:-7}", "7"),
            ("${N:+yes}${M:+no}", "yes"),
            ("${#N}", "1"),
            ("$(hostname -s)", "gpu02"),
            ("`hostname`", "gpu02"),
            ("$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1):29500", "gpu01:29500"),
            ("$(scontrol show hostnames | tail -1)", "gpu02"),
            ("$(scontrol show hostnames | awk 'NR==2 {print $1}')", "gpu02"),
            ("$(scontrol show hostnames | sed -n 2p)", "gpu02"),
            ("$(scontrol show hostnames | wc -l)", "2"),
            ("$(srun -N1 -n1 -w gpu02 hostname --ip-address)", "10.0.0.2"),
            ("$(hostname -I | awk '{print $1}')", "10.0.0.2"),
            ("$(echo a,b | cut -d, -f2)", "b"),
            ("$(hostname -s | tr -dc '0-9')", "02"),
            ("$((N * 8))", "16"),
            ("$(( ($N + 1) * 2 - 7 % 4 ))", "3"),
            ("$", "$"),
            ("\\$N", "$N"),
            ("\"a\\tb\"", "a\\tb"),
            ("${N%2}x", "x"),
        ] {
            assert_eq!(shell().text(raw, 1), value, "{raw}");
        }
    }

    #[test]
    fn words_are_split_as_bash_splits_them() {
        for (script, fields) in [
            ("A='x  y'; set $A", "x|y"),
            ("A='x  y'; set \"$A\"", "x  y"),
            ("A=; set a $A b", "a|b"),
            ("A=; set a \"$A\" b", "a||b"),
            ("n=( $(scontrol show hostnames) ); set ${n[0]} $n ${#n[@]} \"${n[@]}\"", "gpu01|gpu01|2|gpu01|gpu02"),
            ("n=(a b); n+=(c); set \"${n[*]}\" ${n[-1]}", "a b c|c"),
            ("n=($(scontrol show hostnames)); m=($n); set ${m[@]}", "gpu01"),
            ("mapfile -t n < <(scontrol show hostnames $X); set ${n[1]}", "gpu02"),
            ("f() { A=$1; }; f q; set $A", "q"),
            ("if [ -z \"$Q\" ]; then A=1; else A=2; fi; set $A", "1"),
            ("[[ $N == 2 && -n $N ]] && A=1 || A=2; set $A", "1"),
            ("case $N in 1) A=1;; 2|3) A=2;; *) A=3;; esac; set $A", "2"),
            ("A=a; A+=b; set $A", "ab"),
            ("A=1 true; set x$A", "x"),
            (": ${P:=7}; set $P", "7"),
            ("if (( N > 1 )); then A=y; fi; set $A", "y"),
            ("for i in 1 $N 'x y'; do A=$A$i; done; set \"$A\"", "12x y"),
            ("for i in $(seq 1 3); do A+=$i; done; set $A", "123"),
            ("for i in {2..4}; do A+=$i; done; set $A", "234"),
            ("for ((i=1; i<=N; i++)); do A+=$i; done; set $A $i", "12|3"),
            ("for ((i = 0; i < 9; i += 4)); do A+=$i; done; set $A", "048"),
            (
                "for i in 1 2 3 4; do if [ $i = 2 ]; then continue; fi; if [ $i = 4 ]; then break; fi; A+=$i; done; set $A",
                "13",
            ),
        ] {
            let mut seen = None;
            let script = script.replace("set ", "show ");
            shell().run_text(&script, 1, &mut |_, args, _| {
                seen = Some(args.iter().skip(1).map(|a| a.text.as_str()).collect::<Vec<_>>().join("|"));
                Went::Stop
            });
            assert_eq!(seen.as_deref(), Some(fields), "{script}");
        }
    }

    #[test]
    fn what_is_not_evaluated_is_not_known() {
        for script in [
            "A=$(foo)",
            "source env.sh",
            "if [ -f x ]; then A=1; fi",
            "for i in *.sh; do A=$i; done",
            "for i in $(ls); do A=$i; done",
            "while true; do A=$i; done",
            "for ((i = 0; i < 3; i *= 2)); do A=$i; done",
            "read A",
            "A=$(date)",
            "foo && A=1",
            "A=${B//[ab]/c}; B=a; A=${B//[ab]/c}",
            "A=$HOME",
        ] {
            let mut s = shell();
            s.run_text(script, 1, &mut |s, args, _| {
                s.unread(args[0].line, Reach::Variables, "?");
                Went::On(None)
            });
            assert!(!known(&s.env.get("A")), "{script}");
        }
        assert_eq!(shell().env.get("A"), "");
    }

    #[test]
    fn what_would_grow_without_bound_is_not_followed() {
        let script = format!("export A=aaaaaaaaaa\n{}x", "export A=$A$A\n".repeat(380));
        let mut s = shell();
        s.run_text(&script, 1, &mut |_, _, _| Went::Stop);
        assert!(s.notes.iter().any(|n| n.line == 10 && n.text.contains("4,096 characters")), "{:?}", s.notes);
        let mut s = shell();
        let text = s.text(&"$(".repeat(9000), 1);
        assert!(!known(&text));
    }
}

//! A pasted log, read line by line against the signs of `signs.toml`. It is read where it is pasted.
//!
//! A line has the first sign whose pattern fits it and whose conditions hold: on what the pattern keeps, on other lines of
//! the log, on the program that prints it. Lines that look like errors and have no sign are kept, to be quoted. Time and
//! memory grow with the length of the log, not with its length times the number of signs.

mod condition;
mod origin;
mod pattern;
mod source;
mod trouble;
mod waits;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

pub use condition::Condition;
use origin::{Stamp, rank, stamp};
use pattern::{Index, Kept, Line, Pattern};
use trouble::{Trouble, trouble};
pub use waits::Waits;

use ringside_core::quantity::{counted, grouped};
use ringside_core::terminal::plain;
use serde::{Deserialize, Serialize};

use crate::schema::{Sign, SignKind};

/// The most bytes of a log that are read.
pub const MOST: usize = 2_000_000;
/// The most bytes of a line that are looked at.
const LONGEST: usize = 4000;
/// Terminals break a message over so many lines at most, the first of which has so many bytes at least.
const BROKEN: usize = 4;
const WIDTH: usize = 60;
/// A word that did not fit makes a line shorter by so much.
const WORD: usize = 20;
/// So many unknown errors are quoted, by so many bytes each.
const QUOTED: usize = 8;
const QUOTE: usize = 400;

/// Collectives that are told apart; of more of them the lines count for the first.
const COLLECTIVES: usize = 4;

/// A sign that was seen in a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Which sign, as an index into the list.
    pub sign: usize,
    /// How much it says.
    pub kind: SignKind,
    /// The line that has it: of several the earliest, by the times that are printed or else by their order.
    pub place: At,
    /// How many lines have it.
    pub times: usize,
    /// What was kept of that line: name and text.
    pub kept: Vec<(String, String)>,
}

/// A line of a log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct At {
    /// Its number, counted from 1.
    pub line: usize,
    /// The line, as it stands.
    pub text: String,
    /// The rank that prints it, if it says so.
    pub rank: Option<u32>,
    stamp: Option<Stamp>,
}

impl At {
    /// Where it stands, for a person: `line 7, rank 3, 12 times`.
    pub fn place(&self, times: usize) -> String {
        let times = if times == 1 { String::new() } else { format!(", {times} times") };
        let rank = self.rank.map(|rank| format!(", rank {rank}")).unwrap_or_default();
        format!("line {}{rank}{times}", self.line)
    }

    /// Whether it was printed before another line that comes before it here.
    fn is_before(&self, other: &Self) -> bool {
        self.stamp.zip(other.stamp).is_some_and(|(a, b)| a.is_before(b))
    }
}

/// What came of a log.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LogReading {
    /// Lines with something in them.
    pub lines: usize,
    /// Of these, those that are recognized.
    pub recognized: usize,
    /// The signs: where to begin, then what else went wrong, then what only follows, then what is as it should be.
    pub seen: Vec<Seen>,
    /// Lines that look like errors and have no sign: the first few of them.
    pub unknown: Vec<At>,
    /// How many there are.
    pub unknown_lines: usize,
    /// Bytes at the beginning that were not read.
    pub skipped: usize,
    /// Lines of which only the beginning was read.
    pub clipped: usize,
    /// Which rank timed out in which collective.
    pub waits: Waits,
}

/// Reads a log; of one that is too long, its end.
pub fn read_log(signs: &[Sign], log: &str) -> LogReading {
    read_end(signs, log, Before::default())
}

/// What stood before the text at hand.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Before {
    bytes: usize,
    lines: usize,
}

impl Before {
    fn take(&mut self, text: &str) {
        self.bytes += text.len();
        self.lines += text.bytes().filter(|b| *b == b'\n').count();
    }
}

/// The end of a log that comes in pieces: errors stand there, and no more of it is read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct End {
    text: String,
    before: Before,
}

impl End {
    /// Takes the next piece. No more than twice what is read is kept.
    pub fn push(&mut self, piece: &str) {
        self.text.push_str(piece);
        if self.text.len() > 2 * MOST {
            let (from, _) = last(&self.text);
            self.before.take(self.text.get(..from).unwrap_or_default());
            self.text.drain(..from);
        }
    }

    /// That of a text in one piece.
    pub fn of(text: &str) -> Self {
        let mut end = Self::default();
        end.push(text);
        end
    }

    /// Reads it. Lines are counted from the beginning of the log.
    pub fn read(&self, signs: &[Sign]) -> LogReading {
        read_end(signs, &self.text, self.before)
    }
}

/// Reads the end of a log, before which something stood.
fn read_end(signs: &[Sign], log: &str, mut before: Before) -> LogReading {
    let (from, rest) = last(log);
    before.take(log.get(..from).unwrap_or_default());
    let (log, skipped) = (rest, before.bytes);
    let lines: Vec<(usize, Cow<'_, str>)> = log
        .split('\n')
        .enumerate()
        .flat_map(|(i, line)| line.split('\r').flat_map(entries).map(move |part| (before.lines + i + 1, plain(part))))
        .filter(|(_, line)| !line.trim().is_empty() && !source::is(line.trim()))
        .collect();
    let mut reading = LogReading { lines: lines.len(), skipped, ..LogReading::default() };
    reading.clipped = lines.iter().filter(|(_, line)| line.trim().len() > LONGEST).count();
    let width = width(&lines);
    let rules = Rules::of(signs, &lines, width);
    let mut headings = Vec::new();
    let mut clock = Clock::default();
    for (i, (number, line)) in lines.iter().enumerate() {
        let own = clipped(line.trim(), LONGEST);
        let place = |text: String| At { line: *number, text, rank: rank(own), stamp: clock.now(own) };
        let (whole, len) = whole(&lines, i, width);
        reading.waits.take(own, rank(own));
        match rules.sign(&whole, len) {
            Some((sign, kept, at)) => {
                // Of a long line, what the sign is about.
                let place = || {
                    place(match at < QUOTE / 2 {
                        true => clipped(own, QUOTE).to_owned(),
                        false => format!("… {}", clipped(whole.from(at), QUOTE)),
                    })
                };
                reading.recognized += 1;
                let kind = signs.get(sign).map(|s| s.kind).unwrap_or_default();
                let alike = reading.seen.iter().filter(|seen| seen.sign == sign).count();
                let is_known = reading.seen.iter().any(|seen| seen.sign == sign && seen.kept == kept);
                let is_apart = is_collective(&kept) && (is_known || alike < COLLECTIVES);
                let same = |seen: &&mut Seen| seen.sign == sign && (!is_apart || seen.kept == kept);
                match reading.seen.iter_mut().find(same) {
                    Some(seen) => {
                        seen.times += 1;
                        let place = place();
                        if place.is_before(&seen.place) {
                            (seen.place, seen.kept) = (place, kept);
                        }
                    }
                    None => reading.seen.push(Seen { sign, kind, place: place(), times: 1, kept }),
                }
            }
            None => match trouble(own) {
                Some(Trouble::Error) => {
                    reading.unknown_lines += 1;
                    reading.quote(place(clipped(own, QUOTE).to_owned()));
                }
                Some(Trouble::Heading) if headings.is_empty() => headings.push(place(clipped(own, QUOTE).to_owned())),
                _ => {}
            },
        }
        clock.heard(own);
    }
    if reading.unknown_lines == 0 && !reading.has_trouble() {
        // The error that it announces was cut off.
        reading.unknown_lines = headings.len();
        reading.unknown = headings;
    }
    reading.order();
    reading
}

/// The messages of PyTorch's logger in a line: where a progress bar keeps the line's end away, several ranks' stand on one.
fn entries(line: &str) -> Vec<&str> {
    let is_entry = |at: &usize| {
        let rest = line.get(at + "[rank".len()..).unwrap_or_default();
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        *at > 0 && ["]:[E", "]:[W", "]:[I"].iter().any(|level| rest.starts_with(level))
    };
    let mut all = Vec::new();
    let mut from = 0;
    for at in line.match_indices("[rank").map(|(at, _)| at).filter(is_entry) {
        all.extend(line.get(from..at));
        from = at;
    }
    all.extend(line.get(from..));
    all
}

/// A text with what was kept in the places of its names, as `written` writes it; a name that was not kept stands for itself.
pub fn filled(text: &str, kept: &[(String, String)], written: impl Fn(&str) -> String) -> String {
    let mut pieces = text.split('{');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        match piece.split_once('}') {
            Some((name, rest)) => {
                let found = kept.iter().find(|(n, _)| n == name).map_or(name, |(_, text)| text);
                text.push_str(&written(found));
                text.push_str(rest);
            }
            None => {
                text.push('{');
                text.push_str(piece);
            }
        }
    }
    text
}

/// Rendered text with what was kept in the places of its names, which is never markup.
pub fn filled_html(html: &str, kept: &[(String, String)]) -> String {
    filled(html, kept, |text| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"))
}

/// What is said of lines that look like errors and are not known.
pub const UNKNOWN: &str = "These lines look like errors. Read the first of the rank that ended first.";

impl LogReading {
    /// Whether it is shown beside what else was read of a text: a script may speak of errors that nobody has seen, and output does not.
    /// Of output in which nothing else was read, what a healthy job says too is shown.
    pub fn is_shown(&self, is_output: bool, is_refused: bool) -> bool {
        self.has_trouble() || is_output && (self.unknown_lines > 0 || is_refused && !self.seen.is_empty())
    }

    /// Lines that no sign fits and that don't look like errors: nothing is known of them.
    pub fn others(&self) -> usize {
        self.lines.saturating_sub(self.recognized + self.unknown_lines)
    }

    /// Whether something went wrong in it: a sign says so, or lines look like errors.
    pub fn has_errors(&self) -> bool {
        self.has_trouble() || self.unknown_lines > 0
    }

    /// Whether a sign says that something went wrong.
    pub fn has_trouble(&self) -> bool {
        self.seen.iter().any(|seen| seen.kind > SignKind::Note)
    }

    /// Whether the place to begin is a line that is not known.
    pub fn begins_unknown(&self) -> bool {
        !self.unknown.is_empty() && self.seen.iter().all(|seen| seen.kind <= SignKind::Consequence)
    }

    /// Keeps one of the first unknown lines: the earliest in front.
    fn quote(&mut self, place: At) {
        if self.unknown.first().is_some_and(|first| place.is_before(first)) {
            self.unknown.insert(0, place);
            self.unknown.truncate(QUOTED);
        } else if self.unknown.len() < QUOTED {
            self.unknown.push(place);
        }
    }

    /// Puts the sign first with which to begin: of those that name a cause, or else of those that follow from one, the earliest.
    fn order(&mut self) {
        let class = |seen: &Seen| match seen.kind {
            SignKind::Cause | SignKind::Possible => 0,
            SignKind::Consequence => 1,
            SignKind::Note => 2,
        };
        self.seen.sort_by_key(|seen| (class(seen), seen.place.line));
        let Some(of) = self.seen.first().map(class) else { return };
        let first = self
            .seen
            .iter()
            .enumerate()
            .take_while(|(_, seen)| class(seen) == of)
            .reduce(|first, next| if next.1.place.is_before(&first.1.place) { next } else { first });
        let at = first.map_or(0, |(at, _)| at);
        if let Some(begins) = self.seen.get_mut(..=at) {
            begins.rotate_right(1);
        }
    }

    /// What is said of the whole: what it comes to, what is not known, what was not read.
    pub fn summary(&self) -> String {
        let known = match (self.lines, self.recognized) {
            (1, _) => "The line is recognized. ".to_owned(),
            (lines, 1) => format!("1 of {} lines is recognized. ", whole_number(lines)),
            (lines, n) => format!("{} of {} lines are recognized. ", whole_number(n), whole_number(lines)),
        };
        let known = if self.lines > 0 && self.has_trouble() { known } else { String::new() };
        format!("{known}{}", self.begin())
    }

    /// The same without a count of the lines, for where another reader counts them.
    pub fn begin(&self) -> String {
        if self.lines == 0 {
            return "Paste it here. It never leaves your browser.".to_owned();
        }
        let first = self.seen.first().filter(|seen| seen.kind > SignKind::Note);
        let mut said = match (first, self.unknown_lines) {
            (None, 0) => nothing_wrong(self.lines),
            (None, n) => format!("{} Nothing else looks wrong.", looks_like(n)),
            (Some(seen), n) => {
                let unknown = if n == 0 { String::new() } else { format!("{} ", looks_like(n)) };
                let begin = match (seen.kind, n) {
                    (SignKind::Consequence, 0) => self.waits.said().unwrap_or_else(|| {
                        "None of them names the cause. Look for the rank or the program that says something else."
                            .to_owned()
                    }),
                    (SignKind::Consequence, 1) => "Begin with that one.".to_owned(),
                    (SignKind::Consequence, _) => "Begin with the first of them.".to_owned(),
                    _ => format!("Begin with line {}{}.", whole_number(seen.place.line), of_rank(seen.place.rank)),
                };
                format!("{unknown}{begin}")
            }
        };
        if self.skipped > 0 {
            let _ =
                write!(said, " Only the last {} MB were read; what comes before them may say more.", MOST / 1_000_000);
        }
        if self.clipped > 0 {
            let lines = counted(self.clipped as u64, "line was", "lines were");
            let _ = write!(said, " {lines} read only as far as the first {} bytes.", whole_number(LONGEST));
        }
        said
    }
}

/// Whether what was kept of a line names a collective: its number and its operation.
fn is_collective(kept: &Kept) -> bool {
    ["number", "operation"].iter().all(|name| kept.iter().any(|(own, _)| own == name))
}

/// That nothing was found, and where else to look.
fn nothing_wrong(lines: usize) -> String {
    let these = if lines == 1 { "this line".to_owned() } else { format!("these {} lines", whole_number(lines)) };
    format!(
        "Nothing in {these} looks wrong. If the job stopped all the same, look at what the other ranks printed, at the \
         scheduler’s messages and at dmesg."
    )
}

fn looks_like(lines: usize) -> String {
    let like = counted(lines as u64, "line looks like an error and is", "lines look like errors and are");
    format!("{like} not known here.")
}

fn whole_number(n: usize) -> String {
    grouped(n as u64)
}

fn of_rank(rank: Option<u32>) -> String {
    rank.map(|rank| format!(" (rank {rank})")).unwrap_or_default()
}

/// The signs of a list, as they apply to one log.
struct Rules {
    index: Index,
    /// Of each pattern, its sign, and what must hold of what it keeps.
    signs: Vec<(usize, Vec<Condition>)>,
}

impl Rules {
    fn of(signs: &[Sign], lines: &[(usize, Cow<'_, str>)], width: Option<usize>) -> Self {
        let facts = Facts::of(signs, lines, width);
        let (mut of, mut patterns) = (Vec::new(), Vec::new());
        for (i, sign) in signs.iter().enumerate().filter(|(_, sign)| facts.allow(sign)) {
            for line in &sign.lines {
                let pattern = Pattern::parse(line);
                of.push((i, conditions(sign, &pattern)));
                patterns.push(pattern);
            }
        }
        Self { index: Index::of(patterns), signs: of }
    }

    /// The first sign that a line has, with what it keeps of the line and where it begins in it.
    fn sign(&self, line: &Line, own: usize) -> Option<(usize, Kept, usize)> {
        self.index.candidates(line, own).into_iter().find_map(|i| {
            let (sign, conditions) = self.signs.get(i)?;
            let pattern = self.index.get(i)?;
            let kept = pattern.fits(line, own)?;
            let holds = conditions.iter().all(|condition| condition.holds(&kept));
            holds.then(|| (*sign, kept, pattern.begins_at(line)))
        })
    }
}

/// The conditions of a sign that are about what a pattern keeps.
fn conditions(sign: &Sign, pattern: &Pattern) -> Vec<Condition> {
    let about = |c: &Condition| c.names().any(|name| pattern.names().any(|kept| kept == name));
    sign.conditions.iter().filter_map(|text| Condition::parse(text)).filter(about).collect()
}

/// The patterns of `needs`, `unless` and `marks` that some line of a log fits.
struct Facts(Vec<(String, Vec<Condition>)>);

impl Facts {
    fn of(signs: &[Sign], lines: &[(usize, Cow<'_, str>)], width: Option<usize>) -> Self {
        let (mut texts, mut about) = (Vec::new(), Vec::new());
        for sign in signs {
            for text in sign.needs.iter().chain(&sign.unless).chain(&sign.marks) {
                let fact = (text.clone(), conditions(sign, &Pattern::parse(text)));
                if !about.contains(&fact) {
                    texts.push(Pattern::parse(text));
                    about.push(fact);
                }
            }
        }
        let index = Index::of(texts);
        let mut found = vec![false; about.len()];
        for at in 0..if about.is_empty() { 0 } else { lines.len() } {
            let (line, own) = whole(lines, at, width);
            for i in index.candidates(&line, own) {
                if let Some((found, (_, conditions))) = found.get_mut(i).zip(about.get(i))
                    && !*found
                    && let Some(kept) = index.get(i).and_then(|pattern| pattern.fits(&line, own))
                {
                    *found = conditions.iter().all(|c| c.holds(&kept));
                }
            }
        }
        Self(about.into_iter().zip(found).filter(|(_, found)| *found).map(|(fact, _)| fact).collect())
    }

    /// Whether the other lines allow a sign.
    fn allow(&self, sign: &Sign) -> bool {
        let is = |text: &String| {
            let about = conditions(sign, &Pattern::parse(text));
            self.0.iter().any(|(fact, conditions)| fact == text && *conditions == about)
        };
        let any = |list: &[String]| list.iter().any(is);
        (sign.needs.is_empty() || any(&sign.needs)) && !any(&sign.unless) && (sign.marks.is_empty() || any(&sign.marks))
    }
}

/// The time of the line before, for lines without one: that of the same rank, or else the last of all.
#[derive(Default)]
struct Clock {
    last: Option<Stamp>,
    ranks: BTreeMap<u32, Stamp>,
}

impl Clock {
    fn heard(&mut self, line: &str) {
        let Some(stamp) = stamp(line) else { return };
        match rank(line) {
            Some(rank) => {
                self.ranks.insert(rank, stamp);
            }
            None => self.last = Some(stamp),
        }
    }

    fn now(&self, line: &str) -> Option<Stamp> {
        stamp(line).or_else(|| rank(line).and_then(|rank| self.ranks.get(&rank).copied())).or(self.last)
    }
}

/// The end of a log, from a line's beginning, and how many bytes before it are left out.
pub(super) fn last(log: &str) -> (usize, &str) {
    let Some(mut from) = log.len().checked_sub(MOST).filter(|from| *from > 0) else { return (0, log) };
    while !log.is_char_boundary(from) {
        from += 1;
    }
    from += log.get(from..).and_then(|rest| rest.find('\n')).map_or(0, |at| at + 1);
    (from, log.get(from..).unwrap_or_default())
}

/// Where a terminal broke the lines of a log, in the middle of a word or not: the length of the longest, if others have the same.
fn width(lines: &[(usize, Cow<'_, str>)]) -> Option<usize> {
    let of = |(_, line): &(usize, Cow<'_, str>)| line.trim().len();
    let most = lines.iter().map(of).max().filter(|most| *most >= WIDTH)?;
    (lines.iter().filter(|line| of(line) == most).count() > 1).then_some(most)
}

/// A line with what a terminal broke off it, and how long it is itself.
fn whole(lines: &[(usize, Cow<'_, str>)], at: usize, width: Option<usize>) -> (Line, usize) {
    let mut rest = lines.iter().skip(at).take(BROKEN).map(|(_, line)| line.trim());
    let own = Line::of(clipped(rest.next().unwrap_or_default(), LONGEST));
    let mut before = lines.get(at).map_or("", |(_, line)| line.trim());
    let mut broken: Option<String> = None;
    for line in rest {
        if !continues(before, line) || broken.as_ref().is_some_and(|text| text.len() > LONGEST) {
            break;
        }
        let text = broken.get_or_insert_with(|| before.to_owned());
        if width != Some(before.len()) {
            text.push(' ');
        }
        text.push_str(line);
        before = line;
    }
    let len = own.len();
    (broken.map_or(own, |text| Line::of(clipped(&text, LONGEST))), len)
}

/// Whether a line goes on where a long one broke off in the middle of a sentence, and is not a message of its own. It is
/// hardly longer than the one before: both are as wide as the terminal.
fn continues(before: &str, line: &str) -> bool {
    let open = before.len() >= WIDTH && before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ',' | '('));
    let first = line.split(' ').next().unwrap_or_default();
    let own = first.contains([':', '=', '[', '|', '<', '/']) || stamp(line).is_some();
    open && line.len() <= before.len() + WORD && first.starts_with(char::is_alphanumeric) && !own
}

/// At most so many bytes of a text.
fn clipped(text: &str, most: usize) -> &str {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests;

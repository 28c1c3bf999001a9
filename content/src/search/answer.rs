//! What the box says to whatever is typed or pasted: what a log means, a figure set to the numbers in a question, and the places that answer.

use std::borrow::Cow;

use ringside_core::ask::{self, Answered};
use ringside_core::quantity::grouped;
use ringside_core::run::is_log_line;

use super::log::last;
use super::{Found, Hit, Index, LogReading, read_log};
use crate::schema::{EntryKind, SearchEntry, Sign, SignKind, Signs};

/// A question has no more to say after so many bytes.
const LONGEST: usize = 400;
/// No command has so many bytes.
const COMMAND: usize = 4000;

/// All of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// What the text says as a log.
    pub log: LogReading,
    /// Figures in the states that its numbers ask for, the one to begin with first.
    pub figures: Vec<Answered>,
    /// Whether these are of a speed that a log prints.
    pub is_measured: bool,
    /// The places.
    pub found: Found,
}

/// The answer to a text, with the best `limit` places.
pub fn answer(index: &Index, signs: &Signs, text: &str, limit: usize) -> Answer {
    if text.trim_start().starts_with('{')
        && let Some(figure) = ask::of_config(text)
    {
        return Answer { figures: vec![figure], found: index.find("config.json", limit), ..Answer::default() };
    }
    let log = read_log(&signs.0, text);
    // Of a log, the line to begin with is the question.
    let first = log.seen.first().map(|seen| &seen.place).or(log.unknown.first());
    let question = first.filter(|_| log.lines > 1).map_or(text, |at| at.text.as_str());
    let end = (0..=LONGEST).rev().find(|end| question.is_char_boundary(*end)).unwrap_or_default();
    let mut found = index.find(question.get(..end.min(question.len())).unwrap_or(question), limit);
    if let Some(sign) =
        log.seen.first().filter(|seen| seen.kind > SignKind::Note).and_then(|seen| signs.0.get(seen.sign))
    {
        // The message is known: others say something else of it, and its own places come first. The section is the diagnosis's own.
        let is_other = |entry: &SearchEntry| entry.kind != EntryKind::Message && entry.href != sign.section.href;
        found.hits.retain(|hit| index.entries().get(hit.index).is_none_or(is_other));
        let place = |hit: &Hit| {
            let href = index.entries().get(hit.index).map_or("", |entry| entry.href.as_str());
            let page = |of: &str| of.split('?').next().unwrap_or_default() == href;
            [&sign.figure, &sign.exercise].iter().position(|place| page(&place.href)).unwrap_or(usize::MAX)
        };
        found.hits.sort_by_key(place);
    }
    // Who asks what a word means reads its definition first, then where it is taught.
    let mut defined = index.defined(question);
    if !defined.is_empty() {
        let is_taught = |hit: &&Hit| {
            let kind = index.entries().get(hit.index).map(|entry| entry.kind);
            matches!(kind, Some(EntryKind::Section | EntryKind::Chapter))
        };
        if defined.len() == 1 {
            defined.extend(found.hits.iter().find(is_taught).cloned());
        }
        found.hits.retain(|hit| defined.iter().all(|first| first.index != hit.index));
        found.hits.splice(0..0, defined);
        found.hits.truncate(limit);
        (found.weak, found.foreign) = (false, false);
    }
    let (figures, is_measured) = match question_of(text, &log) {
        Some(question) => (ask::answers(&question), false),
        None => {
            let figures: Vec<Answered> = ask::of_log(last(text).1).into_iter().collect();
            let is_measured = !figures.is_empty();
            (figures, is_measured)
        }
    };
    Answer { log, figures, is_measured, found }
}

/// The question that a text is: one line, or a command that goes on over several.
fn question_of<'a>(text: &'a str, log: &LogReading) -> Option<Cow<'a, str>> {
    // What loggers and trainers write, which nobody types.
    if text.bytes().filter(u8::is_ascii_digit).count() > 8 && text.lines().any(is_log_line) {
        return None;
    }
    if log.lines <= 1 {
        return Some(Cow::Borrowed(text));
    }
    let joined = (text.len() <= COMMAND).then(|| text.replace("\\\r\n", " ").replace("\\\n", " "))?;
    (joined.trim().lines().count() == 1).then_some(Cow::Owned(joined))
}

impl Answer {
    /// What is said of a log as a whole: that nothing looks wrong is not said of one whose speed is compared.
    pub fn summary(&self) -> String {
        let is_quiet = self.is_measured && !self.log.has_errors();
        if is_quiet {
            format!("No error in these {} lines.", grouped(self.log.lines as u64))
        } else {
            self.log.summary()
        }
    }

    /// Whether it is a log, or a line of one that is recognized.
    pub fn is_log(&self) -> bool {
        self.log.lines > 1 || self.log.seen.iter().any(|seen| seen.kind > SignKind::Note)
    }

    /// What the lines of a log mean, the one to begin with first. None where it is a question.
    pub fn diagnoses<'a>(&'a self, signs: &'a Signs) -> impl Iterator<Item = &'a Sign> {
        self.log.seen.iter().filter(|_| self.is_log()).filter_map(|seen| signs.0.get(seen.sign))
    }

    /// The addresses that it leads to, in the order in which they are shown: what an error means, a figure that takes the numbers, the
    /// places.
    pub fn hrefs(&self, index: &Index, signs: &Signs) -> Vec<String> {
        let figure = self.figures.iter().map(Answered::href);
        let places = self.found.hits.iter().filter_map(|hit| index.entries().get(hit.index));
        let signs = self.diagnoses(signs).map(|sign| sign.section.href.clone());
        signs.chain(figure).chain(places.map(|entry| entry.href.clone())).collect()
    }
}

//! Search over the course, in the browser, at every keystroke: a question in a person's words, and the places that answer it.
//!
//! [`Index`] is made once of `search.json`. It ranks by how many and how rare the words are, passes over filler, takes phrases of the same
//! meaning for one (`search.toml` lists them), reads an unfinished last word and forgives slips. It always has something to show.

mod answer;
mod index;
mod log;
mod spelling;
#[cfg(test)]
mod tests;
mod text;

use std::ops::Range;

pub use answer::{Answer, answer};
pub use index::Index;
pub use log::{At, Condition, End, LogReading, Seen, UNKNOWN, filled, filled_html, read_log};

/// A found place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Which entry, as an index into the searched list.
    pub index: usize,
    /// Where words of the question are in the title, as byte ranges in order.
    pub title_marks: Vec<Range<usize>>,
    /// The piece of the text to show, as a byte range.
    pub snippet: Range<usize>,
    /// Where words of the question are in that piece, as byte ranges of the **whole** text, in order.
    pub marks: Vec<Range<usize>>,
}

/// What a question finds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// The places, the best first.
    pub hits: Vec<Hit>,
    /// The question as it was understood, where a word of it stands nowhere.
    pub meant: Option<String>,
    /// Whether even the best has little of the question.
    pub weak: bool,
    /// Whether it has next to nothing: the question is of another subject.
    pub foreign: bool,
}

impl Found {
    /// What is said above places that have little of the question; none above those that answer it.
    pub fn caption(&self) -> Option<&'static str> {
        match (self.weak, self.foreign) {
            (_, true) => Some("This site doesn’t seem to cover that. Closest results:"),
            (true, false) => Some("No exact match. Closest results:"),
            (false, false) => None,
        }
    }
}

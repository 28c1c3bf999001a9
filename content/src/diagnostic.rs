//! What is wrong with the content, and where.

use std::cell::RefCell;

use crate::schema::Diagnostic;
use crate::source::Spot;

/// What to do where something is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Leave it out; whoever builds refuses the result if there are diagnostics.
    Strict,
    /// Say so in the page, in place (`class="diagnostic"`), so that the rest can be worked on.
    Lenient,
}

/// Where diagnostics are collected, from anywhere.
#[derive(Debug, Default)]
pub(crate) struct Sink(RefCell<Vec<Diagnostic>>);

impl Sink {
    /// Adds one.
    pub(crate) fn report(&self, spot: Spot<'_>, message: impl Into<String>) {
        self.report_near(spot, message, "", &[]);
    }

    /// Adds one, with the nearest of `options` to what was written instead.
    pub(crate) fn report_near(&self, spot: Spot<'_>, message: impl Into<String>, given: &str, options: &[&str]) {
        let hint = ringside_core::query::did_you_mean(given, options);
        let hint = hint.trim().trim_start_matches('(').trim_end_matches(')').to_owned();
        let (line, column) = spot.line_and_column();
        let file = format!("content/{}", spot.file.path);
        self.0.borrow_mut().push(Diagnostic { file, line, column, message: message.into(), hint });
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.borrow().len()
    }

    /// The messages of all after the first `count`.
    pub(crate) fn messages_after(&self, count: usize) -> Vec<String> {
        self.0.borrow().iter().skip(count).map(|d| d.message.clone()).collect()
    }

    /// Everything collected: by file and place, without repetitions.
    pub(crate) fn into_sorted(self) -> Vec<Diagnostic> {
        let mut all = self.0.into_inner();
        all.sort();
        all.dedup();
        all
    }
}

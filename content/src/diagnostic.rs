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
    /// The same, and nothing is proved: exercises are not solved with other numbers, missions are not played through. For
    /// whoever looks at the site while they write.
    Quick,
}

/// Where diagnostics are collected, from anywhere.
#[derive(Debug, Default)]
pub(crate) struct Sink {
    all: RefCell<Vec<Diagnostic>>,
    /// Those of files that could not be read to their end.
    cut: RefCell<Vec<Diagnostic>>,
}

/// What the message of a file ends with that cannot be read to its end.
const REST: &str = "The rest is checked once this is mended.";

impl Sink {
    /// Adds one.
    pub(crate) fn report(&self, spot: Spot<'_>, message: impl Into<String>) {
        self.report_near(spot, message, "", &[]);
    }

    /// Adds one, with the nearest of `options` to what was written instead.
    pub(crate) fn report_near(&self, spot: Spot<'_>, message: impl Into<String>, given: &str, options: &[&str]) {
        let hint = ringside_core::query::did_you_mean(given, options);
        let hint = hint.trim().trim_start_matches('(').trim_end_matches(')').to_owned();
        self.all.borrow_mut().push(at(spot, message.into(), hint));
    }

    /// Adds one that keeps the rest of the file from being read. What else is said of the file, or of the others of its chapter, may
    /// only follow from it, and is left out: one mistake is reported for one.
    pub(crate) fn report_cut(&self, spot: Spot<'_>, message: &str) {
        let one = at(spot, format!("{message} {REST}"), String::new());
        self.cut.borrow_mut().push(one.clone());
        self.all.borrow_mut().push(one);
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.all.borrow().len()
    }

    /// The messages of all after the first `count`.
    pub(crate) fn messages_after(&self, count: usize) -> Vec<String> {
        self.all.borrow().iter().skip(count).map(|d| d.message.clone()).collect()
    }

    /// Everything collected: by file and place, without repetitions.
    pub(crate) fn into_sorted(self) -> Vec<Diagnostic> {
        let (mut all, mut cut) = (self.all.into_inner(), self.cut.into_inner());
        cut.sort();
        cut.dedup_by(|later, first| later.file == first.file);
        // Everything hangs on the data files, and a chapter on its own.
        if cut.iter().any(|one| folder(&one.file).is_empty()) {
            return cut;
        }
        all.retain(|one| cut.iter().all(|first| folder(&first.file) != folder(&one.file)));
        all.extend(cut);
        all.sort();
        all.dedup();
        all
    }
}

/// The chapter's folder that a file is in, if it is in one.
fn folder(file: &str) -> &str {
    file.strip_prefix("content/chapters/").and_then(|path| path.split_once('/')).map_or("", |(folder, _)| folder)
}

fn at(spot: Spot<'_>, message: String, hint: String) -> Diagnostic {
    let (line, column) = spot.line_and_column();
    Diagnostic { file: format!("content/{}", spot.file.path), line, column, message, hint }
}

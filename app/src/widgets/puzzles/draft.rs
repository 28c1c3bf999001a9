//! A text that is being written for a puzzle.

use leptos::prelude::*;
use ringside_learner::workbench::Work;

use super::kept;
use crate::ui::later::Later;

/// A text that is being written for a puzzle, and kept half a second after the last change.
#[derive(Clone, Copy)]
pub(in crate::widgets) struct Draft {
    /// The text, without a line break at its end.
    pub text: RwSignal<String>,
    /// What is kept of the puzzle.
    pub work: Memo<Work>,
    key: StoredValue<String>,
    start: StoredValue<String>,
    rest: Later,
}

impl Draft {
    /// What was written for the puzzle that is kept under `key`; `start` if nothing was.
    pub fn new(key: &str, start: &str) -> Self {
        let start = start.strip_suffix('\n').unwrap_or(start).to_owned();
        let key = StoredValue::new(key.to_owned());
        let work = Memo::new(move |_| key.with_value(|key| kept::of(key)));
        let written = work.with_untracked(|w| w.text.clone());
        let text = RwSignal::new(if written.is_empty() { start.clone() } else { written });
        let rest = Later::after(500);
        let draft = Self { text, work, key, start: StoredValue::new(start), rest };
        // Another puzzle may be chosen, or another page, before the text has rested.
        on_cleanup(move || {
            if rest.is_waiting() {
                draft.keep();
            }
        });
        draft
    }

    /// Keeps it soon.
    pub fn changed(self) {
        self.rest.run(move || self.keep());
    }

    /// Keeps it now.
    pub fn keep(self) {
        self.rest.cancel();
        let now = if untrack(|| self.is_start()) { String::new() } else { self.text.get_untracked() };
        if self.work.with_untracked(|w| w.text != now) {
            self.key.with_value(|key| kept::change(key, |w| w.text = now));
        }
    }

    /// Puts back what the puzzle begins with.
    pub fn begin_again(self) {
        self.text.set(self.start.get_value());
        self.keep();
    }

    /// Whether it is what the puzzle begins with. Tracks.
    pub fn is_start(self) -> bool {
        self.start.with_value(|start| self.text.with(|text| text == start))
    }
}

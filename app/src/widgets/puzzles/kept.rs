//! What a learner has written, and how far it came: in the store, by puzzle.

use ringside_learner::workbench::{self, Work};

use crate::store::store;

/// The work on the puzzle with this id. Tracks.
pub(in crate::widgets) fn of(id: &str) -> Work {
    store().with(|doc| workbench::of(doc, id))
}

/// Changes it. What is kept of other puzzles stays as it is, whoever wrote it.
pub(in crate::widgets) fn change(id: &str, change: impl FnOnce(&mut Work)) {
    store().update(|doc| workbench::change(doc, id, change));
}

//! What the workbenches share, on which a learner writes something that is then checked: the editor, the ladder of puzzles, help with
//! one, and what is kept of it.

pub(super) mod draft;
pub(super) mod editor;
pub(super) mod help;
pub(super) mod kept;
pub(super) mod ladder;

use leptos::prelude::*;

/// Whoever has provided this is told of every text that was tried whether it was right, and gets the puzzle alone, without the
/// ladder and without help: those of an exercise are its own.
#[derive(Clone, Copy)]
pub struct Judge(pub Callback<(bool, String)>);

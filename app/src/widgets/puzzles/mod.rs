//! What the workbenches share, on which a learner writes something that is then checked: the editor, the ladder of puzzles, help with
//! one, and what is kept of it.

pub(super) mod draft;
pub(super) mod editor;
pub(super) mod help;
pub(super) mod kept;
pub(super) mod ladder;

use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_learner::practice;

use crate::data::library;
use crate::store::store;
use crate::{clock, page};

/// Whoever has provided this is told of every text that was tried whether it was right, and gets the puzzle alone, without the
/// ladder and without help: those of an exercise are its own.
#[derive(Clone, Copy)]
pub struct Judge(pub Callback<(bool, String)>);

/// Tells who has to know that a text of a puzzle was tried and whether it was right: the exercise in which it was tried, or else the
/// learner's record, in which it counts for the exercise that has this puzzle. `key` is that of its work in the store.
pub(super) fn tried(
    judge: Option<Judge>,
    kind: &'static str,
    puzzle: &'static str,
    key: String,
    tried: (bool, String),
) {
    if let Some(Judge(judge)) = judge {
        return judge.run(tried);
    }
    let on_its_way = page::pending();
    spawn_local(async move {
        // Whoever can't reach the list of exercises has the puzzle marked as solved all the same.
        let index = library().exercises.wait().await.unwrap_or_default();
        if let Some(exercise) = index.exercises.iter().find(|e| e.kind == kind && e.puzzle == puzzle) {
            let work = untrack(|| kept::of(&key));
            store().update(|doc| practice::tried(doc, exercise, tried, work.hints, work.looked_up, clock::today()));
        }
        drop(on_its_way);
    });
}

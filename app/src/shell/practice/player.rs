//! One exercise on the screen, until the learner goes on: for a run of practice, and for the questions that find where to begin.

use leptos::html;
use leptos::prelude::*;
use ringside_content::schema::Indexed;
use ringside_core::practice::queue::Came;
use ringside_learner::doc::Attempt;
use ringside_learner::practice;

use crate::clock;
use crate::data::{Remote, exercises_path};
use crate::deferred::deferred;
use crate::exercises::{self, Place};
use crate::store::store;

/// What is asked.
pub(in crate::shell) struct Asked {
    /// The exercise.
    pub exercise: Indexed,
    /// What stands over it: its chapter.
    pub over: String,
    /// What the button says before anything was answered, and whether not answering counts as not knowing.
    pub pass: (&'static str, bool),
    /// Why it is asked.
    pub why: &'static str,
}

/// The exercise, whose numbers are in the store, with the button that goes on. `went` hears what came of it.
pub(in crate::shell) fn view(asked: Asked, went: Callback<Came>) -> AnyView {
    let Asked { exercise, over, pass: (pass, is_answer), why } = asked;
    let chapter = exercise.chapter().to_owned();
    let place = Place {
        id: exercise.key.strip_prefix(&format!("{chapter}/")).unwrap_or_default().to_owned(),
        prompt: String::new(),
        given: Memo::new(|_| None),
        exercises: Remote::new(exercises_path(&chapter)),
        alone: Some(over),
        chapter,
    };
    let exercise = StoredValue::new(exercise);
    let attempt = Memo::new(move |_| {
        store().with(|doc| exercise.with_value(|e| doc.exercises.get(&e.key).cloned()).unwrap_or_default())
    });
    let ended = Memo::new(move |_| attempt.with(|a| a.solved || a.shown));
    let answered = Memo::new(move |_| attempt.with(|a| a.tries_here() > 0));
    let button = NodeRef::<html::Button>::new();
    Effect::new(move |before: Option<bool>| {
        let solved = attempt.with(|a| a.solved);
        // Enter checks, and Enter goes on.
        if solved
            && before == Some(false)
            && let Some(button) = button.get_untracked()
        {
            // A button without focus can still be pressed.
            let _ = button.focus();
        }
        solved
    });
    let go_on = move |_| {
        // What is known of it is looked at before it is given up.
        let Attempt { solved, shown, hints, .. } = attempt.get_untracked();
        let tries = attempt.with_untracked(Attempt::tries_here);
        let came = match Came::of(solved, shown, tries, hints) {
            Came::Skipped if is_answer => Came::Missed,
            came => came,
        };
        if came == Came::Missed {
            store().update(|doc| exercise.with_value(|e| practice::give_up(doc, e, clock::today(), |_| true)));
        }
        went.run(came);
    };
    let label = move || if ended.get() || answered.get() { "Continue" } else { pass };
    view! {
        <h2 class="visually-hidden">"The exercise"</h2>
        <div class="player-step">
            {deferred(exercises::load, move |show: exercises::View| show(place.clone()))}
        </div>
        <div class="player-bar sans">
            <button node_ref=button type="button" class:secondary=move || !ended.get() on:click=go_on>{label}</button>
            <small>{why}</small>
        </div>
    }
    .into_any()
}

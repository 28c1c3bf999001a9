//! Exercises, one file per kind, in one frame.
//!
//! `core` computes and checks; what is here shows, and keeps in the store what the learner did, so that a reload brings
//! back the input, the verdict, the numbers and the hints.

mod choice;
mod compare;
mod confidence;
mod explain;
mod figure;
mod frame;
mod given;
mod kernel;
mod number;
mod order;
mod pairs;
mod predict;
mod session;
mod sketch;
mod task;
mod trace;

use leptos::prelude::*;
use ringside_content::language;
use ringside_content::schema::Exercises;
use ringside_core::exercise::{Exercise, Kind};
use ringside_learner::doc::Attempt;

use crate::data::Remote;
use crate::deferred::lazy;
use crate::router;
use crate::store::store;
pub use given::{Given, given};
use session::Session;

/// The chapter under which the answers to the exercises of a draft are stored, until it is left.
pub const DRAFT: &str = "draft";

/// Forgets what was answered in a draft.
pub fn forget_draft() {
    let own = key(DRAFT, "");
    store().update(|doc| doc.exercises.retain(|key, _| !key.starts_with(&own)));
}

/// The place of an exercise in a chapter.
#[derive(Clone)]
pub struct Place {
    /// The chapter's slug.
    pub chapter: String,
    /// The exercise's id.
    pub id: String,
    /// Its prompt as the build rendered it, with the numbers of seed 0.
    pub prompt: String,
    /// The numbers that the address gives, from [`given()`].
    pub given: Memo<Option<Given>>,
    /// The exercises of the chapter; their Markdown fields are HTML from our own build.
    pub exercises: Remote<Exercises>,
    /// What stands over it where it is asked alone, outside its chapter.
    pub alone: Option<String>,
}

/// Shows the exercise of a place.
pub type View = fn(Place) -> AnyView;

lazy! {
    /// Downloads the exercises' code.
    exercises: pub fn load() -> View {
        view
    }
}

fn view(place: Place) -> AnyView {
    let (exercises, prompt) = (place.exercises, place.prompt.clone());
    let show = move |file: std::sync::Arc<Exercises>| {
        let lang = router::language();
        let found = file.exercises.iter().enumerate().find(|(_, e)| e.id == place.id);
        match found {
            Some((index, exercise)) => {
                let numbers = [index + 1, file.exercises.len()].map(|n| n.to_string());
                let nth = || language::EXERCISE.with(lang, &[("number", &numbers[0]), ("all", &numbers[1])]);
                let nth = place.alone.clone().unwrap_or_else(nth);
                alive(&place, exercise, nth)
            }
            // The build checks that there is one.
            None => ().into_any(),
        }
    };
    // What the build rendered stays until there are its numbers.
    exercises.show_after(move || view! { <div inner_html=prompt.clone()></div> }.into_any(), show).into_any()
}

/// The exercise, alive. `nth` says which one of the chapter it is.
fn alive(place: &Place, exercise: &Exercise, nth: String) -> AnyView {
    let session = Session::new(place, exercise);
    frame::view(exercise, session, &nth, form(session, exercise))
}

/// An exercise as a question of a quiz, with the parameters of `seed`: without hints, and without a word about the answer,
/// which is always what is in the form, as `ringside_core::exercise::input` has it.
pub fn question(exercise: &Exercise, nth: &str, seed: u64, answer: RwSignal<String>) -> AnyView {
    let session = Session::of_exam(exercise, seed, answer);
    frame::view(exercise, session, nth, form(session, exercise))
}

/// What an exercise of one kind is answered with.
type Form = fn(Session) -> AnyView;

fn form(session: Session, exercise: &Exercise) -> AnyView {
    let form: Form = match &exercise.kind {
        Kind::Number(_) => number::form,
        Kind::Choice(_) => choice::form,
        Kind::Predict(_) => predict::form,
        Kind::Sketch(_) => sketch::form,
        Kind::Order(_) => order::form,
        Kind::Match(_) | Kind::Label(_) => pairs::form,
        Kind::Task(_) => task::form,
        Kind::Trace(_) => trace::form,
        Kind::Explain(_) => explain::form,
        Kind::Kernel(_) => kernel::form,
        Kind::Program(_) => kernel::program,
    };
    view! { <div class="exercise-form" lang=session.lang.english()>{form(session)}</div> }.into_any()
}

/// Whether the prediction with this id has been committed or passed over. Tracks.
pub fn committed(chapter: &str, id: &str) -> bool {
    store().with(|doc| doc.exercises.get(&key(chapter, id)).is_some_and(|a| a.checked || a.shown))
}

/// Passes over the prediction with this id.
pub fn skip(chapter: &str, id: &str) {
    store().update(|doc| doc.exercises.entry(key(chapter, id)).or_default().shown = true);
}

/// The key of an exercise in the store.
fn key(chapter: &str, id: &str) -> String {
    format!("{chapter}/{id}")
}

/// What the store has about an exercise.
fn attempt(key: &str) -> Attempt {
    store().with(|doc| doc.exercises.get(key).cloned().unwrap_or_default())
}

/// Rendered HTML as text, for what can hold no markup.
fn plain(html: &str) -> String {
    let holder = document().create_element("div").ok();
    holder
        .map(|holder| {
            holder.set_inner_html(html);
            holder.text_content().unwrap_or_default()
        })
        .unwrap_or_default()
}

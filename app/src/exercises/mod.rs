//! Exercises, one file per kind, in one frame.
//!
//! `core` computes and checks; what is here shows, and keeps in the store what the learner did, so that a reload brings
//! back the input, the verdict, the numbers and the hints.

mod choice;
mod frame;
mod number;
mod predict;
mod session;

use leptos::prelude::*;
use ringside_core::exercise::{Exercise, Kind};

use crate::store::doc::Attempt;
use crate::store::store;
use session::Session;

/// An exercise and its place in a chapter.
#[derive(Debug, Clone)]
pub struct Place {
    /// The chapter's slug.
    pub chapter: String,
    /// Its place among the chapter's exercises, from 0.
    pub index: usize,
    /// How many exercises the chapter has.
    pub count: usize,
    /// The exercise; its Markdown fields are HTML from our own build.
    pub exercise: Exercise,
}

/// The exercise, alive.
pub fn view(place: Place) -> AnyView {
    let session = Session::new(&place);
    let form = match &place.exercise.kind {
        Kind::Number(_) => number::form(session),
        Kind::Choice(choice) => choice::form(session, choice.several),
        Kind::Predict(_) => predict::form(session),
    };
    frame::view(&place, session, form)
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

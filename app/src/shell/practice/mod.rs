//! What to do next, the plan, what the learner can do, how well they know what they know, and what they have written.

mod calibration;
mod half_hour;
mod now;
mod plan;
pub(super) mod player;
mod run;
mod skills;
mod summaries;

use std::sync::Arc;

use leptos::prelude::*;
use ringside_content::schema::{Course, ExerciseIndex, Page, Readings};
use ringside_content::words;
use ringside_core::practice::Practice;
use ringside_learner::doc::Doc;
use ringside_learner::practice;

use crate::data::library;
use crate::deferred::{PageView, lazy};
use crate::page;
use crate::store::store;
pub use half_hour::load as load_half_hour;
pub use run::load as load_now;

lazy! {
    /// Downloads the page.
    practice: pub fn load() -> PageView {
        view
    }
}

/// What every section works with, and the half hour on the home page.
#[derive(Clone, Copy)]
struct Desk {
    /// What the learner has practised.
    practice: Memo<Practice>,
    course: StoredValue<Arc<Course>>,
    readings: StoredValue<Arc<Readings>>,
    index: StoredValue<Arc<ExerciseIndex>>,
}

fn view() -> AnyView {
    let placement = move || {
        let is_placed = store().with(Doc::is_placed);
        let asked = ["Not sure where you stand?", Page::Placement.title(), "in about five minutes."];
        let [before, link, after] = if is_placed { words::PLACED } else { asked };
        view! { <p class="sans">{before} " " <a href="placement/">{link}</a> " " {after}</p> }
    };
    view! {
        <article class="practice">
            <h1>"Practice"</h1>
            {placement}
            {unreadable()}
            {Desk::show(sections)}
        </article>
    }
    .into_any()
}

impl Desk {
    /// Shows `show` of it once all that it needs is there.
    fn show(show: fn(Self) -> AnyView) -> impl IntoView {
        let library = library();
        // All at once, and not one after the other.
        untrack(|| drop((library.course.get(), library.readings.get(), library.exercises.get())));
        let with_index = move |course: Arc<Course>, readings: Arc<Readings>| {
            library.exercises.show(move |index| show(Self::of(course.clone(), readings.clone(), index))).into_any()
        };
        library
            .course
            .show(move |course| library.readings.show(move |readings| with_index(course.clone(), readings)).into_any())
    }

    fn of(course: Arc<Course>, readings: Arc<Readings>, index: Arc<ExerciseIndex>) -> Self {
        Self {
            practice: Memo::new(move |_| store().with(|doc| practice::read(doc).unwrap_or_default())),
            course: StoredValue::new(course),
            readings: StoredValue::new(readings),
            index: StoredValue::new(index),
        }
    }
}

/// Says so where what is stored cannot be read.
fn unreadable() -> impl IntoView {
    let why = Memo::new(move |_| store().with(|doc| practice::read(doc).err()));
    move || {
        why.get().map(|why| {
            let text = format!(
                "In what is stored here, {why}. It is kept, and your practice begins anew with what you do next."
            );
            view! { <div class="message" role="alert"><p>{text}</p></div> }
        })
    }
}

fn sections(desk: Desk) -> AnyView {
    // A link may name a section that was not there when it was followed.
    request_animation_frame(|| {
        let hash = location().hash().unwrap_or_default();
        if let Some(id) = hash.strip_prefix('#').filter(|id| !id.is_empty()) {
            page::arrive(id);
        }
    });
    view! {
        {now::view(desk)}
        {plan::view(desk)}
        {skills::view(desk)}
        {calibration::view(desk)}
        {summaries::view(desk)}
        <section class="sans to-show">
            <p>
                "To show somebody: " <a href="record/">"your record"</a> ", with the evidence."
            </p>
        </section>
    }
    .into_any()
}

//! What to do next, the plan, what the learner can do, how well they know what they know, and what they have written.

mod calibration;
mod now;
mod plan;
mod situation;
mod skills;
mod summaries;

use std::sync::Arc;

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_content::schema::{Course, ExerciseIndex, Readings};
use ringside_core::practice::Practice;

use crate::data::library;
use crate::deferred::{NotLoaded, Page};
use crate::store::store;
use crate::{page, practice};

/// Downloads the page.
#[wasm_split(practice, wasm_split_path = leptos::wasm_split, fallible)]
pub fn load() -> Result<Page, NotLoaded> {
    Ok(view)
}

/// What every section works with.
#[derive(Clone, Copy)]
struct Desk {
    /// What the learner has practised.
    practice: Memo<Practice>,
    course: StoredValue<Arc<Course>>,
    readings: StoredValue<Arc<Readings>>,
    index: StoredValue<Arc<ExerciseIndex>>,
}

fn view() -> AnyView {
    page::title("Practice");
    let library = library();
    // All at once, and not one after the other.
    untrack(|| drop((library.course.get(), library.readings.get(), library.exercises.get())));
    let with_index = move |course: Arc<Course>, readings: Arc<Readings>| {
        library.exercises.show(move |index| sections(course.clone(), readings.clone(), index)).into_any()
    };
    let with_readings = move |course: Arc<Course>| {
        library.readings.show(move |readings| with_index(course.clone(), readings)).into_any()
    };
    view! {
        <article class="practice">
            <h1>"Practice"</h1>
            {unreadable()}
            {library.course.show(with_readings)}
        </article>
    }
    .into_any()
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

fn sections(course: Arc<Course>, readings: Arc<Readings>, index: Arc<ExerciseIndex>) -> AnyView {
    let desk = Desk {
        practice: Memo::new(move |_| store().with(|doc| practice::read(doc).unwrap_or_default())),
        course: StoredValue::new(course),
        readings: StoredValue::new(readings),
        index: StoredValue::new(index),
    };
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
        <section class="sans teaching">
            <p>
                "Teaching with this? " <a href="quiz/">"Compose a quiz"</a> " with the same numbers for everyone, and "
                <a href="check/">"check"</a> " what is handed in."
            </p>
        </section>
    }
    .into_any()
}

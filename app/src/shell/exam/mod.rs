//! A quiz: an instructor composes it and sends a link, learners take it without feedback and hand in a file, and anybody can
//! mark the files again. `ringside_core::practice::exam` says what is in them and what they can show.

mod asked;
mod check;
mod compose;
mod export;
pub(super) mod loaded;
mod mistakes;
mod take;

use leptos::prelude::*;
use ringside_learner::quiz::Link;

use crate::deferred::{PageView, lazy};
use crate::router::address;

lazy! {
    /// Downloads the page to compose and to take a quiz.
    teaching: pub fn load_quiz() -> PageView {
        quiz
    }
}

lazy! {
    /// Downloads the page that marks files again.
    teaching: pub fn load_check() -> PageView {
        check::view
    }
}

lazy! {
    /// Downloads the page that takes questions out.
    teaching: pub fn load_export() -> PageView {
        export::view
    }
}

fn quiz() -> AnyView {
    let search = address().search();
    // The address that is composed is written back without being read again.
    let composing = Memo::new(move |_| search.with(|search| Link::read(search).0.compose));
    (move || {
        if composing.get() {
            let (link, problems) = untrack(|| search.with(|search| Link::read(search)));
            return compose::view(link, problems);
        }
        let (link, problems) = search.with(|search| Link::read(search));
        take::view(link, problems)
    })
    .into_any()
}

/// What of a link could not be used.
fn problems(messages: Vec<String>) -> AnyView {
    if messages.is_empty() {
        return ().into_any();
    }
    let items = messages.into_iter().map(|text| view! { <li>{text}</li> }).collect_view();
    view! {
        <div class="message" role="status">
            <p>"Not everything in the link could be used:"</p>
            <ul>{items}</ul>
        </div>
    }
    .into_any()
}

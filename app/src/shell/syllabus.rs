//! How to teach with the course. The build rendered it; every link on it opens what it names.

use leptos::prelude::*;

use super::{fragment, teach};
use crate::data::library;
use crate::deferred::{PageView, lazy};
use crate::page;
use crate::router::address;

lazy! {
    /// Downloads the page.
    teaching: pub fn load() -> PageView {
        view
    }
}

fn view() -> AnyView {
    let arrive = |_| {
        let id = address().hash().get_untracked();
        if !id.is_empty() {
            request_animation_frame(move || {
                page::arrive(&id);
            });
        }
    };
    view! { {teach::pages()} {fragment::view(library().syllabus, Callback::new(arrive))} }.into_any()
}

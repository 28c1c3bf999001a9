//! How to teach with the course. The build rendered it; every link on it opens what it names.

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;

use super::fragment;
use crate::data::library;
use crate::deferred::{NotLoaded, Page};
use crate::page;
use crate::router::address;

/// Downloads the page.
#[wasm_split(syllabus, wasm_split_path = leptos::wasm_split, fallible)]
pub fn load() -> Result<Page, NotLoaded> {
    Ok(view)
}

fn view() -> AnyView {
    page::title("Syllabus");
    let arrive = |_| {
        let id = address().hash().get_untracked();
        if !id.is_empty() {
            request_animation_frame(move || {
                page::arrive(&id);
            });
        }
    };
    fragment::view(library().syllabus, Callback::new(arrive))
}

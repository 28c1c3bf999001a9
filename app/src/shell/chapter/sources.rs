//! The sources of a chapter as cards, the most important first.

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;

use crate::deferred::NotLoaded;
use crate::shell::source_card;

/// The cards of the chapter with this slug.
pub(super) type View = fn(&str) -> AnyView;

/// Downloads the view.
#[wasm_split(chapter_sources, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load() -> Result<View, NotLoaded> {
    Ok(view)
}

fn view(slug: &str) -> AnyView {
    source_card::of_chapter(slug.to_owned(), Callback::new(|list: web_sys::HtmlElement| source_card::enliven(&list)))
}

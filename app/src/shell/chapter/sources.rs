//! The sources of a chapter as cards, the most important first.

use std::cmp::Reverse;

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_content::schema::Source;

use crate::data::library;
use crate::deferred::NotLoaded;
use crate::shell::source_card::SourceCard;

/// The cards of the chapter with this slug.
pub(super) type View = fn(&str) -> AnyView;

/// Downloads the view.
#[wasm_split(chapter_sources, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load() -> Result<View, NotLoaded> {
    Ok(view)
}

fn view(slug: &str) -> AnyView {
    let slug = slug.to_owned();
    let show = move |readings: std::sync::Arc<ringside_content::schema::Readings>| {
        let mut sources: Vec<Source> =
            readings.sources.iter().filter(|s| s.chapters.contains(&slug)).cloned().collect();
        // Those of another chapter first of all come last.
        sources.sort_by_key(|s| (s.chapters.first() != Some(&slug), Reverse(s.priority)));
        let cards = sources.into_iter().map(|source| view! { <SourceCard source folded=true /> }).collect_view();
        view! { <div class="sources">{cards}</div> }.into_any()
    };
    library().readings.show(show).into_any()
}

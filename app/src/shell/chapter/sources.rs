//! The sources of a chapter as cards, the most important first.

use leptos::prelude::*;

use crate::deferred::lazy;
use crate::shell::source_card;

/// The cards of the chapter with this slug.
pub(super) type View = fn(&str) -> AnyView;

lazy! {
    /// Downloads the view.
    chapter: pub(super) fn load() -> View {
        view
    }
}

fn view(slug: &str) -> AnyView {
    source_card::of_chapter(slug.to_owned(), Callback::new(|list: web_sys::HtmlElement| source_card::enliven(&list)))
}

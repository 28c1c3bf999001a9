//! The home page: the reading map, with a live figure on its first screen. The build rendered it; here it comes alive.

mod chapters;
mod figure;
mod guess;
mod sources;
mod start;

use leptos::prelude::*;
use web_sys::HtmlElement;

use super::{fragment, search, source_card};
use crate::data::library;
use crate::deferred::{PageView, lazy};
use crate::page;
use crate::router::address;
use chapters::Chapters;

lazy! {
    /// Downloads the page.
    home: pub fn load() -> PageView {
        view
    }
}

fn view() -> AnyView {
    page::title("");
    fragment::view(library().home, Callback::new(enliven))
}

fn enliven(root: HtmlElement) {
    source_card::enliven(&root);
    search::on_page(&root);
    start::follow(&root);
    let chapters = Chapters::enliven(&root);
    figure::enliven(&root);
    guess::enliven(&root);
    sources::enliven(&root);
    arrive(chapters);
}

/// Goes to what the address names, now that it is there and whenever a link names something else. A chapter opens.
fn arrive(chapters: Chapters) {
    let address = address();
    let begins_filtered = address.search().with_untracked(|s| !s.is_empty());
    let hash = address.hash();
    Effect::new(move |before: Option<()>| {
        let id = hash.get();
        let id = if id.is_empty() && begins_filtered && before.is_none() { "sources".to_owned() } else { id };
        if !id.is_empty() {
            chapters.open(&id);
            request_animation_frame(move || {
                page::arrive(&id);
            });
        }
    });
}

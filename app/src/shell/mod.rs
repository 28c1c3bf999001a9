//! What is around everything: header, contents, notices, and the pages.

mod answer;
pub mod author;
pub mod chapter;
mod contents;
mod deck;
mod embed;
pub mod exam;
mod figures;
mod fragment;
pub mod gallery;
mod header;
pub mod home;
pub mod lab;
pub mod lecture;
mod lms;
mod marks;
pub mod mission;
pub mod not_found;
pub mod notices;
pub mod offline;
pub mod placement;
pub mod practice;
pub mod prerendered;
pub mod presenter;
mod print;
pub mod projector;
pub mod record;
pub mod reference;
pub mod run;
mod search;
pub mod settings;
pub mod share;
mod shortcuts;
pub mod source_card;
pub mod syllabus;
pub mod teach;
mod theme;
pub mod votes;
pub mod widget_page;

use leptos::prelude::*;
use ringside_content::route::Route;

use crate::router::address;

/// What `<html>` bears where the contents give way to the page.
const WIDE: &str = "data-wide";

/// The frame around every page.
#[component]
pub fn Frame(children: Children) -> impl IntoView {
    theme::apply();
    teach::apply();
    let contents_open = RwSignal::new(false);
    let overlay = RwSignal::new(None::<Overlay>);
    let route = address().route();
    // A figure on its own page has the room of the contents too; `index.html` says so first.
    Effect::new(move |_| {
        let is_wide = route.with(|route| matches!(route, Route::Widget(_)));
        if let Some(root) = document().document_element() {
            // A page that is not told is narrower.
            let _ = if is_wide { root.set_attribute(WIDE, "") } else { root.remove_attribute(WIDE) };
        }
    });
    shortcuts::listen(overlay);
    projector::listen();
    share::listen();
    lecture::add::listen();
    offline::later();
    view! {
        <header::Header contents_open overlay />
        <notices::Notices />
        <div class="frame">
            <contents::Contents open=contents_open />
            <main id="page" tabindex="-1">{children()}</main>
        </div>
        {search::view(overlay)}
        {shortcuts::sheet(overlay)}
    }
}

/// What lies over the page: at most one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlay {
    /// The search.
    Search,
    /// The sheet of shortcuts.
    Shortcuts,
}

//! A talk in two windows of one browser: the presenter's, with notes, the next state, a timer and answers; and the audience's,
//! which shows what the presenter's shows and nothing else. They speak over a channel of the browser and find each
//! other again when either was closed or loaded anew.

mod follow;
mod lead;
mod line;
mod next;

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_core::query::Query;

use super::deck::{self, LIST};
use crate::deferred::{NotLoaded, Page};
use crate::router::{self, Route, address};

/// The name in the address by which a window is the audience's.
const AUDIENCE: &str = "audience";
/// The name in the address of a chapter, by its slug, that is presented.
const CHAPTER: &str = "chapter";

/// Downloads the page.
#[wasm_split(presenter, wasm_split_path = leptos::wasm_split, fallible)]
pub fn load() -> Result<Page, NotLoaded> {
    Ok(view)
}

fn view() -> AnyView {
    // A link from here to a talk is to the same page.
    let asked = Memo::new(move |before: Option<&Asked>| {
        address().track();
        let is_here = address().route().get_untracked() == Route::Presenter;
        before.filter(|_| !is_here).cloned().unwrap_or_else(Asked::now)
    });
    (move || match asked.get() {
        Asked::Audience => follow::view(),
        Asked::Talk(deck) => lead::view(deck),
    })
    .into_any()
}

/// Which window the address asks for.
#[derive(Debug, Clone, PartialEq)]
enum Asked {
    Audience,
    /// The presenter's, and where its deck is from: `chapter`, a slug, or `list`, a text.
    Talk(Query),
}

impl Asked {
    fn now() -> Self {
        let query = router::query();
        if query.get(AUDIENCE).is_some() {
            return Self::Audience;
        }
        let chapter = query.get(CHAPTER).map(|slug| (CHAPTER, slug.to_owned()));
        let list = deck::in_address().map(|list| (LIST, list));
        Self::Talk(Query::new(list.or(chapter)))
    }
}

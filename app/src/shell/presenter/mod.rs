//! A talk in two windows of one browser: the presenter's, with notes, the next state, a timer and answers; and the audience's,
//! which shows what the presenter's shows and nothing else. They speak over a channel of the browser and find each
//! other again when either was closed or loaded anew.

mod follow;
mod lead;
mod line;
mod next;
mod pointer;
mod timer;

use leptos::prelude::*;
use ringside_content::route::Route;
use ringside_content::schema::Page;
use ringside_core::query::Query;
use ringside_learner::lecture::LIST;

use super::deck::list;
use crate::deferred::{PageView, lazy};
use crate::router::{self, address};

/// The name in the address by which a window is the audience's, of the talk that it names.
const AUDIENCE: &str = "audience";
/// What is pointed at: the same in both windows, each laid out in its own way.
const POINTED_AT: [&str; 3] = ["[data-drawing]", ".finding", ".room-question"];
/// The name in the address of a chapter, by its slug, that is presented.
const CHAPTER: &str = "chapter";

lazy! {
    /// Downloads the page.
    teaching: pub fn load() -> PageView {
        view
    }
}

fn view() -> AnyView {
    // A link from here to a talk is to the same page.
    let asked = Memo::new(move |before: Option<&Asked>| {
        address().track();
        let is_here = address().route().get_untracked() == Route::Page(Page::Presenter);
        before.filter(|_| !is_here).cloned().unwrap_or_else(Asked::now)
    });
    (move || match asked.get() {
        Asked::Audience(talk) => follow::view(talk),
        Asked::Talk(deck) => lead::view(deck),
    })
    .into_any()
}

/// Which window the address asks for.
#[derive(Debug, Clone, PartialEq)]
enum Asked {
    /// The audience's, of a talk or of any.
    Audience(String),
    /// The presenter's, and where its deck is from: `chapter`, a slug, or `list`, a text.
    Talk(Query),
}

impl Asked {
    fn now() -> Self {
        let query = router::query();
        if let Some(talk) = query.get(AUDIENCE) {
            return Self::Audience(talk.to_owned());
        }
        let chapter = query.get(CHAPTER).map(|slug| (CHAPTER, slug.to_owned()));
        let list = list::in_address().map(|list| (LIST, list));
        Self::Talk(Query::new(list.or(chapter)))
    }
}

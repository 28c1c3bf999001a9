//! The missions: the list of them, and the page of each. The build rendered both; here a run is played, kept, and marked again.

mod answers;
mod decide;
mod end;
mod mark;
mod play;
mod room;
mod run;

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_core::mission::Mission;
use web_sys::HtmlElement;

use super::fragment;
use crate::data::{Remote, library};
use crate::deferred::{NotLoaded, Page};
use crate::page;
use crate::router::{Route, address};
use crate::store::store;
use crate::ui::dom;
use crate::ui::islands::Islands;

/// Downloads the page.
#[wasm_split(mission, wasm_split_path = leptos::wasm_split, fallible)]
pub fn load() -> Result<Page, NotLoaded> {
    Ok(view)
}

fn view() -> AnyView {
    let (route, search) = (address().route(), address().search());
    (move || {
        // Another seed or another run is another page.
        search.track();
        match route.get() {
            Route::Mission(None) => {
                page::title("Missions");
                fragment::view(library().missions, Callback::new(enliven_list))
            }
            Route::Mission(Some(slug)) => {
                let page = Remote::new(format!("missions/{slug}.html"));
                fragment::view(page, Callback::new(enliven))
            }
            // On its way to another page.
            _ => ().into_any(),
        }
    })
    .into_any()
}

fn enliven_list(root: HtmlElement) {
    for place in dom::all(&root, "[data-run]") {
        let slug = dom::attribute(&place, "data-run");
        let begun = store()
            .peek(|doc| doc.missions.range(slug.clone()..).take_while(|(key, _)| key.starts_with(&slug)).count());
        if begun > 0 {
            place.set_text_content(Some("begun · "));
        }
    }
    if let Some(place) = dom::find(&root, "[data-island=mark]") {
        Islands::new().put(place, Box::new(mark::view));
    }
}

fn enliven(root: HtmlElement) {
    let Some(article) = dom::find(&root, "[data-mission]") else { return };
    page::title(&dom::attribute(&article, "data-title"));
    let slug = dom::attribute(&article, "data-mission");
    let Some(place) = dom::find(&root, "[data-island=play]") else { return };
    let file: Remote<Mission> = Remote::new(format!("missions/{slug}.json"));
    Islands::new().put_deferred(
        place,
        move || {
            let slug = slug.clone();
            async move { run::load(file, slug).await }
        },
        play::view,
    );
}

//! The missions: the list of them, and the page of each. The build rendered both; here a run is played, kept, and marked again.

mod answers;
mod decide;
mod end;
mod mark;
mod play;
mod run;
mod vote;

use std::sync::Arc;

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use ringside_content::route::Route;
use ringside_content::schema::Page;
use ringside_core::mission::Mission;
use ringside_core::query::Query;
use web_sys::HtmlElement;

use run::Source;

use super::{fragment, not_found, prerendered, print};
use crate::clock;
use crate::data::{Fragment, Remote, library};
use crate::deferred::{PageView, lazy};
use crate::page;
use crate::router::address;
use crate::store::store;
use crate::ui::dom;
use crate::ui::islands::Islands;

/// Milliseconds of playing between two frames.
const SLICE: f64 = 12.0;

/// A time of playing, before the page is painted again.
struct Slice {
    /// Unix milliseconds.
    begun: f64,
}

impl Slice {
    fn begin() -> Self {
        Self { begun: clock::milliseconds() }
    }

    /// Whether it is time for the page.
    fn is_over(&self) -> bool {
        clock::milliseconds() - self.begun >= SLICE
    }

    /// Lets the page be painted; then the next slice begins.
    async fn rest(&mut self) {
        TimeoutFuture::new(0).await;
        *self = Self::begin();
    }
}

lazy! {
    /// Downloads the page.
    mission: pub fn load() -> PageView {
        view
    }
}

fn view() -> AnyView {
    print::on_keys(print::whole_page);
    let (route, search) = (address().route(), address().search());
    // Another seed or another run is another page; the same one projected is not.
    let source = Memo::new(move |_| search.with(|search| Source::of(&Query::parse(search.trim_start_matches('?')))));
    (move || {
        source.track();
        match route.get() {
            Route::Page(Page::Missions) => fragment::view(library().missions, Callback::new(enliven_list)),
            Route::Mission(slug) => {
                // A link may be mistyped, or older than the mission that it meant.
                let mark = format!("data-run=\"{slug}\"");
                let show = move || {
                    let page = Remote::new(format!("missions/{slug}.html"));
                    fragment::view(page, Callback::new(enliven))
                };
                if prerendered::has_text() {
                    return show();
                }
                let known = move |list: Arc<Fragment>| {
                    if list.0.contains(&mark) { show() } else { not_found::view().into_any() }
                };
                library().missions.show(known).into_any()
            }
            // On its way to another page.
            _ => ().into_any(),
        }
    })
    .into_any()
}

fn enliven_list(root: HtmlElement) {
    for place in dom::all(&root, "[data-run]") {
        let runs = format!("{}/", dom::attribute(&place, "data-run"));
        if store().peek(|doc| doc.missions.keys().any(|key| key.starts_with(&runs))) {
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

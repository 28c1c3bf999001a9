//! The page of a chapter: what the build rendered, with everything alive in its place.

mod nav;
mod place;
mod see;
mod sources;
mod term;
mod text;
mod unwritten;

use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_content::language::Lang;
use ringside_content::route::Route;
use ringside_content::schema::Draft;

use crate::data::{self, Remote};
use crate::deferred::{PageView, deferred, lazy};
use crate::page;
use crate::router::address;
use crate::shell::prerendered;
use crate::ui::link;

lazy! {
    /// Downloads the page.
    chapter: pub fn load() -> PageView {
        view
    }
}

fn view() -> AnyView {
    let route = address().route();
    let shown = Memo::new(move |before: Option<&(String, Lang)>| match route.get() {
        Route::Chapter(slug, lang) => (slug, lang),
        // On its way to another page.
        _ => before.cloned().unwrap_or_default(),
    });
    (move || {
        let (slug, lang) = shown.get();
        chapter(slug, lang)
    })
    .into_any()
}

/// A chapter that is being written.
pub fn draft(draft: Draft) -> AnyView {
    let Draft { slug, html, exercises, .. } = draft;
    text::view(place::Text { slug, html: html.0, exercises: Remote::there(exercises), lang: Lang::En, draft: true })
}

fn chapter(slug: String, lang: Lang) -> AnyView {
    let built = prerendered::take(&lang.rendered(&slug)).map(|built| Ok(built.inner_html()));
    let there = built.is_some();
    let state = RwSignal::new(built);
    let slug = StoredValue::new(slug);
    let fetch = move || {
        let on_its_way = page::pending();
        spawn_local(async move {
            let path = lang.rendered(&slug.get_value());
            let html = match data::fetch_if_there(&path).await {
                Ok(None) if lang != Lang::En => {
                    // What isn't translated is read in English. The learner may have gone on by now.
                    if let Some(slug) = slug.try_get_value() {
                        let hash = location().hash().unwrap_or_default();
                        address().replace(&link::whole(&format!("{}{hash}", Lang::En.chapter(&slug))));
                    }
                    return;
                }
                Ok(html) => html.ok_or_else(|| format!("{path} is not on the server.")),
                Err(why) => Err(why),
            };
            state.try_set(Some(html));
            drop(on_its_way);
        });
    };
    if !there {
        fetch();
    }
    let again = Callback::new(move |()| {
        state.set(None);
        fetch();
    });
    (move || match state.get() {
        None => view! { <article class="chapter-page" aria-busy="true"></article> }.into_any(),
        Some(Ok(html)) => {
            let slug = slug.get_value();
            let exercises = Remote::new(data::exercises_path(&slug));
            text::view(place::Text { slug, html, exercises, lang, draft: false })
        }
        Some(Err(why)) => deferred(unwritten::load, move |show: unwritten::View| {
            show(unwritten::Asked { slug: slug.get_value(), why: why.clone(), again })
        })
        .into_any(),
    })
    .into_any()
}

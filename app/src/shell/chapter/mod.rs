//! The page of a chapter: its text, with everything alive in its place.

mod nav;
mod place;
mod term;
mod text;

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_split::wasm_split;
use ringside_content::schema::{Chapter, ChapterPage, Course, Status};

use super::source_card::{SourceCard, duration};
use crate::data::{self, library};
use crate::deferred::{NotLoaded, Page};
use crate::page;
use crate::router::{Route, address};

/// Downloads the page.
#[wasm_split(chapter, wasm_split_path = leptos::wasm_split, fallible)]
pub fn load() -> Result<Page, NotLoaded> {
    Ok(view)
}

fn view() -> AnyView {
    let route = address().route();
    let slug = Memo::new(move |before: Option<&String>| match route.get() {
        Route::Chapter(slug) => slug,
        // On its way to another page.
        _ => before.cloned().unwrap_or_default(),
    });
    let course = library().course;
    (move || {
        let slug = slug.get();
        match course.get() {
            None => ().into_any(),
            Some(Err(why)) => failed(why, move || course.retry()).into_any(),
            Some(Ok(course)) => match course.chapter(&slug) {
                None => super::not_found::view().into_any(),
                Some(chapter) if chapter.status == Status::Planned => planned(chapter).into_any(),
                Some(chapter) => written(&course, chapter).into_any(),
            },
        }
    })
    .into_any()
}

/// A chapter's text and what its page needs beside it.
type Fetched = Result<(String, ChapterPage), String>;

fn written(course: &Course, chapter: &Chapter) -> impl IntoView + use<> {
    page::title(&chapter.title);
    let slug = chapter.slug.clone();
    let state = RwSignal::new(None::<Fetched>);
    let fetch = {
        let slug = slug.clone();
        move || {
            let slug = slug.clone();
            let on_its_way = page::pending();
            spawn_local(async move {
                let text = data::fetch_text(&format!("chapters/{slug}.html")).await;
                let page = data::fetch_json::<ChapterPage>(&format!("chapters/{slug}.json")).await;
                // The learner may have gone on by now.
                state.try_set(Some(text.and_then(|text| page.map(|page| (text, page)))));
                drop(on_its_way);
            });
        }
    };
    fetch();
    let fetch = StoredValue::new(fetch);
    let part = course.parts.iter().find(|p| p.chapters.iter().any(|c| c.slug == slug)).map(|p| p.title.clone());
    let eyebrow = format!("{} · chapter {}", part.unwrap_or_default(), chapter.number);
    let title = chapter.title.clone();
    let around = StoredValue::new(nav::around(course, &slug));
    let chapter = StoredValue::new(chapter.clone());
    view! {
        <article class="chapter-page">
            <p class="eyebrow sans">{eyebrow}</p>
            <h1>{title}</h1>
            {move || match state.get() {
                None => view! { <p class="lede loading" aria-busy="true">{chapter.with_value(|c| c.question.clone())}</p> }.into_any(),
                Some(Err(why)) => {
                    failed(
                        why,
                        move || {
                            state.set(None);
                            fetch.with_value(|fetch| fetch());
                        },
                    )
                        .into_any()
                }
                Some(Ok((html, page))) => {
                    view! {
                        <p class="lede" inner_html=page.lede.0.clone()></p>
                        {nav::outline(&page)}
                        {nav::go_on(&page)}
                        {text::view(html, page)}
                        {nav::done(&chapter.with_value(|c| c.slug.clone()))}
                        {around.with_value(nav::links)}
                    }
                        .into_any()
                }
            }}
        </article>
    }
}

/// What there is of a chapter before it is written: its question, its skills, its sources.
fn planned(chapter: &Chapter) -> impl IntoView + use<> {
    page::title(&chapter.title);
    let readings = library().readings;
    let slug = chapter.slug.clone();
    let skills = chapter.skills.iter().map(|s| view! { <li inner_html=s.text.0.clone()></li> }).collect_view();
    view! {
        <article class="chapter-page">
            <p class="eyebrow sans">{format!("Chapter {} · planned", chapter.number)}</p>
            <h1>{chapter.title.clone()}</h1>
            <p class="lede">{chapter.question.clone()}</p>
            <p>{format!("This chapter is not written yet. It is planned to take {}. After it you can:", duration(chapter.minutes))}</p>
            <ul>{skills}</ul>
            <h2>"Its sources, readable now"</h2>
            <div class="sources">{move || sources(readings, &slug)}</div>
        </article>
    }
}

/// The cards of a chapter's sources, the most important first.
fn sources(readings: data::Remote<ringside_content::schema::Readings>, slug: &str) -> AnyView {
    match readings.get() {
        None => ().into_any(),
        Some(Err(why)) => failed(why, move || readings.retry()).into_any(),
        Some(Ok(readings)) => {
            let mut sources: Vec<_> =
                readings.sources.iter().filter(|s| s.chapters.iter().any(|c| c == slug)).cloned().collect();
            let is_elsewhere =
                |s: &ringside_content::schema::Source| s.chapters.first().is_none_or(|first| first != slug);
            sources.sort_by_key(|s| (is_elsewhere(s), std::cmp::Reverse(s.priority)));
            sources.into_iter().map(|source| view! { <SourceCard source folded=true /> }).collect_view().into_any()
        }
    }
}

/// Something could not be fetched.
fn failed(why: String, retry: impl Fn() + 'static) -> impl IntoView {
    view! {
        <div class="message" role="alert">
            <p>{why}</p>
            <button type="button" on:click=move |_| retry()>"Try again"</button>
        </div>
    }
}

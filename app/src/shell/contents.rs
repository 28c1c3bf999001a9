//! The contents of the course, beside the page or, on a narrow screen, over it.

use leptos::prelude::*;
use leptos_router::hooks::use_location;
use ringside_content::schema::{Course, Status};

use crate::data::library;
use crate::store::store;

/// Parts and chapters with what has been done of them.
#[component]
pub fn Contents(open: RwSignal<bool>) -> impl IntoView {
    let course = library().course;
    let path = use_location().pathname;
    // A page was chosen: the contents have done their work.
    Effect::new(move |_| {
        path.track();
        open.set(false);
    });
    view! {
        <nav id="contents" class="contents sans" class:open=move || open.get() aria-label="Contents">
            {move || match course.get() {
                None => ().into_any(),
                Some(Ok(course)) => list(&course).into_any(),
                Some(Err(why)) => {
                    view! {
                        <div class="message" role="alert">
                            <p>{why}</p>
                            <button type="button" on:click=move |_| course.retry()>"Try again"</button>
                        </div>
                    }
                        .into_any()
                }
            }}
        </nav>
    }
}

fn list(course: &Course) -> impl IntoView + use<> {
    let store = store();
    let path = use_location().pathname;
    let written: Vec<String> =
        course.chapters().filter(|c| c.status == Status::Written).map(|c| c.slug.clone()).collect();
    let total = written.len();
    let done =
        move || store.with(|doc| written.iter().filter(|slug| doc.chapters.get(*slug).is_some_and(|c| c.done)).count());
    let parts = course
        .parts
        .iter()
        .map(|part| {
            let chapters = part
                .chapters
                .iter()
                .map(|chapter| {
                    let slug = chapter.slug.clone();
                    let number = format!("{:02}", chapter.number);
                    let title = chapter.title.clone();
                    let is_done = move || store.with(|doc| doc.chapters.get(&slug).is_some_and(|c| c.done));
                    let href = format!("chapter/{}/", chapter.slug);
                    let end = format!("/chapter/{}", chapter.slug);
                    let current = move || path.with(|p| p.trim_end_matches('/').ends_with(&end)).then_some("page");
                    match chapter.status {
                        Status::Written => view! {
                            <a href=href aria-current=current>
                                <i>{number}</i>
                                <span>{title}</span>
                                <b class="tick" hidden=move || !is_done() aria-label="done">"✓"</b>
                            </a>
                        }
                        .into_any(),
                        Status::Planned => view! {
                            <a class="planned" href=format!("./#{}", chapter.slug)>
                                <i>{number}</i>
                                <span>{title} <small>"planned"</small></span>
                            </a>
                        }
                        .into_any(),
                    }
                })
                .collect_view();
            view! {
                <h2>{part.title.clone()}</h2>
                {chapters}
            }
        })
        .collect_view();
    view! {
        <p class="progress">
            <a href="./">"Your course"</a>
            <span>{done} " of " {total} " written chapters done"</span>
        </p>
        {parts}
    }
}

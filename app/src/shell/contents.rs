//! The contents of the course, beside the page or, on a narrow screen, over it.

use leptos::prelude::*;
use ringside_content::schema::{Course, Status};

use crate::data::{chapter_href, library};
use crate::router::{Route, address};
use crate::store::store;

/// Parts and chapters with what has been done of them.
#[component]
pub fn Contents(open: RwSignal<bool>) -> impl IntoView {
    let course = library().course;
    let address = address();
    // A page was chosen: the contents have done their work.
    Effect::new(move |_| {
        address.track();
        open.set(false);
    });
    view! {
        <nav id="contents" class="contents sans" class:open=move || open.get() aria-label="Contents">
            {course.show(|course| list(&course).into_any())}
        </nav>
    }
}

fn list(course: &Course) -> impl IntoView + use<> {
    let store = store();
    let route = address().route();
    let written: Vec<String> =
        course.chapters().filter(|c| c.status == Status::Written).map(|c| c.slug.clone()).collect();
    let total = written.len();
    let done = move || store.with(|doc| written.iter().filter(|slug| doc.is_done(slug)).count());
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
                    let is_done = move || store.with(|doc| doc.is_done(&slug));
                    let href = chapter_href(chapter);
                    let here = Route::Chapter(chapter.slug.clone());
                    let current = move || route.with(|route| *route == here).then_some("page");
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
                            <a class="planned" href=href>
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

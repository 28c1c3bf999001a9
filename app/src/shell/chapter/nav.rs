//! Finding one's way in a chapter and from one to the next.

use leptos::prelude::*;
use ringside_content::schema::{ChapterPage, Course, Status};

use super::super::source_card::duration;
use crate::store::store;

/// The chapter before and the one after.
pub(super) struct Around {
    before: Option<Neighbour>,
    after: Option<Neighbour>,
}

struct Neighbour {
    href: String,
    label: String,
}

/// The neighbours of a chapter. One that is not written yet is on the map.
pub(super) fn around(course: &Course, slug: &str) -> Around {
    let chapters: Vec<_> = course.chapters().collect();
    let at = chapters.iter().position(|c| c.slug == slug);
    let neighbour = |index: Option<usize>| {
        index.and_then(|i| chapters.get(i)).map(|c| match c.status {
            Status::Written => Neighbour { href: format!("chapter/{}/", c.slug), label: c.title.clone() },
            Status::Planned => Neighbour { href: format!("./#{}", c.slug), label: format!("{} (planned)", c.title) },
        })
    };
    Around { before: neighbour(at.and_then(|i| i.checked_sub(1))), after: neighbour(at.map(|i| i + 1)) }
}

/// Links to the neighbours.
pub(super) fn links(around: &Around) -> impl IntoView + use<> {
    let link = |neighbour: &Option<Neighbour>, rel: &'static str, word: &'static str| {
        neighbour.as_ref().map(|n| {
            view! {
                <a rel=rel href=n.href.clone()>
                    <small>{word}</small>
                    <span>{n.label.clone()}</span>
                </a>
            }
        })
    };
    view! {
        <nav class="around sans" aria-label="Chapters">
            {link(&around.before, "prev", "Previous")}
            {link(&around.after, "next", "Next")}
        </nav>
    }
}

/// The chapter's headings.
pub(super) fn outline(page: &ChapterPage) -> impl IntoView + use<> {
    let items = page
        .outline
        .iter()
        .filter(|h| h.level == 2)
        .map(|h| view! { <li><a href=format!("chapter/{}/#{}", page.slug, h.id)>{h.text.clone()}</a></li> })
        .collect_view();
    view! {
        <details class="outline sans">
            <summary>{format!("In this chapter · {}", duration(page.minutes))}</summary>
            <ol>{items}</ol>
        </details>
    }
}

/// "Continue at …", if the learner stopped somewhere and came by no link to a place.
pub(super) fn go_on(page: &ChapterPage) -> impl IntoView + use<> {
    let at = store().peek(|doc| doc.chapters.get(&page.slug).filter(|c| !c.done).and_then(|c| c.at.clone()));
    let first = page.outline.first().map(|h| h.id.clone());
    let linked = location().hash().is_ok_and(|hash| !hash.is_empty());
    let heading = page.outline.iter().find(|h| Some(&h.id) == at.as_ref() && Some(&h.id) != first.as_ref());
    heading.filter(|_| !linked).map(|h| {
        view! {
            <p class="go-on sans">
                "You stopped at "
                <a href=format!("chapter/{}/#{}", page.slug, h.id)>{h.text.clone()}</a>
                "."
            </p>
        }
    })
}

/// The mark that the chapter is done.
pub(super) fn done(slug: &str) -> impl IntoView + use<> {
    let store = store();
    let slug = StoredValue::new(slug.to_owned());
    let is_done = Memo::new(move |_| store.with(|doc| slug.with_value(|slug| doc.is_done(slug))));
    let toggle = move |_| {
        let done = !is_done.get_untracked();
        store.update(|doc| doc.chapters.entry(slug.get_value()).or_default().done = done);
    };
    view! {
        <p class="mark-done">
            <button type="button" class="secondary" aria-pressed=move || is_done.get().to_string() on:click=toggle>
                {move || if is_done.get() { "✓ Done" } else { "Mark as done" }}
            </button>
        </p>
    }
}

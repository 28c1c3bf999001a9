//! Finding one's way in a chapter: its headings, where the learner is among them, where they stopped, and whether it is done.

use std::collections::BTreeMap;
use std::time::Duration;

use leptos::ev;
use leptos::prelude::*;
use ringside_content::language::{self, Lang};
use ringside_core::practice::progress::is_read;
use web_sys::{Element, HtmlElement};

use crate::clock;
use crate::progress;
use crate::shell::print;
use crate::store::store;
use crate::ui::dom;
use crate::ui::later::Later;

/// How far below the top of the window a heading still counts as read, in pixels.
const LINE: f64 = 160.0;

fn headings(root: &Element) -> Vec<HtmlElement> {
    dom::all(root, ":is(.chapter-text, .aside-fold > summary) > h2[id]")
}

/// "You stopped at …", if the learner stopped somewhere and came by no link to a place.
pub(super) fn go_on(root: &Element, slug: &str, lang: Lang) {
    let is_done = |doc: &_| progress::in_contents(slug).is_some_and(|extent| extent.is_done(doc));
    let at = store().peek(|doc| doc.chapters.get(slug).filter(|_| !is_done(doc)).and_then(|c| c.at.clone()));
    let linked = location().hash().is_ok_and(|hash| !hash.is_empty());
    let (Some(at), false) = (at, linked) else { return };
    // The first section is where everybody begins.
    let heading = headings(root).into_iter().skip(1).find(|h| h.id() == at);
    let (Some(heading), Some(place)) = (heading, dom::find(root, "[data-slot-go-on]")) else { return };
    let Ok(link) = document().create_element("a") else { return };
    let _ = link.set_attribute("href", &format!("{}#{at}", lang.chapter(slug)));
    if let Some(code) = heading.get_attribute("lang") {
        let _ = link.set_attribute("lang", &code);
    }
    link.set_text_content(heading.text_content().as_deref());
    place.set_text_content(Some(language::STOPPED.to(lang)));
    let _ = place.append_child(&link);
    place.set_hidden(false);
}

/// Whether the chapter is done, and the button by which a learner says so before everything in it is read and solved.
pub(super) fn done(slug: String, lang: Lang) -> AnyView {
    let store = store();
    let extent = StoredValue::new(progress::in_contents(&slug).unwrap_or_default());
    let is_complete =
        Memo::new(move |_| store.with(|doc| extent.with_value(|extent| extent.progress(doc).is_complete())));
    let slug = StoredValue::new(slug);
    let is_marked = Memo::new(move |_| {
        store.with(|doc| slug.with_value(|slug| doc.chapters.get(slug).is_some_and(|chapter| chapter.done)))
    });
    let toggle = move |_| {
        let done = !is_marked.get_untracked();
        store.update(|doc| {
            doc.chapters.entry(slug.get_value()).or_default().done = done;
            if done {
                doc.studied(clock::today());
            }
        });
    };
    let solutions = RwSignal::new(false);
    print::on_keys(move || print::begin(slug.get_value(), solutions.get_untracked()));
    let mark = move || {
        view! {
            <button type="button" class="secondary" aria-pressed=move || is_marked.get().to_string() on:click=toggle>
                {move || if is_marked.get() { language::MARKED_DONE } else { language::MARK_DONE }.to(lang)}
            </button>
        }
        .into_any()
    };
    let complete = move || view! { <span class="done sans">{language::DONE.to(lang)}</span> }.into_any();
    view! {
        {move || if is_complete.get() { complete() } else { mark() }}
        " "
        <button type="button" class="secondary" on:click=move |_| print::begin(slug.get_value(), solutions.get_untracked())>
            {language::PRINT.to(lang)}
        </button>
        " "
        <label class="print-solutions sans">
            <input type="checkbox" prop:checked=move || solutions.get() on:change=move |event| solutions.set(event_target_checked(&event)) />
            " "
            {language::WITH_SOLUTIONS.to(lang)}
        </label>
    }
    .into_any()
}

/// Follows the learner: marks the section that is being read in the outline, and keeps it in the store to come back to.
pub(super) fn follow(root: Element, slug: String, lang: Lang) {
    if let Some(outline) = dom::find(&root, "details.outline")
        && window().match_media("(min-width: 1240px)").ok().flatten().is_some_and(|wide| wide.matches())
    {
        let _ = outline.set_attribute("open", "");
    }
    // Who follows a link to a place, as from a search, looks something up: a chapter is begun by who reads a section of it.
    let looks_up = location().hash().is_ok_and(|hash| !hash.is_empty());
    let note = StoredValue::new_local(move || {
        let at = headings(&root).into_iter().rev().find(|h| h.get_bounding_client_rect().top() < LINE).map(|h| h.id());
        mark(&root, at.as_deref());
        let store = store();
        let code = lang.marked().unwrap_or_default();
        let (known, has_read, same) = store.peek(|doc| {
            let chapter = doc.chapters.get(&slug);
            let has_read = chapter.is_some_and(|c| !c.read.is_empty());
            (chapter.and_then(|c| c.at.clone()), has_read, chapter.is_some_and(|c| c.lang == code))
        });
        let is_begun = !looks_up || known.is_some() || has_read;
        if at.is_some() && (at != known || !same) && is_begun {
            store.update(|doc| {
                let chapter = doc.chapters.entry(slug.clone()).or_default();
                (chapter.at, chapter.seen) = (at, clock::now());
                chapter.lang = code.to_owned();
                doc.studied(clock::today());
            });
        }
    });
    let rest = Later::after(250);
    let listener = window_event_listener(ev::scroll, move |_| {
        rest.run(move || {
            note.try_with_value(|note| note());
        });
    });
    on_cleanup(move || listener.remove());
}

/// How a section was looked at.
#[derive(Clone, Copy, Default)]
struct Looked {
    /// For how many seconds some of it was on screen.
    seconds: u32,
    /// Whether its end was.
    end: bool,
}

/// Takes note of the sections that are read: once a second it looks at which are on screen.
pub(super) fn read(root: Element, slug: String) {
    let Some(extent) = progress::in_contents(&slug) else { return };
    let looked = StoredValue::new_local(BTreeMap::<String, Looked>::new());
    let look = move || {
        let known = |id: &str| store().peek(|doc| doc.chapters.get(&slug).is_some_and(|c| c.read.contains(id)));
        if extent.sections.iter().all(|(id, _)| known(id)) {
            return;
        }
        let height = window().inner_height().ok().and_then(|h| h.as_f64()).unwrap_or_default();
        let headings = headings(&root);
        let end = dom::find(&root, ".chapter-text").map_or(0.0, |text| text.get_bounding_client_rect().bottom());
        let tops: Vec<f64> = headings.iter().map(|h| h.get_bounding_client_rect().top()).collect();
        for (i, heading) in headings.iter().enumerate() {
            let (id, bottom) = (heading.id(), tops.get(i + 1).copied().unwrap_or(end));
            let on_screen = tops[i] < height && bottom > LINE;
            let section = extent.sections.iter().find(|(of, _)| *of == id).filter(|_| on_screen && !known(&id));
            let Some((_, seconds)) = section else { continue };
            let now = looked.try_update_value(|all| {
                let looked = all.entry(id.clone()).or_default();
                looked.seconds += 1;
                looked.end |= bottom <= height;
                *looked
            });
            if now.is_some_and(|now| is_read(*seconds, now.seconds, now.end)) {
                store().update(|doc| {
                    doc.chapters.entry(slug.clone()).or_default().read.insert(id);
                });
            }
        }
    };
    let look = StoredValue::new_local(look);
    let every_second = move || {
        if !document().hidden() {
            look.try_with_value(|look| look());
        }
    };
    if let Ok(ticking) = set_interval_with_handle(every_second, Duration::from_secs(1)) {
        on_cleanup(move || ticking.clear());
    }
}

fn mark(root: &Element, at: Option<&str>) {
    for link in dom::all(root, ".outline a") {
        let here =
            at.is_some_and(|at| link.get_attribute("href").is_some_and(|href| href.ends_with(&format!("#{at}"))));
        // A link without its mark still leads there.
        let _ =
            if here { link.set_attribute("aria-current", "location") } else { link.remove_attribute("aria-current") };
    }
}

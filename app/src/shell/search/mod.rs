//! The search over the whole course. Its code and its index are downloaded when it is first opened. A log that is pasted is read instead.

mod log;

use std::ops::Range;
use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use ringside_content::schema::{EntryKind, SearchEntry, SearchIndex};
use ringside_content::search::{Hit, corrected, search};
use ringside_core::query::{Query, shorten};
use wasm_bindgen::JsCast as _;

use super::{Overlay, shortcuts, teach};
use crate::data::library;
use crate::deferred::{deferred, lazy};
use crate::ui::dialog;

/// Most results that are shown.
const MOST: usize = 30;
/// The list of results; the result at an index has the id with `-<index>` after it.
const RESULTS: &str = "search-results";

/// What is in the sheet.
type Panel = fn(RwSignal<Option<Overlay>>) -> AnyView;

/// The search: a sheet over the page.
pub fn view(overlay: RwSignal<Option<Overlay>>) -> impl IntoView {
    let open = Signal::derive(move || overlay.get() == Some(Overlay::Search));
    dialog::view(
        open,
        move || overlay.set(None),
        "Search",
        move || deferred(load, move |panel: Panel| panel(overlay)).into_any(),
    )
}

lazy! {
    /// Downloads the panel.
    search: fn load() -> Panel {
        panel
    }
}

fn panel(overlay: RwSignal<Option<Overlay>>) -> AnyView {
    let pasted = RwSignal::new(None::<String>);
    let reads = Memo::new(move |_| pasted.with(Option::is_some));
    (move || if reads.get() { log::view(pasted, overlay) } else { words(pasted, overlay) }).into_any()
}

/// The search for words. What is pasted and is a log goes into `pasted`.
fn words(pasted: RwSignal<Option<String>>, overlay: RwSignal<Option<Overlay>>) -> AnyView {
    let query = RwSignal::new(shortcuts::take_typed());
    let chosen = RwSignal::new(0_usize);
    let index = library().search;
    let hits = Memo::new(move |_| index.ready().map(|index| query.with(|q| Found::of(&index, q))).unwrap_or_default());
    let count = move || hits.with(|hits| hits.0.len());

    let field = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            // A field without focus can still be clicked.
            let _ = field.focus();
        }
    });
    let keydown = move |event: KeyboardEvent| {
        let count = hits.with_untracked(|hits| hits.0.len());
        match event.key().as_str() {
            "ArrowDown" if count > 0 => chosen.update(|i| *i = (*i + 1) % count),
            "ArrowUp" if count > 0 => chosen.update(|i| *i = (*i + count - 1) % count),
            "Enter" => option(chosen.get_untracked()).iter().for_each(web_sys::HtmlElement::click),
            _ => return,
        }
        event.prevent_default();
        if let Some(option) = option(chosen.get_untracked()) {
            let nearest = web_sys::ScrollIntoViewOptions::new();
            nearest.set_block(web_sys::ScrollLogicalPosition::Nearest);
            option.scroll_into_view_with_scroll_into_view_options(&nearest);
        }
    };
    let state = move || match (index.get(), query.with(|q| q.trim().is_empty()), count()) {
        (None, _, _) => "Fetching the index …".to_owned(),
        (Some(Err(_)), _, _) => String::new(),
        (Some(Ok(_)), true, _) => {
            "Chapters, sections, figures, formulas, messages, terms, sources and exercises.".to_owned()
        }
        (Some(Ok(_)), false, 0) => {
            query.with(|q| format!("Nothing has all of “{}” in it. Try fewer words.", shorten(q.trim())))
        }
        (Some(Ok(_)), false, n) => {
            let many = match n {
                1 => "1 result".to_owned(),
                MOST => format!("The first {MOST} results"),
                n => format!("{n} results"),
            };
            hits.with(|hits| match &hits.1 {
                Some(meant) => format!("{many} for “{meant}”"),
                None => many,
            })
        }
    };
    let list = move |index: Arc<SearchIndex>| {
        (move || {
            hits.with(|hits| {
                let rows = hits.0.iter().enumerate();
                rows.filter_map(|(i, hit)| {
                    index.entries.get(hit.index).map(|entry| row(i, hit, entry, chosen, overlay))
                })
                .collect_view()
            })
        })
        .into_any()
    };
    view! {
        <div class="search">
            <input
                node_ref=field
                type="text"
                inputmode="search"
                role="combobox"
                aria-label="Search the course"
                aria-autocomplete="list"
                aria-controls=RESULTS
                aria-expanded=move || (count() > 0).to_string()
                aria-activedescendant=move || (count() > 0).then(|| id_of(chosen.get()))
                autocomplete="off"
                spellcheck="false"
                prop:value=move || query.get()
                on:input=move |event| {
                    chosen.set(0);
                    query.set(event_target_value(&event));
                }
                on:keydown=keydown
                on:paste=move |event| {
                    if let Some(text) = log::in_clipboard(&event) {
                        event.prevent_default();
                        pasted.set(Some(text));
                    }
                }
            />
            <p class="search-state" role="status">{state}</p>
            <div id=RESULTS role="listbox" aria-label="Results" class="results">{index.show(list)}</div>
            <p class="search-keys">
                <span aria-hidden="true">
                    <kbd>"↑"</kbd> " " <kbd>"↓"</kbd> " choose " <kbd>"Enter"</kbd> " open " <kbd>"Esc"</kbd> " close"
                </span>
                <button type="button" class="quiet" on:click=move |_| pasted.set(Some(String::new()))>"Paste a log"</button>
            </p>
            {teach::links()}
        </div>
    }
    .into_any()
}

/// What was found, and for which words if nothing has those of the query; two findings are the same if they show the same.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Found(Vec<Hit>, Option<String>);

impl Found {
    fn of(index: &SearchIndex, query: &str) -> Self {
        let hits = search(&index.entries, query, MOST);
        if !hits.is_empty() {
            return Self(hits, None);
        }
        match corrected(&index.entries, query) {
            Some(meant) => Self(search(&index.entries, &meant, MOST), Some(meant)),
            None => Self::default(),
        }
    }
}

fn id_of(i: usize) -> String {
    format!("{RESULTS}-{i}")
}

fn option(i: usize) -> Option<web_sys::HtmlElement> {
    document().get_element_by_id(&id_of(i))?.dyn_into().ok()
}

fn row(
    i: usize,
    hit: &Hit,
    entry: &SearchEntry,
    chosen: RwSignal<usize>,
    overlay: RwSignal<Option<Overlay>>,
) -> impl IntoView + use<> {
    let kind = match entry.kind {
        EntryKind::Chapter => "Chapter",
        EntryKind::Section => "Section",
        EntryKind::Widget => "Figure",
        EntryKind::Message => "Message",
        EntryKind::Formula => "Formula",
        EntryKind::Term => "Term",
        EntryKind::Source => "Source",
        EntryKind::Exercise => "Exercise",
        EntryKind::Lab => "Lab",
        EntryKind::Mission => "Mission",
    };
    // A source is shown on the map, with what to look for in it, the learner's summary and the way out.
    let href = match entry.kind {
        EntryKind::Source => format!("./?{}#sources", Query::new([("q", entry.title.as_str())])),
        _ => entry.href.clone(),
    };
    let context = (!entry.context.is_empty() && entry.context != entry.title)
        .then(|| view! { <span class="result-context">{entry.context.clone()}</span> });
    view! {
        <a
            role="option"
            id=id_of(i)
            class="result"
            tabindex="-1"
            href=href
            aria-selected=move || (chosen.get() == i).to_string()
            on:mousemove=move |_| {
                if chosen.get_untracked() != i {
                    chosen.set(i);
                }
            }
            on:click=move |_| overlay.set(None)
        >
            <span class="result-kind">{kind}</span>
            <span class="result-title">{marked(&entry.title, 0..entry.title.len(), &hit.title_marks)}</span>
            {context}
            <span class="result-text">{marked(&entry.text, hit.snippet.clone(), &hit.marks)}</span>
        </a>
    }
}

/// A piece of `text` with the marked ranges in `<mark>`.
fn marked(text: &str, piece: Range<usize>, marks: &[Range<usize>]) -> impl IntoView + use<> {
    let slice = |range: Range<usize>| text.get(range).unwrap_or_default().to_owned();
    let mut at = piece.start;
    let mut parts = Vec::new();
    for mark in marks {
        let before = slice(at..mark.start);
        parts.push(view! { {before} <mark>{slice(mark.clone())}</mark> });
        at = mark.end;
    }
    let (cut_before, cut_after) = (piece.start > 0, piece.end < text.len());
    view! { {cut_before.then_some("… ")} {parts} {slice(at..piece.end)} {cut_after.then_some(" …")} }
}

//! A chapter's text, put into the page as the build rendered it, and what happens in it.

use std::collections::BTreeMap;

use leptos::ev::MouseEvent;
use leptos::html;
use leptos::prelude::*;
use ringside_content::schema::ChapterPage;
use ringside_core::query::Query;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};

use super::{place, term};
use crate::store::store;
use crate::ui::later::Later;

/// A figure of the chapter: the state it starts from and the state it is in.
#[derive(Clone)]
pub(super) struct Figure {
    pub base: Query,
    pub query: RwSignal<Query>,
}

/// The text with its widgets, exercises and sources.
pub(super) fn view(html: String, page: ChapterPage) -> impl IntoView {
    let node = NodeRef::<html::Div>::new();
    let figures: BTreeMap<String, Figure> = page
        .figures
        .iter()
        .map(|figure| {
            let base = Query::parse(&figure.query);
            (figure.id.clone(), Figure { query: RwSignal::new(base.clone()), base })
        })
        .collect();
    let definition = term::Definition::new();
    let slug = page.slug.clone();
    let shown = StoredValue::new_local((page, figures.clone()));
    let mounted = StoredValue::new_local(Vec::<place::Mounted>::new());
    Effect::new(move |_| {
        let Some(root) = node.get() else { return };
        shown.with_value(|(page, figures)| mounted.set_value(place::fill(&root, page, figures)));
        to_anchor();
    });
    on_cleanup(move || mounted.set_value(Vec::new()));
    remember_place(slug, node);

    let click = move |event: MouseEvent| {
        if event.button() != 0 || event.ctrl_key() || event.meta_key() || event.shift_key() {
            return;
        }
        let Some(link) = closest(&event, "a.see") else { return };
        let name = link.get_attribute("data-see").unwrap_or_default();
        let Some(figure) = figures.get(&name) else { return };
        event.prevent_default();
        let changes = Query::parse(&link.get_attribute("data-query").unwrap_or_default());
        figure.query.set(figure.base.with(&changes));
        show(&name);
    };
    view! {
        <div class="chapter-text-frame">
            <div
                class="chapter-text"
                node_ref=node
                inner_html=html
                on:click=click
                on:mouseover=move |event| definition.over(&event)
                on:mouseout=move |_| definition.leave()
                on:focusin=move |event| definition.over(&event)
                on:focusout=move |_| definition.leave()
                on:keydown=move |event| {
                    if event.key() == "Escape" {
                        definition.close();
                    }
                }
            ></div>
            {definition.view()}
        </div>
    }
}

/// The nearest element around the event's target that matches.
pub(super) fn closest(event: &web_sys::Event, selector: &str) -> Option<Element> {
    event.target()?.dyn_into::<Element>().ok()?.closest(selector).ok().flatten()
}

/// Brings a figure into view and shows for a moment which one it is.
fn show(id: &str) {
    let Some(slot) = document().get_element_by_id(id) else { return };
    slot.scroll_into_view();
    // Without the mark the figure has changed all the same.
    let _ = slot.class_list().add_1("shown");
    set_timeout(
        move || {
            let _ = slot.class_list().remove_1("shown");
        },
        std::time::Duration::from_millis(1400),
    );
}

/// Goes to the place that the address names, once it is there.
fn to_anchor() {
    let id = location().hash().unwrap_or_default();
    let id = id.trim_start_matches('#').to_owned();
    if !id.is_empty() {
        request_animation_frame(move || {
            if let Some(place) = document().get_element_by_id(&id) {
                place.scroll_into_view();
            }
        });
    }
}

/// Keeps in the store which heading was read last, so that the learner can come back to it.
fn remember_place(slug: String, node: NodeRef<html::Div>) {
    let rest = Later::after(900);
    let note = move || {
        let Some(root) = node.get_untracked() else { return };
        let Ok(headings) = root.query_selector_all("h2[id]") else { return };
        let line = 160.0;
        let at = (0..headings.length())
            .rev()
            .filter_map(|i| headings.item(i)?.dyn_into::<HtmlElement>().ok())
            .find(|h| h.get_bounding_client_rect().top() < line)
            .map(|h| h.id());
        let store = store();
        let known = store.peek(|doc| doc.chapters.get(&slug).and_then(|c| c.at.clone()));
        if at.is_some() && at != known {
            store.update(|doc| doc.chapters.entry(slug.clone()).or_default().at = at);
        }
    };
    let note = StoredValue::new_local(note);
    let listener = window_event_listener(leptos::ev::scroll, move |_| {
        rest.run(move || {
            note.try_with_value(|note| note());
        });
    });
    on_cleanup(move || listener.remove());
}

//! A chapter's page, put in place as the build rendered it, and what happens in it.

use std::collections::BTreeMap;

use leptos::ev::MouseEvent;
use leptos::html;
use leptos::prelude::*;
use ringside_core::query::Query;
use web_sys::Element;

use super::place::{Figure, Text};
use super::{nav, place, term};
use crate::page;
use crate::router::address;
use crate::ui::{dom, scroll};

/// The page with its widgets, exercises and sources.
pub(super) fn view(text: Text) -> AnyView {
    let node = NodeRef::<html::Div>::new();
    let definition = term::Definition::new();
    let (html, draft) = (text.html.clone(), text.draft);
    let text = StoredValue::new(text);
    let figures = StoredValue::new(BTreeMap::<String, Figure>::new());
    Effect::new(move |_| {
        let Some(root) = node.get() else { return };
        let root: &Element = &root;
        figures.set_value(text.with_value(|text| place::fill(root, text)));
        if draft {
            return;
        }
        if let Some(title) = root.query_selector("[data-title]").ok().flatten() {
            page::title(&title.get_attribute("data-title").unwrap_or_default());
        }
        let slug = text.with_value(|text| text.slug.clone());
        nav::go_on(root, &slug);
        nav::follow(root.clone(), slug);
    });
    // A link to a place in the text, which is there only now.
    let hash = address().hash();
    Effect::new(move |_| {
        let id = hash.get();
        if !id.is_empty() && !draft {
            request_animation_frame(move || {
                page::arrive(&id);
            });
        }
    });

    let click = move |event: MouseEvent| {
        if event.button() != 0 || event.ctrl_key() || event.meta_key() || event.shift_key() {
            return;
        }
        let Some(link) = dom::closest(&event, "a.see") else { return };
        let name = link.get_attribute("data-see").unwrap_or_default();
        let Some(figure) = figures.with_value(|figures| figures.get(&name).cloned()) else { return };
        event.prevent_default();
        let changes = Query::parse(&link.get_attribute("data-query").unwrap_or_default());
        figure.query.set(figure.base.with(&changes));
        show(&name);
    };
    view! {
        <div class="chapter-frame">
            <div
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
    .into_any()
}

/// Brings a figure into view and shows for a moment which one it is.
fn show(id: &str) {
    let Some(slot) = document().get_element_by_id(id) else { return };
    scroll::to(slot.clone());
    // Without the mark the figure has changed all the same.
    let _ = slot.class_list().add_1("shown");
    set_timeout(
        move || {
            let _ = slot.class_list().remove_1("shown");
        },
        std::time::Duration::from_millis(1400),
    );
}

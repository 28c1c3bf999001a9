//! A chapter's page, put in place as the build rendered it, and what happens in it.

use std::collections::BTreeMap;

use leptos::html;
use leptos::prelude::*;
use web_sys::Element;

use super::place::{Figure, Text};
use super::{nav, place, see, term};
use crate::page;
use crate::router::address;
use crate::shell::lms;

/// The page with its widgets, exercises and sources.
pub(super) fn view(text: Text) -> AnyView {
    let node = NodeRef::<html::Div>::new();
    let definition = term::Definition::new();
    let (html, draft, lang) = (text.html.clone(), text.draft, text.lang);
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
        let (slug, lang) = text.with_value(|text| (text.slug.clone(), text.lang));
        nav::go_on(root, &slug, lang);
        nav::read(root.clone(), slug.clone());
        nav::follow(root.clone(), slug.clone(), lang);
        lms::follow_chapter(slug);
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

    let shown = see::Shown::new(figures);
    view! {
        <div class="chapter-frame">
            <div
                node_ref=node
                inner_html=html
                on:click=move |event| shown.click(&event)
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
            {shown.way_back(lang)}
        </div>
    }
    .into_any()
}

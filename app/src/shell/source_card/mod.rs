//! The cards of `sources.html`: a source's "read" tick, what to look for in it, and what the learner made of it.

mod summary;

use std::cmp::Reverse;

use leptos::prelude::*;
use web_sys::{Element, HtmlElement};

use super::{fragment, marks};
use crate::data::library;
use crate::ui::dom;
use crate::ui::islands::Islands;

/// Makes the cards under `root` alive, those that come later too.
pub fn enliven(root: &Element) {
    marks::follow(root);
    let islands = Islands::new();
    dom::on(root, "click", move |event| {
        let Some(button) = dom::closest(&event, ".source > .disclose") else { return };
        let Some(card) = dom::closest(&event, ".source") else { return };
        let Some(more) = dom::find(&card, ".source-more") else { return };
        let open = more.hidden();
        disclose(&button, &more, open);
        // A page lists many sources: a field is made when it is wanted.
        let place = dom::find(&more, "[data-island=summary]").filter(|place| open && !place.has_child_nodes());
        if let Some(place) = place {
            let id = dom::attribute(&card, "data-source");
            let title = dom::find(&card, "h3").and_then(|h| h.text_content()).unwrap_or_default();
            let view = move |show: summary::View| show(id.clone(), title.clone());
            islands.put_deferred(place, summary::load, view);
        }
    });
}

/// Shows or hides what is behind a button.
pub fn disclose(button: &Element, panel: &HtmlElement, open: bool) {
    panel.set_hidden(!open);
    // What is shown is shown, also to those who are not told.
    let _ = button.set_attribute("aria-expanded", if open { "true" } else { "false" });
}

/// The cards of a chapter, its own and the most important first, in a list that `enliven` gets.
pub fn of_chapter(slug: String, enliven: Callback<HtmlElement>) -> AnyView {
    let show = move |all: std::sync::Arc<crate::data::Fragment>| {
        let html = format!("<ul class=\"sources\">{}</ul>", pick(&all.0, &slug));
        fragment::put(html, enliven)
    };
    library().sources.show(show).into_any()
}

/// The items of the list of all sources that belong to a chapter.
fn pick(all: &str, slug: &str) -> String {
    let Ok(list) = document().create_element("div") else { return String::new() };
    list.set_inner_html(all);
    let mut cards = dom::all(&list, &format!("[data-chapters~=\"{slug}\"]"));
    cards.sort_by_cached_key(|card| {
        let first = dom::attribute(card, "data-chapters").split(' ').next() == Some(slug);
        (!first, Reverse(dom::attribute(card, "data-priority")))
    });
    cards.iter().filter_map(|card| card.parent_element()).map(|item| item.outer_html()).collect()
}

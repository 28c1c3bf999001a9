//! The places in a chapter's text for what is alive: widgets, exercises, sources.

use std::collections::BTreeMap;

use leptos::mount::{UnmountHandle, mount_to};
use leptos::prelude::*;
use ringside_core::query::Query;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};

use super::text::Figure;
use super::{nav, sources};
use crate::data::Remote;
use crate::deferred::deferred;
use crate::exercises::{self, Place};
use crate::ui::near;
use crate::widgets::{self, Module, Props};

/// Something mounted into a place; it goes when this is dropped.
type Mounted = UnmountHandle<<AnyView as leptos::tachys::view::Render>::State>;

/// Fills every place under `root`, each when it comes near what is seen. Yields the figures by the ids of their places.
pub(super) fn fill(root: &Element, slug: &str) -> BTreeMap<String, Figure> {
    let mounted = StoredValue::new_local(Vec::<Mounted>::new());
    on_cleanup(move || mounted.set_value(Vec::new()));
    // What comes near comes later, and belongs to the page all the same.
    let owner = Owner::current().unwrap_or_default();
    let put = move |slot: HtmlElement, view: Box<dyn FnOnce() -> AnyView>| {
        slot.set_inner_html("");
        owner.with(|| mounted.update_value(|all| all.push(mount_to(slot, view))));
    };
    let mut figures = BTreeMap::new();
    for slot in all(root, "[data-slot-widget]") {
        let widget = slot.get_attribute("data-slot-widget").as_deref().and_then(widgets::find);
        let Some(widget) = widget else { continue };
        let figure = Figure::of(&slot);
        let query = figure.query;
        figures.insert(slot.id(), figure);
        let waits = slot.get_attribute("data-after").map(|id| (slug.to_owned(), id));
        let (here, put) = (slot.clone(), put.clone());
        near::when_near(&here, move || put(slot, Box::new(move || widget_view(widget, query, waits))));
    }
    let exercises = Remote::new(format!("chapters/{slug}.exercises.json"));
    for slot in all(root, "[data-slot-exercise]") {
        let place = Place {
            chapter: slug.to_owned(),
            id: slot.get_attribute("data-slot-exercise").unwrap_or_default(),
            prompt: slot.inner_html(),
            exercises,
        };
        let (here, put) = (slot.clone(), put.clone());
        near::when_near(&here, move || {
            let view = move |show: exercises::View| show(place.clone());
            put(slot, Box::new(move || deferred(exercises::load, view).into_any()));
        });
    }
    for slot in all(root, "[data-slot-sources]") {
        let slug = slug.to_owned();
        let (here, put) = (slot.clone(), put.clone());
        near::when_near(&here, move || {
            let view = move |show: sources::View| show(&slug);
            put(slot, Box::new(move || deferred(sources::load, view).into_any()));
        });
    }
    for slot in all(root, "[data-slot-done]") {
        let slug = slug.to_owned();
        put(slot, Box::new(move || nav::done(slug)));
    }
    figures
}

/// A widget in its place, covered until the prediction that it `waits` for, by chapter and id, is made.
fn widget_view(widget: &'static widgets::Widget, query: RwSignal<Query>, waits: Option<(String, String)>) -> AnyView {
    let waits = StoredValue::new(waits);
    let open = Memo::new(move |_| {
        waits.with_value(|waits| waits.as_ref().is_none_or(|(slug, id)| exercises::committed(slug, id)))
    });
    (move || {
        if open.get() {
            deferred(widget.load, move |module: Module| (module.view)(Props { query, alone: false, compact: false }))
                .into_any()
        } else {
            let skip = move |_| {
                waits.with_value(|waits| {
                    if let Some((slug, id)) = waits {
                        exercises::skip(slug, id);
                    }
                });
            };
            view! {
                <div class="covered sans">
                    <p>"The figure answers once you have committed to a prediction above."</p>
                    <button type="button" class="quiet" on:click=skip>"Show it without a prediction"</button>
                </div>
            }
            .into_any()
        }
    })
    .into_any()
}

fn all(root: &Element, selector: &str) -> Vec<HtmlElement> {
    let Ok(list) = root.query_selector_all(selector) else { return Vec::new() };
    (0..list.length()).filter_map(|i| list.item(i)?.dyn_into::<HtmlElement>().ok()).collect()
}

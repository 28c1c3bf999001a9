//! The places in a chapter's text for what is alive: widgets, exercises, sources.

use std::collections::BTreeMap;

use leptos::mount::{UnmountHandle, mount_to};
use leptos::prelude::*;
use ringside_content::schema::ChapterPage;
use ringside_core::query::Query;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};

use super::text::Figure;
use crate::data::library;
use crate::deferred::deferred;
use crate::exercises::{self, Place};
use crate::ui::near;
use crate::widgets::{self, Module, Props};

/// Something mounted into a place; it goes when this is dropped.
pub(super) type Mounted = UnmountHandle<<AnyView as leptos::tachys::view::Render>::State>;

/// Fills every place under `root`.
pub(super) fn fill(root: &Element, page: &ChapterPage, figures: &BTreeMap<String, Figure>) -> Vec<Mounted> {
    let mut mounted = Vec::new();
    for slot in all(root, "[data-slot-widget]") {
        let after = slot.get_attribute("data-after");
        let widget = slot.get_attribute("data-slot-widget").as_deref().and_then(widgets::find);
        if let (Some(widget), Some(figure)) = (widget, figures.get(&slot.id())) {
            let (slug, query) = (page.slug.clone(), figure.query);
            mounted.push(put(&slot, move || widget_view(widget, query, slug, after)));
        }
    }
    let count = page.exercises.len();
    for slot in all(root, "[data-slot-exercise]") {
        let id = slot.get_attribute("data-slot-exercise").unwrap_or_default();
        let found = page.exercises.iter().enumerate().find(|(_, e)| e.id == id);
        if let Some((index, exercise)) = found {
            let place = Place { chapter: page.slug.clone(), index, count, exercise: exercise.clone() };
            mounted.push(put(&slot, move || exercises::view(place)));
        }
    }
    for slot in all(root, "[data-slot-sources]") {
        let slug = page.slug.clone();
        let wanted = RwSignal::new(false);
        // The list of all sources is worth a download only to those who read this far.
        near::when_near(&slot, move || wanted.set(true));
        let fallback = StoredValue::new(slot.inner_html());
        mounted.push(put(&slot, move || {
            let readings = library().readings;
            (move || {
                if wanted.get() && readings.get().is_some() {
                    super::sources(readings, &slug)
                } else {
                    view! { <div inner_html=fallback.get_value()></div> }.into_any()
                }
            })
            .into_any()
        }));
    }
    mounted
}

/// A widget in its place, covered until the prediction that it answers is made.
fn widget_view(
    widget: &'static widgets::Widget,
    query: RwSignal<Query>,
    slug: String,
    after: Option<String>,
) -> AnyView {
    let waits = StoredValue::new(after.map(|id| (slug, id)));
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
                    <p>"The figure answers once you have committed to a number above."</p>
                    <button type="button" class="quiet" on:click=skip>"Show it without a prediction"</button>
                </div>
            }
            .into_any()
        }
    })
    .into_any()
}

/// Mounts a view into a place instead of what is there for readers without JavaScript.
fn put(slot: &HtmlElement, view: impl FnOnce() -> AnyView + 'static) -> Mounted {
    slot.set_inner_html("");
    mount_to(slot.clone(), view)
}

fn all(root: &Element, selector: &str) -> Vec<HtmlElement> {
    let Ok(list) = root.query_selector_all(selector) else { return Vec::new() };
    (0..list.length()).filter_map(|i| list.item(i)?.dyn_into::<HtmlElement>().ok()).collect()
}

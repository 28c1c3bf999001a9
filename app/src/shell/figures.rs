//! Which figure of a page is meant.

use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};

use crate::ui::dom;

/// The place of the figure around `from`, or around the focus, or with the id `named`, or nearest to the middle of what is
/// seen: in a chapter the place that the text has for it, filled or not; elsewhere the figure.
pub(super) fn meant(from: Option<&Element>, named: &str) -> Option<HtmlElement> {
    let document = document();
    let around = |element: &Element| {
        let place = element.closest("[data-slot-widget]").ok()?.or_else(|| element.closest("[data-widget]").ok()?)?;
        place.dyn_into::<HtmlElement>().ok()
    };
    if let Some(place) = from.and_then(around).or_else(|| document.active_element().as_ref().and_then(around)) {
        return Some(place);
    }
    let mut places = dom::all(&document.body()?.into(), "[data-slot-widget], [data-widget]");
    // What is there to be seen and not to be used is never meant.
    places.retain(|place| around(place).as_ref() == Some(place) && matches!(place.closest("[inert]"), Ok(None)));
    if let Some(named) = places.iter().find(|place| !named.is_empty() && place.id() == named) {
        return Some(named.clone());
    }
    let middle = window().inner_height().ok().and_then(|h| h.as_f64()).unwrap_or_default() / 2.0;
    let off = |place: &HtmlElement| {
        let seen = place.get_bounding_client_rect();
        (seen.top() - middle).max(middle - seen.bottom()).max(0.0)
    };
    places.into_iter().min_by(|a, b| off(a).total_cmp(&off(b)))
}

/// The figure of a place, if it is there yet.
pub(super) fn within(place: &HtmlElement) -> Option<HtmlElement> {
    if place.has_attribute("data-widget") { Some(place.clone()) } else { dom::find(place, "[data-widget]") }
}

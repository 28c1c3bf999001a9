//! How large a projected figure is drawn: so that its smallest text can be read from the last row.

use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};

use crate::ui::{chart, dom};

/// The smallest text on a screen of [`SCREEN`], in pixels; in proportion on any other. The first with which all of a figure is seen is taken.
const SMALLEST: [f64; 3] = [24.0, 22.0, 20.0];
/// Where a figure is too large with its smallest text that large, it is drawn smaller step by step, and smaller text is set larger: what it
/// is drawn smaller by in a step, and how often.
const SMALLER: (f64, i32) = (0.93, 12);
/// Where there is room below a drawing, it is drawn larger step by step: by what, and how often at most.
const LARGER: (f64, i32) = (1.06, 8);
/// The share of its room that a drawing fills when it needs no more.
const FILLED: f64 = 0.95;
/// The screen for which it is said.
const SCREEN: (f64, f64) = (1920.0, 1080.0);
/// A figure is enlarged at most this much: the rest of it must still be seen.
const MOST: f64 = 4.0;
/// On a screen with less room than it was drawn for, a figure is drawn smaller, at least this large: as much of it is seen as on [`SCREEN`],
/// in text that is as large in proportion.
const LEAST: f64 = 0.6;
/// Up to this width, or higher than wide, a window is scrolled, as `projector.css` has it: nothing is drawn smaller there.
const SCROLLS: f64 = 900.0;
/// What is taken for the smallest text of a figure without any.
const LARGEST: f64 = SMALLEST[0];
/// How much may be cut off without anything being missed, in pixels.
const SLACK: f64 = 2.0;
/// What sizes lose where they are rounded, in pixels.
const ROUNDED: f64 = 0.1;
/// A larger figure has less room, and may set its text anew: as often it is measured.
const ROUNDS: usize = 3;

/// Sets `--zoom`, by which the figure is enlarged, `--least`, the smallest size of its text in its own pixels, and `--scale`, the size of the
/// screen, on `<html>`.
pub(in crate::shell) fn fit(figure: &Element) {
    choose(figure);
    tell();
}

/// Has what is drawn into a place of its own measure its text again.
fn tell() {
    if let Ok(event) = web_sys::Event::new(chart::TEXT_SET) {
        let _ = window().dispatch_event(&event);
    }
}

/// Tries sizes, and leaves the first that will do.
fn choose(figure: &Element) {
    let length = |value: Result<wasm_bindgen::JsValue, _>| value.ok().and_then(|v| v.as_f64()).unwrap_or_default();
    let window = window();
    let (width, height) = (length(window.inner_width()), length(window.inner_height()));
    let scale = (width / SCREEN.0).min(height / SCREEN.1);
    let least = if width <= SCROLLS || height >= width { 1.0 } else { LEAST };
    let Some(root) = document().document_element() else { return };
    let style = root.unchecked_ref::<HtmlElement>().style();
    // A size that cannot be set leaves the figure as it was.
    let _ = style.set_property("--scale", &format!("{scale:.3}"));
    let set = |zoom: f64, least_text: f64| {
        let _ = style.set_property("--zoom", &format!("{zoom:.3}"));
        let _ = style.set_property("--least", &format!("{least_text:.2}px"));
    };
    for wanted in SMALLEST.map(|pixels| pixels * scale) {
        let mut zoom = least;
        set(zoom, 0.0);
        for _ in 0..ROUNDS {
            let needed = (wanted / smallest(figure)).clamp(least, MOST);
            if needed <= zoom {
                break;
            }
            zoom = needed;
            set(zoom, 0.0);
        }
        let zooms = (0..=SMALLER.1).map(|step| (zoom * SMALLER.0.powi(step)).max(least));
        for smaller in zooms {
            set(smaller, wanted / smaller);
            // Text whose size no sheet sets stays as small as it is. That of the controls is SLACK smaller, but for rounding.
            if is_whole(figure) && smallest(figure) * smaller >= wanted - SLACK - ROUNDED {
                fill(figure, smaller, wanted, set);
                return;
            }
        }
        set(zoom, 0.0);
    }
}

/// Draws a figure larger where there is room below its drawing, as long as all of it is seen and the drawing itself becomes larger.
fn fill(figure: &Element, zoom: f64, wanted: f64, set: impl Fn(f64, f64)) {
    let mut best = (zoom, drawn(figure));
    for step in 1..=LARGER.1 {
        let (height, room) = best.1;
        if height > room * FILLED {
            break;
        }
        let larger = (zoom * LARGER.0.powi(step)).min(MOST);
        set(larger, wanted / larger);
        let now = drawn(figure);
        if !is_whole(figure) || now.0 < height + SLACK {
            break;
        }
        best = (larger, now);
    }
    set(best.0, wanted / best.0);
}

/// How high what is drawn is, and the room that it has, in pixels of the screen.
fn drawn(figure: &Element) -> (f64, f64) {
    let Some(drawing) = dom::find(figure, ".drawing") else { return (0.0, 0.0) };
    let edge = drawing.get_bounding_client_rect();
    let parts = drawing.children();
    let bottoms =
        (0..parts.length()).filter_map(|i| parts.item(i)).map(|part| part.get_bounding_client_rect().bottom());
    (bottoms.fold(edge.top(), f64::max) - edge.top(), edge.height())
}

/// Whether nothing of a figure's drawing is cut off: of what must be seen, where the drawing names that.
pub(super) fn is_whole(figure: &Element) -> bool {
    let Some(drawing) = dom::find(figure, ".drawing") else { return true };
    let edge = drawing.get_bounding_client_rect();
    let named: Vec<_> = dom::all(&drawing, "[data-seen]").into_iter().map(|e| e.get_bounding_client_rect()).collect();
    if named.iter().any(|part| part.height() > 0.0) {
        return named.iter().all(|part| part.bottom() <= edge.bottom() + SLACK && part.right() <= edge.right() + SLACK);
    }
    let below = drawing.scroll_height() - drawing.client_height();
    let right = drawing.scroll_width() - drawing.client_width();
    f64::from(below.max(right)) <= SLACK
}

/// Takes them back.
pub(in crate::shell) fn undo() {
    if let Some(root) = document().document_element() {
        let style = root.unchecked_ref::<HtmlElement>().style();
        for name in ["--zoom", "--least", "--scale"] {
            let _ = style.remove_property(name);
        }
        tell();
    }
}

/// The size of the smallest text that is seen in a figure, in its own pixels. A drawing with a `viewBox` has its own scale.
fn smallest(figure: &Element) -> f64 {
    let Ok(list) = figure.query_selector_all("*") else { return LARGEST };
    let window = window();
    (0..list.length())
        .filter_map(|i| list.item(i)?.dyn_into::<Element>().ok())
        .filter(|element| has_text(element) && is_seen(element))
        .filter_map(|element| {
            let size = window.get_computed_style(&element).ok()??.get_property_value("font-size").ok()?;
            ringside_core::decimal::parse(size.trim_end_matches("px"))
        })
        .filter(|size| *size > 0.0)
        .fold(LARGEST, f64::min)
}

/// Whether it has text of its own. A canvas writes its own in the size that is set for it.
fn has_text(element: &Element) -> bool {
    let nodes = element.child_nodes();
    (0..nodes.length()).filter_map(|i| nodes.item(i)).any(|node| {
        node.node_type() == web_sys::Node::TEXT_NODE && node.node_value().is_some_and(|text| !text.trim().is_empty())
    }) || element.tag_name().eq_ignore_ascii_case("canvas")
}

fn is_seen(element: &Element) -> bool {
    let is_small_print = matches!(
        element.closest(
            ".visually-hidden, svg[viewBox], .controls, .figure-presets, option, details:not([open]) > :not(summary)"
        ),
        Ok(Some(_))
    );
    !is_small_print && element.get_client_rects().length() > 0
}

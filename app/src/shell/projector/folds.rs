//! What of a projected figure does not fit the screen: it is marked, and the next step visits it.

use leptos::prelude::*;
use web_sys::{Element, HtmlElement};

use crate::ui::dom;

/// How many pixels may be hidden without anything being missed.
const SLACK: i32 = 12;
/// How much of what is seen gives way to what comes.
const TURN: f64 = 0.85;

/// The parts of a figure that scroll when they have too little room.
fn parts(figure: &HtmlElement) -> Vec<HtmlElement> {
    let scrolls = |part: &HtmlElement| {
        let style = window().get_computed_style(part).ok().flatten();
        let how = style.and_then(|style| style.get_property_value("overflow-y").ok()).unwrap_or_default();
        matches!(how.as_str(), "auto" | "scroll") && part.client_height() > 0
    };
    let within = dom::all(figure, ".drawing, figcaption");
    std::iter::once(figure.clone()).chain(within).filter(scrolls).collect()
}

/// How many pixels of a part are above what is seen of it, or below.
fn hidden(part: &Element, below: bool) -> i32 {
    let above = part.scroll_top();
    if below { part.scroll_height() - part.client_height() - above } else { above }
}

/// Where a figure goes on below what is seen of it: the middle of that edge, in pixels of the window.
pub(in crate::shell) fn below(figure: &HtmlElement) -> Option<(f64, f64)> {
    let part = parts(figure).into_iter().find(|part| hidden(part, true) > SLACK)?;
    let seen = part.get_bounding_client_rect();
    Some((seen.left() + seen.width() / 2.0, seen.bottom()))
}

/// Turns to what is below, or above, what is seen. `false` if all of that was seen.
pub(in crate::shell) fn visit(figure: &HtmlElement, forward: bool) -> bool {
    let mut parts = parts(figure);
    if !forward {
        parts.reverse();
    }
    let Some(part) = parts.into_iter().find(|part| hidden(part, forward) > SLACK) else { return false };
    let turn = (f64::from(part.client_height()) * TURN) as i32;
    part.set_scroll_top(part.scroll_top() + if forward { turn } else { -turn });
    true
}

/// Begins at the top.
pub(in crate::shell) fn unroll(figure: &HtmlElement) {
    for part in parts(figure) {
        part.set_scroll_top(0);
    }
}

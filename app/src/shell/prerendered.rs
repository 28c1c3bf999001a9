//! What a page shows before the app has started: the build put the contents of the course into it, and the text of the page
//! (`xtask/src/prerender.rs`). The app takes both over as they are, with what was typed, ticked and focused there.

use std::cell::RefCell;

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};

use crate::ui::dom;

/// On `<html>` where anything was done. `app/index.html` sets it before anything is shown, by the rule of
/// [`Doc::is_begun`](ringside_learner::doc::Doc::is_begun).
pub const BEGUN: &str = "data-begun";

/// The one that is part of every page.
const CONTENTS: &str = "contents.html";

thread_local! {
    static LEFT: RefCell<Vec<HtmlElement>> = const { RefCell::new(Vec::new()) };
}

/// Takes it out of the page, for [`take`] and [`text`] to put where it belongs.
pub fn take_out() {
    let Some(whole) = document().get_element_by_id("prerendered") else { return };
    keep_focus(&whole);
    LEFT.set(dom::all(&whole, "[data-built]"));
    whole.remove();
}

/// The file of this name as it was in the page, once, to be put somewhere before the next frame.
pub fn take(path: &str) -> Option<HtmlElement> {
    LEFT.with_borrow_mut(|left| {
        let at = left.iter().position(|built| dom::attribute(built, "data-built") == path)?;
        keep_focus(&left[at]);
        Some(left.remove(at))
    })
}

/// Whether the text of the page is there.
pub fn has_text() -> bool {
    LEFT.with_borrow(|left| left.iter().any(|built| dom::attribute(built, "data-built") != CONTENTS))
}

/// Whether nothing is missing of the page until somebody does something: its text is there, is seen from its top, and is what it
/// is for whoever has done nothing yet.
pub fn is_complete() -> bool {
    let begun = document().document_element().is_none_or(|page| page.has_attribute(BEGUN));
    let place = window().location();
    let elsewhere = [place.search(), place.hash()].into_iter().any(|part| part.is_ok_and(|part| !part.is_empty()));
    let scrolled = window().scroll_y().is_ok_and(|y| y > 0.0);
    has_text() && !(begun || elsewhere || scrolled)
}

/// The text of the page, while the code that makes it alive is on its way.
pub fn text() -> AnyView {
    let node = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        let Some(place) = node.get() else { return };
        LEFT.with_borrow(|left| {
            for built in left {
                // It could only fail for a place within what it moves.
                let _ = place.append_child(built);
            }
        });
    });
    view! { <div node_ref=node></div> }.into_any()
}

/// What has the focus in an element has it again once the element has been moved.
fn keep_focus(element: &Element) {
    let Some(focused) = document().active_element().filter(|active| element.contains(Some(active))) else { return };
    request_animation_frame(move || {
        let options = web_sys::FocusOptions::new();
        options.set_prevent_scroll(true);
        // Without the focus it can still be used.
        let _ = focused.unchecked_ref::<HtmlElement>().focus_with_options(&options);
    });
}

//! Building blocks with no word of the domain in them.
//!
//! - [`figure`]: the frame around every widget. [`state`]: a widget's parameters, kept as a query.
//! - [`slider`], [`segmented`], [`select`], [`number_field`]: controls. The `name` of each is the parameter's.
//! - [`mod@presets`]: states worth looking at. [`transport`]: playing and stepping through what unfolds in steps.
//!   [`timeline`]: what lies along a time axis.
//! - [`output`]: a number that people, scripts and screen readers read alike. [`table`]: columns of them.
//! - [`chart`]: numbers along axes. [`picture`]: lanes and cells, as pages are served with them. [`mod@ticks`]: an axis from zero. [`columns`]: stacked columns.
//! - [`mod@said`], [`mod@trouble`]: what came of something, and what did not come.
//! - [`dialog`], [`clipboard`], [`link`], [`mod@copy_link`], [`later`], [`mod@debounced`], [`scroll`], [`mod@file`]: what pages
//!   and widgets need besides.
//! - [`markup`]: drawings that are written as markup, renewed in place.
//! - [`dom`], [`islands`], [`near`], [`idle`]: life in pages that the build rendered, where and when it is wanted.

pub mod chart;
pub mod clipboard;
pub mod columns;
pub mod copy_link;
pub mod debounced;
pub mod dialog;
pub mod dom;
pub mod drop_zone;
pub mod figure;
pub mod file;
pub mod hands;
pub mod idle;
pub mod islands;
pub mod later;
pub mod lined;
pub mod link;
pub mod markup;
mod more;
pub mod near;
pub mod number_field;
pub mod output;
pub mod picture;
pub mod presets;
pub mod said;
pub mod script;
pub mod scroll;
pub mod segmented;
pub mod select;
pub mod slider;
pub mod sorted;
pub mod state;
pub mod table;
pub mod ticks;
pub mod timeline;
pub mod transport;
pub mod trouble;
pub mod unsaid;

use std::sync::atomic::{AtomicU32, Ordering};

use leptos::prelude::{document, request_animation_frame};
use wasm_bindgen::JsCast as _;
use web_sys::HtmlElement;

/// Moves the focus to the element with this id. Whether there is one.
pub fn focus(id: &str) -> bool {
    let element = document().get_element_by_id(id).and_then(|e| e.dyn_into::<HtmlElement>().ok());
    if let Some(element) = &element {
        // Without the focus it can still be reached.
        let _ = element.focus();
    }
    element.is_some()
}

/// The same once what is changing now is on the page.
pub fn focus_soon(id: String) {
    request_animation_frame(move || _ = focus(&id));
}

/// An id that no other element of the page has: a widget can be on a page twice.
pub fn unique_id(stem: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{stem}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

//! A figure to take along: a link to its state, a frame for another page, a picture.
//!
//! Everything but the way in is downloaded when something is shared for the first time.

mod picture;
mod sheet;

use leptos::prelude::*;
use web_sys::HtmlElement;

use crate::deferred::{self, lazy};
use crate::style;
use crate::ui::dom;
use crate::ui::idle;

/// What can be done.
#[derive(Clone, Copy)]
struct Share {
    /// Offers every way to share the figure around an element.
    open: fn(HtmlElement),
    /// Copies a link to the figure that is seen best, or to the page.
    copy: fn(),
}

lazy! {
    /// Downloads it.
    share: fn load() -> Share {
        Share { open: sheet::open, copy: sheet::copy }
    }
}

fn with(act: impl FnOnce(Share) + 'static) {
    idle::run_now();
    deferred::act(style::with(&["share"], load()), act);
}

/// Copies a link to the figure that is seen best, or to the page.
pub fn copy() {
    with(|share| (share.copy)());
}

/// Listens for the buttons that share.
pub fn listen() {
    let click = window_event_listener(leptos::ev::click, |event| {
        if let Some(button) = dom::closest(&event, "button[data-share]") {
            with(move |share| (share.open)(button));
        }
    });
    on_cleanup(move || click.remove());
}

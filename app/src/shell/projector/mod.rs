//! A figure for the room: it fills the screen in large type and strong contrast, with its finding as a caption, and steps
//! through the states that its chapter sets, as if they were slides.
//!
//! Everything but the way in is downloaded when something is projected for the first time.

mod bar;
pub(super) mod fit;
pub(super) mod folds;
mod held;
mod question;
pub(super) mod room;
pub(super) mod stage;
pub(super) mod text;

use leptos::prelude::*;
use ringside_content::route::Route;
use ringside_content::schema::Page;
use web_sys::HtmlElement;

use crate::deferred::{self, lazy};
use crate::router::{self, Address, address};
use crate::style;
use crate::ui::dom;
use crate::ui::idle;

/// The name in the address by which a page opens projected: `?present`, or `?present=3` for a chapter's third state.
pub const PRESENT: &str = "present";
/// What `<html>` bears while something is projected.
pub(super) const PROJECTING: &str = "data-projecting";

/// What was downloaded.
#[derive(Clone, Copy)]
struct Room {
    /// Projects the figure around an element, or the one that is seen best; stops if something is projected.
    toggle: fn(Option<HtmlElement>),
    /// Projects what the address asks for, unless something is projected.
    open: fn(),
}

lazy! {
    /// Downloads it.
    projector: fn load() -> Room {
        Room { toggle: room::toggle, open: room::open }
    }
}

/// Whether a figure is projected now.
pub fn is_on() -> bool {
    document().document_element().is_some_and(|root| root.has_attribute(PROJECTING))
}

/// Projects the figure around `from`, or the one that is seen best; stops if something is projected.
pub fn toggle(from: Option<HtmlElement>) {
    act(move |room| (room.toggle)(from));
}

/// Does something with it, once it is there.
fn act(then: impl FnOnce(Room) + 'static) {
    // The windows of a talk have their own ways.
    if address().route().get_untracked() == Route::Page(Page::Presenter) {
        return;
    }
    idle::run_now();
    deferred::act(style::with(&["projector"], load()), then);
}

/// Listens for the buttons that project, and for an address that asks for it.
pub fn listen() {
    let click = window_event_listener(leptos::ev::click, |event| {
        if let Some(button) = dom::closest(&event, "button[data-project]") {
            toggle(Some(button));
        }
    });
    on_cleanup(move || click.remove());
    let address: Address = address();
    Effect::new(move |_| {
        address.track();
        if asked().is_some() && !is_on() {
            act(|room| (room.open)());
        }
    });
}

/// What the address says after `present`, if it asks for a projected page.
fn asked() -> Option<String> {
    router::query().get(PRESENT).map(str::to_owned)
}

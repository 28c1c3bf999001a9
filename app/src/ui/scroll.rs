//! Bringing an element into view, and keeping it there while the page around it still comes to life.

use std::cell::RefCell;

use gloo_timers::callback::Timeout;
use leptos::leptos_dom::helpers::WindowListenerHandle;
use leptos::prelude::{document, window, window_event_listener_untyped};
use wasm_bindgen::JsCast as _;
use wasm_bindgen::prelude::Closure;
use web_sys::{Element, ResizeObserver, ScrollIntoViewOptions, ScrollLogicalPosition};

use super::dom;

/// For how long what comes late may not move it, in milliseconds.
const PATIENCE: u32 = 4000;

/// What a learner does who wants to be somewhere else.
const LEAVING: [&str; 5] = ["wheel", "touchmove", "keydown", "pointerdown", "input"];

struct Hold {
    observer: ResizeObserver,
    listeners: Vec<WindowListenerHandle>,
    _moved: Closure<dyn FnMut()>,
    _end: Timeout,
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.observer.disconnect();
        self.listeners.drain(..).for_each(WindowListenerHandle::remove);
    }
}

thread_local! {
    static HOLD: RefCell<Option<Hold>> = const { RefCell::new(None) };
}

/// Brings `element` into view, out of every fold. What is still to come above it does not move it away until the learner does something.
pub fn to(element: Element) {
    dom::unfold(&element);
    keep(move || element.scroll_into_view());
}

/// Brings all of `element` into view by the shortest way, or its top where it is higher than the window; not at all where it is seen already.
pub fn to_nearest(element: Element) {
    dom::unfold(&element);
    keep(move || {
        let room = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default();
        let options = ScrollIntoViewOptions::new();
        let fits = element.get_bounding_client_rect().height() <= room;
        options.set_block(if fits { ScrollLogicalPosition::Nearest } else { ScrollLogicalPosition::Start });
        element.scroll_into_view_with_scroll_into_view_options(&options);
    });
}

/// Scrolls by `to`, now and whenever the page around it has grown.
fn keep(to: impl Fn() + 'static) {
    to();
    let moved = Closure::<dyn FnMut()>::new(to);
    let (Ok(observer), Some(body)) = (ResizeObserver::new(moved.as_ref().unchecked_ref()), document().body()) else {
        return;
    };
    observer.observe(&body);
    let listeners = LEAVING.map(|event| window_event_listener_untyped(event, |_| release())).into();
    let end = Timeout::new(PATIENCE, release);
    drop(HOLD.replace(Some(Hold { observer, listeners, _moved: moved, _end: end })));
}

fn release() {
    drop(HOLD.take());
}

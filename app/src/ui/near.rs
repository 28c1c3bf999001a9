//! Doing something once an element comes near what is seen.

use std::cell::Cell;
use std::rc::Rc;

use leptos::prelude::{on_cleanup, window_event_listener_untyped};
use send_wrapper::SendWrapper;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::prelude::Closure;
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

/// Runs `action` once, when `element` is within 500 pixels of what is seen, or the page is about to be printed. Where
/// the browser cannot tell what is seen, at once.
pub fn when_near(element: &Element, action: impl FnOnce() + 'static) {
    let action = Cell::new(Some(action));
    let act = Rc::new(move || {
        if let Some(action) = action.take() {
            action();
        }
    });
    let on_near = act.clone();
    let callback = Closure::<dyn Fn(js_sys::Array, IntersectionObserver)>::new(
        move |entries: js_sys::Array, observer: IntersectionObserver| {
            let near = entries.iter().any(|e| e.unchecked_into::<IntersectionObserverEntry>().is_intersecting());
            if near {
                observer.disconnect();
                on_near();
            }
        },
    );
    let options = IntersectionObserverInit::new();
    options.set_root_margin("500px");
    match IntersectionObserver::new_with_options(callback.as_ref().unchecked_ref(), &options) {
        Ok(observer) => {
            observer.observe(element);
            let printed = window_event_listener_untyped("beforeprint", move |_| act());
            let kept = SendWrapper::new((observer, callback));
            on_cleanup(move || {
                kept.0.disconnect();
                printed.remove();
            });
        }
        Err(_) => act(),
    }
}

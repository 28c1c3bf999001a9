//! What is deferred until the browser is idle, or somebody does something: above all, the code that makes a page alive.

use std::cell::RefCell;

use gloo_timers::callback::Timeout;
use leptos::prelude::{request_idle_callback_with_handle, window};
use wasm_bindgen::JsCast as _;
use wasm_bindgen::prelude::Closure;
use web_sys::Event;

/// What somebody does who is there, by hand or by what reads the page to them.
const SIGNS: &[&str] = &[
    "pointermove",
    "pointerdown",
    "keydown",
    "touchstart",
    "wheel",
    "scroll",
    "focusin",
    "click",
    "input",
    "change",
    "popstate",
];
/// Milliseconds after which a page is made alive by a browser that does not say when it is idle.
const PATIENCE: u32 = 2000;

/// What is deferred.
type Action = Box<dyn FnOnce()>;

thread_local! {
    /// What is deferred; nothing once nobody waits any longer.
    static DEFERRED: RefCell<Option<Vec<Action>>> = const { RefCell::new(Some(Vec::new())) };
}

/// Begins to look. To be called once, when the page can be read. One that is `complete` without code waits for a sign where the learner
/// saves data; any other, which a link, a filter or what was done before has changed, is completed in any case.
pub fn watch(complete: bool) {
    if !(complete && saves_data()) && request_idle_callback_with_handle(run_now).is_err() {
        Timeout::new(PATIENCE, run_now).forget();
    }
    let heard = Closure::<dyn Fn(Event)>::new(move |_| run_now()).into_js_value();
    for sign in SIGNS {
        let options = web_sys::AddEventListenerOptions::new();
        options.set_once(true);
        options.set_passive(true);
        // It does not fail for a window.
        let _ = window().add_event_listener_with_callback_and_add_event_listener_options(
            sign,
            heard.unchecked_ref(),
            &options,
        );
    }
}

/// Whether the learner has asked the browser to load little.
pub fn saves_data() -> bool {
    let connection = js_sys::Reflect::get(&window().navigator(), &"connection".into());
    connection.and_then(|c| js_sys::Reflect::get(&c, &"saveData".into())).is_ok_and(|on| on.is_truthy())
}

/// Runs what was deferred: nobody waits any longer.
pub fn run_now() {
    for action in DEFERRED.take().unwrap_or_default() {
        action();
    }
}

/// Defers `action` until the browser is idle or somebody does something; at once if either has been.
pub fn when_idle(action: impl FnOnce() + 'static) {
    let action: Action = Box::new(action);
    let now = DEFERRED.with_borrow_mut(|waiting| match waiting {
        Some(waiting) => {
            waiting.push(action);
            None
        }
        None => Some(action),
    });
    if let Some(action) = now {
        action();
    }
}

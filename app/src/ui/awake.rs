//! Whether somebody is there: a page that can be read needs no code until then.

use std::cell::RefCell;

use gloo_timers::callback::Timeout;
use leptos::prelude::window;
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
/// Milliseconds after which somebody is taken to be there and reading, or looking at a wall.
const PATIENCE: u32 = 2000;

/// What is to be done once somebody is there.
type Action = Box<dyn FnOnce()>;

thread_local! {
    /// What waits for somebody; nothing once somebody is there.
    static WAITING: RefCell<Option<Vec<Action>>> = const { RefCell::new(Some(Vec::new())) };
}

/// Begins to look. To be called once, when the page can be read. One that is `whole` without code waits for a sign; any other,
/// which a link, a filter or what was done before has changed, is completed before long.
pub fn watch(whole: bool) {
    if !whole {
        Timeout::new(PATIENCE, wake).forget();
    }
    let heard = Closure::<dyn Fn(Event)>::new(move |_| wake()).into_js_value();
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

/// Somebody is there.
pub fn wake() {
    for action in WAITING.take().unwrap_or_default() {
        action();
    }
}

/// Runs `action` once somebody is there: at once if they are already.
pub fn when_awake(action: impl FnOnce() + 'static) {
    let action: Action = Box::new(action);
    let now = WAITING.with_borrow_mut(|waiting| match waiting {
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

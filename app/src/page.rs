//! The browser's page: its title, and whether what it shows is complete.

use leptos::prelude::*;

use crate::once::{self, Once};
use crate::shell::prerendered;
use crate::ui::{idle, scroll};

/// How many things that belong to the page are still on their way. While there are none, `<html data-ready="1">` says so
/// to tests and screenshots.
#[derive(Clone, Copy)]
struct Pending(RwSignal<u32>);

/// On `<html>` once nothing was on its way for the first time: from then on keys are heard.
pub const AWAKE: &str = "data-awake";

thread_local! {
    static PENDING: Once<Pending> = const { Once::new(None) };
}

/// Sets the page's state up.
pub fn provide() {
    let pending = Pending(RwSignal::new(0));
    once::set(&PENDING, pending);
    Effect::new(move |watching: Option<bool>| {
        let ready = pending.0.get() == 0;
        let watching = watching.unwrap_or_default();
        if ready && !watching {
            idle::watch(prerendered::is_complete());
        }
        if let Some(root) = document().document_element() {
            // An attribute that cannot be set leaves the page as usable as before.
            let _ = if ready { root.set_attribute("data-ready", "1") } else { root.remove_attribute("data-ready") };
            if ready {
                let _ = root.set_attribute(AWAKE, "");
            }
        }
        watching || ready
    });
}

/// Something is on its way until this is dropped.
pub struct OnItsWay(Pending);

impl Drop for OnItsWay {
    fn drop(&mut self) {
        self.0.0.update(|n| *n = n.saturating_sub(1));
    }
}

/// Counts one thing as on its way until the guard is dropped.
pub fn pending() -> OnItsWay {
    let pending = once::get(&PENDING);
    pending.0.update(|n| *n += 1);
    OnItsWay(pending)
}

/// Sets the title of the page: "Where the memory goes · Ringside".
pub fn title(text: &str) {
    document().set_title(&if text.is_empty() { "Ringside".to_owned() } else { format!("{text} · Ringside") });
}

/// Brings the element with this id into view and marks it as the one that was meant (`[data-arrived]`), for links into text
/// that was not there yet when the link was followed. `false` if there is no such element.
pub fn arrive(id: &str) -> bool {
    let document = document();
    if let Ok(Some(before)) = document.query_selector("[data-arrived]") {
        // A mark that stays is no worse than none.
        let _ = before.remove_attribute("data-arrived");
    }
    let Some(element) = document.get_element_by_id(id) else { return false };
    let _ = element.set_attribute("data-arrived", "");
    scroll::to(element);
    true
}

//! A button that copies a link.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::later::Later;
use super::{clipboard, link};

/// The button. Where the browser does not allow it, a field to copy from.
pub fn copy_link(label: &'static str, address: impl Fn() -> String + Copy + Send + Sync + 'static) -> AnyView {
    let copied = RwSignal::new(false);
    let by_hand = RwSignal::new(None::<String>);
    let forget = Later::after(2500);
    let copy = move |_| {
        spawn_local(async move {
            let whole = link::whole(&address());
            if clipboard::copy(&whole).await {
                copied.set(true);
                forget.run(move || copied.set(false));
            } else {
                by_hand.set(Some(whole));
            }
        });
    };
    view! {
        <button type="button" class="quiet" on:click=copy>
            <span aria-live="polite">{move || if copied.get() { "Copied ✓" } else { label }}</span>
        </button>
        {from_here(by_hand)}
    }
    .into_any()
}

/// A field to copy from, once there is something in it: for a browser that does not let a page copy.
pub fn from_here(text: RwSignal<Option<String>>) -> AnyView {
    view! {
        <Show when=move || text.with(Option::is_some)>
            <label class="by-hand">
                "Copy it from here: "
                <input type="text" readonly prop:value=move || text.get().unwrap_or_default() />
            </label>
        </Show>
    }
    .into_any()
}

//! Buttons that copy.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::later::Later;
use super::{clipboard, link};

/// A button that copies a link.
pub fn copy_link(label: &'static str, address: impl Fn() -> String + Copy + Send + Sync + 'static) -> AnyView {
    copy_text(label, move || Some(link::whole(&address())))
}

/// A button that copies a text, if there is one. Where the browser does not allow it, a field to copy from.
pub fn copy_text(label: &'static str, text: impl Fn() -> Option<String> + Copy + Send + Sync + 'static) -> AnyView {
    let copied = RwSignal::new(false);
    let by_hand = RwSignal::new(None::<String>);
    let forget = Later::after(2500);
    let copy = move |_| {
        let Some(text) = text() else { return };
        spawn_local(async move {
            // By now the button may be gone.
            if clipboard::copy(&text).await {
                copied.try_set(true);
                forget.run(move || copied.set(false));
            } else {
                by_hand.try_set(Some(text));
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

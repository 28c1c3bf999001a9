//! Paper votes: cards to print, and a camera that counts them where hands are counted otherwise.

mod camera;
mod count;
mod print;

use leptos::html;
use leptos::prelude::*;

use crate::deferred::{PageView, deferred, lazy};
use crate::store::store;
use crate::style;
use crate::ui::hands::Hands;
use ringside_cards::CARDS;

/// How many cards a class has before somebody says.
const CLASS: u8 = 40;

/// What counts with a camera: for which hands, and whether it is open.
type Counter = fn(Hands, RwSignal<bool>) -> AnyView;

lazy! {
    /// Downloads the page with the cards.
    teaching: pub fn load() -> PageView {
        print::view
    }
}

lazy! {
    /// Downloads what counts.
    teaching: fn load_counter() -> Counter {
        count::view
    }
}

/// The button that counts cards with the camera in place of hands, and what it opens.
pub(super) fn button(hands: Hands) -> AnyView {
    let open = RwSignal::new(false);
    let button = NodeRef::<html::Button>::new();
    Effect::new(move |was: Option<bool>| {
        let is = open.get();
        if let Some(button) = button.get_untracked().filter(|_| was == Some(true) && !is) {
            // Without the focus it can still be pressed.
            let _ = button.focus();
        }
        is
    });
    let counter = move || {
        let show = move |counter: Counter| counter(hands, open);
        open.get().then(|| deferred(|| style::with(&["cards"], load_counter()), show))
    };
    view! {
        <p class="actions sans">
            <button
                node_ref=button
                type="button"
                class="secondary"
                aria-expanded=move || open.get().to_string()
                on:click=move |_| open.update(|open| *open = !*open)
            >
                "Count cards with the camera"
            </button>
        </p>
        {counter}
    }
    .into_any()
}

/// How many cards were handed out, as was said last. Tracks.
fn handed_out() -> u8 {
    store().with(|doc| doc.settings.cards).unwrap_or(CLASS).clamp(1, CARDS)
}

/// The field for it.
fn handed_out_field() -> AnyView {
    let set = move |event| {
        let typed = event_target_value(&event).trim().parse::<u64>().ok();
        // What is no number stays what it was; the field shows what is used.
        let cards = typed.map_or_else(|| untrack(handed_out), |n| n.clamp(1, CARDS.into()) as u8);
        store().update(|doc| doc.settings.cards = Some(cards));
        event_target::<web_sys::HtmlInputElement>(&event).set_value(&cards.to_string());
    };
    view! {
        <label class="cards-many">
            "Cards handed out "
            <input type="number" inputmode="numeric" min="1" max=CARDS prop:value=move || handed_out().to_string() on:change=set />
        </label>
    }
    .into_any()
}

//! The bar at the top: name, contents, search, theme, shortcuts.

use leptos::prelude::*;

use super::{Overlay, theme};
use crate::store::store;

/// The id of the button that shows the contents where they lie over the page.
pub const CONTENTS: &str = "show-contents";

/// The header of every page.
#[component]
pub fn Header(contents_open: RwSignal<bool>, overlay: RwSignal<Option<Overlay>>) -> impl IntoView {
    let store = store();
    let theme_name = move || store.with(|doc| doc.settings.theme.name());
    let skip = |event: leptos::ev::MouseEvent| {
        event.prevent_default();
        if let Some(main) = document().get_element_by_id("page") {
            use wasm_bindgen::JsCast as _;
            // A page without focus still scrolls.
            let _ = main.unchecked_ref::<web_sys::HtmlElement>().focus();
        }
    };
    view! {
        <header class="top sans">
            <a class="skip" href="#page" on:click=skip>"Skip to the text"</a>
            <button
                type="button"
                class="quiet menu"
                id=CONTENTS
                aria-controls="contents"
                aria-expanded=move || contents_open.get().to_string()
                on:click=move |_| contents_open.update(|open| *open = !*open)
            >
                "Contents"
            </button>
            <a class="name" href="./">"Ringside"</a>
            <nav class="tools" aria-label="Tools">
                <button type="button" class="quiet" on:click=move |_| overlay.set(Some(Overlay::Search))>
                    "Search" <kbd>"/"</kbd>
                </button>
                <a class="quiet" href="w/">"Figures"</a>
                <a class="quiet" href="mission/">"Missions"</a>
                <a class="quiet" href="lab/">"Labs"</a>
                <a class="quiet" href="practice/">"Practice"</a>
                <a class="quiet" href="reference/">"Reference"</a>
                <a class="quiet" href="teach/">"Teach"</a>
                <button type="button" class="quiet" on:click=|_| theme::cycle()>
                    "Theme: " <span class="fixed">{theme_name}</span>
                </button>
                <a class="quiet" href="settings/">"Settings"</a>
                <button
                    type="button"
                    class="quiet"
                    aria-label="Keyboard shortcuts"
                    on:click=move |_| overlay.set(Some(Overlay::Shortcuts))
                >
                    <kbd>"?"</kbd>
                </button>
            </nav>
        </header>
    }
}

//! The contents of the course, beside the page or, on a narrow screen, over it.

use leptos::prelude::*;
use ringside_content::route::Route;
use web_sys::HtmlElement;

use super::{fragment, header, marks};
use crate::data::library;
use crate::router::address;
use crate::ui::{dom, focus};

/// Parts and chapters with what has been done of them.
#[component]
pub fn Contents(open: RwSignal<bool>) -> impl IntoView {
    let address = address();
    // A page was chosen: the contents have done their work.
    Effect::new(move |_| {
        address.track();
        open.set(false);
    });
    let escape = window_event_listener(leptos::ev::keydown, move |event| {
        if event.key() == "Escape" && open.get_untracked() {
            open.set(false);
            // Without the focus it can still be pressed.
            focus(header::CONTENTS);
        }
    });
    on_cleanup(move || escape.remove());
    view! {
        <nav id="contents" class="contents sans" class:open=move || open.get() aria-label="Contents">
            {fragment::view(library().contents, Callback::new(enliven))}
        </nav>
        <div class="beside-contents" hidden=move || !open.get() on:click=move |_| open.set(false)></div>
    }
}

fn enliven(root: HtmlElement) {
    marks::follow(&root);
    let route = address().route();
    Effect::new(move |_| {
        let here = match route.get() {
            Route::Chapter(slug, _) => slug,
            _ => String::new(),
        };
        for link in dom::all(&root, "a[data-chapter]") {
            // A link without its mark still leads there.
            let _ = if dom::attribute(&link, "data-chapter") == here {
                link.set_attribute("aria-current", "page")
            } else {
                link.remove_attribute("aria-current")
            };
        }
    });
}

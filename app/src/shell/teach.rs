//! What whoever teaches with the course needs, behind a switch: out of the way for everybody else.
//!
//! `<html data-teach>` says that it is on; styles hide what bears `.teaching`, and the buttons of figures and exercises that
//! only a lecture needs, while it is off. `index.html` sets it before the first paint.

use leptos::prelude::*;
use ringside_content::schema::Page;

use crate::router::address;
use crate::store::store;

/// The id of the switch's heading in the settings.
pub const SWITCH: &str = "teaching";
/// What `<html>` bears while the switch is on.
const TEACH: &str = "data-teach";

/// Keeps `<html>` in step with the switch.
pub fn apply() {
    Effect::new(move |_| {
        let on = store().with(|doc| doc.settings.teach);
        if let Some(root) = document().document_element() {
            // Without it the tools are in the way, or out of it.
            let _ = if on { root.set_attribute(TEACH, "") } else { root.remove_attribute(TEACH) };
        }
    });
}

/// The pages for teachers, as links. Nothing while the switch is off.
pub fn links() -> AnyView {
    let links =
        Page::TEACHING.map(|page| view! { <a href=format!("{}/", page.path())>{page.title()}</a> " " }).collect_view();
    view! { <nav class="teaching teach-links sans" aria-label="For teachers">{links}</nav> }.into_any()
}

/// The menu in the header.
pub fn menu() -> AnyView {
    let open = RwSignal::new(false);
    let (place, button) = (NodeRef::<leptos::html::Div>::new(), NodeRef::<leptos::html::Button>::new());
    let address = address();
    Effect::new(move |_| {
        address.track();
        open.set(false);
    });
    let close = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Escape" && open.get_untracked() {
            open.set(false);
            if let Some(button) = button.get_untracked() {
                // A button without focus can still be pressed.
                let _ = button.focus();
            }
        }
    };
    let left = move |event: leptos::ev::FocusEvent| {
        let to = event.related_target().and_then(|to| wasm_bindgen::JsCast::dyn_into::<web_sys::Node>(to).ok());
        if to.is_some() && !place.get_untracked().is_some_and(|place| place.contains(to.as_ref())) {
            open.set(false);
        }
    };
    view! {
        <a class="quiet not-teaching" href=format!("settings/#{SWITCH}")>"Teach"</a>
        <div class="teaching teach-menu" node_ref=place on:keydown=close on:focusout=left>
            <button
                node_ref=button
                type="button"
                class="quiet"
                aria-expanded=move || open.get().to_string()
                on:click=move |_| open.update(|open| *open = !*open)
            >
                "Teach"
            </button>
            <Show when=move || open.get()>{links()}</Show>
        </div>
    }
    .into_any()
}

/// The switch.
pub fn switch() -> AnyView {
    let on = move || store().with(|doc| doc.settings.teach);
    let set = move |event| store().update(|doc| doc.settings.teach = event_target_checked(&event));
    view! {
        <label class="teach-switch sans">
            <input type="checkbox" prop:checked=on on:change=set />
            " I teach with this"
        </label>
    }
    .into_any()
}

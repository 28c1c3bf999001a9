//! The keyboard: what the keys do everywhere, and the sheet that says so.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use ringside_content::route::Route;
use ringside_content::schema::Page;
use wasm_bindgen::JsCast as _;

use super::{Overlay, projector, share, theme};
use crate::page;
use crate::router::address;
use crate::store::store;
use crate::ui::{dialog, dom};

const KEYS: &[(&str, &str)] = &[
    ("/", "Search"),
    ("t", "Change the theme"),
    ("p", "Project the figure; again to stop"),
    ("c", "Copy a link to the figure, as it is now"),
    ("[ ]", "Previous and next chapter"),
    ("?", "This sheet"),
    ("Esc", "Close the dialog"),
    ("Tab", "Next control; Shift + Tab the one before"),
    ("← →", "Move a slider; Home and End to its ends; Page Up and Page Down in large steps"),
];

/// What `<html>` bears of what was typed for the search while its field is on its way, and once keys are heard here.
/// `index.html` begins with it.
const TYPED: &str = "data-typed";
const ALIVE: &str = "data-alive";

/// What was typed for the search before there was a field for it.
pub fn take_typed() -> String {
    let root = document().document_element();
    let typed = root.as_ref().and_then(|root| root.get_attribute(TYPED)).unwrap_or_default();
    if let Some(root) = root {
        // What stays is typed again by the next search.
        let _ = root.remove_attribute(TYPED);
    }
    typed
}

/// Keeps a key for the search whose field is on its way. Whether that is where it goes.
fn goes_to_search(event: &KeyboardEvent) -> bool {
    let Some((root, typed)) =
        document().document_element().and_then(|root| Some((root.clone(), root.get_attribute(TYPED)?)))
    else {
        return false;
    };
    let key = event.key();
    if key.chars().count() != 1 {
        return false;
    }
    dom::set(&root, TYPED, &format!("{typed}{key}"));
    true
}

/// Listens for the shortcuts that work everywhere, unless the settings say not to. Keys typed into a field are the field's; until
/// the page has come alive for the first time, there is only the search.
pub fn listen(overlay: RwSignal<Option<Overlay>>) {
    let root = document().document_element();
    if let Some(root) = &root {
        dom::set(root, ALIVE, "");
        if root.has_attribute(TYPED) {
            overlay.set(Some(Overlay::Search));
        }
    }
    let listener = window_event_listener(leptos::ev::keydown, move |event: KeyboardEvent| {
        if !dom::is_plain(&event) || typing(&event) {
            return;
        }
        if overlay.get_untracked() == Some(Overlay::Search) {
            // Its field is on its way.
            if goes_to_search(&event) {
                event.prevent_default();
            }
            return;
        }
        // A talk's two windows have keys of their own.
        let is_talk = address().route().get_untracked() == Route::Page(Page::Presenter);
        if is_talk || (store().peek(|doc| doc.settings.no_shortcuts) && !projector::is_on()) {
            return;
        }
        let is_awake = || document().document_element().is_some_and(|root| root.has_attribute(page::AWAKE));
        if event.key() != "/" && !is_awake() {
            return;
        }
        match event.key().as_str() {
            "p" | "P" => projector::toggle(None),
            "c" => share::copy(),
            "t" => theme::cycle(),
            // Nothing may lie over what the room sees.
            _ if projector::is_on() => return,
            "/" => search(overlay),
            "?" => overlay.set(Some(Overlay::Shortcuts)),
            "[" => follow("a[rel=prev]"),
            "]" => follow("a[rel=next]"),
            _ => return,
        }
        event.prevent_default();
    });
    on_cleanup(move || listener.remove());
}

/// Opens the search, whose field takes what is typed from here on.
fn search(overlay: RwSignal<Option<Overlay>>) {
    if let Some(root) = document().document_element() {
        dom::set(&root, TYPED, "");
    }
    overlay.set(Some(Overlay::Search));
}

/// Whether a key goes into a field.
pub(super) fn typing(event: &KeyboardEvent) -> bool {
    // Of what lies in a shadow root, as the editor of kernels does, the event's own target is only the host.
    let Ok(element) = event.composed_path().get(0).dyn_into::<web_sys::Element>() else { return false };
    match element.tag_name().as_str() {
        "TEXTAREA" | "SELECT" => true,
        "INPUT" => !matches!(
            element.get_attribute("type").as_deref(),
            Some("range" | "checkbox" | "radio" | "button" | "file")
        ),
        _ => element.get_attribute("contenteditable").is_some(),
    }
}

/// Whether a key was pressed on nothing that has a use for arrow keys and the space bar.
pub(super) fn on_nothing(event: &KeyboardEvent) -> bool {
    let Ok(element) = event.composed_path().get(0).dyn_into::<web_sys::Element>() else { return true };
    matches!(element.tag_name().as_str(), "BODY" | "HTML") || element.get_attribute("tabindex").as_deref() == Some("-1")
}

/// Clicks the link that the page marks as previous or next, if it has one.
fn follow(selector: &str) {
    if let Ok(Some(link)) = document().query_selector(selector) {
        link.unchecked_ref::<web_sys::HtmlElement>().click();
    }
}

/// The sheet of shortcuts.
pub fn sheet(overlay: RwSignal<Option<Overlay>>) -> impl IntoView {
    let open = Signal::derive(move || overlay.get() == Some(Overlay::Shortcuts));
    dialog::view(
        open,
        move || overlay.set(None),
        "Keyboard shortcuts",
        || {
            KEYS.iter()
                .map(|(keys, what)| {
                    let keys = keys.split(' ').map(|key| view! { <kbd>{key}</kbd> " " }).collect_view();
                    view! { <div class="shortcut"><dt>{keys}</dt><dd>{*what}</dd></div> }
                })
                .collect_view()
                .into_any()
        },
    )
}

//! The box that answers: on the home page, and in a sheet over every page. It takes a question, an error, a log, a `config.json` or a trace. Its code
//! and its index are downloaded when it is first used.

mod panel;
pub(in crate::shell) mod signs;

use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlTextAreaElement};

use super::{Overlay, shortcuts};
use crate::deferred::{deferred, lazy};
use crate::ui::dialog;
use crate::ui::dom;
use crate::ui::islands::Islands;

/// Where the box stands.
#[derive(Clone)]
pub struct Place {
    /// What was written there before its code came.
    text: String,
    /// The beginning of the ids of its elements.
    id: &'static str,
    /// What becomes of it when a result is opened.
    done: Callback<()>,
}

/// What is in the box.
type Panel = fn(Place) -> AnyView;

lazy! {
    /// Downloads the box.
    search: fn load() -> Panel {
        panel::view
    }
}

/// The box in a sheet over the page.
pub fn view(overlay: RwSignal<Option<Overlay>>) -> impl IntoView {
    let open = Signal::derive(move || overlay.get() == Some(Overlay::Search));
    let done = Callback::new(move |()| overlay.set(None));
    let place = move || Place { text: shortcuts::take_typed(), id: "search", done };
    dialog::view(
        open,
        move || overlay.set(None),
        "Search",
        move || deferred(load, move |panel: Panel| panel(place())).into_any(),
    )
}

/// The box on the home page: the build wrote its field, and the box takes its place once somebody uses it.
pub fn on_page(root: &Element) {
    let Some(place) = dom::find(root, "[data-island=ask]") else { return };
    let Some(field) = dom::find(&place, "textarea").and_then(|field| field.dyn_into::<HtmlTextAreaElement>().ok())
    else {
        return;
    };
    for control in dom::all(&place, "[disabled]") {
        // One that stays disabled leads nowhere, and the search in the header is there.
        let _ = control.remove_attribute("disabled");
    }
    let islands = Islands::new();
    let (begun, example) = (StoredValue::new(false), RwSignal::new(String::new()));
    let field = send_wrapper::SendWrapper::new(field);
    let begin = {
        let place = place.clone();
        move || {
            if begun.get_value() {
                return;
            }
            begun.set_value(true);
            let field = field.clone();
            let written = move || {
                let example = example.get_untracked();
                if example.is_empty() { field.value() } else { example }
            };
            let at = move || Place { text: written(), id: "ask", done: Callback::new(|()| ()) };
            islands.put_deferred(place.clone(), load, move |panel: Panel| panel(at()));
        }
    };
    let by_example = begin.clone();
    dom::on(&place, "click", move |event| {
        if let Some(button) = dom::closest(&event, "[data-ask]") {
            example.set(dom::attribute(&button, "data-ask"));
            by_example();
        }
    });
    let by_file = begin.clone();
    dom::on(&place, "dragover", move |event| {
        event.prevent_default();
        by_file();
    });
    dom::on(&place, "focusin", move |event| {
        if dom::closest(&event, "textarea").is_some() {
            begin();
        }
    });
}

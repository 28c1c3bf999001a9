//! The labs: the list of them, and the page of each. The build rendered both; here predictions are kept, commands copied, and what the
//! script printed is held against the model.

mod result;
mod setup;

use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_content::route::Route;
use ringside_content::schema::Page;
use wasm_bindgen::JsCast as _;
use web_sys::{HtmlElement, HtmlInputElement};

use super::{fragment, not_found, print};
use crate::data::{Remote, fetch_text, library};
use crate::deferred::{PageView, lazy};
use crate::page;
use crate::router::address;
use crate::store::store;
use crate::ui::islands::Islands;
use crate::ui::{clipboard, dom, file};

lazy! {
    /// Downloads the page.
    lab: pub fn load() -> PageView {
        view
    }
}

fn view() -> AnyView {
    print::on_keys(print::whole_page);
    let route = address().route();
    (move || match route.get() {
        Route::Page(Page::Labs) => fragment::view(library().labs, Callback::new(enliven_list)),
        Route::Lab(slug) if ringside_core::lab::find(&slug).is_some() => {
            fragment::view(Remote::new(format!("labs/{slug}.html")), Callback::new(enliven))
        }
        Route::Lab(_) => not_found::view().into_any(),
        // On its way to another page.
        _ => ().into_any(),
    })
    .into_any()
}

fn enliven_list(root: HtmlElement) {
    if let Some(place) = dom::find(&root, "[data-island=setup]") {
        Islands::new().put(place, Box::new(setup::view));
    }
}

fn enliven(root: HtmlElement) {
    let Some(article) = dom::find(&root, "[data-lab]") else { return };
    page::title(&dom::attribute(&article, "data-title"));
    let lab = dom::attribute(&article, "data-lab");
    for field in dom::all(&root, "[data-ask]") {
        predict(field.unchecked_into(), lab.clone());
    }
    for button in dom::all(&root, "[data-copy], [data-save], [data-notebook]") {
        // It is a button of our own page.
        let _ = button.remove_attribute("disabled");
    }
    dom::on(&root, "click", |event| {
        if let Some(button) = dom::closest(&event, "[data-notebook]") {
            give_notebook(button);
        } else if let Some(button) = dom::closest(&event, "[data-copy], [data-save]") {
            give(&button);
        }
    });
    if let Some(place) = dom::find(&root, "[data-island=paste]") {
        Islands::new().put(place, Box::new(move || result::view(lab)));
    }
}

/// A field for a number to predict, kept as it is typed.
fn predict(field: HtmlInputElement, lab: String) {
    let row = dom::attribute(&field, "data-ask");
    let kept = store().peek(|doc| doc.labs.get(&lab).and_then(|note| note.predicted.get(&row).cloned()));
    if field.value().is_empty() {
        field.set_value(&kept.unwrap_or_default());
    }
    field.set_disabled(false);
    let typed = field.clone();
    dom::on(&field, "change", move |_| {
        let (text, row) = (typed.value().trim().to_owned(), row.clone());
        store().update(|doc| {
            let note = doc.labs.entry(lab.clone()).or_default();
            if text.is_empty() {
                note.predicted.remove(&row)
            } else {
                note.predicted.insert(row, text)
            };
        });
    });
}

/// Copies the listing beside the button, or saves it as a file; says on the button what came of it.
fn give(button: &HtmlElement) {
    let Some(code) = button.parent_element().and_then(|around| dom::find(&around, "code")) else { return };
    let (text, name) = (code.text_content().unwrap_or_default(), dom::attribute(button, "data-save"));
    let button = button.clone();
    if !name.is_empty() {
        save(&button, &name, "text/x-python", &text);
        return;
    }
    spawn_local(async move {
        let copied = clipboard::copy(&text).await;
        button.set_text_content(Some(if copied { "Copied ✓" } else { "Select it and copy it by hand" }));
    });
}

/// Fetches the lab's notebook and saves it; says on the button what came of it.
fn give_notebook(button: HtmlElement) {
    let name = format!("{}.ipynb", dom::attribute(&button, "data-notebook"));
    spawn_local(async move {
        match fetch_text(&format!("labs/{name}")).await {
            Ok(text) => save(&button, &name, "application/x-ipynb+json", &text),
            Err(why) => button.set_text_content(Some(&why)),
        }
    });
}

fn save(button: &HtmlElement, name: &str, mime: &str, text: &str) {
    let said = match file::save(name, mime, text) {
        Ok(_) => format!("Saved {name}"),
        Err(why) => why,
    };
    button.set_text_content(Some(&said));
}

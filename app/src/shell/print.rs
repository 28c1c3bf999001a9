//! A chapter on paper: every figure as it is now, room to answer each exercise, and the solutions at the end for who asks.

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, KeyboardEvent};

use super::answer;
use crate::deferred::{self, lazy};
use crate::ui::dom;

/// How long what is still on its way is waited for: so many times so many milliseconds.
const PATIENCE: (u32, u32) = (300, 100);

/// What `<html>` bears while the page is made ready for paper.
const FOR_PAPER: &str = "data-for-paper";

/// Prints the page that is open: a chapter, by its slug, with the solutions or without.
type Print = fn(String, bool);

lazy! {
    /// Downloads it.
    print: fn load() -> Print {
        print
    }
}

/// Prints the chapter that is open.
pub(super) fn begin(slug: String, solutions: bool) {
    deferred::act(load(), move |print| print(slug, solutions));
}

/// Prints the page that is open, once all of it is there.
pub(super) fn whole_page() {
    begin(String::new(), false);
}

/// Has the browser's own keys for printing do `act`, which prints what a button of the page prints: by themselves they print what happens to be
/// there.
pub(super) fn on_keys(act: impl Fn() + 'static) {
    dom::on(&window(), "keydown", move |event| {
        let key: &KeyboardEvent = event.unchecked_ref();
        let is_asked = (key.ctrl_key() || key.meta_key()) && !key.shift_key() && !key.alt_key();
        if is_asked && key.key().eq_ignore_ascii_case("p") && !event.default_prevented() {
            event.prevent_default();
            act();
        }
    });
}

fn print(slug: String, solutions: bool) {
    spawn_local(async move {
        // What waits to come near what is seen comes now.
        if let Ok(event) = web_sys::Event::new("beforeprint") {
            let _ = window().dispatch_event(&event);
        }
        let root = document().document_element();
        if let Some(root) = &root {
            dom::set(root, FOR_PAPER, "");
        }
        let (times, pause) = PATIENCE;
        for _ in 0..times {
            TimeoutFuture::new(pause).await;
            if document().document_element().is_some_and(|root| root.has_attribute("data-ready")) {
                break;
            }
        }
        let added = if solutions { append(&slug).await } else { None };
        // A browser that cannot print says so.
        let _ = window().print();
        if let Some(root) = &root {
            // A page that keeps it is too wide, and whole.
            let _ = root.remove_attribute(FOR_PAPER);
        }
        if let Some(added) = added {
            added.remove();
        }
    });
}

/// Puts the solutions of a chapter's exercises at its end.
async fn append(slug: &str) -> Option<Element> {
    let document = document();
    let page = document.query_selector(".chapter-page").ok()??;
    let section = document.create_element("section").ok()?;
    section.set_attribute("class", "solutions").ok()?;
    section.set_attribute("lang", "en").ok()?;
    let chapter = answer::Chapter::fetch(slug).await;
    let mut html = "<h2>Solutions</h2>".to_owned();
    for slot in dom::all(&page, "[data-slot-exercise]") {
        let id = dom::attribute(&slot, "data-slot-exercise");
        let title = dom::find(&slot, "h3").and_then(|h| h.text_content()).unwrap_or_else(|| id.clone());
        let answer = match &chapter {
            Ok(chapter) => chapter.answer_to(&id).await,
            Err(why) => Err(why.clone()),
        };
        let worked = answer.map_or_else(|why| format!("<p>{}</p>", dom::escaped(&why)), |answer| answer.html());
        html.push_str(&format!("<h3>{}</h3>{worked}", dom::escaped(&title)));
    }
    section.set_inner_html(&html);
    page.append_child(&section).ok()?;
    Some(section)
}

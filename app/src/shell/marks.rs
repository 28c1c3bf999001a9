//! What the learner has done, shown in what the build rendered: `ringside_content::fragment` says how it is marked there.

use std::cell::OnceCell;

use ringside_core::practice::progress::Progress;
use ringside_learner::doc::Doc;
use ringside_learner::progress::{Extent, done};
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlInputElement};

use leptos::prelude::*;

use crate::clock;
use crate::progress;
use crate::store::store;
use crate::ui::dom;

/// Keeps what is under `root` in step with the store, and the store with what is ticked there: also with what was ticked
/// before this began.
pub fn follow(root: &Element) {
    let store = store();
    let early = dom::all(root, "[data-source]:has(input[data-tick]:checked)");
    if !early.is_empty() {
        store.update(|doc| {
            for id in early.iter().map(|source| dom::attribute(source, "data-source")) {
                // A browser that reloads a page may tick again what was ticked.
                if !doc.is_read(&id) {
                    doc.read_source(id, true, clock::today());
                }
            }
        });
    }
    dom::on(root, "change", move |event| {
        let Some(tick) = dom::closest(&event, "input[data-tick]") else { return };
        let Some(source) = dom::closest(&event, "[data-source]") else { return };
        let read = tick.unchecked_ref::<HtmlInputElement>().checked();
        store.update(|doc| doc.read_source(dom::attribute(&source, "data-source"), read, clock::today()));
    });
    let root = root.clone();
    Effect::new(move |_| store.with(|doc| show(&root, doc)));
}

/// Shows what the store says now under `root`, which lies in a page that follows it.
pub fn now(root: &Element) {
    store().peek(|doc| show(root, doc));
}

fn show(root: &Element, doc: &Doc) {
    for source in dom::all(root, "[data-source]") {
        let read = doc.is_read(&dom::attribute(&source, "data-source"));
        // A mark that cannot be set leaves the page as usable as before; so below.
        let _ = source.class_list().toggle_with_force("read", read);
        if let Some(tick) = dom::find(&source, "input[data-tick]") {
            tick.unchecked_ref::<HtmlInputElement>().set_checked(read);
        }
    }
    let contents = OnceCell::new();
    let all = || -> &Vec<Extent> { contents.get_or_init(progress::all_in_contents) };
    let is_done = |slug: &str| all().iter().any(|extent| extent.slug == slug && extent.is_done(doc));
    for mark in dom::all(root, "[data-done]") {
        mark.set_hidden(!is_done(&dom::attribute(&mark, "data-done")));
    }
    let mut course = Progress::default();
    for count in dom::all(root, "[data-progress]") {
        let here = count.has_attribute("data-sections").then(|| progress::of_mark(&count));
        let there = |slug: String| all().iter().find(|extent| extent.slug == slug).cloned();
        let extent = here.or_else(|| there(dom::attribute(&count, "data-progress")));
        let progress = extent.unwrap_or_default().progress(doc);
        course = course.and(progress);
        say(&count, progress);
        count.set_hidden(progress.done == 0);
    }
    for count in dom::all(root, "[data-course]") {
        say(&count, course);
    }
    let skim: Vec<&str> = doc.placed().1.collect();
    for mark in dom::all(root, "[data-skim]") {
        let slug = dom::attribute(&mark, "data-skim");
        mark.set_hidden(!skim.contains(&slug.as_str()) || is_done(&slug));
    }
    for tally in dom::all(root, "[data-tally]") {
        let list = |name| dom::attribute(&tally, name);
        let n = done(&list("data-sources"), &list("data-chapters"), all(), doc);
        if let Some(place) = dom::find(&tally, "[data-n]") {
            place.set_text_content(Some(&n.to_string()));
        }
        if let Some(bar) = dom::find(&tally, "progress") {
            let _ = bar.set_attribute("value", &n.to_string());
        }
        if dom::attribute(&tally, "data-tally") == "some" {
            tally.set_hidden(n == 0);
        }
    }
}

/// Says how much is done, in per cent.
fn say(count: &Element, progress: Progress) {
    if let Some(place) = dom::find(count, "[data-n]") {
        place.set_text_content(Some(&progress.percent().to_string()));
    }
}

//! What a page says when its program has stopped. Nothing runs after a panic: buttons do nothing, and what was typed stands.

use std::panic;

const ID: &str = "stopped";
const SENTENCE: &str = "This page has stopped; reload it. Nothing stored is lost.";

/// From now on a panic is written to the console and said in the page.
pub(crate) fn watch() {
    panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        say();
    }));
}

/// Says it once, above everything, by the DOM alone: no signal can be trusted any more.
fn say() {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    if document.get_element_by_id(ID).is_some() {
        return;
    }
    let (Some(body), Ok(note)) = (document.body(), document.create_element("p")) else { return };
    note.set_id(ID);
    // An alert is read out when its text comes to be in it.
    let _ = note.set_attribute("role", "alert");
    note.set_class_name("message page-stopped");
    if body.append_child(&note).is_ok() {
        note.set_text_content(Some(SENTENCE));
    }
}

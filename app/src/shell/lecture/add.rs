//! "Add to lecture": the state that is seen becomes a line of the instructor's list.

use leptos::prelude::*;

use crate::shell::deck::list;
use crate::shell::notices;
use crate::store::store;
use crate::ui::dom;
use crate::ui::link;

/// What the button bears: the address of what it adds.
pub const ADDS: &str = "data-lecture";

/// Listens for the buttons that add. What a button is called, `data-title`, is what the line is called.
pub fn listen() {
    let click = window_event_listener(leptos::ev::click, |event| {
        let Some(button) = dom::closest(&event, "button[data-lecture]") else { return };
        let (address, title) = (dom::attribute(&button, ADDS), dom::attribute(&button, "data-title"));
        // Addresses of a list are relative to the site, also where a page wrote a whole one.
        let address = address.strip_prefix(&link::whole("")).map_or(address.clone(), str::to_owned);
        store().update(|doc| doc.lecture = list::with_line(&doc.lecture, &address, &title));
        let count = store().peek(|doc| list::count(&doc.lecture));
        let lines = if count == 1 { "one line".to_owned() } else { format!("{count} lines") };
        notices::lead_to(format!("Added: your lecture has {lines}."), ("lecture/", "Open the lecture"));
    });
    on_cleanup(move || click.remove());
}

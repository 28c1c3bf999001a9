//! "Add to lecture": the state that is seen becomes a line of the instructor's list.

use leptos::prelude::*;
use ringside_learner::lecture;

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
        // Two states of a figure are told apart by what they show.
        let finding = button.closest(".figure").ok().flatten().and_then(|figure| dom::find(&figure, ".finding"));
        let shows =
            finding.and_then(|finding| finding.text_content()).map(|text| lecture::begins(&text)).unwrap_or_default();
        let title = if shows.is_empty() { title } else { format!("{title}: {shows}") };
        // Addresses of a list are relative to the site, also where a page wrote a whole one.
        let address = address.strip_prefix(&link::whole("")).map_or(address.clone(), str::to_owned);
        store().update(|doc| doc.lecture = lecture::with_line(&doc.lecture, &address, &title));
        let count = store().peek(|doc| lecture::count(&doc.lecture));
        let lines = if count == 1 { "one line".to_owned() } else { format!("{count} lines") };
        notices::lead_to(format!("Added: your lecture has {lines}."), ("lecture/", "Open the lecture"));
    });
    on_cleanup(move || click.remove());
}

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
        // Two states of a figure are told apart by what they show.
        let finding = button.closest(".figure").ok().flatten().and_then(|figure| dom::find(&figure, ".finding"));
        let shows = finding.and_then(|finding| finding.text_content()).map(|text| begins(&text)).unwrap_or_default();
        let title = if shows.is_empty() { title } else { format!("{title}: {shows}") };
        // Addresses of a list are relative to the site, also where a page wrote a whole one.
        let address = address.strip_prefix(&link::whole("")).map_or(address.clone(), str::to_owned);
        store().update(|doc| doc.lecture = list::with_line(&doc.lecture, &address, &title));
        let count = store().peek(|doc| list::count(&doc.lecture));
        let lines = if count == 1 { "one line".to_owned() } else { format!("{count} lines") };
        notices::lead_to(format!("Added: your lecture has {lines}."), ("lecture/", "Open the lecture"));
    });
    on_cleanup(move || click.remove());
}

/// How a sentence begins, in at most so many characters as fit a line of the list.
fn begins(sentence: &str) -> String {
    const MOST: usize = 60;
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let mut text = String::new();
    for word in &words {
        if text.chars().count() + word.chars().count() >= MOST {
            return format!("{text} …").trim_start().to_owned();
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    text.trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_line_says_how_the_sentence_begins() {
        assert_eq!(super::begins("  It holds 480 GB. "), "It holds 480 GB");
        let long = super::begins(&"seven letters ".repeat(10));
        assert!(long.ends_with("letters …") && long.chars().count() < 64, "{long}");
        assert_eq!(super::begins(&"x".repeat(100)), "…");
    }
}

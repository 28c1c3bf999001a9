//! What was decided, in words.

use ringside_core::catalogue::Entry;
use ringside_core::mission::{ANSWER, Decision, Made};
use ringside_core::query::{Query, parse_number};

use crate::ui::hands::letter;
use crate::widgets;

/// An answer to a decision, for a list: "Tensor parallel 8, Pipeline stages 2".
pub(super) fn in_words(decision: &Decision, answer: &Query, entry: Option<&'static Entry>) -> String {
    let value = answer.get(ANSWER).unwrap_or_default();
    match decision.made() {
        Made::Widget(_) => parts(decision, answer, entry)
            .into_iter()
            .map(|(label, value)| format!("{label}: {value}"))
            .collect::<Vec<_>>()
            .join(", "),
        Made::Choice(options) => match options.iter().enumerate().find(|(_, option)| option.id == value) {
            Some((nth, option)) => format!("{}: {}", letter(nth), plain(&option.text)),
            None => value.to_owned(),
        },
        Made::Number(counted) => parse_number(value).map_or_else(|| value.to_owned(), |n| counted.format(n)),
    }
}

/// The parameters of a widget that are a decision, each with its label and its value in words.
fn parts(decision: &Decision, state: &Query, entry: Option<&'static Entry>) -> Vec<(String, String)> {
    let part = |name: &String| {
        let param = entry.and_then(|entry| entry.param(name))?;
        let value = state.get(name).unwrap_or(param.spec.default);
        let written = match param.spec.kind {
            ringside_core::query::Kind::Choice(options) => options
                .iter()
                .position(|option| *option == value)
                .and_then(|nth| param.look.labels.get(nth))
                .map_or_else(|| value.to_owned(), |label| (*label).to_owned()),
            _ => parse_number(value).map_or_else(|| value.to_owned(), param.look.format),
        };
        Some((param.look.label.to_owned(), written))
    };
    decision.free.iter().filter_map(part).collect()
}

/// A text of our own build without its markup.
fn plain(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut inside = false;
    for c in html.chars() {
        match c {
            '<' => inside = true,
            '>' => inside = false,
            c if !inside => text.push(c),
            _ => {}
        }
    }
    text.trim().replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
}

/// Whether there is a widget of this id to decide in.
pub(super) fn widget_of(decision: &Decision) -> Option<&'static widgets::Widget> {
    decision.widget.as_deref().and_then(widgets::find)
}

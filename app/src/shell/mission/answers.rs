//! What was decided, in words.

use ringside_core::catalogue::Entry;
use ringside_core::declare::{Declared, Group};
use ringside_core::mission::{ANSWER, Decision, Locked, Made, Mission};
use ringside_core::query::{Query, parse_number};
use ringside_learner::hands::letter;

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
            Some((nth, option)) => format!("{}: {}", letter(nth), plain(&option.text).trim_end_matches('.')),
            None => value.to_owned(),
        },
        Made::Number(counted) => parse_number(value).map_or_else(|| value.to_owned(), |n| counted.format(n)),
    }
}

/// The parameters of a widget that are a decision, each with its label and its value in words.
fn parts(decision: &Decision, state: &Query, entry: Option<&'static Entry>) -> Vec<(String, String)> {
    let part = |name: &String| {
        let param = entry.and_then(|entry| entry.param(name))?;
        Some((param.look.label.to_owned(), param.in_words(value_in(&param, state))))
    };
    decision.free.iter().filter_map(part).collect()
}

fn value_in<'a>(param: &Declared, state: &'a Query) -> &'a str {
    state.get(param.spec.name).unwrap_or(param.spec.default)
}

/// What the figure of a decision has and the learner cannot change, by what sets it: the title of an earlier decision, or the brief.
pub(super) fn locked(mission: &Mission, decision: usize, posed: &Query, entry: &Entry) -> Vec<(String, Vec<String>)> {
    let mut all: Vec<(Option<usize>, Vec<String>)> = Vec::new();
    for Locked { name, by } in mission.locked(decision) {
        let Some(param) = entry.param(&name).filter(|param| param.look.group != Group::Drawn) else { continue };
        let text = format!("{}: {}", param.look.label, param.in_words(value_in(&param, posed)));
        match all.iter_mut().find(|(other, _)| *other == by) {
            Some((_, list)) => list.push(text),
            None => all.push((by, vec![text])),
        }
    }
    all.sort_by_key(|(by, _)| *by);
    let title = |by: Option<usize>| by.and_then(|i| mission.decision.get(i)).map(|d| format!("“{}”", d.title));
    all.into_iter().map(|(by, list)| (title(by).unwrap_or_else(|| "the brief".to_owned()), list)).collect()
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

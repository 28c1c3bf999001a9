//! The quantities of a result, for people and for scripts: a few headlines below the drawing, and a table of all.

use leptos::prelude::*;
use ringside_core::catalogue::Entry;
use ringside_core::declare::{Origin, Shown};
use ringside_core::quantity::{Quantity, Unit, unbroken};

use crate::ui::copy_link::copy_text;
use crate::ui::output::{Output, no_result};

/// The value of a quantity among `quantities`; 0 if it is not there. Tracks.
pub(super) fn value(quantities: Memo<Vec<Quantity>>, id: &str) -> f64 {
    of(quantities, id, |q| q.value)
}

/// Something of a quantity among `quantities`. Tracks.
fn of<T: Default>(quantities: Memo<Vec<Quantity>>, id: &str, look: fn(&Quantity) -> T) -> T {
    quantities.with(|list| list.iter().find(|q| q.id == id).map(look).unwrap_or_default())
}

/// The headlines of `entry`, and behind "Every quantity" all that it yields.
pub(super) fn view(entry: &'static Entry, quantities: Memo<Vec<Quantity>>) -> AnyView {
    let headlines = entry.shown().filter(|shown| shown.headline).map(|shown| headline(shown, quantities));
    view! {
        <dl class="readings">{headlines.collect_view()}</dl>
        {all(entry, quantities)}
    }
    .into_any()
}

/// A headline, with what it is held against. One that does not apply is not seen.
fn headline(shown: Shown, quantities: Memo<Vec<Quantity>>) -> AnyView {
    let Shown { id, label, doc, .. } = shown;
    let value = Signal::derive(move || value(quantities, id));
    let nothing = no_result();
    let limit = move || {
        let limit = of(quantities, id, |q| q.limit).filter(|_| !nothing());
        limit.map(|limit| view! { <small class="limit">{format!(" {}", unbroken(&shown.held(limit)))}</small> })
    };
    let missed = move || {
        let limit = of(quantities, id, |q| q.limit).filter(|_| !nothing());
        limit.is_some_and(|limit| shown.against.is_missed(value.get(), limit))
    };
    view! {
        <div class="reading" class:missed=missed title=doc hidden=move || !of(quantities, id, |q| q.applies)>
            <dt>{label}</dt>
            <dd>
                <Output shown value />
                {limit}
            </dd>
        </div>
    }
    .into_any()
}

/// Every quantity of `entry` that applies, with what it means and where its formula comes from, to filter and to copy. A headline
/// bears its `<output>` where it stands; a source that many have is written once, below the table, by its number.
pub(super) fn all(entry: &'static Entry, quantities: Memo<Vec<Quantity>>) -> AnyView {
    let sources = sources(entry);
    let numbered = sources.clone();
    let sought = RwSignal::new(String::new());
    let nothing = no_result();
    let row = move |shown: Shown| {
        let Shown { id, label, doc, headline, origin, .. } = shown;
        let number = Signal::derive(move || value(quantities, id));
        let value = if headline {
            (move || if nothing() { "–".to_owned() } else { shown.text(number.get()) }).into_any()
        } else {
            view! { <Output shown value=number /> }.into_any()
        };
        let source = match numbered.iter().position(|one| *one == origin) {
            Some(at) => view! { <span title=origin.text()>{format!("[{}]", at + 1)}</span> }.into_any(),
            None => origin.word().into_any(),
        };
        let is_sought = move || {
            sought.with(|words| {
                let text = format!("{label} {doc} {}", origin.text()).to_lowercase();
                words.to_lowercase().split_whitespace().all(|word| text.contains(word))
            })
        };
        view! {
            <tr hidden=move || !of(quantities, id, |q| q.applies) || !is_sought()>
                <th scope="row">
                    {label}
                    {(!doc.is_empty()).then(|| view! { <small>{doc}</small> })}
                </th>
                <td class="number">{value}</td>
                <td class="source-of">{source}</td>
            </tr>
        }
    };
    let listed = sources.into_iter().map(|source| view! { <li>{source.text()}</li> }).collect_view();
    let text = move || (!untrack(nothing)).then(|| quantities.with_untracked(|list| csv(entry, list)));
    view! {
        <details class="all-numbers">
            <summary>"Every quantity"</summary>
            <div class="all-numbers-head">
                <input
                    type="search"
                    placeholder="Filter"
                    aria-label="Filter the numbers"
                    on:input=move |event| sought.set(event_target_value(&event))
                />
                {copy_text("Copy as CSV", text)}
            </div>
            <div class="scroll" tabindex="0" role="group" aria-label="Every quantity">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">"Quantity"</th>
                            <th scope="col" class="number">"Value"</th>
                            <th scope="col">"Source"</th>
                        </tr>
                    </thead>
                    <tbody>{entry.shown().map(row).collect_view()}</tbody>
                </table>
            </div>
            <ol class="sources-of" aria-label="Sources">{listed}</ol>
        </details>
    }
    .into_any()
}

/// The origins among the quantities of `entry` that a word doesn't say, each once, in the order of the table.
fn sources(entry: &Entry) -> Vec<Origin> {
    let mut sources: Vec<Origin> = Vec::new();
    for Shown { origin, .. } in entry.shown() {
        if origin.word().is_empty() && !sources.contains(&origin) {
            sources.push(origin);
        }
    }
    sources
}

/// The quantities that apply, one a line: id, label, value in the base unit, value as a person reads it, meaning, source.
fn csv(entry: &Entry, quantities: &[Quantity]) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut lines = "id,label,value,text,meaning,source\n".to_owned();
    for (shown, quantity) in entry.shown().zip(quantities).filter(|(_, quantity)| quantity.applies) {
        let [label, text, doc, source] =
            [shown.label, &shown.text(quantity.value), shown.doc, &shown.origin.text()].map(quoted);
        lines.push_str(&format!("{},{label},{},{text},{doc},{source}\n", shown.id, quantity.value));
    }
    lines
}

/// A number that no list of quantities has.
pub(super) fn one(quantity: &'static str, label: &'static str, unit: Unit, value: Signal<f64>) -> AnyView {
    alone(Shown::new(quantity, label, unit), value)
}

/// Whether what ran was right: 1 or 0.
pub(super) fn verified(label: &'static str, value: Signal<f64>) -> AnyView {
    alone(Shown { words: &["No", "Yes"], ..Shown::new("verified", label, Unit::Count) }, value)
}

fn alone(shown: Shown, value: Signal<f64>) -> AnyView {
    view! {
        <div class="reading">
            <dt>{shown.label}</dt>
            <dd>
                <Output shown value />
            </dd>
        </div>
    }
    .into_any()
}

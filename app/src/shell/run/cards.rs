//! What was brought: a card for each thing, with what of it was read and what wasn't.

use leptos::prelude::*;
use ringside_core::quantity::{counted, grouped};
use ringside_core::run::{Card, Outcome};

use super::{Desk, Input};

/// The cards, the newest first.
pub(super) fn list(desk: Desk) -> AnyView {
    let newest_first = move || desk.inputs.get().into_iter().rev().collect::<Vec<Input>>();
    view! {
        <ul class="run-cards no-print" aria-label="What was read">
            <For each=newest_first key=|input| input.id children=move |input| card(desk, &input) />
        </ul>
    }
    .into_any()
}

/// `line 7`; nothing where the line isn't known.
fn place(line: usize) -> String {
    if line > 0 { format!("line {}", grouped(line as u64)) } else { String::new() }
}

fn card(desk: Desk, input: &Input) -> AnyView {
    let (id, card) = (input.id, &input.card);
    let mark = match card.outcome {
        Outcome::Read => "✓",
        Outcome::Partly => "½",
        Outcome::Refused => "✕",
    };
    view! {
        <li class="run-card sans" data-kind=card.kind.id() data-outcome=card.outcome.id()>
            <h2>
                <span aria-hidden="true">{mark}" "</span>
                {card.kind.label()}
                " "
                <small>{card.name.clone()} ": " {card.outcome.label().to_lowercase()}</small>
            </h2>
            <p>{card.said.clone()}</p>
            {found(card)}
            {unread(card)}
            <button
                type="button"
                class="quiet"
                aria-label=format!("Remove {}", card.name)
                on:click=move |_| desk.remove(id)
            >
                "Remove"
            </button>
        </li>
    }
    .into_any()
}

fn found(card: &Card) -> Option<AnyView> {
    let values = card.found.iter().map(|found| {
        let line = (found.line > 0).then(|| view! { " " <small>{place(found.line)}</small> });
        view! { <dt>{found.what.clone()}</dt> <dd>{found.value.clone()} {line}</dd> }
    });
    (!card.found.is_empty()).then(|| {
        view! {
            <details>
                <summary>{counted(card.found.len() as u64, "value read", "values read")}</summary>
                <dl class="facts">{values.collect_view()}</dl>
            </details>
        }
        .into_any()
    })
}

fn unread(card: &Card) -> Option<AnyView> {
    let items = card.unread.iter().map(|unread| {
        let notes: Vec<String> =
            [place(unread.line), unread.why.clone()].into_iter().filter(|note| !note.is_empty()).collect();
        let notes = (!notes.is_empty()).then(|| format!(" ({})", notes.join(": ")));
        view! { <li><code>{unread.text.clone()}</code> {notes}</li> }
    });
    let more = card.unread_count.saturating_sub(card.unread.len());
    let more = (more > 0).then(|| view! { <li>{format!("{} more", grouped(more as u64))}</li> });
    (card.unread_count > 0).then(|| {
        view! {
            <details open=card.outcome == Outcome::Refused>
                <summary>{counted(card.unread_count as u64, "item not read", "items not read")}</summary>
                <ul>{items.collect_view()} {more}</ul>
            </details>
        }
        .into_any()
    })
}

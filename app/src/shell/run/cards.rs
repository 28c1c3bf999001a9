//! What was pasted: a card for each thing, with what of it was read and what wasn't.

use leptos::prelude::*;
use ringside_core::quantity::{counted, grouped};
use ringside_core::run::{Card, Outcome};

/// The cards, the newest first.
pub(super) fn list(cards: &[Card]) -> AnyView {
    let cards = cards.iter().rev().map(card).collect_view();
    view! { <div class="run-cards">{cards}</div> }.into_any()
}

fn card(card: &Card) -> AnyView {
    let mark = match card.outcome {
        Outcome::Read => "✓",
        Outcome::Partly => "½",
        Outcome::Refused => "✕",
    };
    let found = card.found.iter().map(|found| view! { <dt>{found.what.clone()}</dt> <dd>{found.value.clone()}</dd> });
    let found = found.collect_view();
    let unread = card.unread.iter().map(|unread| {
        let place = if unread.line > 0 { format!("Line {}: ", grouped(unread.line as u64)) } else { String::new() };
        let why = if unread.why.is_empty() { String::new() } else { format!(" ({})", unread.why) };
        view! { <li>{place} <code>{unread.text.clone()}</code> {why}</li> }
    });
    let unread = unread.collect_view();
    let read_count = card.found.len() as u64;
    let is_refused = card.outcome == Outcome::Refused;
    view! {
        <section class="run-card sans" data-kind=card.kind.id() data-outcome=card.outcome.id()>
            <h2>
                <span aria-hidden="true">{mark}" "</span>
                {card.kind.label()}
                " "
                <small>{card.name.clone()}": "{card.outcome.label().to_lowercase()}</small>
            </h2>
            <p>{card.said.clone()}</p>
            {(read_count > 0)
                .then(|| {
                    view! {
                        <details>
                            <summary>{counted(read_count, "value read", "values read")}</summary>
                            <dl class="facts">{found}</dl>
                        </details>
                    }
                })}
            {(card.unread_count > 0)
                .then(|| {
                    view! {
                        <details open=is_refused>
                            <summary>{counted(card.unread_count as u64, "not read", "not read")}</summary>
                            <ul>{unread}</ul>
                        </details>
                    }
                })}
        </section>
    }
    .into_any()
}

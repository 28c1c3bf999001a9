//! What was brought: a card for each thing, with what of it was read and what wasn't.

use leptos::prelude::*;
use ringside_content::search::{LogReading, read_log};
use ringside_core::allocator::History;
use ringside_core::quantity::{bound, counted, grouped};
use ringside_core::run::{Card, Kind, Outcome};
use ringside_drawing::charts::memory_history;

use super::report::address;
use super::{Desk, Input, Log};
use crate::data::library;
use crate::shell::search::signs;
use crate::ui::chart;

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

/// Unread items that a printed card names.
const ON_PAPER: usize = 6;

/// The cards on paper: what each is, and what of it wasn't read.
pub(super) fn on_paper(desk: Desk) -> AnyView {
    let line = |Input { card, .. }: &Input| {
        let named: Vec<&str> = card.unread.iter().take(ON_PAPER).map(|unread| unread.text.as_str()).collect();
        let more = card.unread_count.saturating_sub(named.len());
        let more = if more > 0 { format!(" and {} more", grouped(more as u64)) } else { String::new() };
        let unread = if named.is_empty() { String::new() } else { format!(". Not read: {}{more}", named.join("; ")) };
        let outcome = card.outcome.label().to_lowercase();
        view! { <li>{format!("{} ({}, {outcome}){unread}", card.title(), card.kind.label())}</li> }
    };
    view! { <ul class="run-paper">{move || desk.inputs.with(|inputs| inputs.iter().map(line).collect_view())}</ul> }
        .into_any()
}

/// `line 7`; nothing where the line isn't known.
fn place(line: usize) -> String {
    if line > 0 { format!("line {}", grouped(line as u64)) } else { String::new() }
}

fn card(desk: Desk, input: &Input) -> AnyView {
    let (id, card) = (input.id, &input.card);
    let errors = errors(input);
    let (kind, is_refused) = (card.kind, card.outcome == Outcome::Refused);
    // Errors in a text that is nothing else make it an error log.
    let is_diagnosed = move || is_refused && errors.with(Option::is_some);
    let is_sick = move || errors.with(|errors| errors.as_ref().is_some_and(LogReading::has_errors));
    let named = move || match (is_diagnosed(), is_sick()) {
        (true, true) => Kind::Errors.label(),
        (true, false) => Kind::Log.label(),
        _ => kind.label(),
    };
    let outcome = card.outcome.label().to_lowercase();
    let has_others = move || errors.with(|errors| errors.as_ref().is_some_and(|errors| errors.others() > 0));
    let outcome = move || match (is_diagnosed(), has_others()) {
        (true, true) => Outcome::Partly.label().to_lowercase(),
        (true, false) => Outcome::Read.label().to_lowercase(),
        _ => outcome.clone(),
    };
    let said = bound(&card.said);
    let said = move || if is_diagnosed() && kind == Kind::Unknown { String::new() } else { said.clone() };
    let mark = match (kind, card.outcome) {
        (Kind::Errors, _) | (_, Outcome::Refused) => "✕",
        (_, Outcome::Read) => "✓",
        (_, Outcome::Partly) => "½",
    };
    let edit = input.text.is_some().then(|| {
        view! {
            <button type="button" class="quiet" aria-label=format!("Edit {}", card.title()) on:click=move |_| desk.edit(id)>
                "Edit"
            </button>
        }
    });
    view! {
        <li class="run-card sans" data-kind=card.kind.id() data-outcome=card.outcome.id()>
            <h2>
                <span aria-hidden="true">{mark}" "</span>
                {named}
                " "
                <small>{card.title()} ": " {outcome}</small>
            </h2>
            <p>{said}</p>
            {move || errors.with(|errors| errors.as_ref().map(|reading| diagnosis(reading, kind)))}
            {(kind == Kind::Errors).then(|| library().signs.show(|_| ().into_any()))}
            {found(desk, card)}
            {card.histories.iter().cloned().map(history).collect_view()}
            {unread(card)}
            {edit}
            <button
                type="button"
                class="quiet"
                aria-label=format!("Remove {}", card.title())
                on:click=move |_| desk.remove(id)
            >
                "Remove"
            </button>
        </li>
    }
    .into_any()
}

/// What the course's signs say of the errors in a text, if it has any.
fn errors(input: &Input) -> Memo<Option<LogReading>> {
    let (log, kind) = (input.log.clone(), input.card.kind);
    let (is_output, is_refused) = (kind.is_output(), input.card.outcome == Outcome::Refused);
    Memo::new(move |_| {
        let signs = library().signs.ready()?;
        let reading = match log.as_ref()? {
            Log::Text(text) => read_log(&signs.0, text),
            Log::Read(reading) => (**reading).clone(),
        };
        reading.is_shown(is_output, is_refused).then_some(reading)
    })
}

/// What went wrong, the place to begin first, and the lines that look like errors and aren't known.
fn diagnosis(reading: &LogReading, kind: Kind) -> AnyView {
    // What is a log, too, has its lines counted by what reads it.
    let said = if kind == Kind::Log { reading.begin() } else { reading.summary() };
    let signs = library().signs.ready().unwrap_or_default();
    view! {
        <section class="run-errors" aria-label="What went wrong">
            <p>{said}</p>
            {signs::list(reading, &signs, Callback::new(|()| ()))}
        </section>
    }
    .into_any()
}

/// So many values of the only card stand open: of several, what they come to is the nearer.
const OPEN: usize = 10;

fn found(desk: Desk, card: &Card) -> Option<AnyView> {
    let values = card.found.iter().map(|found| {
        let line = (found.line > 0).then(|| view! { " " <small>{place(found.line)}</small> });
        let value = match &found.link {
            Some(link) => view! { <a href=address(link)>{bound(&found.value)}</a> }.into_any(),
            None => bound(&found.value).into_any(),
        };
        view! { <dt>{found.what.clone()}</dt> <dd>{value} {line}</dd> }
    });
    let is_short = card.found.len() <= OPEN;
    (!card.found.is_empty()).then(|| {
        view! {
            <details open=move || is_short && desk.inputs.with(|inputs| inputs.len() == 1)>
                <summary>{counted(card.found.len() as u64, "value read", "values read")}</summary>
                <dl class="facts">{values.collect_view()}</dl>
            </details>
        }
        .into_any()
    })
}

/// What a GPU held over the time that a snapshot recorded.
fn history(history: History) -> AnyView {
    let what = format!("Memory of GPU {} over time", history.device);
    view! {
        <section class="run-history" aria-label=what.clone()>
            <h3>{what.clone()}</h3>
            {chart::view("run-chart", Memo::new(move |_| memory_history::chart(&history)))}
        </section>
    }
    .into_any()
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

//! States worth looking at, each a button. That of the state on show is pressed. What somebody had set before can be had back.

use leptos::prelude::*;
use ringside_core::declare::Model;
use ringside_core::query::Query;
use ringside_figures::Examples;

use super::state::State;

/// A button for each of a figure's examples.
pub fn presets<M: Model>(state: State<M>, examples: &'static Examples) -> AnyView {
    let now = Memo::new(move |_| state.params().with(M::query));
    let show = Callback::new(move |query: Query| state.set(&state.read(&query)));
    row(examples, |query| M::read(query).0.query(), now, show)
}

/// The same for any model: `read` yields the whole state that a query says, `now` is the one on show.
fn row(examples: &'static Examples, read: fn(&Query) -> Query, now: Memo<Query>, show: Callback<Query>) -> AnyView {
    let Examples { label, keep_rest, ignore, all } = *examples;
    let told_apart = move |state: Query| ignore.iter().fold(state, |state, name| state.without(name));
    let on_show = Memo::new(move |_| told_apart(now.get()));
    let states = all.iter().map(|example| Query::parse(example.state));
    let states: Vec<Query> = states.map(|named| if keep_rest { named } else { read(&named) }).collect();
    let states = StoredValue::new(states);
    let leads_to = move |nth: usize, now: &Query| {
        let state = states.with_value(|states| states.get(nth).cloned()).unwrap_or_default();
        if keep_rest { read(&now.with(&state)) } else { state }
    };
    let is_on_show = move |nth: usize| now.with(|now| on_show.with(|shown| told_apart(leads_to(nth, now)) == *shown));
    // What somebody had set when an example took its place.
    let before = RwSignal::new(None::<Query>);
    let buttons = all.iter().enumerate().map(|(nth, example)| {
        let press = move |_| {
            let now = now.get_untracked();
            let next = leads_to(nth, &now);
            if !(0..all.len()).any(|nth| untrack(|| is_on_show(nth))) {
                before.set(Some(now));
            }
            show.run(next);
        };
        view! {
            <button
                type="button"
                class="preset"
                aria-pressed=move || is_on_show(nth).to_string()
                on:click=press
            >
                {example.label}
            </button>
        }
    });
    let back = move || {
        let before = before.get().filter(|before| told_apart(before.clone()) != on_show.get())?;
        let press = move |_| show.run(before.clone());
        Some(view! { <button type="button" class="preset" on:click=press>"↩ As it was"</button> })
    };
    view! { <div class="presets" role="group" aria-label=label>{buttons.collect_view()}{back}</div> }.into_any()
}

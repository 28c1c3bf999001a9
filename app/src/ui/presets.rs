//! States worth looking at, each a button. That of the state on show is pressed. What somebody had set before can be had back.

use leptos::prelude::*;
use ringside_core::declare::Model;
use ringside_core::query::Query;
use ringside_figures::{Example, Examples};

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
    let leads_to = move |example: &Example, now: &Query| {
        let named = Query::parse(example.state);
        read(&if keep_rest { now.with(&named) } else { named })
    };
    let is_on_show =
        move |example: &Example| now.with(|now| on_show.with(|shown| told_apart(leads_to(example, now)) == *shown));
    // What somebody had set when an example took its place.
    let before = RwSignal::new(None::<Query>);
    let buttons = all.iter().map(|example| {
        let press = move |_| {
            let now = now.get_untracked();
            let next = leads_to(example, &now);
            if !all.iter().any(|example| untrack(|| is_on_show(example))) {
                before.set(Some(now));
            }
            show.run(next);
        };
        view! {
            <button
                type="button"
                class="preset"
                aria-pressed=move || is_on_show(example).to_string()
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

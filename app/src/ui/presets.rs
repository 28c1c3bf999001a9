//! States worth looking at, each a button. That of the state on show is pressed.

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
    let buttons = all.iter().map(|Example { label, state }| {
        let named = Query::parse(state);
        let alone = StoredValue::new(if keep_rest { named } else { read(&named) });
        let state =
            move |now: &Query| alone.with_value(|alone| if keep_rest { read(&now.with(alone)) } else { alone.clone() });
        let is_on_show = move || now.with(|now| on_show.with(|shown| told_apart(state(now)) == *shown));
        let press = move |_| show.run(now.with_untracked(state));
        view! {
            <button type="button" class="preset" aria-pressed=move || is_on_show().to_string() on:click=press>
                {*label}
            </button>
        }
    });
    view! { <div class="presets" role="group" aria-label=label>{buttons.collect_view()}</div> }.into_any()
}

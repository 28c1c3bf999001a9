//! Whether a figure's decision is good, by how much, what isn't counted, and the cheapest change that makes it good.

use leptos::html;
use leptos::prelude::*;
use ringside_core::catalogue::Entry;
use ringside_core::explore::{Levers, carried, decided};
use ringside_core::query::Query;

use super::run::Run;
use crate::ui::debounced::debounced;

pub(super) fn view(model: Entry, query: RwSignal<Query>) -> AnyView {
    let state = debounced(Memo::new(move |_| (model.read)(&query.get()).0));
    let stands = Memo::new(move |_| state.with(|state| decided(&model, &(model.evaluate)(state))));
    let is_bad = move || stands.with(|stands| stands.as_ref().is_some_and(|decided| !decided.is_good));
    let run = Run::new(move || is_bad().then(|| state.with(|state| Levers::new(model, state))).flatten());
    let remedy = move || is_bad().then(|| run.result(Levers::remedy)).flatten();
    let said = NodeRef::<html::P>::new();
    let make = move |_| {
        if let Some(change) = untrack(remedy).and_then(|remedy| remedy.query) {
            query.update(|query| *query = carried(query, change));
            // The button goes; whoever pressed it by keyboard is left where it was.
            let _ = said.get_untracked().map(|said| said.focus());
        }
    };
    let text = move || {
        stands.get().map(|decided| {
            let not_counted = model.decision.map(|decision| decision.not_counted);
            let change = remedy().map(|remedy| remedy.said);
            view! { <b>{decided.verdict}</b> " " {decided.by} " " {change} " " <span class="soft">{not_counted}</span> }
        })
    };
    view! {
        <div class="decision" class:good=move || !is_bad() hidden=move || stands.with(Option::is_none)>
            <p tabindex="-1" role="status" node_ref=said>
                {text}
            </p>
            <button
                type="button"
                class="secondary"
                hidden=move || remedy().is_none_or(|remedy| remedy.query.is_none())
                on:click=make
            >
                "Make this change"
            </button>
        </div>
    }
    .into_any()
}

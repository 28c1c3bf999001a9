//! "Explore…" among a figure's tools: states compared, a setting solved for, what drives a quantity (`ringside_core::explore`).
//!
//! What is explored is one parameter of the figure's query, so every link to the figure has it. The code is downloaded when it is opened.

mod compare;
mod decide;
mod drivers;
mod map;
mod panel;
mod run;
mod solve;

use leptos::html;
use leptos::prelude::*;
use ringside_core::catalogue::Entry;
use ringside_core::explore::{EXPLORE, Explored};
use ringside_core::query::Query;

use crate::deferred::{deferred, lazy};
use crate::style;
use crate::ui::{scroll, unique_id};

/// Shows what is explored of a model in a state.
type View = fn(Entry, RwSignal<Query>) -> AnyView;

lazy! {
    /// Downloads it.
    explore: fn load() -> View {
        panel::view
    }
}

lazy! {
    /// Downloads the same, for what a figure decides.
    explore: fn load_decision() -> View {
        decide::view
    }
}

/// Whether what a figure of this model decides is good, and what would make it so; nothing where it decides nothing.
pub(super) fn decision(model: Entry, query: RwSignal<Query>) -> Option<AnyView> {
    model.decision?;
    let code = || style::with(&["explore"], load_decision());
    let view = view! { <div class="figure-decision">{deferred(code, move |view: View| view(model, query))}</div> };
    Some(view.into_any())
}

/// What a figure shows of it.
pub(super) struct Explore {
    /// The button.
    pub tool: AnyView,
    /// What is explored, while it is open.
    pub panel: AnyView,
}

/// The button of a figure of this model, and what it opens.
pub(super) fn offer(model: Entry, query: RwSignal<Query>) -> Explore {
    let is_open = Memo::new(move |_| query.with(|q| q.get(EXPLORE).is_some()));
    // What was explored when it was closed.
    let closed = StoredValue::new(None::<Explored>);
    let place = NodeRef::<html::Div>::new();
    let toggle = move |_| {
        query.update(|q| {
            *q = match Explored::of(q) {
                Some(open) => {
                    closed.set_value(Some(open));
                    Explored::put(None, q)
                }
                None => Explored::put(Some(&closed.get_value().unwrap_or_default()), q),
            }
        });
        // It opens below the drawing, which may fill the window. What is still downloaded grows into view.
        if let Some(place) = place.get_untracked().filter(|_| is_open.get_untracked()) {
            let _ = place.focus();
            scroll::to_nearest(place.into());
        }
    };
    let id = unique_id("explore");
    let controls = id.clone();
    let tool = view! {
        <button
            type="button"
            class="quiet"
            aria-expanded=move || is_open.get().to_string()
            aria-controls=controls
            on:click=toggle
        >
            "Explore…"
        </button>
    };
    let panel = view! {
        <div class="figure-explore" id=id node_ref=place tabindex="-1" role="group" aria-label="Explore">
            <Show when=move || is_open.get()>
                {deferred(|| style::with(&["explore"], load()), move |view: View| view(model, query))}
            </Show>
        </div>
    };
    Explore { tool: tool.into_any(), panel: panel.into_any() }
}

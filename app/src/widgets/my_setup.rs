//! "My setup" among a figure's tools: one press puts the learner's own numbers into the figure's state, as far as its parameters take them.
//!
//! Which those are is declared (`ringside_core::declare::Takes`); no widget knows of it. The setup is that of the address
//! (`?setup=…`), which an instructor may have made, or the one in the store. The code is downloaded at the first press.

use leptos::html;
use leptos::prelude::*;
use ringside_core::catalogue::Entry;
use ringside_core::explore::carried;
use ringside_core::query::{Problem, Query};
use ringside_core::setup::{Filled, Setup, fill_state, is_offered};

use crate::deferred::{self, lazy};
use crate::router;
use crate::store::store;
use crate::ui::scroll;

/// The name in the address by which a link carries a setup.
pub const SETUP: &str = "setup";

/// Puts the setup of a text into a state.
type Fill = fn(Entry, &str, &Query) -> (Filled, Vec<Problem>);

lazy! {
    /// Downloads it.
    my_setup: fn load() -> Fill {
        put
    }
}

fn put(entry: Entry, setup: &str, now: &Query) -> (Filled, Vec<Problem>) {
    let (setup, problems) = Setup::read(setup);
    (fill_state(entry, &setup, now), problems)
}

/// What a figure shows of it.
pub(super) struct MySetup {
    /// The button.
    pub tool: Option<AnyView>,
    /// What came of pressing it.
    pub said: Option<AnyView>,
}

/// What came of a press.
#[derive(Clone, PartialEq)]
struct Outcome {
    took: Vec<String>,
    left: Vec<String>,
    /// The state before.
    before: Query,
}

/// The button of a figure of this model, where its parameters take anything and there is a setup.
pub(super) fn offer(model: Entry, query: RwSignal<Query>) -> MySetup {
    if !is_offered(model.params()) {
        return MySetup { tool: None, said: None };
    }
    let linked = router::query().get(SETUP).map(str::to_owned).filter(|text| !text.is_empty());
    let label = if linked.is_some() { "The link’s setup" } else { "My setup" };
    let text = Memo::new(move |_| linked.clone().unwrap_or_else(|| store().with(|doc| doc.setup.clone())));
    let outcome = RwSignal::new(None::<Outcome>);
    let press = move |_| {
        deferred::act(load(), move |fill| {
            // The figure may be gone by the time.
            let Some(before) = query.try_get_untracked() else { return };
            let (filled, problems) = fill(model, &text.get_untracked(), &before);
            let left = filled.left.into_iter().chain(problems.into_iter().map(|p| p.message)).collect();
            query.set(carried(&before, filled.query));
            outcome.set(Some(Outcome { took: filled.took, left, before }));
        });
    };
    let tool = view! {
        <Show when=move || text.with(|text| !text.is_empty())>
            <button type="button" class="quiet" on:click=press>
                {label}
            </button>
        </Show>
    };
    let undo = move |before: Query| {
        query.set(before);
        outcome.set(None);
    };
    let said = move || {
        outcome.get().map(|Outcome { took, left, before }| {
            let undone = took.is_empty();
            view! {
                <div class="message problems">
                    <div>{list("Taken from the setup:", "Nothing of the setup was taken.", took)} {list("Left:", "", left)}</div>
                    <button type="button" class="quiet" hidden=undone on:click=move |_| undo(before.clone())>
                        "Undo"
                    </button>
                    <button
                        type="button"
                        class="quiet"
                        aria-label="Close what was taken"
                        on:click=move |_| outcome.set(None)
                    >
                        "✕"
                    </button>
                </div>
            }
        })
    };
    let place = NodeRef::<html::Div>::new();
    // On a phone the button stands under the figure, and what it says over it.
    Effect::new(move |_| {
        if outcome.with(Option::is_some) {
            request_animation_frame(move || {
                if let Some(place) = place.try_get_untracked().flatten() {
                    scroll::to_nearest(place.into());
                }
            });
        }
    });
    let said = view! { <div class="my-setup-said" role="status" node_ref=place>{said}</div> };
    MySetup { tool: Some(tool.into_any()), said: Some(said.into_any()) }
}

/// A heading and what stands under it; `none` where nothing does.
fn list(heading: &'static str, none: &'static str, lines: Vec<String>) -> AnyView {
    if lines.is_empty() {
        return none.into_any();
    }
    view! {
        <p>{heading} " " {lines.join("; ")} "."</p>
    }
    .into_any()
}

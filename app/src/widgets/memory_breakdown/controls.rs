//! What is special about the controls: the model, its number of parameters, and whether tokens are counted.

use leptos::prelude::*;
use ringside_core::memory::Params;
use ringside_core::model::ModelRef;

use super::{Shown, State};
use crate::ui::segmented::Segmented;
use crate::widgets::controls::{Controls, Drawn, number};
use crate::widgets::model_input::ModelInput;

/// Tokens of a sequence where they are counted for the first time.
const TOKENS: u64 = 8192;

/// All of them.
pub(super) fn all(state: State, shown: Shown, input: ModelInput) -> Drawn {
    let size = Signal::derive(move || shown.with(|b| b.size.params));
    let by_count = Callback::new(move |()| {
        state.update(|p| p.model = ModelRef::Count(size.get_untracked().round() as u64));
    });
    let resize = move |n: f64| state.update(|p| p.model = p.model.resized(n));
    Controls::of(state)
        .special("model", input.select(size, Some(by_count)))
        .number("params", size, resize)
        .special("seq", tokens(state))
        .special("zero", view! { <p class="by-row">"ZeRO stage: choose one of the four rows."</p> })
        .draw()
}

/// Whether what depends on tokens is counted, and how many they are.
fn tokens(state: State) -> AnyView {
    let nameless = Memo::new(move |_| state.params().with(|p| p.model.shape().is_none()));
    let last = StoredValue::new(TOKENS);
    let seq = move || state.params().with(|p| p.seq);
    let counted = Signal::derive(move || if seq().is_some() { "true" } else { "false" });
    let count = move |id: &'static str| {
        state.update(|p| {
            if let Some(seq) = p.seq {
                last.set_value(seq);
            }
            p.seq = (id == "true").then(|| last.get_value());
        });
    };
    let value = Signal::derive(move || seq().unwrap_or_else(|| last.get_value()) as f64);
    let set = move |n: f64| state.update(|p| p.seq = Some(n as u64));
    view! {
        <p class="fine" class:nowhere=move || !nameless.get()>
            "They follow from a model’s sizes, not from its number of parameters: choose a model above."
        </p>
        <div class="bare" class:nowhere=nameless>
            <Segmented
                name="counted"
                label="Activations"
                options=vec![("false", "left out"), ("true", "counted")]
                value=counted
                set=count
            />
        </div>
        <div class="bare" class:nowhere=nameless>{number::<Params>("seq", value, set)}</div>
    }
    .into_any()
}

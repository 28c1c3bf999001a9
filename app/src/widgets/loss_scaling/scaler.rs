//! The steps of a dynamic scaler: each can be made to overflow.

use leptos::prelude::*;
use ringside_core::loss_scaling::MAX_OVERFLOWS;

use super::State;

/// The steps as buttons.
pub(super) fn view(state: State) -> AnyView {
    let params = state.params();
    let steps = Memo::new(move |_| params.with(|p| p.overflows.0.len()));
    let button = move |i: usize| {
        let overflow = move || params.with(|p| p.overflows.0.get(i).copied().unwrap_or_default());
        let flip = move |_| {
            state.update(|p| {
                if let Some(step) = p.overflows.0.get_mut(i) {
                    *step = !*step;
                }
            });
        };
        view! {
            <button
                type="button"
                class="bit"
                aria-pressed=move || overflow().to_string()
                aria-label=format!("Step {} overflows", i + 1)
                on:click=flip
            >
                {move || if overflow() { "∞" } else { "✓" }}
            </button>
        }
    };
    view! {
        <div class="overflows" role="group" aria-label="Steps">
            {move || (0..steps.get()).map(button).collect_view()}
        </div>
        <p class="overflow-tools">
            <button
                type="button"
                class="quiet"
                disabled=move || { steps.get() + 1 > MAX_OVERFLOWS }
                on:click=move |_| state.update(|p| p.overflows.0.push(false))
            >
                "Add a step"
            </button>
            <button
                type="button"
                class="quiet"
                disabled=move || steps.get() == 0
                on:click=move |_| state.update(|p| _ = p.overflows.0.pop())
            >
                "Remove the last"
            </button>
        </p>
        <p class="fine">"Press a step to make its gradients overflow, or not. A step that overflows (∞) is skipped."</p>
    }
    .into_any()
}

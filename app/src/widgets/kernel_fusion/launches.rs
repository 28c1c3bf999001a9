//! What a launch costs: a slider, and what was measured on a GPU.

use leptos::prelude::*;
use ringside_core::kernels::fusion::LAUNCHES;
use ringside_core::quantity::number;

use super::State;
use crate::widgets::controls::declared;

pub(super) fn view(state: State) -> impl IntoView {
    let button = |(name, micros, about): (&'static str, f64, &'static str)| {
        let pressed = move || state.params().with(|p| p.launch == micros).to_string();
        view! {
            <button
                type="button"
                class="preset"
                title=about
                aria-pressed=pressed
                on:click=move |_| state.update(|p| p.launch = micros)
            >
                {format!("{name}: {} µs", number(micros))}
            </button>
        }
    };
    view! {
        {declared(state, "launch")}
        <div class="presets" role="group" aria-label="What a launch costs, on a V100">
            {LAUNCHES.map(button).into_iter().collect_view()}
        </div>
    }
}

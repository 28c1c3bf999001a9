//! The error that every recipe leaves the columns beside the outlier.

use leptos::prelude::*;
use ringside_core::float::block::RECIPES;
use ringside_core::quantity::{Unit, number};
use ringside_core::quantization::Shown;

use super::State;

/// A bar for each recipe; pressing one looks at it.
pub(super) fn view(state: State, shown: Memo<Shown>) -> AnyView {
    let params = state.params();
    let row = move |i: usize| {
        let recipe = RECIPES[i];
        let result = move || shown.with(|s| s.recipes.get(i).copied());
        let error = move || result().map_or(0.0, |r| r.error);
        let bits = move || result().map_or(String::new(), |r| format!("{} bits", number(r.bits)));
        view! {
            <button
                type="button"
                class="recipe"
                aria-pressed=move || (params.with(|p| p.recipe.id) == recipe.id).to_string()
                on:click=move |_| state.update(|p| p.recipe = recipe)
            >
                <span class="name">{recipe.name}{(!recipe.leaves_the_sum()).then_some(" (no product can use it)")}</span>
                <svg class="bar" aria-hidden="true">
                    <rect width=move || format!("{:.2}%", error().min(1.0) * 100.0) height="100%" />
                </svg>
                <span class="error">{move || Unit::Fraction.format(error())}</span>
                <span class="cost">{bits}</span>
            </button>
        }
    };
    view! {
        <div class="recipes" role="group" aria-label="Recipes, with the error of the other columns and the bits for each value">
            {(0..RECIPES.len()).map(row).collect_view()}
        </div>
        <p class="fine">
            "128 × 128 values, about normal, one column larger. Error: root mean square over the other columns, relative to them. Bits: of a large tensor, scales included."
        </p>
    }
    .into_any()
}

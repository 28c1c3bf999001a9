//! A number of a result.

use leptos::prelude::*;
use ringside_core::quantity::Unit;

/// A quantity: its text for people, its value in base units for everything else. Not announced at each change; the figure's
/// caption is.
#[component]
pub fn Output(
    /// The quantity's id.
    quantity: &'static str,
    /// Its value in base units.
    #[prop(into)]
    value: Signal<f64>,
    /// What the value counts.
    unit: Unit,
    /// How to write it, if not as `unit` does.
    #[prop(optional)]
    format: Option<fn(f64) -> String>,
) -> impl IntoView {
    let text = move || format.map_or_else(|| unit.format(value.get()), |format| format(value.get()));
    view! { <output data-quantity=quantity data-value=move || value.get().to_string() aria-live="off">{text}</output> }
}

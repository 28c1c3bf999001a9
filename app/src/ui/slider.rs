//! A slider with a field beside it.

use leptos::prelude::*;
use ringside_core::answer::Asked;
use ringside_core::decimal;
pub use ringside_core::declare::Scale;
use ringside_core::query::ParamSpec;

use super::number_field::NumberField;
use super::unique_id;

/// A labelled slider and a field that takes the same value typed. Arrow keys move it by a step, Page Up and Page Down by a
/// tenth, Home and End to its ends; the field takes every valid value, the slider's steps or not.
#[component]
pub fn Slider(
    /// The parameter: its name and what is valid.
    spec: ParamSpec,
    /// What a person calls it.
    label: &'static str,
    /// The value.
    #[prop(into)]
    value: Signal<f64>,
    /// Called with each new value.
    #[prop(into)]
    set: Callback<f64>,
    /// The values of its positions.
    scale: Scale,
    /// How a value is written.
    format: fn(f64) -> String,
    /// What the field asks for.
    #[prop(optional)]
    asked: Asked,
) -> impl IntoView {
    let id = unique_id(spec.name);
    // What is said of a value is said again when it changes, not whenever another parameter does.
    let value = Memo::new(move |_| value.get());
    // A typed value between two steps shows at the nearer one; it stays what it is until the thumb is moved.
    let slide = move |event| {
        if let Some(position) = decimal::parse(&event_target_value(&event)) {
            let moved = scale.value(position);
            if moved != value.get_untracked() {
                set.run(moved);
            }
        }
    };
    view! {
        <div class="field slider">
            <div class="field-head">
                <label for=id.clone()>{label}</label>
                <NumberField spec label value set format asked nameless=true />
            </div>
            <input
                type="range"
                id=id
                name=spec.name
                min="0"
                max=scale.last().to_string()
                step="1"
                prop:value=move || scale.position(value.get()).to_string()
                aria-valuetext=move || format(value.get())
                on:input=slide
            />
        </div>
    }
}

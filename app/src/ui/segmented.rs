//! A choice of a few, all in sight.

use leptos::prelude::*;

use super::unique_id;

/// Radio buttons drawn as one segmented bar.
#[component]
pub fn Segmented(
    /// The parameter's name.
    name: &'static str,
    /// What a person calls it.
    label: &'static str,
    /// The values and what a person calls each.
    options: Vec<(&'static str, &'static str)>,
    /// The value.
    #[prop(into)]
    value: Signal<&'static str>,
    /// Called with the chosen value.
    #[prop(into)]
    set: Callback<&'static str>,
) -> impl IntoView {
    let id = unique_id(name);
    let value = Memo::new(move |_| value.get());
    // What they need of a row, for the style sheet.
    let letters: usize = options.iter().map(|(_, text)| text.chars().count()).sum();
    let count = options.len();
    let options = options
        .into_iter()
        .map(|(option, text)| {
            view! {
                <label>
                    <input
                        type="radio"
                        name=name
                        value=option
                        prop:checked=move || value.get() == option
                        on:change=move |_| set.run(option)
                    />
                    <span>{text}</span>
                </label>
            }
        })
        .collect_view();
    view! {
        <div class="field">
            <span class="field-label" id=id.clone()>{label}</span>
            <div
                class="segmented"
                style=("--letters", letters.to_string())
                style=("--options", count.to_string())
                role="radiogroup"
                aria-labelledby=id
            >
                {options}
            </div>
        </div>
    }
}

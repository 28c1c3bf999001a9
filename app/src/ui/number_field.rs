//! A field for a number as people write it: `30B`, `1.5e9`, `45 min`.

use leptos::prelude::*;
use ringside_core::answer::Asked;
use ringside_core::query::ParamSpec;

use super::unique_id;

/// A text field for a parameter that is a number. What is typed is used when Enter is pressed or the field is left; if it
/// cannot be used it stays, with a message beside it. Escape goes back to the value.
#[component]
pub fn NumberField(
    /// The parameter: its name and what is valid.
    spec: ParamSpec,
    /// What a person calls it.
    label: &'static str,
    /// The value.
    #[prop(into)]
    value: Signal<f64>,
    /// Called with a valid value that was typed.
    #[prop(into)]
    set: Callback<f64>,
    /// How the value is written.
    format: fn(f64) -> String,
    /// What it asks for.
    #[prop(optional)]
    asked: Asked,
    /// The field's `id`, for a label outside; without one it is labelled by itself.
    #[prop(optional, into)]
    id: Option<String>,
    /// What stands there while there is no value, which leaving it empty then means: -1.
    #[prop(optional)]
    placeholder: &'static str,
    /// Whether another control has the parameter's name already.
    #[prop(optional)]
    nameless: bool,
) -> impl IntoView {
    let draft = RwSignal::new(None::<String>);
    let error = RwSignal::new(None::<String>);
    // Another control moved on: the draft is history.
    Effect::new(move |before: Option<f64>| {
        let now = value.get();
        if before.is_some_and(|before| before != now) {
            draft.set(None);
            error.set(None);
        }
        now
    });
    let commit = move || {
        let Some(text) = draft.get_untracked() else { return };
        if !placeholder.is_empty() && text.trim().is_empty() {
            draft.set(None);
            error.set(None);
            set.run(-1.0);
            return;
        }
        match asked.read_parameter(&spec, label, format, &text) {
            Ok(typed) => {
                draft.set(None);
                error.set(None);
                set.run(typed);
            }
            Err(why) => error.set(Some(why)),
        }
    };
    let keydown = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Escape" && draft.get_untracked().is_some() {
            event.prevent_default();
            draft.set(None);
            error.set(None);
        }
    };
    let message = unique_id("error");
    let describedby = message.clone();
    view! {
        <span class="number-field">
            <input
                type="text"
                inputmode="text"
                autocomplete="off"
                spellcheck="false"
                id=id.clone()
                name=(!nameless).then_some(spec.name)
                aria-label=id.is_none().then(|| format!("{label}: type a value"))
                aria-invalid=move || error.with(Option::is_some).then_some("true")
                aria-describedby=move || error.with(Option::is_some).then(|| describedby.clone())
                placeholder=placeholder
                prop:value=move || draft.get().unwrap_or_else(|| format(value.get()))
                on:click=move |event| {
                    // What is typed next takes the value's place.
                    if draft.with_untracked(Option::is_none) {
                        event_target::<web_sys::HtmlInputElement>(&event).select();
                    }
                }
                on:input=move |event| draft.set(Some(event_target_value(&event)))
                on:change=move |_| commit()
                on:keydown=keydown
            />
            <span class="field-error" id=message role="alert">{move || error.get()}</span>
        </span>
    }
}

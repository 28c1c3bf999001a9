//! The control that each view needs most: the number, the update of a sum, or the scale of gradients.

use leptos::prelude::*;
use ringside_core::declare::{Model as _, Text as _};
use ringside_core::float::bits::{Params, Value, View};

use super::State;
use crate::ui::number_field::NumberField;
use crate::ui::slider::Slider;
use crate::ui::unique_id;
use crate::widgets::param;

/// The control of the view on show.
pub(super) fn control(state: State, show: Memo<View>) -> impl IntoView + 'static {
    move || match show.get() {
        View::Bits => field(state).into_any(),
        View::Spacing => ().into_any(),
        View::Sum => update(state),
        View::Gradients => scale(state),
    }
}

fn update(state: State) -> AnyView {
    let params = state.params();
    let value = Signal::derive(move || params.with(|p| p.update));
    let set = Callback::new(move |v: f64| state.update(|p| p.update = v));
    let (spec, id) = (param(&Params::ENTRY, "update"), unique_id("update"));
    view! {
        <div class="field">
            <label for=id.clone()>"Update"</label>
            <NumberField spec label="Update" value set format=ringside_core::quantity::number id />
        </div>
    }
    .into_any()
}

fn scale(state: State) -> AnyView {
    let params = state.params();
    let value = Signal::derive(move || params.with(|p| p.scale));
    let set = Callback::new(move |v: f64| state.update(|p| p.scale = v));
    let look = Params::ENTRY.param("scale").and_then(|p| p.look);
    look.and_then(|look| {
        let (label, scale, format) = (look.label, look.scale?, look.format);
        Some(view! { <Slider spec=param(&Params::ENTRY, "scale") label value set scale format /> })
    })
    .into_any()
}

/// A text field. What is typed is used when Enter is pressed or the field is left; what cannot be used stays, with a message.
fn field(state: State) -> impl IntoView + 'static {
    let params = state.params();
    let value = Memo::new(move |_| params.with(|p| p.value));
    let draft = RwSignal::new(None::<String>);
    let error = RwSignal::new(None::<String>);
    let forget = move || {
        draft.set(None);
        error.set(None);
    };
    Effect::new(move |_| {
        value.track();
        forget();
    });
    let commit = move || {
        let Some(text) = draft.get_untracked() else { return };
        let mut typed = Value::default();
        match typed.read(&text.replace('−', "-")) {
            Ok(()) => {
                forget();
                state.update(|p| p.value = typed);
            }
            Err(why) => error.set(Some(why)),
        }
    };
    let keydown = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Escape" && draft.get_untracked().is_some() {
            event.prevent_default();
            forget();
        }
    };
    let (id, message) = (unique_id("value"), unique_id("error"));
    let describedby = message.clone();
    view! {
        <div class="field">
            <label for=id.clone()>"Number"</label>
            <span class="number-field">
                <input
                    type="text"
                    autocomplete="off"
                    spellcheck="false"
                    id=id
                    name="value"
                    aria-invalid=move || error.with(Option::is_some).then_some("true")
                    aria-describedby=move || error.with(Option::is_some).then(|| describedby.clone())
                    prop:value=move || draft.get().unwrap_or_else(|| value.get().write())
                    on:input=move |event| draft.set(Some(event_target_value(&event)))
                    on:change=move |_| commit()
                    on:keydown=keydown
                />
                <span class="field-error" id=message role="alert">{move || error.get()}</span>
            </span>
        </div>
    }
}

//! The control that each view needs most: the number, the update of a sum, or the scale of gradients.

use leptos::prelude::*;
use ringside_core::declare::Text as _;
use ringside_core::float::bits::{Value, View};

use super::State;
use crate::ui::unique_id;
use crate::widgets::controls::declared;

/// The control of the view on show.
pub(super) fn control(state: State, show: Memo<View>) -> impl IntoView + 'static {
    move || match show.get() {
        View::Bits => field(state).into_any(),
        View::Spacing => ().into_any(),
        View::Sum => declared(state, "update"),
        View::Gradients => declared(state, "scale"),
    }
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

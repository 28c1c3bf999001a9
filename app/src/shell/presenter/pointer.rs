//! The presenter's pointer: where it is over what is on show, the room sees a dot.

use leptos::prelude::*;
use ringside_learner::talk::{Pointed, Said};
use wasm_bindgen::JsCast as _;
use web_sys::{Element, PointerEvent};

use super::POINTED_AT;
use super::lead::Talk;
use crate::ui::dom;

pub(super) fn view(talk: Talk) -> impl IntoView {
    let is_on = RwSignal::new(false);
    // Said once, when it leaves.
    let is_over = StoredValue::new(false);
    dom::on(&window(), "pointermove", move |event| {
        if !is_on.get_untracked() {
            return;
        }
        // A held screen may show something else.
        let at = place(event.unchecked_ref()).filter(|_| !talk.is_held());
        if at.is_some() || is_over.get_value() {
            is_over.set_value(at.is_some());
            talk.say(Said::Pointed(at));
        }
    });
    let flip = move |_| {
        is_on.update(|on| *on = !*on);
        talk.say(Said::Pointed(None));
    };
    view! {
        <button type="button" class="secondary" aria-pressed=move || is_on.get().to_string() on:click=flip>"Pointer"</button>
    }
}

/// Where the pointer is over what is on show.
fn place(event: &PointerEvent) -> Option<Pointed> {
    let stage = document().query_selector(".presenter-stage").ok()??;
    let under = event.target()?.dyn_into::<Element>().ok()?;
    let places = POINTED_AT.iter().map(|selector| dom::find(&stage, selector)).enumerate();
    let (on, element) =
        places.filter_map(|(i, place)| Some((i, place?))).find(|(_, place)| place.contains(Some(&under)))?;
    let seen = element.get_bounding_client_rect();
    let share = |at: i32, start: f64, length: f64| ((f64::from(at) - start) / length.max(1.0)).clamp(0.0, 1.0);
    let at = (share(event.client_x(), seen.left(), seen.width()), share(event.client_y(), seen.top(), seen.height()));
    Some(Pointed { on, at })
}

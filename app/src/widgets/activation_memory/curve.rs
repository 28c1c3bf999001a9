//! The course of a step on the fullest GPU, and why its peak is where it is.

use leptos::prelude::*;
use ringside_core::memory::activations::Activations;
use ringside_drawing::charts::activation_memory::chart;

use super::Shown;
use crate::ui;

pub(super) fn view(shown: Shown) -> AnyView {
    let chart = Memo::new(move |_| shown.with(chart));
    let why = move || shown.with(Activations::why_peak);
    view! {
        {ui::chart::view("course", chart)}
        <p class="why-peak">{why}</p>
    }
    .into_any()
}

//! The axis of a drawing that follows its scale.

use leptos::prelude::*;
use ringside_drawing::ticks as markup;
pub use ringside_drawing::ticks::{Tick, ticks};

use super::markup::renewed;

/// From the left to the right, with numbers under the drawing.
pub fn across(list: Memo<Vec<Tick>>) -> AnyView {
    all(list, markup::across)
}

/// From the bottom to the top, with numbers to the left of the drawing.
pub fn up(list: Memo<Vec<Tick>>) -> AnyView {
    all(list, markup::up)
}

fn all(list: Memo<Vec<Tick>>, draw: fn(&[Tick]) -> String) -> AnyView {
    view! { <g class="ticks" use:renewed=move || list.with(|list| draw(list))></g> }.into_any()
}

//! The axis of a drawing that follows its scale.

use leptos::prelude::*;
use ringside_drawing::ticks as markup;
pub use ringside_drawing::ticks::{Tick, ticks};

use super::markup::renewed;

/// From the bottom to the top, with numbers to the left of the drawing.
pub fn up(list: Memo<Vec<Tick>>) -> AnyView {
    view! { <g class="ticks" use:renewed=move || list.with(|list| markup::up(list))></g> }.into_any()
}

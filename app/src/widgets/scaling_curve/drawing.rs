//! Speed over GPUs beside a straight line, and under it what a step is made of.

use leptos::prelude::*;
use ringside_drawing::charts::scaling_curve::{speed, step};

use super::Shown;
use crate::ui;

pub(super) fn view(shown: Shown) -> AnyView {
    let speed = Memo::new(move |_| shown.with(speed));
    let step = Memo::new(move |_| shown.with(step));
    view! { <div class="scaling">{ui::chart::view("speed", speed)} {ui::chart::view("step-parts", step)}</div> }
        .into_any()
}

//! Two drawings over the same sizes: time, and bus bandwidth.

use leptos::prelude::*;
use ringside_drawing::charts::communication_cost::{Over, chart};

use super::Shown;
use crate::ui;

pub(super) fn view(shown: Shown) -> AnyView {
    let drawn = |over: Over| ui::chart::view("cost", Memo::new(move |_| shown.with(|sizes| chart(sizes, over))));
    view! { <div class="plots">{drawn(Over::Time)} {drawn(Over::Bandwidth)}</div> }.into_any()
}

//! Every layout by step time and memory, and the slider along those that nothing beats.

use leptos::prelude::*;
use ringside_core::decimal;
use ringside_core::planner::{Layout, words};
use ringside_core::quantity::{Unit, bytes_decimal};
use ringside_drawing::chart::hand::Piece;
use ringside_drawing::charts::parallel_planner::chart;

use super::Shown;
use crate::ui;
use crate::ui::unique_id;

/// The chart and the slider along its front. Both choose a layout.
pub(super) fn view(shown: Shown) -> AnyView {
    let drawn = Memo::new(move |_| shown.look.with(|look| chart(&look.found, look.layout.as_ref())));
    let nearest = Callback::new(move |piece: Piece| {
        let (memory, step) = piece.to;
        let found = shown.hunt.found().get_untracked();
        let capacity = found.job.as_ref().map_or(1.0, |job| job.cluster.gpu.memory.0);
        let far = |layout: &Layout| ((layout.memory - memory) / capacity).hypot((layout.step / step).ln());
        let all = found.front.iter().enumerate();
        if let Some((i, _)) = all.min_by(|a, b| far(a.1).total_cmp(&far(b.1))) {
            shown.cursor.set(Some(i));
        }
    });
    let last = Memo::new(move |_| shown.hunt.found().with(|found| found.front.len().saturating_sub(1)));
    let own = Memo::new(move |_| {
        shown.hunt.found().with(|found| found.best.and_then(|best| found.front.iter().position(|l| *l == best)))
    });
    let position = move || shown.cursor.get().or(own.get()).unwrap_or(0).to_string();
    let slide = move |event| {
        if let Some(at) = decimal::parse(&event_target_value(&event)) {
            shown.cursor.set(Some(at as usize));
        }
    };
    let in_words = move || {
        shown.with(|_, layout| {
            format!(
                "{}: {}, {}",
                words::layout(&layout.choice),
                Unit::Seconds.format(layout.step),
                bytes_decimal(layout.memory)
            )
        })
    };
    let id = unique_id("front");
    view! {
        {ui::chart::by_hand("front", drawn, nearest)}
        <div class="front-slider">
            <label for=id.clone()>"Along the front"</label>
            <input
                type="range"
                id=id
                min="0"
                max=move || last.get().to_string()
                prop:value=position
                disabled=move || last.get() == 0
                aria-valuetext=in_words
                on:input=slide
            />
            <span class="fine" aria-hidden="true">"fastest → smallest"</span>
        </div>
    }
    .into_any()
}

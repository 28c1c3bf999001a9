//! The controls.

use leptos::prelude::*;

use super::{State, at_start};
use crate::ui::presets::{Preset, presets};
use crate::widgets::controls::Controls;

/// Steps worth looking at.
const PRESETS: &[Preset] = &[
    ("Data parallel", "strategy=ddp"),
    ("ZeRO-1", "strategy=zero1"),
    ("ZeRO-2", "strategy=zero2"),
    ("ZeRO-3", "strategy=zero3"),
    ("Nothing gathered ahead", "strategy=full-shard&prefetch=none"),
    ("The whole model as one unit", "strategy=full-shard&layers=8&wrap=8"),
    ("Two nodes of four", "strategy=hybrid-shard&ranks=8&node=4"),
    ("Four micro-batches", "strategy=zero3&accumulate=4"),
];

/// All of them.
pub(super) fn all(state: State) -> AnyView {
    let drawn = Controls::of(state).draw();
    view! {
        {presets(state, "Examples", PRESETS.iter().copied(), at_start)}
        <div class="control-grid">{drawn.main}</div>
        <details class="fold">
            <summary>"More controls"</summary>
            {drawn.more}
        </details>
    }
    .into_any()
}

/// Those that matter most.
pub(super) fn few(state: State) -> AnyView {
    view! { <div class="control-row">{Controls::of(state).few()}</div> }.into_any()
}

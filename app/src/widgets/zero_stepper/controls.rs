//! The controls.

use leptos::prelude::*;
use ringside_content::words::count;
use ringside_core::quantity::number;
use ringside_core::zero::{ENTRY, MAX_LAYERS, MAX_RANKS, Params, Prefetch, Strategy};

use super::{State, at_start};
use crate::ui::presets::{Preset, presets};
use crate::ui::segmented::Segmented;
use crate::ui::select::{Group, Select};
use crate::ui::slider::{Scale, Slider};
use crate::widgets::param;

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
    let whole = move |name, label, [min, max]: [usize; 2], at| whole(state, name, label, [min, max], at);
    let more = move || {
        state.params().with(|p| {
            let micro = count(p.accumulate, "micro-batch", "micro-batches");
            format!("{} in flight, nodes of {}, {micro} of {}", p.in_flight, p.node, count(p.rows, "row", "rows"))
        })
    };
    view! {
        {presets(state, "Examples", PRESETS.iter().copied(), at_start)}
        <div class="control-row">{strategy(state)} {prefetch(state)}</div>
        <div class="control-grid">
            {ranks(state)}
            {whole("layers", "Layers", [1, MAX_LAYERS], |p| &mut p.layers)}
            {whole("wrap", "Layers wrapped together", [1, MAX_LAYERS], |p| &mut p.wrap)}
        </div>
        <details class="fold">
            <summary>"More: " <span>{more}</span></summary>
            <div class="control-grid">
                {whole("in-flight", "Units in flight, at most", [1, MAX_LAYERS], |p| &mut p.in_flight)}
                {whole("node", "Ranks in a node", [2, MAX_RANKS], |p| &mut p.node)}
                {whole("accumulate", "Micro-batches of a step", [1, 4], |p| &mut p.accumulate)}
                {whole("rows", "Rows of a micro-batch", [1, 4], |p| &mut p.rows)}
                {whole("width", "Width of a layer", [2, 12], |p| &mut p.width)}
            </div>
        </details>
    }
    .into_any()
}

/// Those that matter most.
pub(super) fn few(state: State) -> AnyView {
    view! { <div class="control-row">{strategy(state)} {ranks(state)}</div> }.into_any()
}

fn strategy(state: State) -> impl IntoView {
    let groups = vec![
        Group { label: "ZeRO", options: Strategy::ALL[..4].iter().map(|s| (s.id(), s.label())).collect() },
        Group { label: "FSDP", options: Strategy::ALL[4..].iter().map(|s| (s.id(), s.label())).collect() },
    ];
    let value = Signal::derive(move || state.params().with(|p| p.strategy.id()));
    let set = move |id: &'static str| {
        if let Some(strategy) = Strategy::find(id) {
            state.update(|p| *p = Params { strategy, step: 0, ..*p });
        }
    };
    view! { <Select name="strategy" label="Strategy" groups value set /> }
}

fn prefetch(state: State) -> impl IntoView {
    let options = vec![("none", "off"), ("post", "BACKWARD_POST"), ("pre", "BACKWARD_PRE")];
    let value = Signal::derive(move || state.params().with(|p| p.prefetch.id()));
    let set = move |id: &'static str| {
        if let Some(prefetch) = Prefetch::find(id) {
            state.update(|p| *p = Params { prefetch, step: 0, ..*p });
        }
    };
    view! { <Segmented name="prefetch" label="Prefetch" options value set /> }
}

fn ranks(state: State) -> AnyView {
    whole(state, "ranks", "Ranks", [2, MAX_RANKS], |p| &mut p.ranks)
}

fn whole(
    state: State,
    name: &'static str,
    label: &'static str,
    [min, max]: [usize; 2],
    at: fn(&mut Params) -> &mut usize,
) -> AnyView {
    let value = Signal::derive(move || {
        let mut params = state.params().get();
        *at(&mut params) as f64
    });
    let set = move |n: f64| {
        state.update(|p| {
            *at(p) = n as usize;
            p.step = 0;
        });
    };
    let scale = Scale::Linear { min: min as f64, max: max as f64, step: 1.0 };
    view! { <Slider spec=param(&ENTRY, name) label value set scale format=number /> }.into_any()
}

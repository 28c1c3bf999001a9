//! How the shares move with one size: bands over a logarithmic axis, and where the model is on it.

use leptos::prelude::*;
use ringside_core::model::anatomy::{Axis, Group, Measure, Mix};
use ringside_core::quantity::count;
use ringside_drawing::scale::percent;

use super::{Shown, Sizes, State};
use crate::ui::segmented::Segmented;

/// Bands that are nowhere higher than this, in percent, have no label.
const LABEL: f64 = 9.0;

/// Where a size lies on its axis: 0 to 100.
fn across(axis: Axis, size: u64) -> f64 {
    let (from, to) = axis.range();
    let at = (size.max(1) as f64 / from as f64).ln() / (to as f64 / from as f64).ln();
    at.clamp(0.0, 1.0) * 100.0
}

/// The band of a group, in percent of the drawing from the top: for each size where it lies, the upper and the lower edge.
fn band(sweep: &[Mix], axis: Axis, group: Group) -> Vec<(f64, f64, f64)> {
    let edge = |mix: &Mix| {
        let under: f64 = Group::ALL.into_iter().take_while(|g| *g != group).map(|g| mix.share(g)).sum();
        let lower = 100.0 - under * 100.0;
        (across(axis, mix.at), lower - mix.share(group) * 100.0, lower)
    };
    sweep.iter().map(edge).collect()
}

/// The choice of the axis and the bands over it.
pub(super) fn view(state: State, shown: Shown, sizes: Sizes) -> AnyView {
    let axis = Memo::new(move |_| state.params().with(|p| p.sweep));
    let sweep = Memo::new(move |_| {
        let axis = axis.get();
        sizes.around(axis).map(|a| a.sweep(axis, a.params.show)).unwrap_or_default()
    });
    let bands = Memo::new(move |_| sweep.with(|s| Group::ALL.map(|g| band(s, axis.get(), g))));
    let options = Axis::ALL.map(|a| (a.id(), a.label())).to_vec();
    let value = Signal::derive(move || axis.get().id());
    let set = move |id: &'static str| {
        if let Some(axis) = Axis::find(id) {
            state.update(|p| p.sweep = axis);
        }
    };
    let here = move || percent(across(axis.get(), state.params().with(|p| p.size(axis.get()))));
    let shapes = Group::ALL.map(|group| {
        let points = move || {
            bands.with(|b| {
                let edges = b.get(group as usize).map(Vec::as_slice).unwrap_or_default();
                let upper = edges.iter().map(|(x, y, _)| format!("{x:.2},{y:.2} "));
                let lower = edges.iter().rev().map(|(x, _, y)| format!("{x:.2},{y:.2} "));
                upper.chain(lower).collect::<String>()
            })
        };
        view! { <polygon class=format!("part {}", group.id()) points=points /> }
    });
    let labels = Group::ALL.map(|group| {
        let at = Memo::new(move |_| bands.with(|b| b.get(group as usize).and_then(|edges| thickest(edges))));
        let x = move || percent(at.get().map_or(0.0, |(x, _)| x));
        let y = move || percent(at.get().map_or(0.0, |(_, y)| y));
        let anchor = move || match at.get() {
            Some((x, _)) if x < 20.0 => "start",
            Some((x, _)) if x > 80.0 => "end",
            _ => "middle",
        };
        let dx = move || match anchor() {
            "start" => "8",
            "end" => "-8",
            _ => "0",
        };
        view! {
            <text class=format!("on-{}", group.id()) class:nowhere=move || at.get().is_none() x=x y=y dx=dx dy=".35em" text-anchor=anchor>
                {move || shown.with(|a| group.label(a.shape.moe.is_some()))}
            </text>
        }
    });
    let ticks = move || {
        let axis = axis.get();
        let (from, to) = axis.range();
        let octaves = (to / from).ilog2();
        let step = octaves.div_ceil(4).max(1);
        (0..=octaves)
            .step_by(step as usize)
            .map(|k| {
                let size = from << k;
                let x = across(axis, size);
                let anchor = if x < 5.0 {
                    "start"
                } else if x > 95.0 {
                    "end"
                } else {
                    "middle"
                };
                view! { <text x=percent(x) y="100%" dy="18" text-anchor=anchor>{count(size as f64)}</text> }
            })
            .collect_view()
    };
    let what = move || match (shown.measure(), axis.get()) {
        (Measure::Params, Axis::Sequence) => {
            "No parameter depends on the length of a sequence (positions apart): look at the FLOPs."
        }
        (Measure::Params, _) => "Shares of the parameters. The dashed line is this model.",
        (Measure::Flops, _) => "Shares of a token’s forward FLOPs. The dashed line is this model.",
    };
    view! {
        <form class="shares-form" on:submit=|event| event.prevent_default()>
            <Segmented name="sweep" label="How the shares move with" options value set />
        </form>
        <svg class="shares" aria-hidden="true">
            <svg viewBox="0 0 100 100" preserveAspectRatio="none">{shapes.into_iter().collect_view()}</svg>
            <line class="here" x1=here x2=here y1="-6" y2="100%" />
            <g class="labels">{labels.into_iter().collect_view()}</g>
            <g class="ticks">{ticks}</g>
        </svg>
        <p class="fine">{what}</p>
    }
    .into_any()
}

/// The middle of a band where it is thickest; none if it is too thin everywhere for a label.
fn thickest(edges: &[(f64, f64, f64)]) -> Option<(f64, f64)> {
    let best = edges.iter().max_by(|a, b| (a.2 - a.1).total_cmp(&(b.2 - b.1)))?;
    let (x, upper, lower) = *best;
    (lower - upper >= LABEL).then_some((x, (upper + lower) / 2.0))
}

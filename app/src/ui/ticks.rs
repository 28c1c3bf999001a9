//! Lines at the ticks of a linear axis, each with its number.
//!
//! As many as there can be are always there, so that those of another scale move to their places; what is too many is hidden.

use leptos::prelude::*;

use super::scale::{Linear, MAX_TICKS, percent};

/// Where a tick is, in percent of the axis, and its number as text.
pub type Tick = (f64, String);

/// The ticks of a scale, each written by `text`.
pub fn ticks(scale: Linear, text: fn(f64) -> String) -> Vec<Tick> {
    scale.ticks().map(|tick| (scale.percent(tick), text(tick))).collect()
}

/// From the left to the right, with numbers under the drawing. Every other one is `odd`.
pub fn across(ticks: Memo<Vec<Tick>>) -> AnyView {
    all(|i| {
        let (gone, at, text) = tick(ticks, i);
        let x = move || percent(at());
        view! {
            <g class:nowhere=gone class:odd=i % 2 == 1>
                <line x1=x x2=x y2="100%" />
                <text x=x y="100%" dy="18" text-anchor="middle">{text}</text>
            </g>
        }
        .into_any()
    })
}

/// From the bottom to the top, with numbers to the left of the drawing.
pub fn up(ticks: Memo<Vec<Tick>>) -> AnyView {
    all(|i| {
        let (gone, at, text) = tick(ticks, i);
        let y = move || percent(100.0 - at());
        view! {
            <g class:nowhere=gone>
                <line y1=y y2=y x2="100%" />
                <text x="-8" y=y dy=".35em" text-anchor="end">{text}</text>
            </g>
        }
        .into_any()
    })
}

fn all(draw: impl Fn(usize) -> AnyView) -> AnyView {
    view! { <g class="ticks">{(0..MAX_TICKS).map(draw).collect_view()}</g> }.into_any()
}

/// Of the tick with this number: whether there is none, where it is, and its text.
fn tick(
    ticks: Memo<Vec<Tick>>,
    i: usize,
) -> (impl Fn() -> bool + Copy, impl Fn() -> f64 + Copy, impl Fn() -> String + Copy) {
    (
        move || ticks.with(|list| list.len() <= i),
        move || ticks.with(|list| list.get(i).map_or(0.0, |tick| tick.0)),
        move || ticks.with(|list| list.get(i).map(|tick| tick.1.clone()).unwrap_or_default()),
    )
}

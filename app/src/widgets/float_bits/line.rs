//! The number line around the number, with the values that each format has there.

use leptos::prelude::*;
use ringside_core::float::bits::{Shown, written};
use ringside_drawing::scale::percent;

/// Most values that are drawn one by one.
const MOST: usize = 160;

/// The line.
pub(super) fn view(shown: Memo<Shown>) -> AnyView {
    let label = move || {
        shown.with(|s| {
            let [a, b] = &s.held;
            format!(
                "Number line around {}. {} has {}, {} has {}.",
                written(s.number),
                a.format.name,
                a.text(),
                b.format.name,
                b.text()
            )
        })
    };
    let rows = move || shown.with(|s| [0, 1].map(|i| row(s, i)).into_iter().collect_view());
    let exact = move || shown.with(exact);
    view! {
        <svg class="number-line" role="img" aria-label=label>
            {rows}
            {exact}
        </svg>
    }
    .into_any()
}

/// Heights of the two rows, in percent.
const ROWS: [f64; 2] = [30.0, 72.0];

/// Where a value lies, in percent of the width.
fn across(shown: &Shown, value: f64) -> f64 {
    let (from, to) = shown.stretch();
    (value - from) / (to - from) * 100.0
}

fn row(shown: &Shown, i: usize) -> AnyView {
    let held = shown.held[i];
    let y = ROWS[i];
    let ticks = match shown.values(i, MOST) {
        None => view! { <rect class="dense" y=percent(y - 6.0) width="100%" height="12%" /> }.into_any(),
        Some(values) => values
            .into_iter()
            .map(|v| {
                let x = percent(across(shown, v));
                view! { <line class="value" x1=x.clone() x2=x y1=percent(y - 6.0) y2=percent(y + 6.0) /> }
            })
            .collect_view()
            .into_any(),
    };
    let place = across(shown, held.value);
    let mark = (held.value.is_finite() && (0.0..=100.0).contains(&place)).then(|| {
        let x = percent(place);
        view! {
            <line class="held" x1=x.clone() x2=x.clone() y1=percent(y - 9.0) y2=percent(y + 9.0) />
            <text class="held-text" x=x y=percent(y + 9.0) dy="15" text-anchor="middle">{held.text()}</text>
        }
    });
    let ends = held.neighbours.map(|neighbour| {
        neighbour.filter(|n| (3.0..=97.0).contains(&across(shown, *n)) && (across(shown, *n) - place).abs() > 14.0)
    });
    let ends = ends.into_iter().flatten().map(|n| {
        view! { <text x=percent(across(shown, n)) y=percent(y + 9.0) dy="15" text-anchor="middle">{written(n)}</text> }
    });
    view! {
        <g class=if i == 0 { "row first" } else { "row second" }>
            <text class="name" y=percent(y - 9.0) dy="-6">{held.format.name}</text>
            <line class="axis" x2="100%" y1=percent(y) y2=percent(y) />
            {ticks}
            {mark}
            {ends.collect_view()}
        </g>
    }
    .into_any()
}

/// The number itself.
fn exact(shown: &Shown) -> AnyView {
    if !shown.number.is_finite() {
        return ().into_any();
    }
    let x = percent(across(shown, shown.number));
    view! {
        <g class="exact">
            <line x1=x.clone() x2=x.clone() y1="14" y2="92%" />
            <text x=x y="10" text-anchor="middle">{written(shown.number)}</text>
        </g>
    }
    .into_any()
}

//! What distance does to a score: tokens that fade, head by head, and curves over all distances.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::attention::position::{MAX_STEP, Params, Scheme};
use ringside_core::quantity::{count, grouped, number};
use ringside_drawing::scale::{Log, percent};

use super::spread;
use crate::ui::markup::renewed;

/// Most heads that are drawn, and the tokens of each.
const ROWS: u64 = 8;
const TOKENS: u64 = MAX_STEP + 1;
/// Shades of what is left.
const SHADES: usize = 8;

/// ALiBi: for some heads what is left of each token up to the query, which moves.
fn heads(p: &Params) -> String {
    let mut text = String::new();
    for head in spread(p.heads, ROWS) {
        let slope = p.slope(head);
        let mut paths = [(); SHADES].map(|()| String::new());
        for key in 0..=p.step {
            let left = Params::left(slope, (p.step - key) as f64);
            let shade = ((left * SHADES as f64) as usize).min(SHADES - 1);
            // Writing to a string does not fail.
            let _ = write!(paths[shade], "M{key}.06 0h.88v1h-.88z");
        }
        let _ = write!(
            text,
            "<div class=\"fading-row\"><b>head {}</b><small>slope {}</small>\
             <svg viewBox=\"0 0 {TOKENS} 1\" preserveAspectRatio=\"none\">",
            grouped(head),
            number(slope)
        );
        for (shade, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
            let _ = write!(text, "<path class=\"left-{shade}\" d=\"{path}\"/>");
        }
        let _ = write!(text, "<path class=\"query\" d=\"M{}.06 0h.88v1h-.88z\"/></svg></div>", p.step);
    }
    text
}

/// The rows.
pub(super) fn rows(params: Memo<Params>) -> AnyView {
    view! {
        <p class="positions-title">
            "What is left of each token’s weight" <small><i class="swatch query"></i> "query"</small>
            <small><i class="swatch between"></i> "all of it"</small>
        </p>
        <div class="fading-rows" aria-hidden="true" use:renewed=move || params.with(heads)></div>
    }
    .into_any()
}

/// The furthest distance of the curves, as a power of two.
const FAR: u32 = 17;
/// The least and the most that the curves show.
const LOW: f64 = -0.4;
const HIGH: f64 = 1.0;
/// Points between a distance and twice as much.
const FINE: u32 = 16;

fn up(value: f64) -> f64 {
    (HIGH - value) / (HIGH - LOW) * 100.0
}

/// A curve over distances from 1 on.
fn curve(of: impl Fn(f64) -> f64) -> String {
    let scale = Log::to(f64::from(1 << FAR));
    let mut points = String::new();
    for i in 0..=FAR * FINE {
        let distance = 2_f64.powf(f64::from(i) / f64::from(FINE));
        // Writing to a string does not fail.
        let _ = write!(points, "{:.2},{:.2} ", scale.percent(distance), up(of(distance)).clamp(0.0, 100.0));
    }
    points
}

/// The curve of equal vectors; or, for ALiBi, of the steepest head and of the flattest.
pub(super) fn curves(params: Memo<Params>) -> AnyView {
    // Curves are of all distances, wherever the two are.
    let still = Memo::new(move |_| Params { step: 0, distance: 0, ..params.get() });
    let lines = move || {
        still.with(|p| match p.scheme {
            Scheme::Rope => [curve(|distance| p.score(distance)), String::new()],
            Scheme::Alibi => p.slopes().map(|slope| curve(|distance| Params::left(slope, distance))),
        })
    };
    let lines = Memo::new(move |_| lines());
    let scale = Log::to(f64::from(1 << FAR));
    let across = move |tokens: u64| percent(scale.percent(tokens as f64).min(100.0));
    let here = move || across(params.with(|p| p.distance));
    let trained = move || across(still.with(|p| p.trained));
    let is_rope = move || still.with(|p| p.scheme == Scheme::Rope);
    let title = move || {
        if is_rope() {
            return "Score of a query and a key that are equal, over their distance".into_any();
        }
        view! {
            "Weight that is left, over the distance"
            <small><i class="swatch between"></i> "steepest head"</small>
            <small><i class="swatch flattest"></i> "flattest head"</small>
        }
        .into_any()
    };
    let ticks = (0..=FAR).step_by(4).map(|power| {
        let at = percent(scale.percent(f64::from(1 << power)));
        let anchor = if power == 0 { "start" } else { "middle" };
        view! {
            <line x1=at.clone() x2=at.clone() y2="100%" />
            <text x=at y="100%" dy="18" text-anchor=anchor>{count(f64::from(1 << power))}</text>
        }
    });
    let levels = [1.0, 0.5, 0.0].map(|level| {
        let at = percent(up(level));
        view! {
            <line y1=at.clone() y2=at.clone() x2="100%" />
            <text dx="-8" y=at dy=".35em" text-anchor="end">{number(level)}</text>
        }
    });
    view! {
        <p class="positions-title">{title}</p>
        <svg class="fading" aria-hidden="true">
            <g class="ticks">{ticks.collect_view()} {levels.into_iter().collect_view()}</g>
            <svg viewBox="0 0 100 100" preserveAspectRatio="none">
                <polyline points=move || lines.with(|l| l[0].clone()) />
                <polyline class="flattest" points=move || lines.with(|l| l[1].clone()) />
            </svg>
            <g class="trained" class:nowhere=move || !is_rope()>
                <line x1=trained x2=trained y2="100%" />
                <text x=trained y="-6" text-anchor="end">"longest in training"</text>
            </g>
            <line class="here" x1=here x2=here y2="100%" />
        </svg>
        <p class="fine">"Across: tokens between the two. The solid upright line is the distance on show."</p>
    }
    .into_any()
}

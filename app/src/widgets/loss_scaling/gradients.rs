//! The gradients of the step on show by exponent, moved by the loss scale over the range of the format.

use leptos::prelude::*;
use ringside_core::float::bits::superscript;
use ringside_core::float::{Format, exponent, power_of_two};
use ringside_core::loss_scaling::network::Step;
use ringside_core::loss_scaling::{Params, Shown};
use ringside_drawing::scale::percent;

/// Exponents that are drawn.
const RANGE: (i32, i32) = (-44, 20);

/// Where an exponent lies, in percent of the width.
fn at(e: i32) -> f64 {
    f64::from(e.clamp(RANGE.0, RANGE.1) - RANGE.0) / f64::from(RANGE.1 - RANGE.0) * 100.0
}

fn fate(format: Format, e: i32) -> &'static str {
    match format.nearest(1.5 * power_of_two(e)) {
        0.0 => "zero",
        held if held.is_infinite() => "over",
        held if held < format.min_normal() => "subnormal",
        _ => "normal",
    }
}

/// The histogram, and under it the range of the format.
pub(super) fn view(params: Memo<Params>, shown: Memo<Shown>) -> AnyView {
    let bars = move || {
        let (format, shift, step) = params.with(|p| (p.compute.held(), p.shift(), p.at()));
        shown.with(|s| {
            let counts = s.reference.steps.get(step).map_or([0; Step::BINADES], |step| step.gradients.0);
            let most = counts.iter().copied().max().unwrap_or(1).max(1);
            let bar = |(i, n): (usize, u32)| {
                let (e, height) = (Step::LOWEST + i as i32 + shift, f64::from(n) / f64::from(most) * 100.0);
                (n > 0).then(|| {
                    view! {
                        <rect
                            class=fate(format, e)
                            x=percent(at(e))
                            width=percent(at(e + 1) - at(e) - 0.2)
                            y=percent(100.0 - height)
                            height=percent(height)
                        />
                    }
                })
            };
            counts.into_iter().enumerate().filter_map(bar).collect_view()
        })
    };
    let ticks = (RANGE.0..=RANGE.1).step_by(8).enumerate().map(|(i, e)| {
        view! { <text class:odd=i % 2 == 1 x=percent(at(e)) y="100%" dy="17" text-anchor="middle">{format!("2{}", superscript(e.into()))}</text> }
    });
    let range = move || {
        let format = params.with(|p| p.compute.held());
        let [from, normal, to] = [format.min_positive(), format.min_normal(), format.max()].map(exponent);
        let width = |a: i32, b: i32| percent((at(b) - at(a)).max(0.0));
        view! {
            <rect class="subnormal" x=percent(at(from)) width=width(from, normal) y="4" height="14" />
            <rect class="normal" x=percent(at(normal)) width=width(normal, to + 1) y="4" height="14" />
            <text x="4" y="15">{format.name}</text>
        }
    };
    let label = move || params.with(|p| shown.with(|s| p.finding(s)));
    view! {
        <ul class="legend">
            <li><span class="swatch normal"></span>"held"</li>
            <li><span class="swatch subnormal"></span>"held as subnormal, with fewer bits"</li>
            <li><span class="swatch zero"></span>"becomes zero"</li>
            <li><span class="swatch over"></span>"overflows"</li>
        </ul>
        <svg class="gradients" role="img" aria-label=label>
            {bars}
            <line class="floor" y1="100%" y2="100%" x2="100%" />
            <g class="ticks">{ticks.collect_view()}</g>
        </svg>
        <svg class="range" aria-hidden="true">{range}</svg>
        <p class="fine">
            {move || params.with(|p| format!("Across: the magnitude of the weights’ gradients of the fp32 run at step {}, times the loss scale. The strip is the range of the format, paler where numbers are subnormal.", p.at() + 1))}
        </p>
    }
    .into_any()
}

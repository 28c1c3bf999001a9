//! Spacing against magnitude, the course of a sum, and gradients by exponent.

use leptos::prelude::*;
use ringside_core::float::bits::{HIGHEST, LOWEST, Params, Shown, superscript, written};
use ringside_core::float::{Format, exponent, power_of_two};
use ringside_core::quantity::grouped;
use ringside_drawing::scale::percent;

use crate::ui::plot::{self, Axes, Axis};

/// Powers of ten from one exponent to another, with a tick at every third.
fn tens(from: i32, to: i32) -> Axis {
    let value = |e: i32| power_of_ten(e);
    let ticks = (from..=to).filter(|e| e % 4 == 0).map(|e| (value(e), format!("10{}", superscript(e.into()))));
    Axis::new((value(from), value(to)), ticks)
}

fn power_of_ten(e: i32) -> f64 {
    10_f64.powi(e)
}

/// The names of the two formats, each in its colour.
fn legend(params: Memo<Params>) -> impl IntoView {
    let name = move |i: usize| move || params.with(|p| p.formats[i].name);
    view! {
        <ul class="legend">
            <li><span class="swatch first"></span>{name(0)}</li>
            <li><span class="swatch second"></span>{name(1)}</li>
        </ul>
    }
}

/// Magnitudes that are drawn, as powers of ten.
const ACROSS: (i32, i32) = (-12, 12);

/// Spacing against magnitude: a staircase for each format, from its smallest value to its largest.
pub(super) fn spacing(params: Memo<Params>) -> AnyView {
    let axes = Axes { across: tens(ACROSS.0, ACROSS.1), up: tens(-20, 12) };
    let inside = |(x, _): &(f64, f64)| (power_of_ten(ACROSS.0)..=power_of_ten(ACROSS.1)).contains(x);
    let curves = [("first", 0), ("second", 1)].map(|(class, i)| {
        let axes = axes.clone();
        let path = Signal::derive(move || {
            axes.curve(Params::spacings(params.with(|p| p.formats[i])).into_iter().filter(inside))
        });
        (class, path)
    });
    let label = Signal::derive(move || {
        params.with(|p| format!("Spacing against magnitude, of {} and {}.", p.formats[0].name, p.formats[1].name))
    });
    let none = Signal::derive(Vec::new);
    let marks = Signal::derive(Vec::new);
    view! {
        {legend(params)}
        {plot::view(axes, curves.to_vec(), none, marks, label)}
        <p class="fine">"Across: magnitude. Up: the distance between neighbours there. A curve begins and ends where its format does."</p>
    }
    .into_any()
}

/// The course of a sum: both formats and the exact one.
pub(super) fn sum(params: Memo<Params>, shown: Memo<Shown>) -> AnyView {
    let range = Memo::new(move |_| {
        shown.with(|s| {
            let values = s.sums.iter().flat_map(|c| c.points.iter().map(|p| p.1).chain([c.exact]));
            let (low, high) =
                values.filter(|v| v.is_finite()).fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
            let room = ((high - low) * 0.06).max(f64::MIN_POSITIVE);
            (low - room, high + room)
        })
    });
    let up = move |value: f64| {
        let (low, high) = range.get();
        100.0 - (value.clamp(low, high) - low) / (high - low) * 100.0
    };
    let steps = Memo::new(move |_| params.with(|p| p.steps));
    let path = move |i: usize| {
        move || {
            shown.with(|s| {
                let point = |(step, value): &(u32, f64)| {
                    format!("{:.2},{:.2} ", f64::from(*step) / f64::from(steps.get()) * 100.0, up(*value))
                };
                s.sums[i].points.iter().filter(|(_, v)| v.is_finite()).map(point).collect::<String>()
            })
        }
    };
    let exact = move || {
        shown.with(|s| {
            let start = s.sums[0].points.first().map_or(0.0, |p| p.1);
            format!("0,{:.2} 100,{:.2}", up(start), up(s.sums[0].exact))
        })
    };
    let ticks = move || {
        let (low, high) = range.get();
        let tick = |part: f64| {
            let (value, y) = (low + part * (high - low), percent(100.0 - part * 100.0));
            view! {
                <line y1=y.clone() y2=y.clone() x2="100%" />
                <text dx="-8" y=y dy=".35em" text-anchor="end">{written_short(value)}</text>
            }
        };
        [0.0, 0.25, 0.5, 0.75, 1.0].map(tick).into_iter().collect_view()
    };
    let label = move || params.with(|p| shown.with(|s| p.finding(s)));
    view! {
        <ul class="legend">
            <li><span class="swatch first"></span>{move || params.with(|p| p.formats[0].name)}</li>
            <li><span class="swatch second"></span>{move || params.with(|p| p.formats[1].name)}</li>
            <li><span class="swatch exact"></span>"exact"</li>
        </ul>
        <svg class="course" role="img" aria-label=label>
            <g class="ticks">{ticks}</g>
            <svg viewBox="0 0 100 100" preserveAspectRatio="none">
                <polyline class="exact" points=exact />
                <polyline class="first" points=path(0) />
                <polyline class="second" points=path(1) />
            </svg>
            <text y="100%" dy="18">"0"</text>
            <text x="100%" y="100%" dy="18" text-anchor="end">{move || format!("{} steps", grouped(steps.get().into()))}</text>
        </svg>
    }
    .into_any()
}

/// A number for an axis.
fn written_short(value: f64) -> String {
    ringside_core::quantity::significant(value, 5).replace('-', "−")
}

/// What becomes of a gradient of this exponent.
fn fate(format: Format, e: i32) -> &'static str {
    let middle = power_of_two(e) * 1.4;
    match format.nearest(middle) {
        0.0 => "zero",
        held if !held.is_finite() || middle > format.max() => "over",
        held if held < format.min_normal() => "subnormal",
        _ => "normal",
    }
}

/// Where an exponent lies, in percent of the width.
fn at(e: i32) -> f64 {
    f64::from(e.clamp(LOWEST, HIGHEST) - LOWEST) / f64::from(HIGHEST - LOWEST) * 100.0
}

/// Gradients by exponent, and under them the ranges of the two formats.
pub(super) fn gradients(params: Memo<Params>, shown: Memo<Shown>) -> AnyView {
    let bars = move || {
        let format = params.with(|p| p.formats[0]);
        shown.with(|s| {
            let most = s.gradients.iter().copied().max().unwrap_or(1).max(1);
            let bar = |(i, n): (usize, &u32)| {
                let (e, height) = (LOWEST + i as i32, f64::from(*n) / f64::from(most) * 100.0);
                view! {
                    <rect
                        class=fate(format, e)
                        x=percent(at(e))
                        width=percent(at(e + 1) - at(e) - 0.15)
                        y=percent(100.0 - height)
                        height=percent(height)
                    />
                }
            };
            s.gradients.iter().enumerate().map(bar).collect_view()
        })
    };
    let ticks = (LOWEST..=HIGHEST).step_by(8).map(|e| {
        let odd = (e - LOWEST) % 16 != 0;
        view! { <text class:odd=odd x=percent(at(e)) y="100%" dy="17" text-anchor="middle">{format!("2{}", superscript(e.into()))}</text> }
    });
    let range = move |i: usize| {
        move || {
            let format = params.with(|p| p.formats[i]);
            let [from, normal, to] = [format.min_positive(), format.min_normal(), format.max()].map(exponent);
            let width = |a: i32, b: i32| percent((at(b) - at(a)).max(0.0));
            view! {
                <rect class="normal" x=percent(at(normal)) width=width(normal, to + 1) y="4" height="14" />
                <rect class="subnormal" x=percent(at(from)) width=width(from, normal) y="4" height="14" />
                <text x="4" y="15">{format.name}</text>
            }
        }
    };
    let label = move || params.with(|p| shown.with(|s| p.finding(s)));
    let name = move || params.with(|p| p.formats[0].name);
    view! {
        <ul class="legend">
            <li><span class="swatch normal"></span>"held by "{name}</li>
            <li><span class="swatch subnormal"></span>"held as subnormal, with fewer bits"</li>
            <li><span class="swatch zero"></span>"becomes zero"</li>
            <li><span class="swatch over"></span>"overflows"</li>
        </ul>
        <svg class="gradients" role="img" aria-label=label>
            {bars}
            <line class="floor" y1="100%" y2="100%" x2="100%" />
            <g class="ticks">{ticks.collect_view()}</g>
        </svg>
        <svg class="range" aria-hidden="true">{range(0)}</svg>
        <svg class="range" aria-hidden="true">{range(1)}</svg>
        <p class="fine">
            "Across: the magnitude of a gradient times the loss scale. The strips are the ranges of the formats, paler where numbers are subnormal. "
            {move || params.with(|p| format!("The median gradient is {} before scaling.", written(power_of_two(p.median as i32))))}
        </p>
    }
    .into_any()
}

//! Delayed scaling over steps, the losses of training, and errors of sums.

use leptos::prelude::*;
use ringside_core::float::bits::superscript;
use ringside_core::loss_scaling::network::Run;
use ringside_core::quantity::{Unit, grouped, number};
use ringside_core::quantization::{Params, Shown};
use ringside_drawing::scale::{Linear, percent};
use ringside_drawing::ticks;

use crate::ui::plot::{self, Axes, Axis};

fn label(params: Memo<Params>, shown: Memo<Shown>) -> impl Fn() -> String + Copy + Send + Sync + 'static {
    move || params.with(|p| shown.with(|s| p.finding(s)))
}

/// The largest value of each step, and the room that its scale leaves.
pub(super) fn delayed(params: Memo<Params>, shown: Memo<Shown>) -> AnyView {
    let drawing = move || {
        shown.with(|s| {
            let most = s.delayed.iter().flat_map(|d| [d.amax, d.room]).fold(0.0, f64::max);
            let scale = Linear::to(most * 1.05);
            let width = 100.0 / s.delayed.len().max(1) as f64;
            let step = |(i, d): (usize, &ringside_core::quantization::DelayedStep)| {
                let x = i as f64 * width;
                let (amax, room) = (scale.percent(d.amax), scale.percent(d.room));
                let class = if d.saturated > 0.0 { "amax over" } else { "amax" };
                view! {
                    <rect class=class x=percent(x + width * 0.15) width=percent(width * 0.7) y=percent(100.0 - amax) height=percent(amax) />
                    <line class="room" x1=percent(x) x2=percent(x + width) y1=percent(100.0 - room) y2=percent(100.0 - room) />
                }
            };
            view! {
                <g class="ticks" inner_html=ticks::up(&ticks::ticks(scale, number))></g>
                {s.delayed.iter().enumerate().map(step).collect_view()}
                <text y="100%" dy="18">"step 1"</text>
                <text x="100%" y="100%" dy="18" text-anchor="end">{s.delayed.len().to_string()}</text>
            }
        })
    };
    view! {
        <ul class="legend">
            <li><span class="swatch amax"></span>"largest value of the step"</li>
            <li><span class="swatch over"></span>"with values that saturate"</li>
            <li><span class="swatch room"></span>"room that the scale leaves"</li>
        </ul>
        <svg class="bars" role="img" aria-label=label(params, shown)>{drawing}</svg>
    }
    .into_any()
}

/// The loss of the run without rounding, then of the one with it; and the loss of rounding in between.
pub(super) fn training(params: Memo<Params>, shown: Memo<Shown>) -> AnyView {
    let drawing = move || {
        shown.with(|s| {
            let t = &s.trained;
            let steps = (t.float.steps.len() + t.aware.steps.len()).max(2);
            let losses = |run: &Run| run.steps.iter().map(|s| s.loss).collect::<Vec<_>>();
            let (float, aware) = (losses(&t.float), losses(&t.aware));
            let most = float.iter().chain(&aware).copied().fold(t.rounded, f64::max);
            let scale = Linear::to(most * 1.05);
            let x = |i: usize| i as f64 / (steps - 1) as f64 * 100.0;
            let y = |loss: f64| 100.0 - scale.percent(loss);
            let path = |from: usize, losses: &[f64]| {
                losses.iter().enumerate().map(|(i, l)| format!("{:.2},{:.2} ", x(from + i), y(*l))).collect::<String>()
            };
            let turn = x(float.len().saturating_sub(1));
            view! {
                <g class="ticks" inner_html=ticks::up(&ticks::ticks(scale, |v| format!("{v:.1}")))></g>
                <svg viewBox="0 0 100 100" preserveAspectRatio="none">
                    <polyline class="float" points=path(0, &float) />
                    <polyline class="aware" points=path(float.len(), &aware) />
                </svg>
                <line class="turn" x1=percent(turn) x2=percent(turn) y2="100%" />
                <circle cx=percent(turn) cy=percent(y(t.rounded)) r="6" />
                <text class="mark" x=percent(turn) y=percent(y(t.rounded)) dx="-12" dy=".35em" text-anchor="end">
                    {format!("rounded here: {}", number(t.rounded))}
                </text>
                <text y="100%" dy="18">"step 1"</text>
                <text x="100%" y="100%" dy="18" text-anchor="end">{steps.to_string()}</text>
            }
        })
    };
    view! {
        <ul class="legend">
            <li><span class="swatch float"></span>"loss without rounding"</li>
            <li><span class="swatch aware"></span>"with the weights rounded in the forward pass"</li>
        </ul>
        <svg class="bars" role="img" aria-label=label(params, shown)>{drawing}</svg>
    }
    .into_any()
}

/// Errors of a sum over its length.
pub(super) fn accumulate(params: Memo<Params>, shown: Memo<Shown>) -> AnyView {
    let across = (5..=13).map(|p| 1_u32 << p).map(|k| (f64::from(k), grouped(u64::from(k))));
    let up = (-4..=-1).map(|e| (10_f64.powi(e * 2), format!("10{}", superscript((e * 2).into()))));
    let axes = Axes { across: Axis::new((32.0, 8192.0), across), up: Axis::new((1e-9, 1e-1), up) };
    let curves = [("raw", 0), ("promoted", 1), ("full", 2)].map(|(class, i)| {
        let axes = axes.clone();
        let points = move || shown.with(|s| axes.curve(s.sums.iter().map(|(k, errors)| (f64::from(*k), errors[i]))));
        (class, Signal::derive(points))
    });
    let marks = Signal::derive(move || {
        let last = shown.with(|s| s.sums.last().copied());
        let mark = |(k, errors): (u32, [f64; 3])| plot::Mark {
            at: (f64::from(k), errors[0]),
            text: Unit::Fraction.format(errors[0]),
            under: false,
        };
        last.map(mark).into_iter().collect()
    });
    let none = Signal::derive(Vec::new);
    view! {
        <ul class="legend">
            <li><span class="swatch raw"></span>"as the accumulator adds"</li>
            <li><span class="swatch promoted"></span>"added to fp32 every 128 products"</li>
            <li><span class="swatch full"></span>"in fp32"</li>
        </ul>
        {plot::view(axes, curves.to_vec(), none, marks, Signal::derive(label(params, shown)))}
        <p class="fine">"Across: products added. Up: relative error of the sum. Products of random fp8 numbers from 0 to 1."</p>
    }
    .into_any()
}

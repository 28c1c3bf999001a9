//! The course of a step on the fullest GPU: up through the forward pass, down through the backward pass.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::memory::activations::{Activations, Point};
use ringside_core::quantity::bytes_decimal;
use ringside_drawing::scale::{Linear, percent};

use super::Shown;
use crate::ui::ticks::{self, Tick};

/// Most points of an outline.
const MOST: usize = 400;

/// One drawing: two areas and the peak.
#[derive(Clone, PartialEq, Default)]
struct Course {
    ticks: Vec<Tick>,
    /// Height of what the other micro-batches in flight keep all the while, in percent.
    others: f64,
    forward: String,
    backward: String,
    /// Where the peak is, in percent from the left and from the top.
    peak: (f64, f64),
    name: String,
}

impl Course {
    fn of(a: &Activations) -> Self {
        let curve = a.curve();
        let peak = a.peak().0;
        let scale = Linear::to(peak * 1.08);
        let last = curve.len().saturating_sub(1).max(1) as f64;
        let at = |i: usize, p: &Point| (i as f64 / last * 100.0, 100.0 - scale.percent(p.bytes.0));
        let top = curve.iter().position(|p| p.bytes.0 >= peak * (1.0 - 1e-12)).unwrap_or_default();
        let step = curve.len().div_ceil(MOST).max(1);
        let outline = |backward: bool| {
            let mut points: Vec<(f64, f64)> = curve
                .iter()
                .enumerate()
                .filter(|(i, p)| p.backward == backward && (i.is_multiple_of(step) || *i == top))
                .map(|(i, p)| at(i, p))
                .collect();
            // The forward pass ends where the backward pass begins.
            let meet = curve.iter().position(|p| p.backward).map(|i| (i, i.saturating_sub(1)));
            if let Some((first, before)) = meet {
                let edge = |i: usize| curve.get(i).map(|p| at(i, p));
                let corner = edge(first).map(|(x, _)| x).zip(edge(before).map(|(_, y)| y));
                match backward {
                    true => points.splice(0..0, corner.into_iter().chain(edge(first))).for_each(drop),
                    false => points.extend(corner),
                }
            }
            let (from, to) = (
                points.first().map_or(0.0, |p| p.0),
                if backward { 100.0 } else { points.last().map_or(0.0, |p| p.0) },
            );
            let mut text = format!("{from:.2},100 ");
            for (x, y) in points {
                let _ = write!(text, "{x:.2},{y:.2} ");
            }
            let _ = write!(text, "{to:.2},100");
            text
        };
        Self {
            ticks: ticks::ticks(scale, bytes_decimal),
            others: scale.percent(a.others().0),
            forward: outline(false),
            backward: outline(true),
            peak: curve.get(top).map_or((0.0, 0.0), |p| at(top, p)),
            name: format!("peak {}", bytes_decimal(peak)),
        }
    }
}

/// The drawing and why the peak is where it is.
pub(super) fn view(shown: Shown) -> AnyView {
    let course = Memo::new(move |_| shown.with(Course::of));
    let ticks = Memo::new(move |_| course.with(|c| c.ticks.clone()));
    let others = move || course.with(|c| c.others);
    let x = move || course.with(|c| percent(c.peak.0));
    let y = move || course.with(|c| percent(c.peak.1));
    let right = move || course.with(|c| c.peak.0 < 60.0);
    let why = move || shown.with(Activations::why_peak);
    view! {
        <svg class="course" aria-hidden="true">
            {ticks::up(ticks)}
            <svg viewBox="0 0 100 100" preserveAspectRatio="none">
                <polygon class="forward" points=move || course.with(|c| c.forward.clone()) />
                <polygon class="backward" points=move || course.with(|c| c.backward.clone()) />
                <rect
                    class="others"
                    width="100"
                    y=move || (100.0 - others()).to_string()
                    height=move || others().to_string()
                />
            </svg>
            <circle cx=x cy=y r="5" />
            <text
                class="label"
                x=x
                y=y
                dx=move || if right() { "10" } else { "-10" }
                dy="-8"
                text-anchor=move || if right() { "start" } else { "end" }
            >
                {move || course.with(|c| c.name.clone())}
            </text>
        </svg>
        <p class="fine course-key">
            <i class="swatch forward" aria-hidden="true"></i>
            "forward, layer by layer "
            <i class="swatch backward" aria-hidden="true"></i>
            "backward, in the opposite order "
            <span class:nowhere=move || others() == 0.0>
                <i class="swatch others" aria-hidden="true"></i>
                "kept for other micro-batches in flight"
            </span>
        </p>
        <p class="why-peak">{why}</p>
    }
    .into_any()
}

//! The memory of a rank over the events, with a cursor, and the bytes that it has sent.

use std::fmt::Write as _;

use leptos::ev::MouseEvent;
use leptos::html;
use leptos::prelude::*;
use ringside_core::quantity::bytes_decimal;
use ringside_core::zero::{Pass, Run};
use ringside_drawing::scale::{Linear, percent};

use super::Shown;
use super::board::{STACK, stacked};
use crate::ui::ticks::{self, Tick};

/// What is drawn.
#[derive(Debug, Clone, PartialEq, Default)]
struct Course {
    /// Columns: one before the first event, one for each.
    columns: usize,
    ticks: Vec<Tick>,
    /// The outline of each part, on those below it.
    areas: [String; 5],
    /// Where the peak is, in percent from the left and from the top, and what it comes to.
    peak: (f64, f64),
    name: String,
    passes: Vec<(&'static str, &'static str, f64)>,
}

impl Course {
    fn of(run: &Run) -> Self {
        let columns = run.marks.len();
        let peak = run.peak();
        let most = run.mark(peak).memory.total();
        let scale = Linear::to(most * 1.15);
        let height = |bytes: f64| 100.0 - scale.percent(bytes);
        let areas = std::array::from_fn(|part| {
            let edge = |i: usize, parts: usize| height(stacked(&run.mark(i).memory).iter().take(parts).sum());
            let mut path = String::new();
            // Writing to a string does not fail.
            let _ = write!(path, "M0 {:.2}", edge(0, part));
            (0..columns).for_each(|i| {
                let _ = write!(path, "V{:.2}H{}", edge(i, part + 1), i + 1);
            });
            (0..columns).rev().for_each(|i| {
                let _ = write!(path, "V{:.2}H{i}", edge(i, part));
            });
            path + "z"
        });
        let across = Linear::to(columns as f64);
        let mut passes: Vec<(Pass, usize, usize)> = Vec::new();
        for event in &run.events {
            match passes.last_mut() {
                Some((pass, micro, events)) if (*pass, *micro) == (event.pass, event.micro) => *events += 1,
                _ => passes.push((event.pass, event.micro, 1)),
            }
        }
        Self {
            columns,
            ticks: ticks::ticks(scale, bytes_decimal),
            areas,
            peak: (across.percent(peak as f64 + 0.5), height(most)),
            name: format!("peak {}", super::bytes(most)),
            passes: passes
                .into_iter()
                .map(|(pass, _, events)| (pass.label(), pass_class(pass), across.percent(events as f64)))
                .collect(),
        }
    }
}

fn pass_class(pass: Pass) -> &'static str {
    match pass {
        Pass::Forward => "forward",
        Pass::Backward => "backward",
        Pass::Update => "update",
    }
}

/// The curve, which goes to where it is clicked, and the meter.
pub(super) fn view(shown: Shown, set: Callback<usize>) -> AnyView {
    let course = Memo::new(move |_| shown.run.with(Course::of));
    let ticks = Memo::new(move |_| course.with(|c| c.ticks.clone()));
    let areas = STACK.into_iter().enumerate().map(|(i, (_, class))| {
        view! { <path class=format!("part {class}") d=move || course.with(|c| c.areas[i].clone()) /> }
    });
    let size = move || course.with(|c| format!("0 0 {} 100", c.columns.max(1)));
    let cursor = move || format!("M{} 0h1v100h-1z", shown.step.get());
    let (x, y) = (move || course.with(|c| percent(c.peak.0)), move || course.with(|c| percent(c.peak.1)));
    let right = move || course.with(|c| c.peak.0 < 60.0);
    let node = NodeRef::<html::Div>::new();
    let go = move |event: MouseEvent| {
        if let Some(node) = node.get_untracked() {
            let place = node.get_bounding_client_rect();
            let part = (f64::from(event.client_x()) - place.left()) / place.width().max(1.0);
            set.run((part * course.with_untracked(|c| c.columns) as f64).max(0.0) as usize);
        }
    };
    let passes = move || {
        course.with(|c| {
            let strip = |(label, class, wide): &(&'static str, &'static str, f64)| {
                view! { <span class=*class style:width=percent(*wide)>{*label}</span> }
            };
            c.passes.iter().map(strip).collect_view()
        })
    };
    view! {
        <p class="side-title">"Memory per rank, event by event"</p>
        <div class="memory" node_ref=node on:click=go>
            <svg class="memory-axis" aria-hidden="true">
                {ticks::up(ticks)}
                <svg viewBox=size preserveAspectRatio="none">
                    {areas.collect_view()}
                    <path class="cursor" d=cursor />
                </svg>
                <circle cx=x cy=y r="4" />
                <text
                    class="label"
                    x=x
                    y=y
                    dx=move || if right() { "8" } else { "-8" }
                    dy="-6"
                    text-anchor=move || if right() { "start" } else { "end" }
                >
                    {move || course.with(|c| c.name.clone())}
                </text>
            </svg>
            <div class="passes" aria-hidden="true">{passes}</div>
        </div>
        {meter(shown)}
    }
    .into_any()
}

/// How much a rank has sent of all that it will send, and what of it nothing could hide.
fn meter(shown: Shown) -> impl IntoView {
    let text = move || {
        shown.run.with(|run| {
            let (now, end) = (run.mark(shown.step.get()), run.mark(run.steps()));
            let bytes = super::bytes;
            format!("{} of {} sent, {} of it exposed", bytes(now.sent), bytes(end.sent), bytes(now.exposed))
        })
    };
    let wide = move |of: fn(&Run, usize) -> f64| {
        shown.run.with(|run| percent(Linear::to(run.mark(run.steps()).sent).percent(of(run, shown.step.get()))))
    };
    view! {
        <div class="meter">
            <span class="side-title">"On the wire, from each rank"</span>
            <span class="wire-bar" aria-hidden="true">
                <i class="sent" style:width=move || wide(|run, step| run.mark(step).sent)></i>
                <i class="exposed" style:width=move || wide(|run, step| run.mark(step).exposed)></i>
            </span>
            <span>{text}</span>
        </div>
    }
}

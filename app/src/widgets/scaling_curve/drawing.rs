//! Speed over GPUs beside a straight line, and under it what a step is made of.

use leptos::prelude::*;
use ringside_core::quantity::{Unit, grouped, number};
use ringside_core::scaling::{Curve, MAX_GPUS, Step};
use ringside_drawing::scale::percent;

use super::Shown;
use crate::ui::plot::{self, Axes, Axis, Mark, Rule};

/// The parts of a step, from the bottom: class and name. The first is work, the others are [`Step::waits`].
const PARTS: [(&str, &str); 5] = [
    ("work", "Work"),
    ("idle", "No sequence left"),
    ("communication", "Exposed communication"),
    ("bubble", "Bubble"),
    ("straggle", "Wait for the slowest"),
];

fn axes() -> Axes {
    let max = MAX_GPUS as f64;
    let ticks = || (0..=14).step_by(2).map(|power| 2_f64.powi(power)).map(|n| (n, grouped(n as u64)));
    Axes { across: Axis::new((1.0, max), ticks()), up: Axis::new((1.0, max), ticks()) }
}

/// One step as parts of a whole, the lowest first.
fn parts(step: &Step) -> [f64; 5] {
    let [idle, communication, bubble, straggle] = step.waits();
    [step.compute, idle, communication, bubble, straggle].map(|part| part / step.time() * 100.0)
}

pub(super) fn view(shown: Shown) -> AnyView {
    let axes_of = StoredValue::new(axes());
    let path = move |points: fn(&Curve) -> Vec<(f64, f64)>| {
        Signal::from(Memo::new(move |_| axes_of.with_value(|axes| shown.with(|c| axes.curve(points(c))))))
    };
    let curves = vec![
        ("linear", path(|_| vec![(1.0, 1.0), (MAX_GPUS as f64, MAX_GPUS as f64)])),
        ("speed", path(|c| c.steps.iter().map(|s| (s.gpus as f64, s.speedup())).collect())),
    ];
    let rules = Signal::derive(move || {
        shown.with(|c| {
            let half = Some(c.half()).filter(|at| *at > 1.0 && *at < MAX_GPUS as f64);
            let text = |at: f64| format!("half of the time at work: up to {}", grouped(at as u64));
            half.map(|at| Rule { class: "half", at, text: text(at), row: 0 }).into_iter().collect()
        })
    });
    let marks = Signal::derive(move || {
        shown.with(|c| {
            let gpus = if c.here.gpus == 1 { "GPU" } else { "GPUs" };
            let text = format!("{} {gpus}, {}×", grouped(c.here.gpus), number(c.here.speedup()));
            vec![Mark { at: (c.here.gpus as f64, c.here.speedup()), text, under: true }]
        })
    });
    let label = Signal::derive(move || {
        shown.with(|c| {
            let points = c.steps.iter().step_by(2).map(|s| format!("{} on {}", number(s.speedup()), grouped(s.gpus)));
            format!("Speed as a multiple of one GPU: {}.", points.collect::<Vec<_>>().join(", "))
        })
    });
    view! {
        <div class="scaling">
            <p class="plot-title">"Times as fast as one GPU" <span>", over GPUs; the thin line is as many times as GPUs"</span></p>
            {axes_of.with_value(|axes| plot::view(axes.clone(), curves, rules, marks, label))}
            <p class="plot-title">"What a step is made of"</p>
            <ul class="legend">{PARTS.map(|(class, name)| legend(shown, class, name)).into_iter().collect_view()}</ul>
            {bars(shown)}
        </div>
    }
    .into_any()
}

fn legend(shown: Shown, class: &'static str, name: &'static str) -> impl IntoView {
    let index = PARTS.iter().position(|(c, _)| *c == class).unwrap_or_default();
    let share =
        move || shown.with(|c| Unit::Fraction.format(parts(&c.here).get(index).copied().unwrap_or_default() / 100.0));
    view! { <li><i class=format!("swatch {class}") aria-hidden="true"></i>{name} " " <b>{share}</b></li> }
}

/// A column for each doubling, all of one height: the step on that many GPUs.
fn bars(shown: Shown) -> impl IntoView {
    let label = move || {
        shown.with(|c| {
            let work = c
                .steps
                .iter()
                .map(|s| format!("{} of it on {}", Unit::Fraction.format(s.efficiency()), grouped(s.gpus)));
            format!("How much of a step is work: {}.", work.collect::<Vec<_>>().join(", "))
        })
    };
    let paths = PARTS.iter().enumerate().map(|(part, (class, _))| {
        let path = Memo::new(move |_| shown.with(|c| columns(&c.steps, part)));
        view! { <path class=*class d=path /> }
    });
    let names = Memo::new(move |_| shown.with(|c| (c.here.gpus, c.steps.iter().map(|s| s.gpus).collect::<Vec<_>>())));
    let names = move || {
        let (here, all) = names.get();
        let middle = |i: usize| percent((i as f64 + 0.5) / all.len().max(1) as f64 * 100.0);
        let name = |(i, gpus): (usize, &u64)| {
            let class = if *gpus == here { "here" } else { "" };
            view! {
                <text class:odd=i % 2 == 1 class=class x=middle(i) y="100%" dy="18" text-anchor="middle">{short(*gpus)}</text>
            }
        };
        all.iter().enumerate().map(name).collect_view()
    };
    view! {
        <svg class="step-parts" role="img" aria-label=label>
            <svg viewBox="0 0 100 100" preserveAspectRatio="none">{paths.collect_view()}</svg>
            {names}
        </svg>
    }
}

/// One part of every step as rectangles on what is below it, in a box of 100 by 100.
fn columns(steps: &[Step], part: usize) -> String {
    let width = 100.0 / steps.len().max(1) as f64;
    let rectangle = |(i, step): (usize, &Step)| {
        let all = parts(step);
        let height = all.get(part).copied().unwrap_or_default();
        let top = 100.0 - all.iter().take(part + 1).sum::<f64>();
        let (left, wide) = ((i as f64 + 0.08) * width, 0.84 * width);
        format!("M{left:.3} {top:.3}h{wide:.3}v{height:.3}h-{wide:.3}z")
    };
    steps.iter().enumerate().map(rectangle).collect()
}

/// 16384 as 16k: there is little room under a column.
fn short(gpus: u64) -> String {
    if gpus >= 1024 && gpus.is_multiple_of(1024) { format!("{}k", gpus / 1024) } else { gpus.to_string() }
}

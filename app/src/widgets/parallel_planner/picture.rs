//! Step time against memory: every layout, those that nothing beats, and the memory that there is.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::decimal;
use ringside_core::planner::found::{CELLS, FULLEST, Found, Run, SLOWEST, place};
use ringside_core::planner::words;
use ringside_core::quantity::{Unit, bytes_decimal};
use ringside_drawing::scale::{Linear, percent};
use web_sys::PointerEvent;

use super::Shown;
use crate::ui::dom;
use crate::ui::ticks::{self, Tick};
use crate::ui::unique_id;

/// Step times that have a line, in those of the fastest layout.
const TIMES: [f64; 5] = [1.0, 1.5, 2.0, 4.0, 8.0];

/// The picture, in percent of its width and height; the cloud in cells.
#[derive(Clone, PartialEq, Default)]
struct Picture {
    cloud: String,
    line: String,
    points: Vec<(f64, f64)>,
    /// The points as lines of hardly any length: round ends make dots of them, however the picture is stretched.
    dots: String,
    best: Option<(f64, f64)>,
    ticks: Vec<Tick>,
    times: Vec<(f64, String)>,
    capacity: String,
}

impl Picture {
    fn of(found: &Found) -> Self {
        let Some(job) = &found.job else { return Self::default() };
        let capacity = job.cluster.gpu.memory.0;
        let fastest = found.front.first().map_or(1.0, |l| l.step);
        let at = |step: f64, memory: f64| {
            let (up, across) = place((step, memory), fastest, capacity);
            (100.0 * across, 100.0 * (1.0 - up))
        };
        let mut cloud = String::new();
        for Run { up, across, cells } in &found.cloud {
            let down = CELLS.1.saturating_sub(up + 1);
            let _ = write!(cloud, "M{across} {down}h{cells}v1h-{cells}z");
        }
        let points: Vec<(f64, f64)> = found.front.iter().map(|l| at(l.step, l.memory)).collect();
        let (mut line, mut dots) = (String::new(), String::new());
        for (x, y) in points.iter().filter(|point| seen(point)) {
            let _ = write!(dots, "M{x:.2} {y:.2}h.01");
        }
        for (i, (x, y)) in points.iter().enumerate() {
            let _ = match i {
                0 => write!(line, "M{x:.2} {y:.2}"),
                _ => write!(line, "V{y:.2}H{x:.2}"),
            };
        }
        let scale = Linear::to(FULLEST * capacity);
        Self {
            cloud,
            line,
            points,
            dots,
            best: found.best.map(|l| at(l.step, l.memory)),
            ticks: ticks::ticks(scale, bytes_decimal),
            times: TIMES.map(|t| (at(t * fastest, 0.0).1, Unit::Seconds.format(t * fastest))).to_vec(),
            capacity: bytes_decimal(capacity),
        }
    }
}

/// Whether a point is on the picture.
fn seen((x, y): &(f64, f64)) -> bool {
    (0.0..=100.0).contains(x) && (0.0..=100.0).contains(y)
}

/// The picture and the slider along its front.
pub(super) fn view(shown: Shown) -> AnyView {
    let picture = Memo::new(move |_| shown.hunt.found().with(|found| Picture::of(found)));
    let ticks = Memo::new(move |_| picture.with(|p| p.ticks.clone()));
    let times = std::array::from_fn::<_, { TIMES.len() }, _>(|i| {
        let y = move || picture.with(|p| percent(p.times.get(i).map_or(0.0, |t| t.0)));
        let text = move || picture.with(|p| p.times.get(i).map(|t| t.1.clone()).unwrap_or_default());
        view! {
            <g>
                <line y1=y y2=y x2="100%" />
                <text x="-8" y=y dy=".35em" text-anchor="end">{text}</text>
            </g>
        }
    });
    let dots = move || picture.with(|p| p.dots.clone());
    let here = Memo::new(move |_| {
        let cursor = shown.cursor.get();
        picture.with(|p| cursor.and_then(|i| p.points.get(i).copied()).or(p.best).filter(seen))
    });
    let along = move |of: fn((f64, f64)) -> f64| percent(here.get().map_or(0.0, of));
    let point_at = move |event: PointerEvent| {
        let nearest = picture.with_untracked(|p| nearest(&event, &p.points));
        if nearest.is_some() {
            shown.cursor.set(nearest);
        }
    };
    let about = move || {
        shown.hunt.found().with(|found| {
            format!(
                "{} layouts by step time and memory; {} of them, joined by a line, are beaten by no other in both.",
                found.all,
                found.front.len()
            )
        })
    };
    let line = move || picture.with(|p| p.line.clone());
    let capacity = percent(100.0 / FULLEST);
    view! {
        <div class="pareto-frame">
            <p class="pareto-axis" aria-hidden="true">
                "Step time, up to "
                {SLOWEST}
                " times the fastest ↑ · tensors on the fullest GPU →"
            </p>
            <svg class="pareto" role="img" aria-label=about on:pointermove=point_at on:pointerdown=point_at>
                <rect class="full" x=capacity.clone() width=percent(100.0 - 100.0 / FULLEST) height="100%" />
                {ticks::across(ticks)}
                <g class="ticks">{times.into_iter().collect_view()}</g>
                <svg viewBox=format!("0 0 {} {}", CELLS.0, CELLS.1) preserveAspectRatio="none">
                    <path class="cloud" d=move || picture.with(|p| p.cloud.clone()) />
                </svg>
                <svg viewBox="0 0 100 100" preserveAspectRatio="none">
                    <path class="line" d=line />
                </svg>
                <line class="capacity" x1=capacity.clone() x2=capacity.clone() y2="100%" />
                <text class="capacity" x=capacity y="14" dx="8">
                    {move || picture.with(|p| format!("{} is all a GPU has", p.capacity))}
                </text>
                <svg class="front" overflow="visible" viewBox="0 0 100 100" preserveAspectRatio="none">
                    <path class="rim" d=dots />
                    <path d=dots />
                </svg>
                <circle
                    class="here"
                    class:nowhere=move || here.get().is_none()
                    cx=move || along(|at| at.0)
                    cy=move || along(|at| at.1)
                    r="8"
                />
            </svg>
            {slider(shown, picture)}
        </div>
    }
    .into_any()
}

/// The point of the front that is nearest to a pointer, across and down counted alike in pixels.
fn nearest(event: &PointerEvent, points: &[(f64, f64)]) -> Option<usize> {
    let area = dom::closest(event, ".pareto")?.get_bounding_client_rect();
    let (x, y) = (f64::from(event.client_x()) - area.left(), f64::from(event.client_y()) - area.top());
    let near = |(px, py): &(f64, f64)| (px / 100.0 * area.width() - x).hypot(py / 100.0 * area.height() - y);
    let all = points.iter().enumerate().filter(|(_, point)| seen(point));
    all.min_by(|a, b| near(a.1).total_cmp(&near(b.1))).map(|(i, _)| i)
}

/// The slider along the front.
fn slider(shown: Shown, picture: Memo<Picture>) -> impl IntoView {
    let last = move || picture.with(|p| p.points.len().saturating_sub(1));
    let own = Memo::new(move |_| {
        shown.hunt.found().with(|found| found.best.and_then(|best| found.front.iter().position(|l| *l == best)))
    });
    let position = move || shown.cursor.get().or(own.get()).unwrap_or(0).to_string();
    let slide = move |event| {
        if let Some(at) = decimal::parse(&event_target_value(&event)) {
            shown.cursor.set(Some(at as usize));
        }
    };
    let in_words = move || {
        shown.with(|_, layout| {
            format!(
                "{}: {}, {}",
                words::layout(&layout.choice),
                Unit::Seconds.format(layout.step),
                bytes_decimal(layout.memory)
            )
        })
    };
    let id = unique_id("front");
    view! {
        <div class="pareto-slider">
            <label for=id.clone()>"Along the front"</label>
            <input
                type="range"
                id=id
                min="0"
                max=move || last().to_string()
                prop:value=position
                disabled=move || last() == 0
                aria-valuetext=in_words
                on:input=slide
            />
            <span class="fine" aria-hidden="true">"fastest → smallest"</span>
        </div>
    }
}

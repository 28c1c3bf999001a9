//! The viewer: rows that fold, zooming and panning by pointer, wheel, pinch and keys, and looking at events.

use leptos::ev::{KeyboardEvent, PointerEvent, WheelEvent};
use leptos::html;
use leptos::prelude::*;
use ringside_core::quantity::Unit;
use ringside_core::trace::layout::partners;

use super::canvas::{self, Inks, Picture};
use super::{Scene, Shown};
use crate::store::store;
use crate::ui::timeline::{self, Axis};
use crate::ui::unique_id;

/// The height of a lane, what is between two, and the height of a row's label.
pub(super) const LANE: f64 = 15.0;
const BETWEEN: f64 = 1.0;
pub(super) const LABEL: f64 = 17.0;
/// The closest look, in nanoseconds.
const CLOSEST: f64 = 400.0;

/// A line of the drawing: a lane, under the label of its row if it is the first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    /// Its index among the lanes; none for a row that is folded.
    pub lane: Option<usize>,
    /// Which trace and row it belongs to.
    pub of: (usize, u32),
    /// What stands over it; empty for none.
    pub label: String,
    pub y: f64,
}

impl Row {
    /// Where its blocks begin.
    pub fn lane_top(&self) -> f64 {
        self.y + if self.label.is_empty() { 0.0 } else { LABEL }
    }

    fn height(&self) -> f64 {
        let lane = if self.lane.is_some() { LANE + BETWEEN } else { 0.0 };
        lane + if self.label.is_empty() { 0.0 } else { LABEL }
    }
}

/// The lines of the drawing.
fn rows(scene: &Scene, folded: &[(usize, u32)]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut y = 0.0;
    for (i, lane) in scene.lanes.iter().enumerate() {
        let of = (lane.trace, lane.track);
        let first = rows.last().is_none_or(|row| row.of != of);
        let is_folded = folded.contains(&of);
        if is_folded && !first {
            continue;
        }
        let label = if first { label(scene, of, is_folded) } else { String::new() };
        let row = Row { lane: (!is_folded).then_some(i), of, label, y };
        y += row.height();
        rows.push(row);
    }
    rows
}

fn label(scene: &Scene, (trace, track): (usize, u32), folded: bool) -> String {
    let sign = if folded { "▸" } else { "▾" };
    let Some(of) = scene.traces.get(trace) else { return String::new() };
    let rank = of.rank.unwrap_or(trace as u32);
    let name = of.tracks.get(track as usize).map(|t| {
        let name = if t.thread_name.is_empty() { &t.thread } else { &t.thread_name };
        if t.process_name.starts_with("GPU") { format!("GPU, {name}") } else { name.clone() }
    });
    format!("{sign} rank {rank}: {}", name.unwrap_or_default())
}

pub(super) fn view(shown: Shown) -> AnyView {
    let rows = Memo::new(move |_| shown.folded.with(|folded| shown.scene.with(|s| rows(s, folded))));
    let height = Memo::new(move |_| rows.with(|rows| rows.last().map_or(60.0, |row| row.y + row.height()) + 4.0));
    let node = NodeRef::<html::Canvas>::new();
    let frame = NodeRef::<html::Div>::new();
    timeline::follow_width(frame, shown.width);
    // Once a frame, however often something changes before it.
    let waiting = StoredValue::new(false);
    let inks = StoredValue::new(None);
    Effect::new(move |_| {
        store().with(|doc| doc.settings.theme);
        shown.window.track();
        shown.chosen.track();
        shown.search.track();
        shown.width.track();
        rows.track();
        if node.get().is_none() || waiting.get_value() {
            return;
        }
        waiting.set_value(true);
        request_animation_frame(move || {
            if waiting.try_set_value(false).is_some() {
                return;
            }
            let Some(canvas) = node.try_get_untracked().flatten() else { return };
            let before = inks.try_update_value(Option::take).flatten();
            inks.set_value(paint(&canvas, shown, rows, height, before));
        });
    });
    let axis = Memo::new(move |_| {
        let ((from, to), width) = (shown.window.get(), shown.width.get());
        let origin = shown.scene.with(|s| s.extent.0 as f64);
        Axis { from: (from - origin) / 1e9, to: (to - origin) / 1e9, width }
    });
    let label = move || {
        shown.scene.with(|s| {
            let events: usize = s.traces.iter().map(|t| t.spans.len()).sum();
            format!("Trace of {} ranks with {events} events in {} rows", s.traces.len(), s.lanes.len())
        })
    };
    let id = unique_id("trace-search");
    view! {
        <div class="trace">
            <div class="trace-tools">
                <label for=id.clone()>"Search"</label>
                <input
                    type="search"
                    id=id
                    placeholder="a name"
                    prop:value=move || shown.search.get()
                    on:input=move |event| shown.search.set(event_target_value(&event).to_lowercase())
                    on:keydown=move |event| if event.key() == "Enter" { event.prevent_default(); find_next(shown) }
                />
                <button type="button" class="quiet" on:click=move |_| find_next(shown)>"Next"</button>
                <span class="trace-zoom" role="group" aria-label="Zoom">
                    <button type="button" class="quiet" aria-label="Zoom out" on:click=move |_| zoom(shown, 0.5, None)>"−"</button>
                    <button type="button" class="quiet" on:click=move |_| shown.all()>"All"</button>
                    <button type="button" class="quiet" aria-label="Zoom in" on:click=move |_| zoom(shown, 2.0, None)>"+"</button>
                </span>
            </div>
            <div class="trace-scroll">
                <div
                    class="trace-frame"
                    node_ref=frame
                    tabindex="0"
                    role="application"
                    aria-label=label
                    aria-keyshortcuts="W A S D ArrowLeft ArrowRight ArrowUp ArrowDown Enter F 0"
                    style:height=move || format!("{}px", height.get())
                    on:pointerdown=move |event| down(&event, shown, rows)
                    on:pointermove=move |event| drag(&event, shown)
                    on:keydown=move |event| key(&event, shown, rows)
                    on:wheel=move |event| wheel(&event, shown)
                >
                    <canvas node_ref=node aria-hidden="true"></canvas>
                </div>
            </div>
            {timeline::ticks(axis, |t| Unit::Seconds.format(t))}
            {legend()}
        </div>
    }
    .into_any()
}

fn paint(
    canvas: &web_sys::HtmlCanvasElement,
    shown: Shown,
    rows: Memo<Vec<Row>>,
    height: Memo<f64>,
    inks: Option<Inks>,
) -> Option<Inks> {
    shown.scene.with_untracked(|scene| {
        rows.with_untracked(|rows| {
            shown.search.with_untracked(|search| {
                let picture = Picture {
                    scene,
                    rows,
                    window: shown.window.get_untracked(),
                    width: shown.width.get_untracked(),
                    height: height.get_untracked(),
                    chosen: shown.chosen.get_untracked(),
                    search,
                };
                canvas::draw(canvas, &picture, inks)
            })
        })
    })
}

/// What the colours mean.
fn legend() -> impl IntoView {
    let entries = [
        ("computation", "Computation"),
        ("communication", "Communication"),
        ("copies", "Copies"),
        ("operator", "Operators"),
        ("call", "CUDA calls"),
        ("waiting-call", "that wait"),
        ("range", "Ranges"),
    ];
    let entry = |(class, text): (&'static str, &'static str)| {
        view! { <li><i class=format!("swatch {class}") aria-hidden="true"></i>{text}</li> }
    };
    view! { <ul class="trace-legend">{entries.map(entry).into_iter().collect_view()}</ul> }
}

/// Looks `factor` times as closely, with `centre` staying where it is: the middle, unless given.
fn zoom(shown: Shown, factor: f64, centre: Option<f64>) {
    let (from, to) = shown.window.get_untracked();
    let extent = shown.scene.with_untracked(|s| s.extent);
    let whole = (extent.1 - extent.0).max(1) as f64;
    let span = ((to - from) / factor).clamp(CLOSEST.min(whole), whole * 1.05);
    let centre = centre.unwrap_or(from + (to - from) / 2.0);
    let left = centre - (centre - from) * span / (to - from).max(1.0);
    shown.window.set((left, left + span));
}

/// Moves by a part of what is seen.
fn pan(shown: Shown, part: f64) {
    let (from, to) = shown.window.get_untracked();
    let extent = shown.scene.with_untracked(|s| s.extent);
    let span = to - from;
    let left = (from + part * span).clamp(extent.0 as f64 - span * 0.5, extent.1 as f64 - span * 0.5);
    shown.window.set((left, left + span));
}

/// Ctrl and the wheel, or a pinch, zoom; Shift and the wheel, or sideways, move. The wheel alone scrolls the page.
fn wheel(event: &WheelEvent, shown: Shown) {
    let (from, to) = shown.window.get_untracked();
    if event.ctrl_key() {
        event.prevent_default();
        let centre = from + f64::from(event.offset_x()) / shown.width.get_untracked().max(1.0) * (to - from);
        zoom(shown, (-event.delta_y() / 200.0).exp(), Some(centre));
        return;
    }
    let along = if event.shift_key() { event.delta_y() } else { event.delta_x() };
    if along != 0.0 {
        event.prevent_default();
        pan(shown, along / shown.width.get_untracked().max(1.0));
    }
}

/// With the button held, moves what is seen.
fn drag(event: &PointerEvent, shown: Shown) {
    if event.buttons() & 1 == 1 && event.movement_x() != 0 {
        pan(shown, -f64::from(event.movement_x()) / shown.width.get_untracked().max(1.0));
    }
}

/// Folds the row whose label is pressed, or looks at the event under the pointer.
fn down(event: &PointerEvent, shown: Shown, rows: Memo<Vec<Row>>) {
    let (x, y) = (f64::from(event.offset_x()), f64::from(event.offset_y()));
    let row = rows.with_untracked(|rows| rows.iter().rfind(|row| row.y <= y).cloned());
    let Some(row) = row else { return };
    if y < row.lane_top() {
        shown.folded.update(|folded| match folded.iter().position(|of| *of == row.of) {
            Some(at) => drop(folded.remove(at)),
            None => folded.push(row.of),
        });
        return;
    }
    let (from, to) = shown.window.get_untracked();
    let pixel = (to - from) / shown.width.get_untracked().max(1.0);
    let time = (from + x * pixel) as i64;
    let found = shown.scene.with_untracked(|s| {
        let lane = s.lanes.get(row.lane?)?;
        Some((lane.trace, lane.at(s.traces.get(lane.trace)?, time, (3.0 * pixel) as i64)?))
    });
    if let Some(found) = found {
        shown.look_at(found);
    }
}

/// W and S zoom, A and D move, arrows go from event to event and from lane to lane, Enter goes along a flow, F fills the view, 0 shows all.
fn key(event: &KeyboardEvent, shown: Shown, rows: Memo<Vec<Row>>) {
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return;
    }
    match event.key().as_str() {
        "w" | "W" | "+" | "=" => zoom(shown, 1.5, middle_of_chosen(shown)),
        "s" | "S" | "-" => zoom(shown, 1.0 / 1.5, None),
        "a" | "A" => pan(shown, -0.2),
        "d" | "D" => pan(shown, 0.2),
        "0" => shown.all(),
        "Escape" => shown.chosen.set(None),
        "f" | "F" => fill(shown),
        "Enter" => follow(shown),
        key @ ("ArrowLeft" | "ArrowRight") => beside(shown, rows, key == "ArrowRight"),
        key @ ("ArrowUp" | "ArrowDown") => to_lane(shown, rows, key == "ArrowDown"),
        _ => return,
    }
    event.prevent_default();
}

fn middle_of_chosen(shown: Shown) -> Option<f64> {
    let chosen = shown.chosen.get_untracked()?;
    shown.scene.with_untracked(|s| s.span(chosen).map(|(_, s)| (s.start + s.end()) as f64 / 2.0))
}

/// Makes the chosen event as wide as half of the view.
fn fill(shown: Shown) {
    let Some(chosen) = shown.chosen.get_untracked() else { return };
    if let Some((start, length)) =
        shown.scene.with_untracked(|s| s.span(chosen).map(|(_, s)| (s.start as f64, s.length as f64)))
    {
        let span = (2.0 * length).max(CLOSEST);
        let middle = start + length / 2.0;
        shown.window.set((middle - span / 2.0, middle + span / 2.0));
    }
}

/// From a launch to its work, and back.
fn follow(shown: Shown) {
    let Some(chosen) = shown.chosen.get_untracked() else { return };
    let other = shown.scene.with_untracked(|s| partners(s.traces.get(chosen.0)?, chosen.1).first().copied());
    if let Some(other) = other {
        shown.look_at((chosen.0, other));
    }
}

/// The lane of the chosen event, by its place among the rows; the first lane if none is chosen.
fn lane_now(shown: Shown, rows: &[Row], scene: &Scene) -> Option<usize> {
    let drawn = |row: &Row| row.lane.is_some();
    let Some((trace, span)) = shown.chosen.get_untracked() else { return rows.iter().position(drawn) };
    let has = |row: &Row| {
        row.lane.and_then(|i| scene.lanes.get(i)).is_some_and(|lane| lane.trace == trace && lane.spans.contains(&span))
    };
    rows.iter().position(has).or_else(|| rows.iter().position(drawn))
}

fn beside(shown: Shown, rows: Memo<Vec<Row>>, forward: bool) {
    let next = shown.scene.with_untracked(|scene| {
        rows.with_untracked(|rows| {
            let lane = scene.lanes.get(rows.get(lane_now(shown, rows, scene)?)?.lane?)?;
            let span = match shown.chosen.get_untracked() {
                Some((_, span)) => lane.beside(span, forward)?,
                None => *lane.spans.first()?,
            };
            Some((lane.trace, span))
        })
    });
    if let Some(next) = next {
        shown.look_at(next);
    }
}

fn to_lane(shown: Shown, rows: Memo<Vec<Row>>, forward: bool) {
    let (from, to) = shown.window.get_untracked();
    let time = middle_of_chosen(shown).unwrap_or((from + to) / 2.0) as i64;
    let next = shown.scene.with_untracked(|scene| {
        rows.with_untracked(|rows| {
            let at = lane_now(shown, rows, scene)?;
            let places: Vec<usize> = if forward { (at + 1..rows.len()).collect() } else { (0..at).rev().collect() };
            let lane = places.into_iter().find_map(|i| scene.lanes.get(rows.get(i)?.lane?))?;
            Some((lane.trace, lane.at(scene.traces.get(lane.trace)?, time, i64::MAX / 4)?))
        })
    });
    if let Some(next) = next {
        shown.look_at(next);
    }
}

/// The next event in time whose name has what is searched for.
fn find_next(shown: Shown) {
    let search = shown.search.get_untracked();
    if search.is_empty() {
        return;
    }
    let next = shown.scene.with_untracked(|scene| {
        let now = shown.chosen.get_untracked();
        let after = now.and_then(|c| scene.span(c)).map(|(_, s)| s.start);
        let mut found: Vec<(i64, usize, u32)> = Vec::new();
        for (t, trace) in scene.traces.iter().enumerate() {
            let names: Vec<bool> = trace.names.iter().map(|name| name.to_lowercase().contains(&search)).collect();
            let has = |name: u32| names.get(name as usize).copied().unwrap_or_default();
            found.extend(
                trace.spans.iter().enumerate().filter(|(_, s)| has(s.name)).map(|(i, s)| (s.start, t, i as u32)),
            );
        }
        found.sort_unstable();
        let later = found.iter().find(|f| after.is_none_or(|after| f.0 > after) && Some((f.1, f.2)) != now);
        later.or_else(|| found.first()).map(|f| (f.1, f.2))
    });
    if let Some(next) = next {
        shown.look_at(next);
    }
}

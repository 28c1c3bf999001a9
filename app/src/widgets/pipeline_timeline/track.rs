//! The timeline of one schedule: its blocks, what lies over them, and moving among them by pointer and keys.

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html;
use leptos::prelude::*;
use ringside_core::pipeline;
use ringside_core::quantity::{Unit, number};
use ringside_drawing::scenes::pipeline::{Piece, Rows, blocks, kept};
use ringside_drawing::timeline::{Axis, Window};
use wasm_bindgen::JsCast as _;
use wasm_bindgen::prelude::Closure;

use super::{Run, Runs, Shown, canvas, svg};
use crate::store::store;
use crate::ui::timeline;

/// More pieces than this are drawn on a canvas, which takes a tenth of the time.
const MANY: usize = 250;

/// What is drawn: the pieces and the size of the drawing.
#[derive(Debug, Clone, PartialEq, Default)]
struct Picture {
    pieces: Vec<Piece>,
    width: f64,
    height: f64,
}

/// The times that the drawing shows.
fn axis(runs: &Runs, window: Window, width: f64) -> Axis {
    Axis { from: window.from * runs.end, to: window.to * runs.end, width }
}

/// The same, as it changes.
fn axis_now(shown: Shown) -> Memo<Axis> {
    Memo::new(move |_| {
        let (window, width) = (shown.window.get(), shown.width.get());
        shown.runs.with(|runs| axis(runs, window, width))
    })
}

fn rows(runs: &Runs, run: &Run) -> Rows {
    Rows::of(run.timeline.fleet.devices, runs.runs.iter().map(|run| run.timeline.fleet.devices).sum())
}

/// All that a drawing of `run` has, at this width.
pub(super) fn pieces(runs: &Runs, run: &Run, window: Window, width: f64) -> Vec<Piece> {
    let (axis, rows) = (axis(runs, window, width), rows(runs, run));
    let mut pieces = kept(&run.timeline, axis, rows, runs.peak);
    pieces.extend(blocks(&run.timeline, &run.path, axis, rows));
    pieces
}

/// The height of the drawing of `run`.
pub(super) fn height(runs: &Runs, run: &Run) -> f64 {
    rows(runs, run).height()
}

pub(super) fn view(shown: Shown, i: usize) -> AnyView {
    let picture = Memo::new(move |_| {
        let (window, width) = (shown.window.get(), shown.width.get());
        shown.with(i, |runs, run| Picture {
            pieces: pieces(runs, run, window, width),
            width,
            height: height(runs, run),
        })
    });
    let many = Memo::new(move |_| picture.with(|p| p.pieces.len() > MANY));
    let size = move || picture.with(|p| (p.width, p.height));
    let drawing = move || if many.get() { on_canvas(picture) } else { as_svg(picture) };
    let node = NodeRef::<html::Div>::new();
    if i == 0 {
        timeline::follow_width(node, shown.width);
    }
    let sizes = Memo::new(move |_| shown.with(i, rows));
    let every = Memo::new(move |_| if sizes.with(|rows| rows.row) < 14.0 { 4 } else { 1 });
    let name = move |d: u32| view! { <span>{move || d.is_multiple_of(every.get()).then(|| d.to_string())}</span> };
    let label = move || {
        shown.with(i, |_, r| {
            let fleet = r.timeline.fleet;
            format!(
                "Timeline of {}: {} devices, {} micro-batches",
                r.schedule.label(),
                fleet.devices,
                fleet.microbatches
            )
        })
    };
    view! {
        <section class="track">
            <p class="track-head">
                <b>{move || shown.with(i, |_, r| r.schedule.label())}</b>
                " "
                <span>{move || shown.with(i, |_, r| head(r))}</span>
            </p>
            <div
                class="track-rows"
                style:height=move || format!("{}px", size().1)
                style=("--row", move || format!("{}px", sizes.with(|rows| rows.row)))
                style=("--block", move || format!("{}px", sizes.with(|rows| rows.block)))
            >
                <div class="track-names" aria-hidden="true">
                    <For each=move || 0..sizes.with(|rows| rows.devices) key=|d| *d children=name />
                </div>
                <div
                    class="timeline"
                    node_ref=node
                    tabindex="0"
                    role="application"
                    aria-label=label
                    aria-keyshortcuts="ArrowLeft ArrowRight ArrowUp ArrowDown Enter + -"
                    on:pointermove=move |event| point(&event, shown, i)
                    on:pointerdown=move |event| point(&event, shown, i)
                    on:pointerleave=move |event: PointerEvent| if event.pointer_type() == "mouse" { shown.cursor.set(None) }
                    on:keydown=move |event| key(&event, shown, i)
                    on:wheel=move |event| timeline::wheel(&event, shown.window, shown.width)
                >
                    {drawing}
                    {over(shown, i)}
                </div>
            </div>
            {timeline::ticks(axis_now(shown), |t| Unit::Seconds.format(t / 1e3))}
        </section>
    }
    .into_any()
}

/// The schedule in numbers.
fn head(run: &Run) -> String {
    let timeline = &run.timeline;
    let makespan = timeline.makespan();
    format!(
        "{} · {} idle · most micro-batches kept: {}",
        Unit::Seconds.format(makespan / 1e3),
        Unit::Fraction.format(timeline.idle_share(makespan)),
        number(timeline.worst_peak())
    )
}

fn as_svg(picture: Memo<Picture>) -> AnyView {
    let size = move |of: fn(&Picture) -> f64| move || picture.with(|p| of(p).to_string());
    view! {
        <svg
            class="pieces"
            aria-hidden="true"
            width=size(|p| p.width)
            height=size(|p| p.height)
            inner_html=move || picture.with(|p| svg::pieces(&p.pieces))
        ></svg>
    }
    .into_any()
}

fn on_canvas(picture: Memo<Picture>) -> AnyView {
    let node = NodeRef::<html::Canvas>::new();
    let darker = RwSignal::new(());
    // The system's own change between light and dark.
    if let Ok(Some(media)) = window().match_media("(prefers-color-scheme: dark)") {
        let changed = Closure::<dyn Fn()>::new(move || darker.notify());
        media.set_onchange(Some(changed.as_ref().unchecked_ref()));
        let kept = send_wrapper::SendWrapper::new((media, changed));
        on_cleanup(move || kept.0.set_onchange(None));
    }
    Effect::new(move |_| {
        darker.track();
        store().with(|doc| doc.settings.theme);
        picture.track();
        // Once a frame, and after the theme has been put on the page.
        request_animation_frame(move || {
            if let Some(Some(canvas)) = node.try_get_untracked() {
                picture.try_with_untracked(|p| canvas::draw(&canvas, (p.width, p.height), &p.pieces));
            }
        });
    });
    view! {
        <canvas class="pieces" aria-hidden="true" node_ref=node style:height=move || picture.with(|p| format!("{}px", p.height))></canvas>
    }
    .into_any()
}

/// A rectangle around a block.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Outline {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

fn outline(runs: &Runs, run: &Run, axis: Axis, block: u32) -> Option<Outline> {
    let b = run.timeline.blocks.get(block as usize)?;
    let (rows, device) = (rows(runs, run), run.timeline.device(block));
    let (x, end) = (axis.x(b.start), axis.x(b.end));
    (end >= 0.0 && x <= axis.width && runs.end > 0.0).then(|| Outline {
        x,
        y: rows.y(device),
        width: (end - x).max(2.0),
        height: rows.block,
    })
}

/// What lies over the blocks: the block pointed at, what it waits for, and how far the step has been played.
fn over(shown: Shown, i: usize) -> impl IntoView {
    let marks = Memo::new(move |_| {
        let (_, block) = shown.cursor.get().filter(|(run, _)| *run == i)?;
        let (window, width) = (shown.window.get(), shown.width.get());
        shown.with(i, |runs, run| {
            let axis = axis(runs, window, width);
            let here = outline(runs, run, axis, block)?;
            let after = run.timeline.blocks.get(block as usize).and_then(|b| b.after);
            Some((here, after.and_then(|after| outline(runs, run, axis, after))))
        })
    });
    let rect = |class: &'static str, o: Outline| {
        view! { <rect class=class x=o.x y=o.y width=o.width height=o.height rx="2" /> }
    };
    let drawn = move || {
        marks.get().map(|(here, after)| {
            let line = after.map(|a| {
                let (x1, y1) = (a.x + a.width, a.y + a.height / 2.0);
                view! { <line x1=x1 y1=y1 x2=here.x y2=here.y + here.height / 2.0 /> {rect("cause", a)} }
            });
            view! { {line} {rect("here", here)} }
        })
    };
    let veil = move || {
        let (played, window) = (shown.played.get(), shown.window.get());
        let from = ((played - window.from) / window.span()).clamp(0.0, 1.0);
        (played < 1.0).then(|| {
            let (x, rest) = (format!("{}%", from * 100.0), format!("{}%", (1.0 - from) * 100.0));
            view! {
                <rect class="veil" x=x.clone() width=rest height="100%" />
                <line class="now" x1=x.clone() x2=x y2="100%" />
            }
        })
    };
    view! { <svg class="over" aria-hidden="true">{veil} {drawn}</svg> }
}

/// Points at the block under the pointer; over a wait, at the block that comes next.
fn point(event: &PointerEvent, shown: Shown, i: usize) {
    let (x, y) = (f64::from(event.offset_x()), f64::from(event.offset_y()));
    let window = shown.window.get_untracked();
    if event.type_() == "pointermove" && event.buttons() & 1 == 1 && window != Window::ALL {
        let moved = f64::from(event.movement_x()) / shown.width.get_untracked() * window.span();
        shown.window.set(Window::at(window.from - moved, window.span()));
        return;
    }
    let block = shown.runs.with_untracked(|runs| {
        let run = runs.runs.get(i)?;
        let time = axis(runs, window, shown.width.get_untracked()).time(x);
        run.timeline.at(rows(runs, run).device(y), time)
    });
    let cursor = block.map(|block| (i, block));
    if shown.cursor.get_untracked() != cursor {
        shown.cursor.set(cursor);
    }
}

/// Arrows go from block to block and from device to device; Enter goes to what a block waits for; + and − zoom.
fn key(event: &KeyboardEvent, shown: Shown, i: usize) {
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return;
    }
    let key = event.key();
    let window = shown.window.get_untracked();
    match key.as_str() {
        "+" | "=" | "-" => {
            let centre = cursor_time(shown, i).unwrap_or(window.from + window.span() / 2.0);
            shown.window.set(window.zoom(if key == "-" { 0.5 } else { 2.0 }, centre));
        }
        "Escape" if shown.cursor.get_untracked().is_some() => shown.cursor.set(None),
        _ => {
            let here = shown.cursor.get_untracked().filter(|(run, _)| *run == i).map(|(_, block)| block);
            let to = shown.runs.with_untracked(|runs| runs.runs.get(i).and_then(|run| next(&run.timeline, here, &key)));
            let Some(to) = to else { return };
            shown.cursor.set(Some((i, to)));
            let span = shown.runs.with_untracked(|runs| {
                runs.runs.get(i)?.timeline.blocks.get(to as usize).map(|b| (b.start / runs.end, b.end / runs.end))
            });
            if let Some((from, end)) = span {
                shown.window.set(window.showing(from, end));
            }
        }
    }
    event.prevent_default();
}

/// Where in the time the cursor is, as a fraction of the longest step.
fn cursor_time(shown: Shown, i: usize) -> Option<f64> {
    let (_, block) = shown.cursor.get_untracked().filter(|(run, _)| *run == i)?;
    shown.runs.with_untracked(|runs| Some(runs.runs.get(i)?.timeline.blocks.get(block as usize)?.start / runs.end))
}

/// The block that a key goes to from `here`; none for a key that goes nowhere.
fn next(timeline: &pipeline::Timeline, here: Option<u32>, key: &str) -> Option<u32> {
    let known = matches!(key, "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown" | "Home" | "End" | "Enter");
    let Some(here) = here.filter(|_| known) else { return known.then_some(0) };
    let device = timeline.device(here);
    let range = timeline.range(device);
    let (first, last) = (range.start as u32, (range.end as u32).saturating_sub(1));
    let block = timeline.blocks.get(here as usize)?;
    let beside = |device: u32| {
        let at = timeline.at(device, (block.start + block.end) / 2.0);
        at.or_else(|| timeline.range(device).last().map(|i| i as u32))
    };
    match key {
        "ArrowLeft" => Some(here.saturating_sub(1).max(first)),
        "ArrowRight" => Some((here + 1).min(last)),
        "ArrowUp" => beside(device.saturating_sub(1)),
        "ArrowDown" => beside((device + 1).min(timeline.fleet.devices.saturating_sub(1))),
        "Home" => Some(first),
        "End" => Some(last),
        _ => block.after.or(Some(here)),
    }
}

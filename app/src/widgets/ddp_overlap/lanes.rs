//! The two streams: their drawing, what lies over it, and moving among their blocks by pointer and keys.

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html;
use leptos::prelude::*;
use ringside_core::ddp::{Stream, Timeline};
use ringside_core::quantity::Unit;
use ringside_drawing::scenes::ddp::{BETWEEN, HEIGHT, LANE, drawing, top};
use ringside_drawing::timeline::{Axis, Window};

use super::Shown;
use crate::ui::timeline;

/// The times that the drawing shows.
fn axis(shown: Shown) -> Memo<Axis> {
    Memo::new(move |_| {
        let (window, width) = (shown.window.get(), shown.width.get());
        let end = shown.timeline.with(Timeline::end);
        Axis { from: window.from * end, to: window.to * end, width }
    })
}

/// Both streams.
pub(super) fn view(shown: Shown) -> AnyView {
    let axis = axis(shown);
    let path = Memo::new(move |_| {
        if !shown.params.with(|p| p.path) {
            return Vec::new();
        }
        shown.timeline.with(|t| {
            let mut on = vec![false; t.blocks.len()];
            for block in t.critical_path() {
                if let Some(on) = on.get_mut(block as usize) {
                    *on = true;
                }
            }
            on
        })
    });
    let picture = move || path.with(|path| shown.timeline.with(|t| drawing(t, path, axis.get())));
    let node = NodeRef::<html::Div>::new();
    timeline::follow_width(node, shown.width);
    let label = move || {
        shown.timeline.with(|t| format!("Timeline of the compute and the NCCL stream: {} blocks", t.blocks.len()))
    };
    view! {
        <section class="track">
            <div
                class="track-rows"
                style:height=format!("{HEIGHT}px")
                style=("--row", format!("{}px", LANE + BETWEEN))
                style=("--block", format!("{LANE}px"))
            >
                <div class="track-names" aria-hidden="true"><span>"compute"</span> <span>"NCCL"</span></div>
                <div
                    class="timeline"
                    node_ref=node
                    tabindex="0"
                    role="application"
                    aria-label=label
                    aria-keyshortcuts="ArrowLeft ArrowRight ArrowUp ArrowDown Enter + -"
                    on:pointermove=move |event| point(&event, shown, axis)
                    on:pointerdown=move |event| point(&event, shown, axis)
                    on:pointerleave=move |event: PointerEvent| if event.pointer_type() == "mouse" { shown.cursor.set(None) }
                    on:keydown=move |event| key(&event, shown)
                    on:wheel=move |event| timeline::wheel(&event, shown.window, shown.width)
                >
                    <svg class="pieces" aria-hidden="true" width=move || shown.width.get() height=HEIGHT inner_html=picture></svg>
                    {over(shown, axis)}
                </div>
            </div>
            {timeline::ticks(axis, |t| Unit::Seconds.format(t))}
        </section>
    }
    .into_any()
}

/// What lies over the blocks: the block pointed at, what it waits for, and how far the step is played.
fn over(shown: Shown, axis: Memo<Axis>) -> impl IntoView {
    let outline = move |class: &'static str, block: u32| {
        shown.timeline.with(|t| {
            let b = t.blocks.get(block as usize)?;
            let axis = axis.get();
            let (x, end) = (axis.x(b.start), axis.x(b.end));
            let (y, width) = (top(b.stream()), (end - x).max(2.0));
            Some(view! { <rect class=class x=x y=y width=width height=LANE rx="2" /> })
        })
    };
    let marks = move || {
        let block = shown.cursor.get().or_else(|| shown.last())?;
        let after = shown.timeline.with(|t| t.blocks.get(block as usize).and_then(|b| b.after));
        Some(view! { {after.and_then(|after| outline("cause", after))} {outline("here", block)} })
    };
    let veil = move || {
        shown.now().map(|now| {
            let axis = axis.get();
            let x = axis.x(now).clamp(0.0, axis.width);
            view! {
                <rect class="veil" x=x width=axis.width - x height=HEIGHT />
                <line class="now" x1=x x2=x y2=HEIGHT />
            }
        })
    };
    view! { <svg class="over" aria-hidden="true">{veil} {marks}</svg> }
}

/// The block of a stream at a time, or the next one; the last if there is none.
fn at(t: &Timeline, stream: Stream, time: f64) -> Option<u32> {
    let next = t.of(stream).find(|(_, b)| b.end > time).map(|(i, _)| i);
    next.or_else(|| t.of(stream).next_back().map(|(i, _)| i))
}

fn stream_at(y: f64) -> Stream {
    if y < LANE + BETWEEN / 2.0 { Stream::Compute } else { Stream::Nccl }
}

/// Points at the block under the pointer; with the button held, moves what is seen.
fn point(event: &PointerEvent, shown: Shown, axis: Memo<Axis>) {
    let window = shown.window.get_untracked();
    if event.type_() == "pointermove" && event.buttons() & 1 == 1 && window != Window::ALL {
        let moved = f64::from(event.movement_x()) / shown.width.get_untracked() * window.span();
        shown.window.set(Window::at(window.from - moved, window.span()));
        return;
    }
    let time = axis.get_untracked().time(f64::from(event.offset_x()));
    let stream = stream_at(f64::from(event.offset_y()));
    let block = untrack(|| shown.timeline.with(|t| at(t, stream, time)));
    if shown.cursor.get_untracked() != block {
        shown.cursor.set(block);
    }
}

/// Arrows go from block to block and from stream to stream; Enter goes to what a block waits for; + and − zoom.
fn key(event: &KeyboardEvent, shown: Shown) {
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return;
    }
    let key = event.key();
    let window = shown.window.get_untracked();
    let here = shown.cursor.get_untracked();
    // A block's beginning and end, as fractions of the step.
    let span = |block: u32| {
        untrack(|| {
            shown.timeline.with(|t| {
                let end = t.end().max(f64::MIN_POSITIVE);
                t.blocks.get(block as usize).map(|b| (b.start / end, b.end / end))
            })
        })
    };
    match key.as_str() {
        "+" | "=" | "-" => {
            let centre = here.and_then(span).map_or(window.from + window.span() / 2.0, |(from, _)| from);
            shown.window.set(window.zoom(if key == "-" { 0.5 } else { 2.0 }, centre));
        }
        "Escape" if here.is_some() => shown.cursor.set(None),
        _ => {
            let Some(to) = untrack(|| shown.timeline.with(|t| next(t, here, &key))) else { return };
            shown.cursor.set(Some(to));
            if let Some((from, end)) = span(to) {
                shown.window.set(window.showing(from, end));
            }
        }
    }
    event.prevent_default();
}

/// The block that a key goes to from `here`; none for a key that goes nowhere.
fn next(t: &Timeline, here: Option<u32>, key: &str) -> Option<u32> {
    let known = matches!(key, "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown" | "Home" | "End" | "Enter");
    let Some(here) = here.filter(|_| known) else { return known.then_some(0) };
    let block = t.blocks.get(here as usize)?;
    let mut same = t.of(block.stream()).map(|(i, _)| i);
    let middle = (block.start + block.end) / 2.0;
    let found = match key {
        "ArrowLeft" => same.rfind(|i| *i < here),
        "ArrowRight" => same.find(|i| *i > here),
        "ArrowUp" => at(t, Stream::Compute, middle),
        "ArrowDown" => at(t, Stream::Nccl, middle),
        "Home" => same.next(),
        "End" => same.next_back(),
        _ => block.after,
    };
    found.or(Some(here))
}

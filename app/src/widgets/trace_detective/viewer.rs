//! The viewer: the drawing with what moves it and searches in it.

use leptos::html;
use leptos::prelude::*;
use ringside_core::quantity::Unit;
use ringside_core::trace::look::Look;
use ringside_drawing::timeline::Axis;

use super::Shown;
use super::canvas::{self, CLASSES, Inks, Picture};
use super::keys::{self, KEYS, find_next};
use super::pointer::{Hand, Pointer, wheel, zoom};
use super::rows::{self, Row};
use crate::store::store;
use crate::ui::timeline;
use crate::ui::unique_id;

pub(super) fn view(shown: Shown) -> AnyView {
    let rows = Memo::new(move |_| shown.folded.with(|folded| shown.scene.with(|s| rows::rows(s, folded))));
    let height = Memo::new(move |_| rows.with(|rows| rows.last().map_or(60.0, Row::bottom) + 4.0));
    let named = Memo::new(move |_| {
        let search = shown.search.get();
        (!search.is_empty()).then(|| shown.scene.with(|s| s.named(&search)))
    });
    let node = NodeRef::<html::Canvas>::new();
    let frame = NodeRef::<html::Div>::new();
    let scroller = NodeRef::<html::Div>::new();
    timeline::follow_width(frame, shown.width);
    let scrolled = Trigger::new();
    // Once a frame, however often something changes before it.
    let waiting = StoredValue::new(false);
    let inks = StoredValue::new(None::<Inks>);
    Effect::new(move |_| {
        store().with(|doc| doc.settings.theme);
        shown.window.track();
        shown.chosen.track();
        shown.picked.track();
        shown.width.track();
        named.track();
        scrolled.track();
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
            let top = scroller.try_get_untracked().flatten().map_or(0, |s| s.scroll_top());
            let before = inks.try_update_value(Option::take).flatten();
            inks.set_value(paint(&canvas, shown, rows, named, f64::from(top), before));
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
            format!("Trace of {} ranks with {events} events in {} rows", s.traces.len(), s.own.lanes.len())
        })
    };
    // A finger moves what it touches; a mouse has a wheel for that.
    let coarse = window().match_media("(pointer: coarse)").ok().flatten().is_some_and(|query| query.matches());
    let selects = RwSignal::new(!coarse);
    let pointer = Pointer { shown, rows, selects, hand: StoredValue::new(Hand::default()) };
    view! {
        <div class="trace">
            {tools(shown, selects)}
            <div class="trace-scroll" node_ref=scroller on:scroll=move |_| scrolled.notify()>
                <div class="trace-rows" style:height=move || format!("{}px", height.get())>
                    <div
                        class="trace-frame"
                        node_ref=frame
                        tabindex="0"
                        role="application"
                        aria-label=label
                        aria-keyshortcuts=KEYS
                        on:pointerdown=move |event| pointer.down(&event)
                        on:pointermove=move |event| pointer.moved(&event)
                        on:pointerup=move |event| pointer.up(&event)
                        on:pointercancel=move |event| pointer.gone(&event)
                        on:keydown=move |event| keys::key(&event, shown, rows)
                        on:wheel=move |event| wheel(&event, shown)
                    >
                        <canvas node_ref=node aria-hidden="true"></canvas>
                    </div>
                    {rows::labels(shown, rows)}
                </div>
            </div>
            {timeline::ticks(axis, |t| Unit::Seconds.format(t))}
            {legend()}
        </div>
    }
    .into_any()
}

/// What is searched for, what a drag does, and how closely is looked.
fn tools(shown: Shown, selects: RwSignal<bool>) -> impl IntoView {
    let id = unique_id("trace-search");
    view! {
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
            <button
                type="button"
                class="quiet trace-drag"
                aria-pressed=move || selects.get().to_string()
                on:click=move |_| selects.update(|selects| *selects = !*selects)
            >
                "Drag to select"
            </button>
            <span class="trace-zoom" role="group" aria-label="Zoom">
                <button type="button" class="quiet" aria-label="Zoom out" on:click=move |_| zoom(shown, 0.5, None)>"−"</button>
                <button type="button" class="quiet" on:click=move |_| shown.all()>"All"</button>
                <button type="button" class="quiet" aria-label="Zoom in" on:click=move |_| zoom(shown, 2.0, None)>"+"</button>
            </span>
        </div>
    }
}

fn paint(
    canvas: &web_sys::HtmlCanvasElement,
    shown: Shown,
    rows: Memo<Vec<Row>>,
    named: Memo<Option<Vec<Vec<bool>>>>,
    top: f64,
    inks: Option<Inks>,
) -> Option<Inks> {
    let with = |scene: &super::Scene, rows: &[Row], named: Option<&[Vec<bool>]>| {
        let partners = shown.partners.get_untracked();
        let picked = shown.picked.get_untracked();
        let picture = Picture {
            scene,
            rows,
            window: shown.window.get_untracked(),
            width: shown.width.get_untracked(),
            top,
            high: f64::from(canvas.client_height()),
            chosen: shown.chosen.get_untracked(),
            partners: &partners,
            picked: picked.as_ref(),
            named,
        };
        canvas::draw(canvas, &picture, inks)
    };
    shown.scene.with_untracked(|scene| {
        rows.with_untracked(|rows| named.with_untracked(|named| with(scene, rows, named.as_deref())))
    })
}

/// What the colours mean.
fn legend() -> impl IntoView {
    let entry = |look: Look| {
        let class = CLASSES.get(look as usize).copied().unwrap_or_default();
        view! { <li><i class=format!("swatch {class}") aria-hidden="true"></i>{look.label()}</li> }
    };
    view! { <ul class="trace-legend">{Look::ALL.map(entry).into_iter().collect_view()}</ul> }
}

//! Parts of a drawing over time: times under it, and a strip to move in.

use leptos::ev::WheelEvent;
use leptos::html;
use leptos::prelude::*;
use ringside_core::decimal;
use ringside_drawing::scale::{Linear, MAX_TICKS, percent};
use ringside_drawing::timeline::{Axis, Window};
use wasm_bindgen::JsCast as _;
use wasm_bindgen::prelude::Closure;
use web_sys::ResizeObserver;

use super::unique_id;

/// Ticks nearer to each other than this, in pixels, have a number on every other one.
const CLOSE: f64 = 58.0;

/// Round times under the rows, which `format` writes without signs that mean something in markup.
pub fn ticks(axis: Memo<Axis>, format: fn(f64) -> String) -> impl IntoView {
    let ticks = move || {
        let axis = axis.get();
        // The steps that suit the span, from the first multiple that is seen.
        let steps: Vec<f64> = Linear::to(axis.to - axis.from).ticks().collect();
        let step = steps.get(1).copied().unwrap_or(1.0);
        let first = (axis.from / step).ceil();
        let close = axis.x(axis.from + step) < CLOSE;
        let times = (0..=MAX_TICKS).map(|i| first + i as f64).take_while(|n| n * step <= axis.to * (1.0 + 1e-9));
        let tick = |n: f64| {
            let t = n * step;
            let x = axis.x(t);
            let number = (!close || n % 2.0 == 0.0).then(|| format(t));
            let anchor = if x > axis.width - 20.0 {
                "end"
            } else if x < 12.0 {
                "start"
            } else {
                "middle"
            };
            format!(
                "<line x1=\"{x:.2}\" x2=\"{x:.2}\" y2=\"5\"/><text x=\"{x:.2}\" y=\"18\" text-anchor=\"{anchor}\">{}</text>",
                number.unwrap_or_default()
            )
        };
        times.map(tick).collect::<String>()
    };
    view! { <svg class="track-ticks" aria-hidden="true" inner_html=ticks></svg> }
}

/// Keeps `width` at the width of an element.
pub fn follow_width(node: NodeRef<html::Div>, width: RwSignal<f64>) {
    Effect::new(move |_| {
        let Some(element) = node.get() else { return };
        let measured = element.clone();
        let measure = move || {
            let now = f64::from(measured.client_width());
            if now > 0.0 && width.try_get_untracked().is_some_and(|before| before != now) {
                width.set(now);
            }
        };
        measure();
        let resized = Closure::<dyn Fn()>::new(measure);
        if let Ok(observer) = ResizeObserver::new(resized.as_ref().unchecked_ref()) {
            observer.observe(&element);
            let kept = send_wrapper::SendWrapper::new((observer, resized));
            on_cleanup(move || kept.0.disconnect());
        }
    });
}

/// With Ctrl (a pinch, too) zooms at the pointer; sideways, or with Shift, moves.
pub fn wheel(event: &WheelEvent, window: RwSignal<Window>, width: RwSignal<f64>) {
    let (now, width) = (window.get_untracked(), width.get_untracked());
    if event.ctrl_key() {
        event.prevent_default();
        let centre = now.from + f64::from(event.offset_x()) / width * now.span();
        window.set(now.zoom((-event.delta_y() / 200.0).exp(), centre));
        return;
    }
    let along = if event.shift_key() { event.delta_y() } else { event.delta_x() };
    if along != 0.0 && now != Window::ALL {
        event.prevent_default();
        window.set(Window::at(now.from + along / width * now.span(), now.span()));
    }
}

/// Positions of the slider that moves the window.
const POSITIONS: f64 = 1000.0;

/// All of the time in a strip, with the part that is seen marked, a slider that moves it and buttons that zoom. `area` is a
/// path in a square of 1 by 1; `says` says what it is.
pub fn overview(window: RwSignal<Window>, area: Memo<String>, says: &'static str) -> impl IntoView {
    let whole = move || window.get() == Window::ALL;
    let left = move || percent(window.get().from * 100.0);
    let width = move || percent(window.get().span() * 100.0);
    let zoom = move |factor: f64| {
        let now = window.get_untracked();
        window.set(now.zoom(factor, now.from + now.span() / 2.0));
    };
    let slide = move |event| {
        let now = window.get_untracked();
        let at = decimal::parse(&event_target_value(&event)).unwrap_or(0.0) / POSITIONS;
        window.set(Window::at(at * (1.0 - now.span()), now.span()));
    };
    let position = move || {
        let now = window.get();
        let free = 1.0 - now.span();
        if free > 0.0 { (now.from / free * POSITIONS).round().to_string() } else { "0".to_owned() }
    };
    let id = unique_id("part");
    view! {
        <div class="overview">
            <div class="overview-strip">
                <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true"><path d=area /></svg>
                <i class="overview-window" class:whole=whole style:left=left style:width=width></i>
                <label class="visually-hidden" for=id.clone()>"Part of the step that is shown"</label>
                <input
                    type="range"
                    id=id
                    min="0"
                    max=POSITIONS.to_string()
                    prop:value=position
                    disabled=whole
                    aria-valuetext=move || {
                        let now = window.get();
                        format!("{:.0}% to {:.0}% of the step", now.from * 100.0, now.to * 100.0)
                    }
                    on:input=slide
                />
            </div>
            <div class="overview-row">
                <span class="fine">{says}</span>
                <span class="overview-zoom" role="group" aria-label="Zoom">
                    <button type="button" class="quiet" aria-label="Zoom out" disabled=whole on:click=move |_| zoom(0.5)>"−"</button>
                    <button type="button" class="quiet" disabled=whole on:click=move |_| window.set(Window::ALL)>"All"</button>
                    <button type="button" class="quiet" aria-label="Zoom in" on:click=move |_| zoom(2.0)>"+"</button>
                </span>
            </div>
        </div>
    }
}

//! How many devices work in the course of the step: the whole of it in a strip, with the part that is seen marked.

use std::fmt::Write as _;

use leptos::prelude::*;

use super::Shown;
use super::scene::Window;
use crate::ui::scale::percent;
use crate::ui::unique_id;

/// Parts into which the strip divides the step.
const PARTS: usize = 240;
/// Positions of the slider that moves the window.
const POSITIONS: f64 = 1000.0;

pub(super) fn view(shown: Shown) -> impl IntoView {
    // Counted over the time of the longest step, as the rows above are.
    let area = Memo::new(move |_| {
        shown.with(0, |runs, run| {
            let shares = run.timeline.working(runs.end, PARTS);
            let mut path = "M0 1".to_owned();
            for (i, share) in shares.iter().enumerate() {
                let (left, right) = (i as f64 / PARTS as f64, (i + 1) as f64 / PARTS as f64);
                let _ = write!(path, "L{left:.4} {top:.3}L{right:.4} {top:.3}", top = 1.0 - share);
            }
            path + "L1 1Z"
        })
    });
    let window = shown.window;
    let whole = move || window.get() == Window::ALL;
    let left = move || percent(window.get().from * 100.0);
    let width = move || percent(window.get().span() * 100.0);
    let zoom = move |factor: f64| {
        let now = window.get_untracked();
        window.set(now.zoom(factor, now.from + now.span() / 2.0));
    };
    let slide = move |event| {
        let now = window.get_untracked();
        let at = ringside_core::decimal::parse(&event_target_value(&event)).unwrap_or(0.0) / POSITIONS;
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
                <span class="fine">"Devices at work, over the step"</span>
                <span class="overview-zoom" role="group" aria-label="Zoom">
                    <button type="button" class="quiet" aria-label="Zoom out" disabled=whole on:click=move |_| zoom(0.5)>"−"</button>
                    <button type="button" class="quiet" disabled=whole on:click=move |_| window.set(Window::ALL)>"All"</button>
                    <button type="button" class="quiet" aria-label="Zoom in" on:click=move |_| zoom(2.0)>"+"</button>
                </span>
            </div>
        </div>
    }
}

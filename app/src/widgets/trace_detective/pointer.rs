//! Moving in the drawing by pointers and wheel: a drag selects or moves, two fingers zoom, a press looks at an event.

use leptos::ev::{PointerEvent, WheelEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::Element;

use super::Shown;
use super::picked::Picked;
use super::rows::{self, Row};

/// The closest look, in nanoseconds.
pub(super) const CLOSEST: f64 = 400.0;
/// A pointer that moves by less, in pixels, presses.
const STILL: f64 = 4.0;
/// A press looks at an event that is as far away, in pixels.
const NEAR: f64 = 3.0;

/// What pointers do.
#[derive(Debug, Clone, Default)]
pub(super) struct Hand {
    /// The pointers that are down, and where across.
    down: Vec<(i32, f64)>,
    /// Where the first of them began, and at which time.
    began: Option<(f64, f64, f64)>,
    /// Whether it has moved, or another came.
    moved: bool,
}

/// What takes pointers.
#[derive(Clone, Copy)]
pub(super) struct Pointer {
    pub shown: Shown,
    pub rows: Memo<Vec<Row>>,
    /// Whether a drag selects; with Shift it does the other.
    pub selects: RwSignal<bool>,
    pub hand: StoredValue<Hand>,
}

/// Looks `factor` times as closely, with `centre` staying where it is: the middle, unless given.
pub(super) fn zoom(shown: Shown, factor: f64, centre: Option<f64>) {
    let (from, to) = shown.window.get_untracked();
    let extent = shown.scene.with_untracked(|s| s.extent);
    let whole = (extent.1 - extent.0).max(1) as f64;
    let span = ((to - from) / factor).clamp(CLOSEST.min(whole), whole * 1.05);
    let centre = centre.unwrap_or(from + (to - from) / 2.0);
    let left = centre - (centre - from) * span / (to - from).max(1.0);
    shown.window.set((left, left + span));
}

/// Moves by a part of what is seen.
pub(super) fn pan(shown: Shown, part: f64) {
    let (from, to) = shown.window.get_untracked();
    let extent = shown.scene.with_untracked(|s| s.extent);
    let span = to - from;
    let left = (from + part * span).clamp(extent.0 as f64 - span * 0.5, extent.1 as f64 - span * 0.5);
    shown.window.set((left, left + span));
}

/// The time at a place across.
fn time(shown: Shown, x: f64) -> f64 {
    let (from, to) = shown.window.get_untracked();
    from + x / shown.width.get_untracked().max(1.0) * (to - from)
}

/// Ctrl and the wheel, or a pinch on a touchpad, zoom; Shift and the wheel, or sideways, move. The wheel alone scrolls the page.
pub(super) fn wheel(event: &WheelEvent, shown: Shown) {
    if event.ctrl_key() {
        event.prevent_default();
        zoom(shown, (-event.delta_y() / 200.0).exp(), Some(time(shown, f64::from(event.offset_x()))));
        return;
    }
    let along = if event.shift_key() { event.delta_y() } else { event.delta_x() };
    if along != 0.0 {
        event.prevent_default();
        pan(shown, along / shown.width.get_untracked().max(1.0));
    }
}

impl Pointer {
    pub fn down(self, event: &PointerEvent) {
        if event.button() != 0 {
            return;
        }
        let (x, y) = (f64::from(event.offset_x()), f64::from(event.offset_y()));
        if let Some(frame) = event.current_target().and_then(|t| t.dyn_into::<Element>().ok()) {
            // What is dragged out of the frame is still dragged.
            let _ = frame.set_pointer_capture(event.pointer_id());
        }
        let at = time(self.shown, x);
        self.hand.update_value(|hand| {
            hand.down.retain(|pointer| pointer.0 != event.pointer_id());
            hand.down.push((event.pointer_id(), x));
            if hand.down.len() == 1 {
                (hand.began, hand.moved) = (Some((x, y, at)), false);
            } else {
                hand.moved = true;
            }
        });
    }

    pub fn moved(self, event: &PointerEvent) {
        let (x, y) = (f64::from(event.offset_x()), f64::from(event.offset_y()));
        let mut hand = self.hand.get_value();
        let Some(at) = hand.down.iter().position(|pointer| pointer.0 == event.pointer_id()) else { return };
        let before = hand.down.clone();
        if let Some(pointer) = hand.down.get_mut(at) {
            pointer.1 = x;
        }
        let shown = self.shown;
        match (before.as_slice(), hand.down.as_slice(), hand.began) {
            ([a, b, ..], [c, d, ..], _) => {
                let (old, new) = ((a.1 - b.1).abs().max(8.0), (c.1 - d.1).abs().max(8.0));
                let (middle, now) = ((a.1 + b.1) / 2.0, (c.1 + d.1) / 2.0);
                zoom(shown, new / old, Some(time(shown, middle)));
                pan(shown, (middle - now) / shown.width.get_untracked().max(1.0));
            }
            ([before], _, Some((left, top, time_there))) => {
                let selects = self.selects.get_untracked() != event.shift_key();
                hand.moved |= (x - left).abs() > STILL || (selects && (y - top).abs() > STILL);
                if hand.moved && selects {
                    let times = (time_there, time(shown, x));
                    let picked = shown.scene.with_untracked(|scene| {
                        self.rows.with_untracked(|rows| Picked::within(scene, rows, times, (top, y)))
                    });
                    shown.picked.set(Some(picked));
                } else if hand.moved {
                    pan(shown, (before.1 - x) / shown.width.get_untracked().max(1.0));
                }
            }
            _ => {}
        }
        self.hand.set_value(hand);
    }

    /// The pointer is up: if it did not move, that was a press.
    pub fn up(self, event: &PointerEvent) {
        let mut pressed = false;
        self.hand.update_value(|hand| {
            let was_down = hand.down.iter().any(|pointer| pointer.0 == event.pointer_id());
            pressed = was_down && !hand.moved;
            hand.down.retain(|pointer| pointer.0 != event.pointer_id());
        });
        if pressed {
            self.press(f64::from(event.offset_x()), f64::from(event.offset_y()));
        }
    }

    /// The browser took the pointer for something else, as scrolling.
    pub fn gone(self, event: &PointerEvent) {
        self.hand.update_value(|hand| hand.down.retain(|pointer| pointer.0 != event.pointer_id()));
    }

    /// Looks at the event there; where none is, clears the selection.
    fn press(self, x: f64, y: f64) {
        let shown = self.shown;
        let Some(row) = self.rows.with_untracked(|rows| rows::at(rows, y).cloned()) else { return };
        let (from, to) = shown.window.get_untracked();
        let pixel = (to - from) / shown.width.get_untracked().max(1.0);
        let found = shown.scene.with_untracked(|s| {
            let lane = s.own.lanes.get(row.lane)?;
            let at = time(shown, x) as i64;
            Some((lane.trace, lane.at(s.traces.get(lane.trace)?, at, (NEAR * pixel) as i64)?))
        });
        match found {
            Some(found) => shown.look_at(found),
            None => shown.picked.set(None),
        }
    }
}

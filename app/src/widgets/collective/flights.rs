//! Messages that fly along their links, over the drawing: in it each of their places would be laid out and painted.

use leptos::html;
use leptos::prelude::*;
use ringside_drawing::scenes::circle::Point;
use wasm_bindgen::prelude::*;
use web_sys::{Animation, Element};

use super::Shown;
use crate::ui::transport::Playback;

#[wasm_bindgen]
extern "C" {
    /// An element with what `web-sys` keeps behind a flag for the whole build.
    type Animated;

    /// See <https://developer.mozilla.org/docs/Web/API/Element/animate>.
    #[wasm_bindgen(method)]
    fn animate(this: &Animated, keyframes: &JsValue, milliseconds: f64) -> Animation;
}

/// A hundredth of the drawing’s side.
const PERCENT: f64 = 10.0;
/// The longest flight, in milliseconds, and the part of a step that it takes.
const LONGEST: f64 = 620.0;
const PART: f64 = 0.7;

/// From where to where a message flies.
pub(super) type Leg = (Point, Point);

/// What flew in the last step.
#[derive(Default)]
struct Flown {
    step: usize,
    legs: Vec<Leg>,
    time: f64,
    animations: Vec<Animation>,
}

/// The messages of this step; a step that is gone back to is shown where it ended. `size` is that of a message, in units of the
/// drawing; each arrives before the next step is played.
pub(super) fn view(shown: Shown, legs: Memo<Vec<Leg>>, size: Signal<f64>, playback: Playback) -> impl IntoView {
    let room = NodeRef::<html::Div>::new();
    Effect::new(move |before: Option<Flown>| {
        let mut flown = before.unwrap_or_default();
        let (step, time) = (shown.step.get(), (playback.milliseconds() * PART).min(LONGEST));
        let forward = flown.step < step;
        flown.step = step;
        // In a ring every step goes where the last one went: each flight begins anew, and nothing else changes.
        legs.with(|legs| {
            if let Some(room) = room.get()
                && (*legs != flown.legs || time != flown.time)
            {
                flown = Flown { step, legs: legs.clone(), time, animations: launch(&room, legs, time) };
            }
        });
        for animation in &flown.animations {
            if forward {
                animation.set_current_time(Some(0.0));
                // One that cannot be played is not seen; the links that are busy are.
                let _ = animation.play();
            } else {
                animation.cancel();
            }
        }
        flown
    });
    let size = move || format!("{:.2}", size.get() / PERCENT);
    view! { <div class="flights" node_ref=room style=("--size", size)></div> }
}

/// A dot for each of `legs`.
fn launch(room: &Element, legs: &[Leg], time: f64) -> Vec<Animation> {
    room.set_inner_html(&"<i></i>".repeat(legs.len()));
    let dots = room.children();
    let animate = |(leg, i): (&Leg, u32)| {
        let keyframes = js_sys::JSON::parse(&keyframes(leg)).ok()?;
        Some(dots.item(i)?.unchecked_into::<Animated>().animate(&keyframes, time))
    };
    legs.iter().zip(0..).filter_map(animate).collect()
}

/// There in a curve, and away.
fn keyframes(&(from, to): &Leg) -> String {
    let at = |(x, y): Point| format!("\"transform\":\"translate({:.2}cqw,{:.2}cqw)\"", x / PERCENT, y / PERCENT);
    let to = at(to);
    format!(
        "[{{{},\"opacity\":1,\"easing\":\"cubic-bezier(.45,0,.3,1)\"}},{{{to},\"opacity\":1,\"offset\":0.85}},{{{to},\"opacity\":0}}]",
        at(from)
    )
}

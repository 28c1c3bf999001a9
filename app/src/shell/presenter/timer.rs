//! The clock of a talk: how long it has gone on, or how long is left.

use gloo_timers::callback::Interval;
use leptos::prelude::*;
use ringside_core::answer::Asked;
use ringside_core::practice::date;
use ringside_core::quantity::Unit;
use ringside_core::query::{Kind, ParamSpec};
use ringside_learner::talk::Now;

use crate::clock;
use crate::ui::number_field::NumberField;

/// The longest talk that is counted down, in minutes.
const MOST: u64 = 600;
const MINUTES: ParamSpec =
    ParamSpec { name: "minutes", doc: "", kind: Kind::Integer { min: 0, max: MOST }, default: "0" };

pub(super) fn view(now: RwSignal<Now>) -> impl IntoView {
    let tick = RwSignal::new(());
    let _ticking = StoredValue::new_local(Interval::new(1000, move || {
        tick.try_set(());
    }));
    let left = Memo::new(move |_| {
        tick.track();
        let (since, minutes) = now.with(|now| (now.since, now.minutes));
        let gone = if since == 0 { 0 } else { (clock::now() - since).max(0) };
        (gone, (minutes > 0).then(|| i64::from(minutes) * 60 - gone))
    });
    let text = move || match left.get() {
        (gone, None) => date::clock(gone),
        (_, Some(left)) if left < 0 => format!("−{} over", date::clock(-left)),
        (_, Some(left)) => format!("{} left", date::clock(left)),
    };
    let is_over = move || left.get().1.is_some_and(|left| left < 0);
    let minutes = Signal::derive(move || now.with(|now| f64::from(now.minutes)));
    let set = Callback::new(move |value: f64| now.update(|now| now.minutes = value as u32));
    let start = move |_| now.update(|now| now.since = clock::now());
    view! {
        <span class="presenter-clock" class:over=is_over role="timer" aria-label="The clock of the talk">{text}</span>
        <span class="presenter-minutes">
            <label for="talk-minutes">"Minutes"</label>
            <NumberField id="talk-minutes" spec=MINUTES asked=Asked::each(Unit::Seconds, 60.0) label="Minutes" value=minutes set format=|value: f64| format!("{value}") />
        </span>
        <button type="button" class="quiet" on:click=start>"Restart the clock"</button>
    }
}

/// The minutes that a room is given at a press.
const GIVEN: [i64; 3] = [1, 2, 5];

/// A countdown that the room sees: for "two minutes, in pairs".
pub(super) fn for_room(now: RwSignal<Now>) -> impl IntoView {
    let is_on = move || now.with(|now| now.until > 0);
    let buttons = GIVEN
        .map(|minutes| {
            let label = format!("Give the room {minutes} min");
            let give = move |_| now.update(|now| now.until = clock::now() + 60 * minutes);
            view! { <button type="button" class="quiet" aria-label=label on:click=give>{format!("{minutes} min")}</button> }
        })
        .collect_view();
    let stop = move |_| now.update(|now| now.until = 0);
    view! {
        <span class="presenter-given" role="group" aria-label="Countdown for the room">
            "Give the room: " {buttons}
            <Show when=is_on>
                {countdown(now)}
                <button type="button" class="quiet" on:click=stop>"Stop the countdown"</button>
            </Show>
        </span>
    }
}

/// What is left of the time that the room was given; nothing if it was given none.
pub(super) fn countdown(now: RwSignal<Now>) -> impl IntoView {
    let tick = RwSignal::new(());
    let _ticking = StoredValue::new_local(Interval::new(1000, move || {
        tick.try_set(());
    }));
    let left = Memo::new(move |_| {
        tick.track();
        now.with(|now| (now.until > 0).then(|| (now.until - clock::now()).max(0)))
    });
    let is_over = move || left.get() == Some(0);
    move || {
        left.get()
            .map(|left| view! { <b class="room-countdown" class:over=is_over role="timer">{date::clock(left)}</b> })
    }
}

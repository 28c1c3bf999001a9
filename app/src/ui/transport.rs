//! Playing, stepping and scrubbing through something that unfolds in steps.

use gloo_timers::callback::Interval;
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use ringside_core::decimal;
use ringside_core::quantity::grouped;
use wasm_bindgen::JsCast as _;

use super::{dom, unique_id};

/// Speeds and what a person calls them.
const SPEEDS: [(f64, &str); 4] = [(0.5, "½×"), (1.0, "1×"), (2.0, "2×"), (4.0, "4×")];

/// `<html>` while the page is a talk's: projected, or one of a talk's two windows.
const TALKS: &str = "html:is([data-projecting], [data-by-itself])";

/// How fast steps are played, in milliseconds at normal speed.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// All of them.
    pub whole: f64,
    /// One of them, at most.
    pub longest: f64,
    /// One of them, at least.
    pub shortest: f64,
}

impl Pace {
    /// So many steps, played like this.
    pub fn of(self, steps: Signal<usize>) -> Playback {
        let normal = move || (self.whole / steps.get().max(1) as f64).clamp(self.shortest, self.longest);
        Playback::new(Signal::derive(normal))
    }
}

/// Shortest time between two steps, in milliseconds: browsers do not paint much faster.
const TICK: f64 = 30.0;

/// How steps are played: how long each takes, at the speed that the learner chose.
#[derive(Debug, Clone, Copy)]
pub struct Playback {
    normal: Signal<f64>,
    /// An index of [`SPEEDS`].
    speed: RwSignal<usize>,
}

impl Playback {
    /// So many milliseconds a step at normal speed.
    pub fn new(normal: Signal<f64>) -> Self {
        Self { normal, speed: RwSignal::new(1) }
    }

    /// Milliseconds a step at the speed that is chosen. Tracks.
    pub fn milliseconds(self) -> f64 {
        let factor = SPEEDS.get(self.speed.get()).map_or(1.0, |(factor, _)| *factor);
        (self.normal.get() / factor).max(TICK)
    }

    fn faster(self) {
        self.speed.update(|speed| *speed = (*speed + 1) % SPEEDS.len());
    }

    fn name(self) -> &'static str {
        SPEEDS.get(self.speed.get()).map_or("", |(_, name)| *name)
    }
}

/// What goes from step to step.
#[derive(Clone, Copy)]
struct Player {
    steps: Signal<usize>,
    step: Signal<usize>,
    set: Callback<usize>,
    playing: RwSignal<bool>,
}

impl Player {
    /// Whether all steps have been done. Tracks.
    fn at_end(self) -> bool {
        self.steps.get() == self.step.get()
    }

    fn go(self, to: usize) {
        let to = to.min(self.steps.get_untracked());
        if to != self.step.get_untracked() {
            self.set.run(to);
        }
    }

    fn by_hand(self, to: usize) {
        self.playing.set(false);
        self.go(to);
    }

    fn back(self) {
        self.by_hand(self.step.get_untracked().saturating_sub(1));
    }

    fn on(self) {
        self.by_hand(self.step.get_untracked() + 1);
    }

    /// Plays, from the start if it has ended, or pauses.
    fn play(self) {
        let starts = !self.playing.get_untracked();
        if starts && untrack(|| self.at_end()) {
            self.go(0);
        }
        self.playing.set(starts);
    }

    /// A clock that ticks while it plays, and anew when the pace changes.
    fn run(self, playback: Playback) {
        let clock = StoredValue::new_local(None::<Interval>);
        Effect::new(move |_| {
            let milliseconds = playback.milliseconds() as u32;
            clock.set_value(self.playing.get().then(|| {
                Interval::new(milliseconds, move || {
                    self.go(self.step.get_untracked() + 1);
                    if untrack(|| self.at_end()) {
                        self.playing.set(false);
                    }
                })
            }));
        });
    }

    fn press(self, event: &KeyboardEvent) {
        if !dom::is_plain(event) {
            return;
        }
        let target = event.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
        let is_button = target.is_some_and(|e| e.tag_name() == "BUTTON");
        // In a talk they are a remote's, whatever has the focus.
        let turns_pages = || matches!(document().query_selector(TALKS), Ok(Some(_)));
        match event.key().as_str() {
            // A button does its own.
            " " if is_button => return,
            "PageUp" if is_button && !turns_pages() => self.back(),
            "PageDown" if is_button && !turns_pages() => self.on(),
            " " => self.play(),
            "ArrowLeft" => self.back(),
            "ArrowRight" => self.on(),
            "Home" => self.by_hand(0),
            "End" => self.by_hand(self.steps.get_untracked()),
            _ => return,
        }
        event.prevent_default();
    }

    /// Its keys, on a page that it has for itself, while the focus is nowhere else.
    fn hear_the_page(self) {
        let listener = window_event_listener(leptos::ev::keydown, move |event| {
            let target = event.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
            if target.is_some_and(|e| matches!(e.tag_name().as_str(), "BODY" | "MAIN" | "HTML")) {
                self.press(&event);
            }
        });
        on_cleanup(move || listener.remove());
    }
}

/// Buttons, a slider over all steps, and a speed. Space plays and pauses, ← and → step as Page Up and Page Down do, Home and End go
/// to the ends: while the focus is in it, and, on a page that it has for itself, while it is nowhere else. There Page Up and Page Down
/// move the page, and in a talk they turn to another slide.
#[component]
pub fn Transport(
    /// How many steps there are; before the first is step 0.
    #[prop(into)]
    steps: Signal<usize>,
    /// Steps that have been done.
    #[prop(into)]
    step: Signal<usize>,
    /// Called with the step to go to: 0 to `steps`.
    #[prop(into)]
    set: Callback<usize>,
    /// How it is played.
    playback: Playback,
    /// Where it is, for people, where "Step 3 of 14" does not say it.
    #[prop(optional, into)]
    place: Option<Signal<String>>,
    /// Whether the page is its own.
    alone: bool,
) -> impl IntoView {
    let player = Player { steps, step, set, playing: RwSignal::new(false) };
    player.run(playback);
    let place = place.unwrap_or_else(|| {
        Signal::derive(move || format!("Step {} of {}", grouped(step.get() as u64), grouped(steps.get() as u64)))
    });
    if alone {
        player.hear_the_page();
    }
    let slider = NodeRef::<html::Input>::new();
    let slide = move |event| {
        if let Some(to) = decimal::parse(&event_target_value(&event)) {
            player.by_hand(to as usize);
        }
    };
    let id = unique_id("transport");
    view! {
        <div class="transport" role="group" aria-label="Steps" on:keydown=move |event| player.press(&event)>
            <div class="transport-buttons">
                <button type="button" class="quiet" aria-label="To the start" title="To the start (Home)" disabled=move || step.get() == 0 on:click=move |_| player.by_hand(0)>
                    {icon("M5 5v14M19 5 9 12l10 7z")}
                </button>
                <button type="button" class="quiet" aria-label="Step back" title="Step back (←)" disabled=move || step.get() == 0 on:click=move |_| player.back()>
                    {icon("M16 5 6 12l10 7z")}
                </button>
                <button type="button" class="play" aria-label=move || if player.playing.get() { "Pause" } else { "Play" } title="Play or pause (Space)" on:click=move |_| player.play()>
                    {move || icon(if player.playing.get() { "M8 5v14M16 5v14" } else { "M7 4 20 12 7 20z" })}
                </button>
                <button type="button" class="quiet" aria-label="Step forward" title="Step forward (→)" disabled=move || player.at_end() on:click=move |_| player.on()>
                    {icon("M8 5 18 12 8 19z")}
                </button>
                <button type="button" class="quiet" aria-label="To the end" title="To the end (End)" disabled=move || player.at_end() on:click=move |_| player.by_hand(steps.get_untracked())>
                    {icon("M19 5v14M5 5 15 12 5 19z")}
                </button>
                <button type="button" class="quiet speed" aria-label=move || format!("Speed: {}", playback.name()) on:click=move |_| playback.faster()>
                    {move || playback.name()}
                </button>
            </div>
            <label class="visually-hidden" for=id.clone()>"Step"</label>
            <input
                type="range"
                id=id
                name="step"
                min="0"
                step="1"
                node_ref=slider
                max=move || steps.get().to_string()
                prop:value=move || {
                    // The value is cut off at the largest, which therefore comes first.
                    if let Some(slider) = slider.get() {
                        slider.set_max(&steps.get().to_string());
                    }
                    step.get().to_string()
                }
                aria-valuetext=place
                on:input=slide
            />
            <span class="transport-place">{place}</span>
        </div>
    }
}

/// A pictogram of 24 by 24.
fn icon(path: &'static str) -> impl IntoView {
    view! { <svg viewBox="0 0 24 24" aria-hidden="true"><path d=path /></svg> }
}

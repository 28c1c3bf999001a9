//! What is around a figure while it is projected: a bar of buttons, the question that it waits for, the spotlight, the blank screen.

use leptos::ev;
use leptos::prelude::*;
use ringside_learner::talk;

use super::held;
use super::room::{Room, flip, leave};
use crate::ui::later::Later;

pub(super) fn view(room: Room) -> AnyView {
    let count = move || room.slides.with(Vec::len);
    let label = move || {
        let Some(at) = room.at.get() else { return String::new() };
        room.slides.with(|all| {
            all.get(at).map(|slide| format!("{} · {}", talk::place(all, at), slide.label)).unwrap_or_default()
        })
    };
    // The page's own heading is behind the figure.
    let title = document().title();
    let numbers = move || {
        let labels = room.slides.with(|s| s.iter().take(9).map(|s| s.label.clone()).collect::<Vec<_>>());
        let number = |(i, label): (usize, String)| {
            view! {
                <button
                    type="button"
                    class="quiet"
                    title=label.clone()
                    aria-label=format!("{}: {label}", i + 1)
                    aria-pressed=move || (room.at.get() == Some(i)).to_string()
                    on:click=move |_| room.go(i)
                >
                    {i + 1}
                </button>
            }
        };
        labels.into_iter().enumerate().map(number).collect_view()
    };
    let switch = |text: &'static str, key: &'static str, signal: RwSignal<bool>| {
        view! {
            <button
                type="button"
                class="quiet"
                aria-pressed=move || signal.get().to_string()
                on:click=move |_| flip(signal)
            >
                {text}
                " "
                <kbd>{key}</kbd>
            </button>
        }
    };
    let light = RwSignal::new((50.0, 50.0));
    let (x, y) = (move || format!("{}px", light.get().0), move || format!("{}px", light.get().1));
    let moved = window_event_listener(ev::pointermove, move |event| {
        if room.light.get_untracked() || room.dot.get_untracked() {
            light.set((f64::from(event.client_x()), f64::from(event.client_y())));
        }
    });
    on_cleanup(move || moved.remove());
    rest();
    view! {
        <section aria-label="In the room">
        <h1 class="visually-hidden">{title}</h1>
        <div class="room-bar" role="toolbar" aria-label="Projector">
            <div class="room-slides" hidden=move || count() == 0>
                <button type="button" class="quiet" aria-label="The state before" title="Page Up, or an arrow key" on:click=move |_| room.step(false)>
                    "‹"
                </button>
                {numbers}
                <button type="button" class="quiet" aria-label="The next state" title="Page Down, an arrow key or Space" on:click=move |_| room.step(true)>
                    "›"
                </button>
            </div>
            <p aria-live="polite">{label}</p>
            {room.question.counted()}
            {switch("Hide controls", "H", room.bare)}
            {switch("Spotlight", "S", room.light)}
            {switch("Pointer", "L", room.dot)}
            {switch("Freeze", "F", room.frozen)}
            {switch("Blank", "B", room.blank)}
            <button type="button" class="quiet" on:click=|_| leave()>"Leave " <kbd>"Esc"</kbd></button>
        </div>
        {room.question.view()}
        {move || {
            let (x, y) = room.more.get()?;
            let (x, y) = (format!("{x:.0}px"), format!("{y:.0}px"));
            Some(
                view! {
                    <button
                        type="button"
                        class="room-more"
                        style=("left", x)
                        style=("top", y)
                        on:click=move |_| room.step(true)
                    >
                        "More below " <kbd>"→"</kbd>
                    </button>
                },
            )
        }}
        <Show when=move || room.frozen.get()>{held::view(room.stage)}</Show>
        <Show when=move || room.light.get()>
            <div
                class="room-light"
                style=("--x", x)
                style=("--y", y)
            ></div>
        </Show>
        <Show when=move || room.dot.get()>
            <div class="room-pointer" style=("left", x) style=("top", y)></div>
        </Show>
        <Show when=move || room.blank.get()>
            <button
                type="button"
                class="room-blank"
                aria-label="The screen is blank. Press B to show the figure again."
                on:click=move |_| room.blank.set(false)
            ></button>
        </Show>
        </section>
    }
    .into_any()
}

/// How long nothing is touched before the buttons fade, in milliseconds.
const RESTS: u32 = 4000;
/// What `<html>` bears from then on.
const RESTING: &str = "data-resting";

/// Lets the buttons fade while nothing is touched: the room came for the figure.
fn rest() {
    let Some(root) = document().document_element() else { return };
    let later = Later::after(RESTS);
    let touched = {
        let root = root.clone();
        move || {
            // Where it cannot be said, the buttons stay.
            let _ = root.remove_attribute(RESTING);
            let root = root.clone();
            later.run(move || _ = root.set_attribute(RESTING, ""));
        }
    };
    touched();
    let keyed = touched.clone();
    let all = [
        window_event_listener(ev::pointermove, move |_| touched()),
        window_event_listener(ev::keydown, move |_| keyed()),
    ];
    on_cleanup(move || {
        all.into_iter().for_each(|one| one.remove());
        let _ = root.remove_attribute(RESTING);
    });
}

//! What helps with a puzzle: hints, one at a time, and a solution, which counts as looked up.

use leptos::prelude::*;
use ringside_learner::workbench::Work;

use super::kept;
use crate::ui::{focus_soon, unique_id};

/// What there is to help with a puzzle.
pub(in crate::widgets) struct Help {
    /// Its key in the store.
    pub key: String,
    /// Its hints, escaped or rendered: HTML.
    pub hints: Vec<String>,
    /// The button that shows the solution.
    pub show: &'static str,
    /// The solution.
    pub solution: ViewFn,
}

/// Hints and solution.
pub(in crate::widgets) fn view(help: Help, work: Memo<Work>) -> AnyView {
    let Help { key, hints, show, solution } = help;
    let (key, count) = (StoredValue::new(key), hints.len());
    let hints = StoredValue::new(hints);
    let opened = Memo::new(move |_| work.with(|w| w.hints).min(count));
    let all = move || opened.get() == count;
    let list = StoredValue::new(unique_id("hints"));
    let hint = move |_| {
        key.with_value(|key| kept::change(key, |w| w.hints += 1));
        // The button goes with the last one.
        if untrack(all) {
            list.with_value(|id| focus_soon(id.clone()));
        }
    };
    let asked = RwSignal::new(false);
    let shown = RwSignal::new(false);
    let place = StoredValue::new(unique_id("solution"));
    let reveal = move || {
        asked.set(false);
        shown.set(true);
        place.with_value(|id| focus_soon(id.clone()));
    };
    let toggle = move |_| {
        if shown.get_untracked() {
            shown.set(false);
        } else if work.with_untracked(|w| w.solved || w.looked_up) {
            reveal();
        } else {
            asked.update(|asked| *asked = !*asked);
        }
    };
    let look_up = move |_| {
        key.with_value(|key| kept::change(key, |w| w.looked_up = true));
        reveal();
    };
    let items = move || {
        hints.with_value(|hints| {
            hints.iter().take(opened.get()).map(|hint| view! { <li inner_html=hint.clone()></li> }).collect_view()
        })
    };
    let solution = move || solution.run();
    view! {
        <div class="puzzle-help">
            <ol class="hints" id=list.get_value() tabindex="-1" hidden=move || opened.get() == 0 aria-live="polite">{items}</ol>
            <div class="help-buttons">
                <button type="button" class="quiet" hidden=all on:click=hint>
                    {move || if opened.get() == 0 { "Hint" } else { "Another hint" }}
                </button>
                <button type="button" class="quiet" aria-expanded=move || shown.get().to_string() on:click=toggle>
                    {move || if shown.get() { "Hide the solution" } else { show }}
                </button>
            </div>
            <Show when=move || asked.get()>
                <div class="message">
                    <p>"You have not solved this one yet. If you look now, it counts as looked up, whatever you write afterwards."</p>
                    <div class="bench-actions">
                        <button type="button" class="secondary" on:click=look_up>"Look it up"</button>
                        <button type="button" class="quiet" on:click=move |_| asked.set(false)>"Go on trying"</button>
                    </div>
                </div>
            </Show>
            <div id=place.get_value() tabindex="-1">{move || shown.get().then(&solution)}</div>
        </div>
    }
    .into_any()
}

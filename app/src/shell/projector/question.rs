//! The question that a projected figure waits for: in large type over it, hands counted, until the next step uncovers the figure.

use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlElement;

use super::stage::Stage;
use crate::ui::dom;

/// A prediction that was not made yet, and hands that were counted.
#[derive(Clone, Copy)]
pub(super) struct Question {
    /// The prediction: HTML of our own build.
    prompt: RwSignal<Option<String>>,
    /// The exercise that asks it.
    asked: StoredValue<Option<String>>,
    /// Hands for each answer that was put to the room; the last is being counted.
    hands: RwSignal<Vec<u32>>,
    /// What shows the figure without a prediction.
    button: StoredValue<Option<HtmlElement>, LocalStorage>,
}

impl Question {
    pub(super) fn none() -> Self {
        Self {
            prompt: RwSignal::new(None),
            asked: StoredValue::new(None),
            hands: RwSignal::new(vec![0]),
            button: StoredValue::new_local(None),
        }
    }

    /// Finds the question that the figure on this stage waits for.
    pub(super) fn find(self, stage: StoredValue<Stage, LocalStorage>) {
        let withheld = stage.with_value(Stage::figure).filter(|figure| figure.class_list().contains("withheld"));
        let button = withheld.and_then(|figure| dom::find(&figure, ".finding button"));
        let asked =
            button.is_some().then(|| stage.with_value(|stage| stage.place().get_attribute("data-after"))).flatten();
        let prompt = asked.as_deref().and_then(prompt_of);
        self.button.set_value(button);
        // An exercise that comes alive says the same in other markup: its hands are still up.
        if self.asked.with_value(|before| *before != asked) {
            self.hands.set(vec![0]);
            self.asked.set_value(asked);
        }
        if self.prompt.with_untracked(|before| *before != prompt) {
            self.prompt.set(prompt);
        }
    }

    /// Shows the figure, if it waits. Yields whether it did.
    pub(super) fn uncover(self) -> bool {
        let Some(button) = self.button.try_update_value(Option::take).flatten() else { return false };
        self.prompt.set(None);
        button.click();
        true
    }

    /// Counts a hand, takes it back, or goes on to the next answer. Yields whether the key was for that.
    pub(super) fn press(self, key: &str) -> bool {
        if self.prompt.with_untracked(Option::is_none) {
            return false;
        }
        let mut used = true;
        self.hands.update(|hands| match (key, hands.last_mut()) {
            ("+" | "=", Some(last)) => *last += 1,
            ("-", Some(last)) => *last = last.saturating_sub(1),
            ("Enter", Some(last)) if *last > 0 => hands.push(0),
            _ => used = false,
        });
        used
    }

    pub(super) fn view(self) -> AnyView {
        let hands = move || {
            self.hands.with(|hands| {
                let all = hands.iter().map(|n| view! { <b>{*n}</b> });
                all.collect_view()
            })
        };
        view! {
            <Show when=move || self.prompt.with(Option::is_some)>
                <div class="room-question" role="group" aria-label="Prediction">
                    <div inner_html=move || self.prompt.get().unwrap_or_default()></div>
                    <p class="room-hands" aria-live="polite">"Hands: " {hands}</p>
                    <p class="room-keys">
                        <kbd>"+"</kbd> " and " <kbd>"−"</kbd> " count hands, " <kbd>"Enter"</kbd>
                        " begins the next answer, " <kbd>"→"</kbd> " shows the figure."
                    </p>
                </div>
            </Show>
        }
        .into_any()
    }
}

/// What the prediction of this id asks: in its exercise, alive or still.
fn prompt_of(id: &str) -> Option<String> {
    let exercise = document().query_selector(&format!("[data-slot-exercise=\"{id}\"]")).ok().flatten()?;
    let prompt = dom::find(&exercise, ".prompt").unwrap_or_else(|| exercise.unchecked_into());
    Some(prompt.inner_html())
}

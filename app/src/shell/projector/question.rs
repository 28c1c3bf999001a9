//! The question that a projected figure waits for: in large type over it, hands counted, until the next step uncovers the figure.

use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlElement;

use super::stage::Stage;
use crate::shell::votes;
use crate::ui::dom;
use crate::ui::hands::Hands;

/// A prediction that was not made yet, and hands that were counted.
#[derive(Clone, Copy)]
pub(super) struct Question {
    /// The prediction: HTML of our own build.
    prompt: RwSignal<Option<String>>,
    /// The exercise that asks it.
    asked: StoredValue<Option<String>>,
    /// Hands for each answer that was put to the room.
    hands: Hands,
    /// What shows the figure without a prediction.
    button: StoredValue<Option<HtmlElement>, LocalStorage>,
}

impl Question {
    pub(super) fn none() -> Self {
        Self {
            prompt: RwSignal::new(None),
            asked: StoredValue::new(None),
            hands: Hands::in_order(1),
            button: StoredValue::new_local(None),
        }
    }

    /// Finds the question that the figure on this stage waits for.
    pub(super) fn find(self, stage: StoredValue<Stage, LocalStorage>) {
        let withheld = stage.with_value(Stage::figure).filter(|figure| figure.class_list().contains("withheld"));
        let button = withheld.and_then(|figure| dom::find(&figure, ".finding button"));
        // What was counted stays with the figure once it is uncovered.
        let asked = stage.with_value(|stage| stage.place().get_attribute("data-after"));
        let prompt = asked.as_deref().filter(|_| button.is_some()).and_then(prompt_of);
        self.button.set_value(button);
        // An exercise that comes alive says the same in other markup: its hands are still up.
        if self.asked.with_value(|before| *before != asked) {
            self.hands.begin_again();
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
        self.prompt.with_untracked(Option::is_some) && self.hands.type_or_press(key)
    }

    /// What was counted before the figure was uncovered.
    pub(super) fn counted(self) -> AnyView {
        let is_over = move || self.prompt.with(Option::is_none) && self.hands.any();
        view! { <Show when=is_over>{self.hands.counts()}</Show> }.into_any()
    }

    pub(super) fn view(self) -> AnyView {
        view! {
            <Show when=move || self.prompt.with(Option::is_some)>
                <div class="room-question" role="group" aria-label="Prediction">
                    <div inner_html=move || self.prompt.get().unwrap_or_default()></div>
                    {self.hands.counting()}
                    {votes::button(self.hands)}
                    <p class="room-keys">
                        {Hands::keys()} " begins the next answer, " <kbd>"→"</kbd> " shows the figure."
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

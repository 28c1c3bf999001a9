//! How sure the learner is of a prediction; for the picture of how well they know what they know.

use leptos::prelude::*;
use ringside_content::language::{self, Phrase};

use super::session::Session;
use crate::ui::unique_id;

/// Percentages to choose from.
const LEVELS: [(u8, Phrase); 3] = [(50, language::GUESS), (75, language::FAIRLY), (95, language::CERTAIN)];

/// The choice. Optional, and over once the learner has committed. A quiz does not ask it.
pub(super) fn field(session: Session) -> AnyView {
    if session.exam {
        return ().into_any();
    }
    let name = unique_id("confidence");
    let committed = move || session.attempt.with(|a| a.checked);
    let levels = LEVELS
        .map(|(percent, text)| {
            view! {
                <label>
                    <input
                        type="radio"
                        name=name.clone()
                        value=percent.to_string()
                        prop:checked=move || session.attempt.with(|a| a.confidence == Some(percent))
                        disabled=committed
                        on:change=move |_| session.update(|a| a.confidence = Some(percent))
                    />
                    <span>{text.to(session.lang)}</span>
                </label>
            }
        })
        .into_iter()
        .collect_view();
    view! {
        <fieldset class="confidence" lang=session.lang.marked()>
            <legend>{language::SURE.to(session.lang)}</legend>
            {levels}
        </fieldset>
    }
    .into_any()
}

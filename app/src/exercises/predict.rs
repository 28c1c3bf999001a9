//! A number to commit to before the figure is uncovered. Right, near or far, it is told which.

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_core::answer::Outcome;
use ringside_core::exercise::Kind;

use super::Form;
use super::session::Session;
use super::{compare, confidence, frame, number};
use crate::deferred::NotLoaded;

/// Downloads it.
#[wasm_split(exercise_predict, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load() -> Result<Form, NotLoaded> {
    Ok(form)
}

/// The field, and what to say once the learner has committed.
fn form(session: Session) -> AnyView {
    view! {
        {confidence::field(session)}
        {number::field(session, "Commit")}
        <div role="status">
            {move || {
                number::checked(session)
                    .map(|verdict| {
                        if verdict.asks() {
                            return number::show(session, verdict);
                        }
                        let reveal = session.exercise.with_value(|e| match &e.kind {
                            Kind::Predict(predict) => session.fill(&predict.reveal),
                            _ => String::new(),
                        });
                        let right = verdict.is_right();
                        let named = matches!(verdict.outcome, Outcome::DeclaredMistake { .. });
                        let remark = frame::verdict(right, named, verdict.say().to_owned());
                        let beside = verdict.value.and_then(|yours| compared(session, yours));
                        view! {
                            {remark}
                            {beside}
                            {frame::verdict(right, true, reveal)}
                        }
                            .into_any()
                    })
            }}
        </div>
    }
    .into_any()
}

/// The prediction, with what the model says over it.
fn compared(session: Session, yours: f64) -> Option<AnyView> {
    let resolved = session.resolved()?.ok()?;
    Some(compare::bars(vec![(String::new(), yours, resolved.expected)], resolved.unit))
}

//! A number to commit to before the figure is uncovered. Right, near or far, it is told which.

use leptos::prelude::*;
use ringside_content::language;
use ringside_core::answer::{Outcome, how_far};
use ringside_core::exercise::Kind;

use super::session::Session;
use super::{compare, confidence, frame, number};

/// The field, and what to say once the learner has committed.
pub(super) fn form(session: Session) -> AnyView {
    view! {
        {confidence::field(session)}
        {number::field(session, language::COMMIT)}
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
                        // A prediction is made once: nothing is "not yet".
                        let said = match (&verdict.outcome, verdict.value, session.resolved()) {
                            (Outcome::Wrong { .. }, Some(yours), Some(Ok(resolved))) => how_far(yours, resolved.expected),
                            _ => verdict.say().to_owned(),
                        };
                        let remark = frame::verdict(right, named, said);
                        let beside = verdict.value.and_then(|yours| compared(session, yours));
                        view! {
                            {remark}
                            {beside}
                            <div class="answer revealed" inner_html=reveal></div>
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

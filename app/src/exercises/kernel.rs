//! A kernel to write: the workbench with one puzzle, whose verdict is the exercise's.

use leptos::prelude::*;
use ringside_core::exercise::Kind;

use super::figure::Figure;
use super::session::Session;
use super::{explain, frame};
use crate::widgets::Judge;

/// The workbench; in a quiz, where nothing is said of an answer, a field for the text.
pub(super) fn form(session: Session) -> AnyView {
    if session.exam {
        return explain::field(session, "The body of the kernel", "The body of main, in WGSL");
    }
    provide_context(Judge(Callback::new(move |(right, text)| {
        session.input.set(text);
        session.submit(right, true);
    })));
    let state = RwSignal::new(untrack(|| session.parameters()));
    let figure = Figure::new(session.attempt.with_untracked(|a| a.tries > 0));
    let say = move || {
        session.attempt.with(|a| a.solved).then(|| {
            let say = session.exercise.with_value(|e| match &e.kind {
                Kind::Kernel(kernel) => kernel.say.clone(),
                _ => String::new(),
            });
            frame::verdict(true, true, session.fill(&say))
        })
    };
    view! {
        {figure.view(session, state, "Open the workbench")}
        <div role="status">{say}</div>
    }
    .into_any()
}

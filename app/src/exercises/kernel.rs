//! A kernel or a program to write: its workbench with one puzzle, whose verdict is the exercise's.

use leptos::prelude::*;
use ringside_content::language;
use ringside_core::exercise::Kind;

use super::figure::Figure;
use super::session::Session;
use super::{explain, frame};
use crate::widgets::Judge;

/// A kernel.
pub(super) fn form(session: Session) -> AnyView {
    written(session, "The body of the kernel", "The body of main, in WGSL", |kind| match kind {
        Kind::Kernel(kernel) => Some(&kernel.say),
        _ => None,
    })
}

/// A program for several ranks.
pub(super) fn program(session: Session) -> AnyView {
    written(session, "The program", "The program, in Python; every rank runs it", |kind| match kind {
        Kind::Program(program) => Some(&program.say),
        _ => None,
    })
}

/// The workbench; in a quiz, where nothing is said of an answer, a field for the text.
fn written(
    session: Session,
    label: &'static str,
    placeholder: &'static str,
    say: fn(&Kind) -> Option<&String>,
) -> AnyView {
    if session.exam {
        return explain::field(session, label, placeholder);
    }
    provide_context(Judge(Callback::new(move |(right, text)| {
        session.input.set(text);
        session.submit(right, true);
    })));
    let state = RwSignal::new(untrack(|| session.parameters()));
    let figure = Figure::new(session.attempt.with_untracked(|a| a.tries > 0));
    let say = move || {
        session.attempt.with(|a| a.solved).then(|| {
            let say = session.exercise.with_value(|e| say(&e.kind).cloned().unwrap_or_default());
            frame::verdict(true, true, session.fill(&say))
        })
    };
    view! {
        {figure.view(session, state, language::OPEN_WORKBENCH)}
        <div role="status">{say}</div>
    }
    .into_any()
}

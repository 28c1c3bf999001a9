//! A number with its unit, typed freely.

use leptos::prelude::*;
use ringside_content::language::{self, Phrase};
use ringside_core::answer::{Outcome, Tolerance, Verdict};

use super::frame;
use super::session::Session;
use crate::ui::unique_id;

/// The field, the button and the verdict.
pub(super) fn form(session: Session) -> AnyView {
    view! {
        {field(session, language::CHECK)}
        <div role="status">
            {move || checked(session).map(|verdict| show(session, verdict))}
        </div>
    }
    .into_any()
}

/// The field with its button and the tolerance.
pub(super) fn field(session: Session, button: Phrase) -> impl IntoView {
    let lang = session.lang;
    let id = unique_id("answer");
    let note = format!("{id}-note");
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        submit(session);
    };
    view! {
        <form class="answer-form" autocomplete="off" on:submit=submit>
            <label class="visually-hidden" for=id.clone() lang=lang.marked()>{language::YOUR_ANSWER.to(lang)}</label>
            <input
                type="text"
                id=id
                name="answer"
                spellcheck="false"
                autocomplete="off"
                aria-describedby=note.clone()
                prop:value=session.input
                on:input=move |event| session.input.set(event_target_value(&event))
                on:blur=move |_| session.keep_input()
            />
            <button type="submit" lang=lang.marked() hidden=session.exam>{button.to(lang)}</button>
            <small id=note>{tolerance(session)}</small>
        </form>
    }
}

fn tolerance(session: Session) -> String {
    session.exercise.with_value(|e| {
        let Some(number) = e.number() else { return String::new() };
        let within =
            Tolerance::parse(&number.tolerance, number.unit).map(|t| t.describe(number.unit)).unwrap_or_default();
        let units = match (&number.written_in, number.unit) {
            (Some(asked), _) => format!(", in {asked}"),
            (None, ringside_core::quantity::Unit::Bytes) => "; units matter, GB and GiB are both fine".to_owned(),
            _ => String::new(),
        };
        format!("{within}{units}")
    })
}

fn submit(session: Session) {
    session.when_asked(
        move || session.resolved(),
        move |resolved| {
            let verdict = resolved.check(&session.input.get_untracked());
            session.submit(verdict.is_right(), !verdict.asks());
        },
    );
}

/// The verdict on what was submitted, as long as it is what is in the field.
pub(super) fn checked(session: Session) -> Option<Verdict> {
    let input = session.submitted()?;
    session.resolved()?.ok().map(|resolved| resolved.check(&input))
}

/// A verdict; where the answer could be read in two ways, a button for each.
pub(super) fn show(session: Session, verdict: Verdict) -> AnyView {
    let html = matches!(verdict.outcome, Outcome::DeclaredMistake { .. });
    let said = frame::verdict(verdict.is_right(), html, verdict.say().to_owned());
    let readings = match verdict.outcome {
        Outcome::Ambiguous { readings } => readings,
        _ => Vec::new(),
    };
    let buttons = readings
        .into_iter()
        .map(|reading| {
            let take = {
                let reading = reading.clone();
                move |_| {
                    session.input.set(reading.clone());
                    submit(session);
                }
            };
            view! { <button type="button" class="secondary" on:click=take>{reading}</button> " " }
        })
        .collect_view();
    view! {
        {said}
        <div class="readings-of">{buttons}</div>
    }
    .into_any()
}

//! A symptom: its cause, and the change that proves it.

use leptos::prelude::*;
use ringside_content::language;
use ringside_core::exercise::input::cause_and_change;
use ringside_core::exercise::{Kind, Template, Trace, environment, option_order};

use super::frame;
use super::session::Session;
use crate::ui::unique_id;

/// The evidence, the two choices, the button and the verdict.
pub(super) fn form(session: Session) -> AnyView {
    let chosen = move || session.input.with(|input| cause_and_change(input));
    let set = move |cause: Option<usize>, change: Option<usize>| {
        let text = |i: Option<usize>| i.map(|i| i.to_string()).unwrap_or_default();
        session.input.set(format!("{};{}", text(cause), text(change)));
        session.keep_input();
    };
    let causes = move || {
        let seed = session.attempt.with(|a| a.seed);
        let order = session.exercise.with_value(|e| option_order(e, seed));
        let texts = look(session, |t| t.causes.iter().map(|c| c.text.clone()).collect::<Vec<_>>()).unwrap_or_default();
        let name = unique_id("cause");
        order
            .into_iter()
            .filter_map(|i| Some((i, texts.get(i)?.clone())))
            .map(|(i, text)| {
                radio(&name, i, session.fill(&text), move || chosen().0 == Some(i), move || set(Some(i), chosen().1))
            })
            .collect_view()
    };
    let changes = move || {
        let texts = look(session, |t| t.changes.iter().map(|c| c.text.clone()).collect::<Vec<_>>()).unwrap_or_default();
        let name = unique_id("change");
        texts
            .into_iter()
            .enumerate()
            .map(|(i, text)| {
                radio(&name, i, session.fill(&text), move || chosen().1 == Some(i), move || set(chosen().0, Some(i)))
            })
            .collect_view()
    };
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let Some(change) = chosen().1 else { return };
        session.when_asked(
            move || measured(session, change),
            move |measured| {
                let cause = untrack(chosen).0;
                let is_cause = look(session, |t| cause.is_some_and(|c| t.is_cause(c))).unwrap_or_default();
                session.submit(is_cause && measured.proves, true);
            },
        );
    };
    let lang = session.lang;
    let ready = move || matches!(chosen(), (Some(_), Some(_)));
    view! {
        {evidence(session)}
        <form class="choice-form" on:submit=submit>
            <fieldset>
                <legend lang=lang.marked()>{language::CAUSE.to(lang)}</legend>
                {causes}
            </fieldset>
            <fieldset>
                <legend lang=lang.marked()>{language::PROOF.to(lang)}</legend>
                {changes}
            </fieldset>
            <button type="submit" lang=lang.marked() hidden=session.exam disabled=move || !ready()>{language::MEASURE.to(lang)}</button>
        </form>
        <div role="status">{move || verdict(session)}</div>
    }
    .into_any()
}

fn radio(
    name: &str,
    value: usize,
    text: String,
    is_chosen: impl Fn() -> bool + Send + Sync + 'static,
    pick: impl Fn() + 'static,
) -> AnyView {
    view! {
        <label class="option">
            <input type="radio" name=name.to_owned() value=value.to_string() prop:checked=is_chosen on:change=move |_| pick() />
            <span inner_html=text></span>
        </label>
    }
    .into_any()
}

/// The measurements that the learner is given.
fn evidence(session: Session) -> impl IntoView {
    let rows = move || {
        let ids = look(session, |t| t.evidence.clone()).unwrap_or_default();
        let shown = session.ask(|_, query, evaluate| {
            let evaluation = evaluate(query);
            let row = |id: &String| {
                let quantity = evaluation.quantities.iter().find(|q| q.id == id)?;
                Some((quantity.label.to_owned(), quantity.text()))
            };
            Ok(ids.iter().filter_map(row).collect::<Vec<_>>())
        });
        let rows = shown.and_then(Result::ok).unwrap_or_default();
        rows.into_iter()
            .map(|(label, value)| view! { <tr><th scope="row">{label}</th><td class="right">{value}</td></tr> })
            .collect_view()
    };
    view! {
        <table class="evidence">
            <caption class="visually-hidden" lang=session.lang.marked()>{language::SYMPTOMS.to(session.lang)}</caption>
            <tbody>{rows}</tbody>
        </table>
    }
}

fn measured(session: Session, change: usize) -> Option<Result<ringside_core::exercise::Measured, String>> {
    session.ask(|exercise, query, evaluate| match &exercise.kind {
        Kind::Trace(trace) => trace.measure(exercise, change, query, evaluate),
        _ => Err(String::new()),
    })
}

fn verdict(session: Session) -> Option<AnyView> {
    let (Some(cause), Some(change)) = cause_and_change(&session.submitted()?) else { return None };
    let measured = measured(session, change)?.ok()?;
    let (named, tried) = look(session, |t| (t.causes.get(cause).cloned(), t.changes.get(change).cloned()))?;
    let (named, tried) = (named?, tried?);
    let is_cause = named.right;
    let means = session.ask(|exercise, query, evaluate| {
        let Kind::Trace(trace) = &exercise.kind else { return Err(String::new()) };
        let env = environment(exercise, query, evaluate)?;
        let env = env.with("before", measured.before, trace.unit).with("after", measured.after, trace.unit);
        Template::fill(&tried.say, &env)
    })?;
    let lead = match (is_cause, measured.proves) {
        (true, true) => language::CAUSE_AND_PROOF,
        (true, false) => language::CAUSE_ALONE,
        (false, true) => language::OTHER_CAUSE,
        (false, false) => language::NOT_YET,
    };
    let remark = |right: bool, text: &str, say: String| {
        frame::verdict(right, true, format!("<p>{}</p>{say}", session.fill(text)))
    };
    Some(
        view! {
            <p class="lead-in" lang=session.lang.marked()><b>{lead.to(session.lang)}</b></p>
            {remark(is_cause, &named.text, session.fill(&named.say))}
            {remark(measured.proves, &tried.text, means.unwrap_or_else(|why| why))}
        }
        .into_any(),
    )
}

fn look<T>(session: Session, look: impl FnOnce(&Trace) -> T) -> Option<T> {
    session.exercise.with_value(|e| match &e.kind {
        Kind::Trace(trace) => Some(look(trace)),
        _ => None,
    })
}

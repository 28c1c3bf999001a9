//! An answer in the learner's own words, which the learner compares with a rubric and a model answer.

use leptos::prelude::*;
use ringside_content::language;
use ringside_core::exercise::input::indices;
use ringside_core::exercise::{Explain, Kind};

use super::session::Session;
use crate::ui::later::Later;
use crate::ui::unique_id;

/// The field, and what to compare it with once it has been written.
pub(super) fn form(session: Session) -> AnyView {
    let lang = session.lang;
    let compare = move |_| {
        session.update(|a| {
            a.input = session.input.get_untracked();
            a.checked = true;
            a.tries += 1;
        });
    };
    let empty = move || session.input.with(|input| input.trim().is_empty());
    let compared = Memo::new(move |_| session.attempt.with(|a| a.checked));
    view! {
        {field(session, language::EXPLANATION.to(lang), language::OWN_WORDS.to(lang))}
        <button type="button" lang=lang.marked() hidden=session.exam disabled=empty on:click=compare>{language::COMPARE.to(lang)}</button>
        <div role="status">{move || compared.get().then(|| comparison(session))}</div>
    }
    .into_any()
}

/// A field for a text, which is kept as it is written.
pub(super) fn field(session: Session, label: &'static str, placeholder: &'static str) -> AnyView {
    let id = unique_id("text");
    let rest = Later::after(600);
    let typed = move |event| {
        session.input.set(event_target_value(&event));
        rest.run(move || keep(session));
    };
    view! {
        <label class="visually-hidden" lang=session.lang.marked() for=id.clone()>{label}</label>
        <textarea
            id=id
            class="explanation"
            rows="5"
            placeholder=placeholder
            prop:value=session.input
            on:input=typed
            on:blur=move |_| keep(session)
        ></textarea>
    }
    .into_any()
}

/// Keeps what was written; the marks stay, since they are the learner's own.
fn keep(session: Session) {
    let input = session.input.get_untracked();
    if session.attempt.with_untracked(|a| a.input != input) {
        session.update(|a| a.input = input);
    }
}

fn comparison(session: Session) -> AnyView {
    let lang = session.lang;
    let Some(explain) = look(session, Explain::clone) else { return ().into_any() };
    let (score, weak_title) = (explain.clone(), explain.weak_title());
    let Explain { rubric, model_answer, weak_answer, weak_points } = explain;
    let count = rubric.len();
    let earned = weak_points.iter().filter_map(|&point| rubric.get(point.checked_sub(1)?));
    let earned = earned.map(|text| view! { <li inner_html=session.fill(text)></li> }).collect_view();
    let marks = move || session.attempt.with(|a| indices(&a.marks, count)).unwrap_or_default();
    let points = rubric
        .into_iter()
        .enumerate()
        .map(|(i, text)| {
            let tick = move |event| {
                let mut all = untrack(marks);
                all.retain(|other| *other != i);
                if event_target_checked(&event) {
                    all.push(i);
                }
                all.sort_unstable();
                let right = look(session, |e| e.is_right(&all)).unwrap_or_default();
                session.update(|a| {
                    a.marks = all.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
                    a.right |= right;
                    a.solved |= right;
                });
            };
            view! {
                <label class="option">
                    <input type="checkbox" prop:checked=move || marks().contains(&i) on:change=tick />
                    <span inner_html=session.fill(&text)></span>
                </label>
            }
        })
        .collect_view();
    view! {
        <div class="answer right">
            <p lang=lang.marked()>{language::GOOD_ANSWER.to(lang)}</p>
            <div inner_html=session.fill(&model_answer)></div>
        </div>
        <fieldset class="rubric">
            <legend lang=lang.marked()>{language::TICK.to(lang)}</legend>
            {points}
            <p class="points"><span lang=lang.marked()>{language::SCORE.to(lang)}</span> {move || score.score(marks().len())}</p>
        </fieldset>
        <details>
            <summary>{weak_title}</summary>
            <div inner_html=session.fill(&weak_answer)></div>
            {(!weak_points.is_empty()).then(|| view! { <p lang=lang.marked()>{language::EARNS.to(lang)}</p> <ul>{earned}</ul> })}
        </details>
    }
    .into_any()
}

fn look<T>(session: Session, look: impl FnOnce(&Explain) -> T) -> Option<T> {
    session.exercise.with_value(|e| match &e.kind {
        Kind::Explain(explain) => Some(look(explain)),
        _ => None,
    })
}

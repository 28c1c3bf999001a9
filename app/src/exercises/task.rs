//! A goal on the state of a figure. Every state that meets it is right, and is seen to be as soon as it is reached.

use leptos::prelude::*;
use ringside_content::language;
use ringside_core::exercise::{Kind, Template, environment};
use ringside_core::quantity::listed;
use ringside_core::query::Query;

use super::figure::Figure;
use super::frame;
use super::session::Session;
use crate::ui::later::Later;

/// What must hold, and the figure.
pub(super) fn form(session: Session) -> AnyView {
    let stored = session.input.get_untracked();
    let state = RwSignal::new(if stored.is_empty() { untrack(|| session.parameters()) } else { Query::parse(&stored) });
    let figure = Figure::new(!stored.is_empty());
    let (open, lang) = (figure.open, session.lang);
    // Fresh numbers begin anew.
    Effect::new(move |before: Option<u64>| {
        let seed = session.attempt.with(|a| a.seed);
        if before.is_some_and(|before| before != seed) {
            state.set(untrack(|| session.parameters()));
        }
        seed
    });
    let judged = Memo::new(move |_| {
        if !open.get() {
            return None;
        }
        let state = state.get();
        let judged = session.ask(|exercise, query, evaluate| match &exercise.kind {
            Kind::Task(task) => task.judge(exercise, query, &state, evaluate),
            _ => Err(String::new()),
        })?;
        judged.ok()
    });
    let done = Memo::new(move |_| judged.with(|j| j.as_ref().is_some_and(|j| j.is_right())));
    // Kept when the learner rests, and at once when it is done.
    let rest = Later::after(400);
    Effect::new(move |_| {
        let text = state.with(ToString::to_string);
        if !open.get() || session.input.with_untracked(|input| *input == text) {
            return;
        }
        if done.get() {
            rest.cancel();
            session.input.set(text);
            session.submit(true, true);
        } else {
            rest.run(move || {
                session.input.set(state.with_untracked(ToString::to_string));
                session.keep_input();
            });
        }
    });
    let goals = move || {
        let texts = session.exercise.with_value(|e| match &e.kind {
            Kind::Task(task) => task.goals.iter().map(|g| g.text.clone()).collect::<Vec<_>>(),
            _ => Vec::new(),
        });
        texts
            .into_iter()
            .enumerate()
            .map(|(i, text)| {
                let met = move || judged.with(|j| j.as_ref().is_some_and(|j| j.met.get(i) == Some(&true)));
                let now = move || {
                    let now = judged.with(|j| j.as_ref().and_then(|j| j.now.get(i).cloned()));
                    now.filter(|now| !now.is_empty())
                        .map(|now| view! { <small class="now"><span lang=lang.marked()>{language::NOW.to(lang)}</span> <span inner_html=now></span></small> })
                };
                view! {
                    <li class:met=met>
                        <b aria-hidden="true">{move || if met() { "✓" } else { "○" }}</b>
                        <span inner_html=session.fill(&text)></span>
                        <span class="visually-hidden" aria-live="polite" lang=lang.marked()>{move || if met() { language::MET } else { language::UNMET }.to(lang)}</span>
                        {now}
                    </li>
                }
            })
            .collect_view()
    };
    let begin = move |_| {
        state.set(session.parameters());
        figure.focus();
    };
    let strayed = move || {
        let names: Vec<String> =
            judged.with(|j| j.iter().flat_map(|j| &j.strayed).map(|name| session.label(name)).collect());
        (!names.is_empty()).then(|| {
            let text = language::STRAYED.with(lang, &[("names", &listed(&names))]);
            view! {
                <div class="answer" lang=lang.marked()>
                    <p>{text}</p>
                    <button type="button" class="secondary" on:click=begin>
                        {language::BEGIN_AGAIN.to(lang)}
                    </button>
                </div>
            }
        })
    };
    let say = move || {
        if session.exam || !done.get() {
            return None;
        }
        let now = state.get();
        let said = session.ask(|exercise, _, evaluate| {
            let Kind::Task(task) = &exercise.kind else { return Err(String::new()) };
            environment(exercise, &now, evaluate).and_then(|env| Template::fill(&task.say, &env))
        })?;
        said.ok().map(|text| frame::verdict(true, true, text))
    };
    view! {
        <ul class="goals">{goals}</ul>
        {figure.view(session, state, language::OPEN_FIGURE)}
        {strayed}
        <div role="status">{say}</div>
    }
    .into_any()
}

//! A goal on the state of a figure. Every state that meets it is right, and is seen to be as soon as it is reached.

use leptos::prelude::*;
use ringside_core::exercise::{Kind, Template, environment};
use ringside_core::query::Query;

use super::frame;
use super::session::Session;
use crate::deferred::deferred;
use crate::ui::later::Later;
use crate::ui::{focus_soon, unique_id};
use crate::widgets::{self, Module, Props};

/// What must hold, and the figure.
pub(super) fn form(session: Session) -> AnyView {
    let stored = session.input.get_untracked();
    let state = RwSignal::new(if stored.is_empty() { session.parameters() } else { Query::parse(&stored) });
    let open = RwSignal::new(!stored.is_empty());
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
                view! {
                    <li class:met=met>
                        <b aria-hidden="true">{move || if met() { "✓" } else { "○" }}</b>
                        <span inner_html=session.fill(&text)></span>
                        <span class="visually-hidden">{move || if met() { ": met" } else { ": not yet" }}</span>
                    </li>
                }
            })
            .collect_view()
    };
    let figure_id = StoredValue::new(unique_id("task-figure"));
    let begin = move |_| {
        state.set(session.parameters());
        figure_id.with_value(|id| focus_soon(id.clone()));
    };
    let strayed = move || {
        let names = judged.with(|j| j.as_ref().map(|j| j.strayed.join(", ")).unwrap_or_default());
        (!names.is_empty()).then(|| {
            let text = format!("The task sets {names}; put it back.");
            view! {
                <div class="answer">
                    <p>{text}</p>
                    <button type="button" class="secondary" on:click=begin>
                        "Begin again"
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
    let model = session.exercise.with_value(|e| e.model.clone().unwrap_or_default());
    let widget = widgets::find(&model);
    let figure = move || {
        if !open.get() {
            let start = move |_| {
                open.set(true);
                figure_id.with_value(|id| focus_soon(id.clone()));
            };
            return view! { <button type="button" on:click=start>"Open the figure"</button> }.into_any();
        }
        match widget {
            Some(widget) => deferred(
                || widget.to_show(),
                move |module: Module| (module.view)(Props { query: state, alone: false, compact: false }),
            )
            .into_any(),
            None => ().into_any(),
        }
    };
    view! {
        <ul class="goals" aria-live="polite">{goals}</ul>
        <div class="task-figure" id=figure_id.get_value() tabindex="-1">{figure}</div>
        {strayed}
        <div role="status">{say}</div>
    }
    .into_any()
}

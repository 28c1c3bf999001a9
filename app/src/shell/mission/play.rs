//! A mission as it is played: the brief, the state, what was decided, and what is next.

use leptos::prelude::*;
use ringside_core::mission::{Move, Step};

use super::answers;
use super::run::{Run, Source, Wrapped};
use super::{decide, end, vote};
use crate::ui::copy_link::copy_link;
use crate::ui::focus_soon;
use crate::ui::said::{Said, say};

pub(super) fn view(loaded: Wrapped) -> AnyView {
    let source = Source::here();
    let run = Run::new(loaded.take(), &source);
    let shown = run.shown;
    let begun = Memo::new(move |_| run.moves.with(|moves| !moves.is_empty()));
    // The brief is read at the beginning; afterwards it folds.
    let (brief, title, question) = run.with(|m| (m.brief.clone(), m.title.clone(), m.question.clone()));
    let brief = run.start_text(&brief);
    let decision = Memo::new(move |_| shown.with(|s| (s.next, s.is_over, s.steps.len())));
    Effect::new(move |before: Option<usize>| {
        let steps = shown.with(|s| s.steps.len());
        if before.is_some_and(|before| before != steps) && steps > 0 {
            focus_soon(id(steps - 1));
        }
        steps
    });
    let problem = move || {
        let told = source.problem.clone().or_else(|| shown.with(|s| s.problem.clone()));
        told.map(|text| view! { <div class="message" role="status"><p>{text}</p></div> })
    };
    let whose = run.fixed.then(|| {
        let by = if source.by.is_empty() { "A run".to_owned() } else { format!("{}’s run", source.by) };
        let own = run.link(None);
        view! {
            <p class="mission-whose sans">
                {by} ", computed again from the link. " <a href=own>"Play it yourself with the same seed"</a>
            </p>
        }
    });
    view! {
        <div class="mission slides">
            {whose}
            {problem}
            <details class="mission-brief chapter-text" id="mission-brief" data-slide="The brief" open=move || !begun.get()>
                <summary class="sans">"The brief"</summary>
                <h2 class="together">{title}</h2>
                <p class="together lede">{question}</p>
                <div inner_html=brief></div>
            </details>
            {tools(run)}
            {move || state(run)}
            <ol class="mission-steps" aria-label="What was decided">
                {move || shown.with(|s| s.steps.clone()).into_iter().enumerate().map(|(i, step)| past(run, i, step)).collect_view()}
            </ol>
            {move || {
                let (_, is_over, _) = decision.get();
                if is_over { end::view(run) } else if run.fixed { unfinished() } else { decide::view(run) }
            }}
        </div>
    }
    .into_any()
}

/// The id of what came of a move.
fn id(step: usize) -> String {
    format!("mission-step-{}", step + 1)
}

fn unfinished() -> AnyView {
    view! { <p class="sans">"This run was not played to its end."</p> }.into_any()
}

impl Run {
    /// A text of the mission as it reads at the beginning.
    fn start_text(self, text: &str) -> String {
        self.loaded.with_value(|l| {
            ringside_core::mission::Game::new(&l.mission, &l.models, self.seed)
                .and_then(|game| game.fill(text))
                .unwrap_or_default()
        })
    }
}

/// The seed, the link of a class, the room, and the way to the beginning.
fn tools(run: Run) -> AnyView {
    let asked = RwSignal::new(false);
    let begun = move || run.moves.with(|moves| !moves.is_empty());
    let again = move |_| {
        asked.set(false);
        run.begin_again();
    };
    view! {
        <div class="mission-tools sans">
            <span title="Failures and other chance follow from it: the same for everybody with the same seed.">
                "Seed " {run.seed}
            </span>
            <span class="teaching">{copy_link("Copy the link for a class", move || run.link(None))}</span>
            <button type="button" class="quiet" data-project title="On the projector, decision by decision, with votes by show of hands">
                "With the room"
            </button>
            <button type="button" class="quiet" data-lecture=run.page() data-title=run.with(|mission| mission.title.clone())>
                "Add to lecture"
            </button>
            <Show when=move || !run.fixed && begun()>
                <button type="button" class="quiet" on:click=move |_| asked.set(true)>"Begin again"</button>
            </Show>
            <Show when=move || asked.get()>
                <div class="question" role="group" aria-label="Begin again?">
                    <p>"All your decisions will be discarded."</p>
                    <p class="actions">
                        <button type="button" on:click=again>"Discard and start over"</button>
                        <button type="button" class="secondary" on:click=move |_| asked.set(false)>"Go on"</button>
                    </p>
                </div>
            </Show>
        </div>
    }
    .into_any()
}

/// The numbers that are carried, with what the last move changed.
fn state(run: Run) -> AnyView {
    let (values, board, last) =
        run.shown.with(|s| (s.values.clone(), s.board.clone(), s.steps.last().map(|step| step.before.clone())));
    let tiles = run.with(|mission| {
        // The board says it already.
        let drawn = |id: &str| mission.board.iter().flat_map(|board| &board.bar).any(|bar| bar.value == id);
        mission
            .state
            .iter()
            .enumerate()
            .filter(|(_, variable)| !variable.hidden && !drawn(&variable.id))
            .map(|(i, variable)| {
                let value = values.get(i).copied().unwrap_or_default();
                let before = last.as_ref().and_then(|before| before.get(i).copied());
                let change = before
                    .map(|before| value - before)
                    .filter(|change| change.abs() > 1e-9 * value.abs())
                    .map(|change| signed(change, variable.unit));
                view! {
                    <div data-variable=variable.id.clone()>
                        <dt>{variable.label.clone()}</dt>
                        <dd>
                            <output data-value=value>{variable.unit.format(value)}</output>
                            {change.map(|text| view! { <small>{text}</small> })}
                        </dd>
                    </div>
                }
            })
            .collect_view()
    });
    view! {
        <section class="mission-state sans" data-beside aria-label="The state of the run">
            <div inner_html=board></div>
            <dl>{tiles}</dl>
        </section>
    }
    .into_any()
}

/// A change with its sign.
fn signed(change: f64, unit: ringside_core::mission::Counted) -> String {
    if change < 0.0 { format!("−{}", unit.format(-change)) } else { format!("+{}", unit.format(change)) }
}

/// What was decided, and what came of it.
fn past(run: Run, i: usize, step: Step) -> AnyView {
    let is_last = run.shown.with_untracked(|s| s.steps.len() == i + 1);
    let (title, chapter, answer) = run.with(|mission| {
        let Some(decision) = mission.decision.get(step.decision) else { return Default::default() };
        let entry = run.entry(decision.widget.as_deref());
        let answer = step.answer.as_ref().map(|answer| answers::in_words(decision, answer, entry));
        (decision.title.clone(), decision.chapter.clone(), answer)
    });
    let changes = run.with(|mission| {
        let changed = mission.state.iter().enumerate().filter(|(_, v)| !v.hidden).filter_map(|(i, v)| {
            let (before, after) = (step.before.get(i).copied()?, step.after.get(i).copied()?);
            let differs = (after - before).abs() > 1e-9 * after.abs().max(before.abs());
            differs.then(|| {
                view! { <li>{v.label.clone()} ": " {v.unit.format(before)} " → " <b>{v.unit.format(after)}</b></li> }
            })
        });
        changed.collect_view()
    });
    let said =
        step.said.into_iter().map(|html| view! { <div class="chapter-text" inner_html=html></div> }).collect_view();
    let to = step.decision;
    let error: Said = RwSignal::new(None);
    let back = move |_| {
        if let Err(why) = run.go(Move::Back(to)) {
            error.set(Some(Err(why)));
        }
    };
    let went_back = answer.is_none();
    let head = match &answer {
        None => format!("Back to: {title}"),
        Some(_) if step.again => format!("{title}: to be decided again"),
        Some(_) => title,
    };
    let label = head.clone();
    view! {
        <li id=id(i) tabindex="-1" data-slide=label class:again=step.again class:bad=step.bad class:went-back=went_back>
            <details open=is_last>
                <summary>
                    <b>{head}</b>
                    {answer.map(|text| view! { <span>{text}</span> })}
                </summary>
                {said}
                {vote::counted(run, i)}
                <ul class="mission-changes sans">{changes}</ul>
                <p class="mission-after sans">
                    <a href=format!("chapter/{chapter}/")>"The chapter that teaches this"</a>
                    {(!run.fixed && !went_back && !step.again)
                        .then(|| {
                            view! {
                                <button type="button" class="quiet" on:click=back title="Time and money that are gone stay gone.">
                                    "Go back here"
                                </button>
                            }
                        })}
                </p>
                {say(error)}
            </details>
        </li>
    }
    .into_any()
}

//! Composing a quiz: exercises in an order, a seed, a time, and the link that comes of them. The state is in the address.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_content::schema::{Chapter, Course, ExerciseIndex, Indexed};
use ringside_core::answer::Asked;
use ringside_core::exercise;
use ringside_core::practice::exam::{HONESTY, MAX_EXERCISES, MAX_SEED, MAX_TITLE};
use ringside_core::quantity::Unit;
use ringside_core::query::{Kind, ParamSpec};
use ringside_learner::MOST_MINUTES;
use ringside_learner::quiz::Link;

use super::asked;
use super::problems;
use crate::data::library;
use crate::router;
use crate::shell::teach;
use crate::ui::number_field::NumberField;
use crate::ui::{clipboard, link};

const SEED: ParamSpec =
    ParamSpec { name: "seed", doc: "", kind: Kind::Integer { min: 0, max: MAX_SEED }, default: "0" };
const MINUTES: ParamSpec =
    ParamSpec { name: "minutes", doc: "", kind: Kind::Integer { min: 0, max: MOST_MINUTES as u64 }, default: "20" };
/// The largest seed that is drawn at a click: easy to read out.
const DRAWN: f64 = 999_999.0;

pub(super) fn view(link: Link, messages: Vec<String>) -> AnyView {
    let library = library();
    untrack(|| drop((library.course.get(), library.exercises.get())));
    let with_index = move |course: Arc<Course>| {
        let (link, messages) = (link.clone(), messages.clone());
        let show = move |index: Arc<ExerciseIndex>| {
            let (mut link, mut messages) = (link.clone(), messages.clone());
            let known: Vec<&str> = index.exercises.iter().map(|e| e.key.as_str()).collect();
            messages.extend(link.spec.keep_known(&known).into_iter().map(|p| p.message));
            view! {
                {problems(messages)}
                {form(link, course.clone(), index.clone())}
            }
            .into_any()
        };
        library.exercises.show(show).into_any()
    };
    view! {
        <article class="exam">
            {teach::pages()}
            <h1>"Compose a quiz"</h1>
            <p class="lede">
                "Choose exercises. Everyone who opens the link answers them without feedback, with the same numbers or with their own, and hands in a file that "
                <a href="check/">"anybody can mark again"</a> "."
            </p>
            {library.course.show(with_index)}
        </article>
    }
    .into_any()
}

fn form(start: Link, course: Arc<Course>, index: Arc<ExerciseIndex>) -> AnyView {
    let quiz = RwSignal::new(Link { compose: true, ..start });
    Effect::new(move |before: Option<()>| {
        let href = quiz.with(Link::href);
        if before.is_some() {
            // A browser that refuses leaves an older address in the bar.
            let _ = router::replace(&link::whole(&href));
        }
    });
    let index = StoredValue::new(index);
    let chapters = course.chapters().map(|c| chapter(c, index, quiz)).collect_view();
    let full = move || quiz.with(|q| q.spec.exercises.len() >= MAX_EXERCISES);
    let full_note = move || full().then(|| format!("A quiz has at most {MAX_EXERCISES} exercises."));
    view! {
        <section aria-labelledby="choose">
            <h2 id="choose">"Exercises"</h2>
            <p class="field-error" role="status">{full_note}</p>
            {chapters}
        </section>
        {order(quiz, index)}
        {settings(quiz)}
        {result(quiz)}
    }
    .into_any()
}

fn kind_of(exercise: &Indexed) -> String {
    let marked = if exercise::Kind::is_unmarked(&exercise.kind) { ", for you to mark" } else { "" };
    format!("{} · level {}{marked}", exercise::Kind::called(&exercise.kind), exercise.level)
}

/// A chapter's exercises to choose from.
fn chapter(chapter: &Chapter, index: StoredValue<Arc<ExerciseIndex>>, quiz: RwSignal<Link>) -> AnyView {
    let exercises: Vec<Indexed> =
        index.with_value(|i| i.exercises.iter().filter(|e| e.chapter() == chapter.slug).cloned().collect());
    if exercises.is_empty() {
        return ().into_any();
    }
    let (all, slug) = (exercises.len(), format!("{}/", chapter.slug));
    let chosen = move || quiz.with(|q| q.spec.exercises.iter().filter(|e| e.starts_with(&slug)).count());
    let rows = exercises
        .into_iter()
        .map(|exercise| {
            let key = StoredValue::new(exercise.key.clone());
            let has = Memo::new(move |_| key.with_value(|key| quiz.with(|q| q.spec.exercises.contains(key))));
            let full = move || quiz.with(|q| q.spec.exercises.len() >= MAX_EXERCISES) && !has.get();
            let tick = move |event| {
                let on = event_target_checked(&event);
                quiz.update(|q| {
                    q.spec.exercises.retain(|e| key.with_value(|key| e != key));
                    if on {
                        q.spec.exercises.push(key.get_value());
                    }
                });
            };
            let kind = kind_of(&exercise);
            let look = RwSignal::new(false);
            let label = format!("Preview {}", exercise.title);
            let question = move || {
                let seed = move || key.with_value(|key| quiz.with(|q| q.spec.seed_of(key, "")));
                look.get().then(|| asked::view(key.get_value(), seed))
            };
            view! {
                <div class="to-choose">
                    <label class="option">
                        <input type="checkbox" prop:checked=has disabled=full on:change=tick />
                        <span>{exercise.title} " " <small>{kind}</small></span>
                    </label>
                    <button
                        type="button"
                        class="quiet"
                        aria-label=label
                        aria-expanded=move || look.get().to_string()
                        on:click=move |_| look.update(|on| *on = !*on)
                    >
                        "Preview"
                    </button>
                </div>
                {question}
            }
        })
        .collect_view();
    let (number, title) = (format!("{:02}", chapter.number), chapter.title.clone());
    let open = untrack(&chosen) > 0;
    view! {
        <details class="sans" open=open>
            <summary><i>{number}</i> <b>{title}</b> <span class="tally">{chosen} " of " {all} " chosen"</span></summary>
            {rows}
        </details>
    }
    .into_any()
}

/// What was chosen, in its order.
fn order(quiz: RwSignal<Link>, index: StoredValue<Arc<ExerciseIndex>>) -> AnyView {
    let keys = Memo::new(move |_| quiz.with(|q| q.spec.exercises.clone()));
    let row = move |at: usize, key: &str| {
        let found = index.with_value(|i| i.exercises.iter().find(|e| e.key == key).cloned()).unwrap_or_default();
        let title = found.title.clone();
        let own = key.to_owned();
        let seed = move || quiz.with(|q| q.spec.seed_of(&own, ""));
        let (up, out) = (format!("Earlier: {title}"), format!("Leave out: {title}"));
        let earlier = move |_| quiz.update(|q| q.spec.exercises.swap(at, at.saturating_sub(1)));
        let leave_out = move |_| {
            quiz.update(|q| {
                q.spec.exercises.remove(at);
            });
        };
        view! {
            <li>
                <span>{title} " " <small>{kind_of(&found)}</small></span>
                <button type="button" class="quiet" aria-label=up disabled=at == 0 on:click=earlier>"↑"</button>
                <button type="button" class="quiet" aria-label=out on:click=leave_out>"✕"</button>
                {asked::view(key.to_owned(), seed)}
            </li>
        }
        .into_any()
    };
    let rows = move || keys.get().iter().enumerate().map(|(at, key)| row(at, key)).collect_view();
    view! {
        <section aria-labelledby="order">
            <h2 id="order">"Order of questions"</h2>
            <p hidden=move || !keys.with(Vec::is_empty)>"Nothing is chosen yet."</p>
            <ol class="chosen sans">{rows}</ol>
        </section>
    }
    .into_any()
}

fn settings(quiz: RwSignal<Link>) -> AnyView {
    let seed = Signal::derive(move || quiz.with(|q| q.spec.seed as f64));
    let minutes = Signal::derive(move || quiz.with(|q| f64::from(q.minutes)));
    let draw = move |_| {
        let seed = (js_sys::Math::random() * DRAWN).floor() + 1.0;
        quiz.update(|q| q.spec.seed = seed as u64);
    };
    let whole = |value: f64| format!("{value}");
    let called = move |event| quiz.update(|q| q.spec.title = event_target_value(&event));
    view! {
        <section aria-labelledby="numbers">
            <h2 id="numbers">"Title, numbers and time"</h2>
            <div class="exam-settings sans">
                <div>
                    <label for="quiz-title">"Title"</label>
                    <input
                        type="text"
                        id="quiz-title"
                        maxlength=MAX_TITLE.to_string()
                        prop:value=move || quiz.with(|q| q.spec.title.clone())
                        on:input=called
                    />
                    <small>"Shown above the questions and in every file that is handed in."</small>
                </div>
                <div>
                    <label for="quiz-seed">"Seed"</label>
                    <NumberField
                        id="quiz-seed"
                        spec=SEED
                        label="Seed"
                        value=seed
                        set=Callback::new(move |value: f64| quiz.update(|q| q.spec.seed = value as u64))
                        format=whole
                    />
                    <button type="button" class="secondary" on:click=draw>"Draw new numbers"</button>
                    <small>"0 asks every exercise with the numbers of its chapter; any other seed draws fresh ones, the same for everyone."</small>
                    <label class="option">
                        <input
                            type="checkbox"
                            prop:checked=move || quiz.with(|q| q.spec.each)
                            on:change=move |event| quiz.update(|q| q.spec.each = event_target_checked(&event))
                        />
                        <span>
                            "Different numbers for each learner" <br />
                            <small>"Drawn from the seed and the learner’s name, so a copied answer is wrong. The previews show one draw."</small>
                        </span>
                    </label>
                </div>
                <div>
                    <label for="quiz-minutes">"Minutes"</label>
                    <NumberField
                        id="quiz-minutes"
                        spec=MINUTES
                        asked=Asked::each(Unit::Seconds, 60.0)
                        label="Minutes"
                        value=minutes
                        set=Callback::new(move |value: f64| quiz.update(|q| q.minutes = value as u32))
                        format=whole
                    />
                    <small>"0 means no limit. The page counts down but doesn’t stop anyone; the file says when it was begun and handed in."</small>
                </div>
            </div>
        </section>
    }
    .into_any()
}

/// The link.
fn result(quiz: RwSignal<Link>) -> AnyView {
    let said = RwSignal::new("");
    let empty = move || quiz.with(|q| q.spec.exercises.is_empty());
    let address = Memo::new(move |_| quiz.with(|q| link::whole(&Link { compose: false, ..q.clone() }.href())));
    let out = move || quiz.with(|q| Link { compose: false, ..q.clone() }.href().replacen("quiz/", "export/", 1));
    let copy = move |_| {
        let text = address.get_untracked();
        spawn_local(async move {
            let copied = clipboard::copy(&text).await;
            // The page may have been left meanwhile.
            said.try_set(if copied {
                "Copied."
            } else {
                "This browser does not let the page copy: copy the link by hand."
            });
        });
    };
    // What was said is about the link as it was.
    Effect::new(move |_| {
        address.track();
        said.set("");
    });
    view! {
        <section aria-labelledby="link">
            <h2 id="link">"The link"</h2>
            <p hidden=move || !empty()>"Choose an exercise, and here is the link."</p>
            <div class="sans" hidden=empty>
                <p class="actions">
                    <input type="text" class="address" readonly aria-label="The quiz’s address" prop:value=address />
                    <button type="button" on:click=copy>"Copy"</button>
                    <a href=address>"Open it as a learner"</a>
                    <a href=out>"Export questions…"</a>
                </p>
                <p role="status">{said}</p>
            </div>
            <p class="honesty sans">{HONESTY}</p>
        </section>
    }
    .into_any()
}

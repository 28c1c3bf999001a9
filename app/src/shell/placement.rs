//! Twelve questions that say where to begin: one for each area of skill, drawn, answered without feedback, and kept until it is known.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use ringside_content::schema::{Course, ExerciseIndex};
use ringside_core::practice::exam::{Mark, QuizSpec, verdict};
use ringside_core::practice::placement::{Area, asked, placed};
use serde::{Deserialize, Serialize};

use super::exam::loaded::{self, Loaded};
use crate::data::library;
use crate::deferred::{PageView, lazy};
use crate::exercises;
use crate::store::doc::Doc;
use crate::store::store;
use crate::ui::later::Later;

/// The largest seed that is drawn.
const DRAWN: f64 = 999_999.0;

lazy! {
    /// Downloads the page.
    practice: pub fn load() -> PageView {
        view
    }
}

/// The questions being answered, as the store keeps them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Sitting {
    seed: u64,
    /// By `<chapter>/<exercise>`.
    #[serde(default)]
    answers: BTreeMap<String, String>,
    #[serde(default)]
    done: bool,
}

fn read(doc: &Doc) -> Option<Sitting> {
    Sitting::deserialize(&doc.placement).ok()
}

fn keep(change: impl FnOnce(&mut Option<Sitting>)) {
    store().update(|doc| {
        let mut sitting = read(doc);
        change(&mut sitting);
        doc.put("placement", |doc| &mut doc.placement, sitting.as_ref());
    });
}

fn begin() {
    let seed = (js_sys::Math::random() * DRAWN).floor() + 1.0;
    keep(|sitting| *sitting = Some(Sitting { seed: seed as u64, ..Sitting::default() }));
}

/// What the page works with.
#[derive(Clone)]
struct Desk {
    areas: Arc<Vec<Area>>,
    course: Arc<Course>,
    index: Arc<ExerciseIndex>,
}

fn view() -> AnyView {
    let library = library();
    untrack(|| drop((library.placement.get(), library.course.get(), library.exercises.get())));
    let with_index = move |areas: Arc<Vec<Area>>, course: Arc<Course>| {
        let show = move |index| phases(Desk { areas: areas.clone(), course: course.clone(), index });
        library.exercises.show(show).into_any()
    };
    let with_course =
        move |areas: Arc<Vec<Area>>| library.course.show(move |course| with_index(areas.clone(), course)).into_any();
    view! {
        <article class="exam placement">
            <h1>"Where to begin"</h1>
            {library.placement.show(with_course)}
        </article>
    }
    .into_any()
}

fn phases(desk: Desk) -> AnyView {
    let phase = Memo::new(move |_| store().with(|doc| read(doc).map(|s| (s.seed, s.done))));
    (move || match phase.get() {
        None => before(desk.areas.len()),
        Some((seed, done)) => {
            let (keys, inner) = (asked(&desk.areas, seed), desk.clone());
            loaded::show(keys.clone(), desk.index.clone(), move |loaded| {
                let spec = QuizSpec { exercises: keys.clone(), seed, title: String::new() };
                if done { after(&inner, &spec, &loaded) } else { during(spec, &loaded) }
            })
        }
    })
    .into_any()
}

fn before(count: usize) -> AnyView {
    view! {
        <p class="lede">{format!("{count} questions, one for each area of the course, in some twenty minutes.")}</p>
        <p>
            "Leave empty what you would have to guess: a lucky guess only sends you too far. You may calculate. At the end this page names the chapter to begin with, and those that you may skim. Nothing leaves the browser."
        </p>
        <p class="actions sans"><button type="button" on:click=|_| begin()>"Begin"</button></p>
    }
    .into_any()
}

fn during(spec: QuizSpec, loaded: &Loaded) -> AnyView {
    let before = store().peek(read).unwrap_or_default();
    let all = spec.exercises.len();
    let answers: Vec<(String, RwSignal<String>)> = spec
        .exercises
        .iter()
        .map(|key| (key.clone(), RwSignal::new(before.answers.get(key).cloned().unwrap_or_default())))
        .collect();
    let questions = answers
        .iter()
        .enumerate()
        .filter_map(|(i, (key, answer))| {
            let exercise = loaded.definitions.get(key)?;
            keep_up(key.clone(), *answer);
            let nth = format!("Question {} of {all}", i + 1);
            Some(view! { <li data-question=key.clone()>{exercises::question(exercise, &nth, spec.seed_of(key), *answer)}</li> })
        })
        .collect_view();
    let answers = StoredValue::new(answers);
    let given =
        move || answers.with_value(|a| a.iter().filter(|(_, text)| text.with(|t| !t.trim().is_empty())).count());
    let finish = move |_| {
        let all = answers.with_value(|a| a.iter().map(|(k, text)| (k.clone(), text.get_untracked())).collect());
        keep(|sitting| {
            if let Some(sitting) = sitting {
                sitting.answers = all;
                sitting.done = true;
            }
        });
    };
    view! {
        <div class="exam-bar sans">
            <span role="status">{move || given()} " of " {all} " answered"</span>
            <button type="button" on:click=finish>"Say where to begin"</button>
        </div>
        <h2 class="visually-hidden">"Questions"</h2>
        <ol class="questions">{questions}</ol>
        <p class="actions sans"><button type="button" on:click=finish>"Say where to begin"</button></p>
    }
    .into_any()
}

/// Keeps an answer in the store once the learner rests.
fn keep_up(key: String, answer: RwSignal<String>) {
    let rest = Later::after(300);
    Effect::new(move |before: Option<()>| {
        let (text, key) = (answer.get(), key.clone());
        if before.is_some() {
            rest.run(move || {
                keep(|sitting| {
                    if let Some(sitting) = sitting {
                        sitting.answers.insert(key, text);
                    }
                });
            });
        }
    });
}

fn after(desk: &Desk, spec: &QuizSpec, loaded: &Loaded) -> AnyView {
    let sitting = store().peek(read).unwrap_or_default();
    let evaluate = |exercise: &_, query: &_| loaded.evaluate(exercise, query);
    let mark = |key: &String| {
        let answer = sitting.answers.get(key).map_or("", String::as_str);
        let verdict = loaded.definitions.get(key).and_then(|e| verdict(e, spec.seed_of(key), answer, &evaluate).ok());
        verdict.map_or(Mark::Unclear, Mark::of)
    };
    let marks: Vec<Mark> = spec.exercises.iter().map(mark).collect();
    let placed = placed(&marks);
    let first = placed.begin.and_then(|i| desk.areas.get(i)).and_then(|area| desk.course.chapter(&area.chapter));
    let head = match first {
        Some(chapter) => view! {
            <p class="lede">
                "Begin with "
                <a href=chapter.href()>{format!("{:02} {}", chapter.number, chapter.title)}</a> "."
            </p>
        }
        .into_any(),
        None => view! {
            <p class="lede">
                "You could do all of it. Begin with a " <a href="mission/">"mission"</a> ", or with what "
                <a href="practice/">"practice"</a> " finds for you."
            </p>
        }
        .into_any(),
    };
    let rows = desk
        .areas
        .iter()
        .zip(marks.iter().zip(&spec.exercises))
        .map(|(area, (mark, key))| row(desk, area, *mark, key))
        .collect_view();
    let known = format!("{} of {} answered rightly.", placed.known, marks.len());
    view! {
        {head}
        <p role="status">{known} " Chapters of an area that you know may be skimmed: their figures, and where they break."</p>
        <ol class="areas sans">{rows}</ol>
        <p class="actions sans">
            <button type="button" class="secondary" on:click=|_| begin()>"Other questions"</button>
            <button type="button" class="quiet" on:click=|_| keep(|sitting| *sitting = None)>"Forget these answers"</button>
        </p>
    }
    .into_any()
}

fn row(desk: &Desk, area: &Area, mark: Mark, key: &str) -> AnyView {
    let said = match mark {
        Mark::Right => "✓ known",
        Mark::Wrong => "not yet",
        Mark::Unclear => "unclear",
        Mark::Unanswered => "left empty",
    };
    let chapters = area.covers.iter().filter_map(|slug| desk.course.chapter(slug)).map(|chapter| {
        view! { <a href=chapter.href()>{format!("{:02} {}", chapter.number, chapter.title)}</a> " " }
    });
    let (slug, id) = key.split_once('/').unwrap_or((key, ""));
    let href = format!("chapter/{slug}/#exercise-{id}");
    view! {
        <li class:known=mark == Mark::Right>
            <b>{area.name.clone()}</b> " " <span class="mark">{said}</span>
            <p class="ways">{chapters.collect_view()} <a href=href>"The exercise, with its solution"</a></p>
        </li>
    }
    .into_any()
}

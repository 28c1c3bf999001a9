//! A few questions that find where to begin: one at a time, each answered with feedback at once and chosen by the answers before it.

use std::sync::Arc;

use leptos::prelude::*;
use ringside_content::schema::{Course, ExerciseIndex, Page};
use ringside_core::practice::placement::{self, Area, MOST, Shown};
use ringside_core::practice::queue::Came;
use ringside_learner::placement::{self as kept, Sitting};
use ringside_learner::practice;

use super::practice::player::{self, Asked};
use crate::clock;
use crate::data::library;
use crate::deferred::{PageView, lazy};
use crate::store::store;
use crate::ui::focus_soon;

/// The largest seed that is drawn.
const DRAWN: f64 = 999_999.0;
/// What has the focus when a question comes, and when the result does.
const HEAD: &str = "placement-head";

lazy! {
    /// Downloads the page.
    practice: pub fn load() -> PageView {
        view
    }
}

fn keep(change: impl FnOnce(&mut Option<Sitting>)) {
    store().update(|doc| {
        let mut sitting = kept::read(doc);
        change(&mut sitting);
        kept::write(doc, sitting.as_ref());
    });
}

fn begin() {
    let seed = (js_sys::Math::random() * DRAWN).floor() + 1.0;
    keep(|sitting| {
        let rest = sitting.take().unwrap_or_default().rest;
        *sitting = Some(Sitting { seed: seed as u64, rest, ..Sitting::default() });
    });
    focus_soon(HEAD.to_owned());
}

/// What the page works with.
#[derive(Clone)]
struct Desk {
    areas: Arc<Vec<Area>>,
    course: Arc<Course>,
    index: Arc<ExerciseIndex>,
}

impl Desk {
    /// `03 Where the memory goes`.
    fn chapter(&self, slug: &str) -> String {
        self.course.chapter(slug).map(|c| format!("{:02} {}", c.number, c.title)).unwrap_or_default()
    }
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
        <article class="player placement">
            <h1>{Page::Placement.title()}</h1>
            {library.placement.show(with_course)}
        </article>
    }
    .into_any()
}

fn phases(desk: Desk) -> AnyView {
    let phase = Memo::new(move |_| store().with(|doc| kept::read(doc).map(|s| (s.seed, s.answered.len(), s.done))));
    (move || match phase.get() {
        // An earlier version asked twelve questions at once, and its answers are no answers to these.
        None | Some((_, 0, true)) => before(),
        Some((_, _, true)) => after(&desk),
        Some(_) => during(&desk),
    })
    .into_any()
}

fn before() -> AnyView {
    view! {
        <p class="lede">"3 to " {MOST} " questions, one at a time, in about five minutes."</p>
        <p>
            "Each question depends on your answers so far. Only a first answer without a hint counts, and “I don’t know” is a good answer: a lucky guess only sends you too far. You may use a calculator. Nothing leaves your browser."
        </p>
        <p class="actions sans"><button type="button" on:click=|_| begin()>"Start"</button></p>
    }
    .into_any()
}

fn during(desk: &Desk) -> AnyView {
    let sitting = store().peek(kept::read).unwrap_or_default();
    let key = placement::next(&desk.areas, &sitting.answered, sitting.seed);
    let found = key.and_then(|key| desk.index.exercises.iter().find(|e| e.key == key).cloned());
    // The build checks that every question is an exercise.
    let Some(exercise) = found else { return ().into_any() };
    let at = sitting.answered.len();
    if sitting.begun <= at {
        let seed = sitting.seed;
        store().update(|doc| practice::ask(doc, &exercise, seed, clock::today()));
        keep(|sitting| {
            if let Some(sitting) = sitting {
                sitting.begun = at + 1;
            }
        });
    }
    let (areas, key) = (desk.areas.clone(), exercise.key.clone());
    let went = Callback::new(move |came: Came| {
        keep(|sitting| {
            if let Some(sitting) = sitting {
                sitting.answer(&areas, key.clone(), came == Came::Right);
            }
        });
        window().scroll_to_with_x_and_y(0.0, 0.0);
        focus_soon(HEAD.to_owned());
    });
    let asked = Asked { over: desk.chapter(exercise.chapter()), exercise, pass: ("I don’t know", true), why: "" };
    view! {
        <header class="player-head sans" id=HEAD tabindex="-1">
            <span>"Question " {at + 1} " of " {MOST} " at most"</span>
            <progress max=MOST value=at aria-label="Questions answered"></progress>
        </header>
        {player::view(asked, went)}
    }
    .into_any()
}

fn after(desk: &Desk) -> AnyView {
    let sitting = store().peek(kept::read).unwrap_or_default();
    let found = placement::found(&desk.areas, &sitting.answered);
    let first = sitting.begin.as_ref().and_then(|slug| desk.course.chapter(slug));
    let right = sitting.answered.iter().filter(|a| a.right).count();
    let count = format!("{right} of {} correct.", sitting.answered.len());
    let head = match first {
        Some(chapter) => view! {
            <p class="lede">{count} " The first area you didn’t pass is where to begin."</p>
            <p class="actions sans">
                <a class="button" href=chapter.href()>{format!("Begin: {:02} {}", chapter.number, chapter.title)}</a>
                <a class="button secondary" href="practice/now/">"Practice now"</a>
            </p>
        }
        .into_any(),
        None => view! {
            <p class="lede">{count} " You passed the last area of the course."</p>
            <p class="actions sans">
                <a class="button" href="mission/">"Play a mission"</a>
                <a class="button secondary" href="practice/now/">"Practice now"</a>
            </p>
        }
        .into_any(),
    };
    let rows = desk
        .areas
        .iter()
        .zip(&found.areas)
        .map(|(area, shown)| row(desk, area, *shown, &found.skim, &sitting))
        .collect_view();
    view! {
        <div id=HEAD tabindex="-1">{head}</div>
        <p>
            "What you missed comes first in your practice. "
            {(!found.skim.is_empty())
                .then_some("You can skim the chapters marked “skim”, because you answered a question on them correctly. ")}
            "Areas marked “not asked” weren’t measured."
        </p>
        <ol class="areas sans">{rows}</ol>
        <p class="actions sans">
            <button type="button" class="secondary" on:click=|_| begin()>"Try other questions"</button>
            <button type="button" class="quiet" on:click=|_| keep(|sitting| *sitting = None)>"Forget this result"</button>
        </p>
    }
    .into_any()
}

fn row(desk: &Desk, area: &Area, shown: Shown, skim: &[String], sitting: &Sitting) -> AnyView {
    let chapters = area.covers.iter().filter_map(|slug| desk.course.chapter(slug)).map(|chapter| {
        let skim = skim.contains(&chapter.slug).then(|| view! { " " <small>"skim"</small> });
        view! { <span><a href=chapter.href()>{format!("{:02} {}", chapter.number, chapter.title)}</a> {skim}</span> " " }
    });
    let missed = sitting.answered.iter().filter(|a| !a.right && area.exercises.contains(&a.exercise));
    let missed = missed.filter_map(|a| desk.index.exercises.iter().find(|e| e.key == a.exercise)).map(|e| {
        let href = format!("chapter/{}/#exercise-{}", e.chapter(), e.id());
        view! { <p>"Missed: " <a href=href>{e.title.clone()}</a> ", with its solution"</p> }
    });
    let passed = matches!(shown, Shown::Known | Shown::Probably);
    view! {
        <li class:known=passed class:quiet=shown == Shown::NotAsked>
            <b>{area.name.clone()}</b> " " <span class="mark">{shown.label()}</span>
            <p class="ways">{chapters.collect_view()}</p>
            {missed.collect_view()}
        </li>
    }
    .into_any()
}

//! A few questions that find where to begin: one at a time, each answered with feedback at once and chosen by the answers before it.

use std::sync::Arc;

use leptos::prelude::*;
use ringside_content::schema::{Course, ExerciseIndex, Page};
use ringside_core::practice::placement::{self, Answered, Area, MOST, Shown};
use ringside_core::practice::queue::Came;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::practice::player::{self, Asked};
use crate::data::library;
use crate::deferred::{PageView, lazy};
use crate::store::doc::Doc;
use crate::store::store;
use crate::ui::focus_soon;
use crate::{clock, practice};

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

/// The questions being answered and what came of them, as the store keeps them. `begin` and `skim` are read by every page.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Sitting {
    seed: u64,
    #[serde(default)]
    answered: Vec<Answered>,
    /// How many questions were put on the screen: one that was is not asked anew.
    #[serde(default)]
    begun: usize,
    #[serde(default)]
    done: bool,
    /// The slug of the chapter to begin with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    begin: Option<String>,
    /// The slugs of chapters that may be skimmed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    skim: Vec<String>,
    /// What this version does not know: of an earlier one, the answers to its twelve questions.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl Sitting {
    /// Takes note of an answer, and of what all of them come to.
    fn answer(&mut self, areas: &[Area], exercise: String, right: bool) {
        self.answered.push(Answered { exercise, right });
        self.done = placement::next(areas, &self.answered, self.seed).is_none();
        let found = placement::found(areas, &self.answered);
        self.begin = found.begin.and_then(|i| areas.get(i)).map(|area| area.chapter.clone());
        self.skim = found.skim;
    }
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
    let phase = Memo::new(move |_| store().with(|doc| read(doc).map(|s| (s.seed, s.answered.len(), s.done))));
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
    let sitting = store().peek(read).unwrap_or_default();
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
    let sitting = store().peek(read).unwrap_or_default();
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
        view! { <p class="ways">"Missed: " <a href=href>{e.title.clone()}</a> ", with its solution"</p> }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::doc;
    use serde_json::json;

    #[test]
    fn the_answers_of_an_earlier_version_are_kept() {
        let text = r#"{"version":2,"placement":{"seed":7,"answers":{"c/e":"12"},"done":true}}"#;
        let mut doc = doc::read(text).expect("reads");
        let sitting = read(&doc).expect("a sitting");
        assert_eq!((sitting.answered.len(), sitting.rest["answers"].clone()), (0, json!({ "c/e": "12" })));
        doc.put("placement", |doc| &mut doc.placement, Some(&sitting));
        assert_eq!(doc.placement["answers"]["c/e"], "12");
    }

    #[test]
    fn every_page_can_read_where_it_sends_the_learner() {
        let area = |slug: &str| Area {
            name: slug.into(),
            chapter: slug.into(),
            covers: vec![slug.into()],
            exercises: vec![format!("{slug}/x"), format!("{slug}/y")],
        };
        let areas = ["a", "b"].map(area);
        let mut sitting = Sitting { seed: 1, ..Sitting::default() };
        while let Some(exercise) = placement::next(&areas, &sitting.answered, sitting.seed) {
            let right = exercise.starts_with("a/");
            sitting.answer(&areas, exercise, right);
        }
        assert!(sitting.done);
        let mut doc = Doc::default();
        assert!(!doc.is_placed());
        doc.put("placement", |doc| &mut doc.placement, Some(&sitting));
        assert!(doc.is_placed());
        let (begin, skim) = doc.placed();
        assert_eq!((begin, skim.collect::<Vec<_>>()), (Some("b"), vec!["a"]));
    }
}

//! A run of practice: one exercise at a time, and at the end what came of them and what is due next.

use leptos::prelude::*;
use ringside_content::words::count;
use ringside_core::practice::queue::{self, Came, MINUTES, Run, Step, Why};
use ringside_core::practice::{Day, date};
use serde::{Deserialize, Serialize};

use super::player::{self, Asked};
use super::{Desk, situation};
use crate::deferred::{PageView, lazy};
use crate::store::doc::Doc;
use crate::store::store;
use crate::ui::focus_soon;
use crate::{clock, practice, router};

/// What the address names a skill with, of which alone the run is.
const SKILL: &str = "skill";
/// What stands over an exercise.
const HEAD: &str = "player-head";
/// The heading that a run ends with.
const END: &str = "practiced";

lazy! {
    /// Downloads the page.
    practice: pub fn load() -> PageView {
        view
    }
}

/// The address of a run of one skill, relative to the site's base.
pub(super) fn of_skill(skill: &str) -> String {
    format!("practice/now/?{SKILL}={skill}")
}

/// A run as the store keeps it, to go on after a reload.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Kept {
    #[serde(flatten)]
    run: Run,
    /// The skill of which alone it is; empty if of any.
    #[serde(default)]
    skill: String,
    /// How many of its exercises were put on the screen: one that was is not asked anew.
    #[serde(default)]
    begun: usize,
}

fn read(doc: &Doc) -> Option<Kept> {
    Kept::deserialize(&doc.run).ok()
}

fn keep(doc: &mut Doc, kept: Option<&Kept>) {
    doc.put("run", |doc| &mut doc.run, kept);
}

fn view() -> AnyView {
    view! {
        <article class="player">
            <h1 class="visually-hidden">"Practice now"</h1>
            {Desk::show(begin)}
        </article>
    }
    .into_any()
}

/// Goes on with the run of today, or begins one.
fn begin(desk: Desk) -> AnyView {
    let skill = router::query().get(SKILL).unwrap_or_default().to_owned();
    let goes_on = |kept: &Kept| kept.skill == skill && kept.run.day == clock::today() && kept.run.current().is_some();
    if !store().peek(|doc| read(doc).is_some_and(|kept| goes_on(&kept))) {
        fresh(desk, skill);
    }
    // A run of one exercise after another: the page is new with each, and with what came of it.
    let at = Memo::new(move |_| {
        store().with(|doc| read(doc).map(|kept| (kept.run.day, kept.run.came.len(), kept.run.steps.len())))
    });
    // Read, not only tracked: a memo that nobody reads follows nothing.
    (move || match at.get().and_then(|_| store().peek(read)) {
        Some(kept) => match kept.run.current().cloned() {
            Some(step) => during(desk, kept, &step),
            None => after(desk, &kept),
        },
        None => ().into_any(),
    })
    .into_any()
}

/// Puts a new run into the store.
fn fresh(desk: Desk, skill: String) {
    let today = clock::today();
    store().update(|doc| {
        let practice = practice::read(doc).unwrap_or_default();
        let mut pool = desk.course.with_value(|c| desk.index.with_value(|i| situation::pool(c, i, doc)));
        pool.retain(|c| skill.is_empty() || c.skill == skill);
        let run = Run::new(today, queue::plan(&practice, &pool, MINUTES, today));
        keep(doc, Some(&Kept { run, skill, begun: 0 }));
    });
}

fn during(desk: Desk, kept: Kept, step: &Step) -> AnyView {
    let found = desk.index.with_value(|index| index.exercises.iter().find(|e| e.key == step.key).cloned());
    let Some(exercise) = found else {
        // It has left the course since the run began.
        store().update(|doc| went(doc, Came::Skipped));
        return ().into_any();
    };
    let at = kept.run.came.len();
    if kept.begun <= at {
        let (seed, mut kept) = (step.seed, kept.clone());
        kept.begun = at + 1;
        store().update(|doc| {
            practice::ask(doc, &exercise, seed, clock::today());
            keep(doc, Some(&kept));
        });
    }
    let (over, all) = kept.run.place();
    let place = if step.again { "Once more".to_owned() } else { format!("{} of {all}", over + 1) };
    let repeated = match kept.run.to_repeat() {
        0 => String::new(),
        n => format!("· {n} to repeat"),
    };
    let left = format!("about {} min left", kept.run.minutes_left());
    let asked = Asked {
        over: self::over(desk, exercise.chapter()),
        exercise,
        pass: ("Skip", false),
        why: if step.again { "Once more, with fresh numbers" } else { step.why.label() },
    };
    let finish = move |_| {
        store().update(|doc| {
            if let Some(mut kept) = read(doc) {
                kept.run.finish();
                keep(doc, Some(&kept));
            }
        });
        focus_soon(END.to_owned());
    };
    let next = Callback::new(|came| {
        store().update(|doc| went(doc, came));
        let focus = if store().peek(|doc| read(doc).is_some_and(|k| k.run.current().is_some())) { HEAD } else { END };
        window().scroll_to_with_x_and_y(0.0, 0.0);
        focus_soon(focus.to_owned());
    });
    view! {
        <header class="player-head sans" id=HEAD tabindex="-1">
            <span>{place} {repeated}</span>
            <progress max=all value=over aria-label="Exercises done"></progress>
            <span class="left">{left}</span>
            <button type="button" class="quiet" on:click=finish>"Finish"</button>
        </header>
        {player::view(asked, next)}
    }
    .into_any()
}

fn went(doc: &mut Doc, came: Came) {
    if let Some(mut kept) = read(doc) {
        kept.run.went(came);
        keep(doc, Some(&kept));
    }
}

/// `03 Where the memory goes`.
fn over(desk: Desk, slug: &str) -> String {
    desk.course.with_value(|c| c.chapter(slug).map(|c| format!("{:02} {}", c.number, c.title))).unwrap_or_default()
}

/// What was practiced, and what is due next.
fn after(desk: Desk, kept: &Kept) -> AnyView {
    let over: Vec<(Step, Came)> = kept.run.over().map(|(step, came)| (step.clone(), came)).collect();
    let right = over.iter().filter(|(_, came)| *came == Came::Right).count();
    let answered = over.iter().filter(|(_, came)| *came != Came::Skipped).count();
    let title = match answered {
        0 => "Nothing answered this time".to_owned(),
        n => format!("{} practiced, {right} right the first time", count(n, "exercise", "exercises")),
    };
    let rows = over
        .iter()
        .filter_map(|(step, came)| {
            let exercise = desk.index.with_value(|i| i.exercises.iter().find(|e| e.key == step.key).cloned())?;
            Some(view! {
                <li>
                    <span class="mark" class:right=*came == Came::Right>{came.label()}</span>
                    <span><a href=exercise.href()>{exercise.title.clone()}</a> <small>{self::over(desk, exercise.chapter())}</small></span>
                </li>
            })
        })
        .collect_view();
    let due = desk.practice.with_untracked(|p| queue::next_due(p, clock::today())).map(|(day, n)| {
        let skills = count(n, "skill", "skills");
        format!("Due next: {skills} {}.", when(day, clock::today()))
    });
    let back = over.iter().filter(|(step, _)| step.why == Why::Missed && !step.again).count();
    let back =
        (back > 0).then(|| format!("{} you had missed before came up again. ", count(back, "exercise", "exercises")));
    let skill = kept.skill.clone();
    let again = move |_| {
        fresh(desk, skill.clone());
        focus_soon(HEAD.to_owned());
    };
    view! {
        <section class="player-end" aria-labelledby=END>
            <h2 id=END tabindex="-1">{title}</h2>
            <p>{back} {due}</p>
            <ol class="practiced sans">{rows}</ol>
            <p class="actions sans">
                <button type="button" on:click=again>"Practice 10 more minutes"</button>
                <a class="button secondary" href="./">"Back to the course"</a>
                <a href="practice/">"All skills and the plan"</a>
            </p>
        </section>
    }
    .into_any()
}

/// `today`, `tomorrow`, `on Sun 1 Mar`.
fn when(day: Day, today: Day) -> String {
    match day - today {
        ..=0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        _ => format!("on {}", date::short(day)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::doc;

    #[test]
    fn a_run_survives_the_store_and_what_cannot_be_read_is_kept() {
        let step = Step { key: "c/e".into(), skill: "c.s".into(), seed: 7, seconds: 60, why: Why::New, again: false };
        let kept = Kept { run: Run::new(100, vec![step]), skill: String::new(), begun: 1 };
        let mut doc = Doc::default();
        keep(&mut doc, Some(&kept));
        let mut again = doc::read(&doc::write(&doc)).expect("reads");
        assert_eq!(read(&again), Some(kept));
        went(&mut again, Came::Missed);
        assert_eq!(read(&again).map(|k| (k.run.came.len(), k.run.steps.len(), k.run.place())), Some((1, 2, (1, 1))));
        again.run = 3.into();
        keep(&mut again, Some(&Kept::default()));
        assert_eq!(again.rest["run-unreadable-1"], 3);
    }

    #[test]
    fn a_day_is_named_as_people_do() {
        assert_eq!(
            [when(5, 5), when(3, 5), when(6, 5), when(20_513, 5)],
            ["today", "today", "tomorrow", "on Sun 1 Mar"]
        );
    }
}

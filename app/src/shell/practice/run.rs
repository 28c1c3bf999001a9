//! A run of practice: one exercise at a time, and at the end what came of them and what is due next.

use leptos::prelude::*;
use ringside_content::words::count;
use ringside_core::practice::queue::{self, Came, MINUTES, Run, Step, Why};
use ringside_learner::run::{self as kept, Kept};
use ringside_learner::{practice, situation};

use super::Desk;
use super::player::{self, Asked};
use crate::deferred::{PageView, lazy};
use crate::store::store;
use crate::ui::focus_soon;
use crate::{clock, router};

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
    if !store().peek(|doc| kept::read(doc).is_some_and(|kept| goes_on(&kept))) {
        fresh(desk, skill);
    }
    // A run of one exercise after another: the page is new with each, and with what came of it.
    let at = Memo::new(move |_| {
        store().with(|doc| kept::read(doc).map(|kept| (kept.run.day, kept.run.came.len(), kept.run.steps.len())))
    });
    // Read, not only tracked: a memo that nobody reads follows nothing.
    (move || match at.get().and_then(|_| store().peek(kept::read)) {
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
        kept::keep(doc, Some(&Kept { run, skill, begun: 0 }));
    });
}

fn during(desk: Desk, kept: Kept, step: &Step) -> AnyView {
    let found = desk.index.with_value(|index| index.exercises.iter().find(|e| e.key == step.key).cloned());
    let Some(exercise) = found else {
        // It has left the course since the run began.
        store().update(|doc| kept::went(doc, Came::Skipped));
        return ().into_any();
    };
    let at = kept.run.came.len();
    if kept.begun <= at {
        let (seed, mut kept) = (step.seed, kept.clone());
        kept.begun = at + 1;
        store().update(|doc| {
            practice::ask(doc, &exercise, seed, clock::today());
            kept::keep(doc, Some(&kept));
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
        why: if step.again { "Once more, because you got it wrong" } else { step.why.label() },
    };
    let finish = move |_| {
        store().update(|doc| {
            if let Some(mut kept) = kept::read(doc) {
                kept.run.finish();
                kept::keep(doc, Some(&kept));
            }
        });
        focus_soon(END.to_owned());
    };
    let next = Callback::new(|came| {
        store().update(|doc| kept::went(doc, came));
        let focus =
            if store().peek(|doc| kept::read(doc).is_some_and(|k| k.run.current().is_some())) { HEAD } else { END };
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
        format!("Due next: {skills} {}.", kept::when(day, clock::today()))
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

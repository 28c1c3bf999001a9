//! The four-week plan from a start date.

use leptos::prelude::*;
use ringside_content::schema::Block;
use ringside_core::practice::plan::{self, Schedule, Scheduled, Today};
use ringside_core::practice::{Day, date};
use ringside_learner::practice;
use ringside_learner::situation;

use super::Desk;
use crate::clock;
use crate::progress;
use crate::store::store;

/// The most days of a block that are drawn one by one.
const DRAWN: i64 = 31;

pub(super) fn view(desk: Desk) -> AnyView {
    let start = Memo::new(move |_| desk.practice.with(|p| p.plan.start));
    let begun = Memo::new(move |_| start.with(Option::is_some));
    view! {
        <section aria-labelledby="plan" class="plan-section">
            <h2 id="plan">"The four-week plan"</h2>
            {move || if begun.get() { schedule(desk, start) } else { begin() }}
        </section>
    }
    .into_any()
}

fn set_start(start: Option<Day>) {
    store().update(|doc| practice::change(doc, |p| p.plan.start = start));
}

/// A day of the calendar to choose. What is not one is said beside it.
fn day_field(id: &'static str, label: &'static str, day: Day, set: impl Fn(Day) + Copy + 'static) -> AnyView {
    let wrong = RwSignal::new(false);
    let note = format!("{id}-wrong");
    let change = move |event| {
        let day = date::from_iso(&event_target_value(&event));
        wrong.set(day.is_none());
        if let Some(day) = day {
            set(day);
        }
    };
    view! {
        <span class="day-field">
            <label for=id>{label}</label>
            <input
                type="date"
                id=id
                value=date::iso(day)
                aria-describedby=note.clone()
                aria-invalid=move || wrong.get().to_string()
                on:change=change
            />
            <span class="field-error" id=note role="alert">
                {move || wrong.get().then_some("Choose a day of the calendar.")}
            </span>
        </span>
    }
    .into_any()
}

fn begin() -> AnyView {
    let first = RwSignal::new(clock::today());
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        set_start(Some(first.get_untracked()));
    };
    view! {
        <p>
            "Thirty days of study in seven blocks: " <a href="./#plan">"what is in them"</a>
            ". With a first day they become dates. A day off costs nothing: what is left moves by a day."
        </p>
        <form class="actions sans" on:submit=submit>
            {day_field("plan-start", "First day", clock::today(), move |day| first.set(day))}
            <button type="submit">"Begin the plan"</button>
        </form>
    }
    .into_any()
}

fn schedule(desk: Desk, start: Memo<Option<Day>>) -> AnyView {
    let course = desk.course.get_value();
    let blocks: Vec<Block> = situation::blocks(&course).cloned().collect();
    let titles = StoredValue::new(blocks.iter().map(|b| b.title.clone()).collect::<Vec<_>>());
    let on_calendar = Memo::new(move |_| {
        desk.practice.with(|practice| {
            let course = desk.course.get_value();
            situation::schedule(&course, practice, clock::today())
        })
    });
    let say = move || {
        let titles = titles.get_value();
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        on_calendar.with(|s| s.as_ref().map(|s| s.say(&titles)))
    };
    let moved = move || on_calendar.with(|s| s.as_ref().and_then(Schedule::say_moved));
    let rows = blocks.into_iter().enumerate().map(|(i, b)| row(desk, on_calendar, i, b)).collect_view();
    let first = start.get_untracked().unwrap_or_else(clock::today);
    view! {
        <p class="sum" role="status">{say}</p>
        <p>{moved}</p>
        <ol class="schedule sans">{rows}</ol>
        <p class="legend sans" aria-hidden="true">
            <i class="day studied"></i> "studied" <i class="day missed"></i> "not studied" <i class="day today"></i> "today"
            <i class="day ahead"></i> "to come"
        </p>
        <p class="actions sans">
            {day_field("plan-start", "First day", first, |day| set_start(Some(day)))}
            <button type="button" class="quiet" on:click=|_| set_start(None)>"Put the plan away"</button>
        </p>
    }
    .into_any()
}

fn row(desk: Desk, schedule: Memo<Option<Schedule>>, i: usize, block: Block) -> AnyView {
    let key = StoredValue::new(plan::key(block.days));
    let here = Memo::new(move |_| schedule.with(|s| s.as_ref().and_then(|s| s.blocks.get(i).copied())));
    let today = Memo::new(move |_| {
        schedule.with(|s| match s.as_ref()?.today {
            Today::On { block, day, of, .. } if block == i => Some((day, of)),
            _ => None,
        })
    });
    let done = move || here.get().is_some_and(|h| h.done);
    let tick = move |event| {
        let done = event_target_checked(&event);
        store().update(|doc| {
            practice::change(doc, |p| {
                if done {
                    p.plan.done.insert(key.get_value(), clock::today());
                } else {
                    p.plan.done.remove(&key.get_value());
                }
            });
        });
    };
    let dates = move || {
        here.get().map(|Scheduled { from, to, .. }| {
            if from == to { date::short(from) } else { format!("{} – {}", date::short(from), date::short(to)) }
        })
    };
    let days = move || here.get().map(|h| desk.practice.with(|p| days(h, |day| p.days.contains(&day))));
    let state = move || match (done(), today.get()) {
        (true, _) => "Done.".to_owned(),
        (false, Some((day, of))) if day > of => "Now, for longer than planned.".to_owned(),
        (false, Some((day, of))) => format!("Now: day {day} of {of}."),
        (false, None) => String::new(),
    };
    let (chapters, sources) = (block.chapters, block.sources);
    let inside = move || {
        let (read, worked) = store().with(|doc| {
            let extents = progress::all_in_contents();
            let is_done = |slug: &&String| extents.iter().any(|e| e.slug == **slug && e.is_done(doc));
            (sources.iter().filter(|id| doc.is_read(id)).count(), chapters.iter().filter(is_done).count())
        });
        format!("{worked} of {} chapters done, {read} of {} sources read.", chapters.len(), sources.len())
    };
    let label = format!("Done: {}", block.title);
    view! {
        <li class:on=move || today.get().is_some() class:done=done aria-current=move || today.get().map(|_| "step")>
            <p class="dates">{dates}</p>
            <div>
                <p class="what">{block.title}</p>
                <p class="days" aria-hidden="true">{days}</p>
                <p class="why">{state} " " {inside}</p>
            </div>
            <label class="tick">
                <input type="checkbox" aria-label=label prop:checked=done on:change=tick />
                <span>"Done"</span>
            </label>
        </li>
    }
    .into_any()
}

/// The days of a block, one mark each.
fn days(block: Scheduled, studied: impl Fn(Day) -> bool) -> AnyView {
    let today = clock::today();
    (block.from..=block.to.min(block.from.saturating_add(DRAWN - 1)))
        .map(|day| {
            let class = match (studied(day), day.cmp(&today)) {
                (true, std::cmp::Ordering::Equal) => "day studied today",
                (true, _) => "day studied",
                (false, std::cmp::Ordering::Less) => "day missed",
                (false, std::cmp::Ordering::Equal) => "day today",
                (false, std::cmp::Ordering::Greater) => "day ahead",
            };
            view! { <i class=class></i> }
        })
        .collect_view()
        .into_any()
}

//! The four-week plan as a schedule.

use leptos::prelude::*;
use ringside_content::schema::{Block, Course, Readings, Source, Week};

use super::progress::Sum;
use super::to_chapter;
use crate::shell::source_card::duration;
use crate::store::store;

pub(super) fn view(course: &Course, readings: &Readings) -> AnyView {
    let weeks = course.plan.iter().map(|w| week(w, course, readings)).collect_view();
    view! {
        <section id="plan" aria-labelledby="plan-title">
            <h2 id="plan-title">"Four weeks, thirty days"</h2>
            <ol class="weeks">{weeks}</ol>
        </section>
    }
    .into_any()
}

fn week(week: &Week, course: &Course, readings: &Readings) -> AnyView {
    let store = store();
    let blocks = week.blocks.iter().map(|b| block(b, course, readings)).collect_view();
    // What can be done in this week: its sources, and its chapters, written or not.
    let sources: Vec<String> = week.blocks.iter().flat_map(|b| b.sources.clone()).collect();
    let chapters: Vec<String> = week.blocks.iter().flat_map(|b| b.chapters.clone()).collect();
    let all = sources.len() + chapters.len();
    let done = Memo::new(move |_| {
        store.with(|doc| {
            sources.iter().filter(|id| doc.is_read(id)).count() + chapters.iter().filter(|s| doc.is_done(s)).count()
        })
    });
    let number = week.number;
    view! {
        <li class="week">
            <div class="week-head">
                <h3><span class="sans">{format!("Week {number}")}</span> {week.title.clone()}</h3>
                <p inner_html=week.goal.0.clone()></p>
                <p class="foot sans">
                    <progress max=all prop:value=move || done.get() aria-label=format!("Week {number}")></progress>
                    <span>{done} " of " {all} " done"</span>
                    <a href=format!("./?week={number}#sources")>{format!("All sources of week {number}")}</a>
                </p>
            </div>
            <ol class="blocks">{blocks}</ol>
        </li>
    }
    .into_any()
}

fn block(block: &Block, course: &Course, readings: &Readings) -> AnyView {
    let [first, last] = block.days;
    let chapters = block.chapters.iter().filter_map(|slug| course.chapter(slug));
    let chapters = chapters.map(|c| view! { <li>{to_chapter(c)}</li> }).collect_view();
    let sources: Vec<&Source> =
        block.sources.iter().filter_map(|id| readings.sources.iter().find(|s| s.id == *id)).collect();
    let time = Sum::of(sources.iter().copied()).time();
    let sources = sources.into_iter().map(|s| view! { <li>{to_source(s)}</li> }).collect_view();
    view! {
        <li class="block">
            <p class="days sans">"Days " <b>{format!("{first}–{last}")}</b></p>
            <div class="study">
                <h4>{block.title.clone()}</h4>
                <p inner_html=block.concept.0.clone()></p>
                <div class="to-do sans">
                    <div>
                        <h5>"Work through"</h5>
                        <ul>{chapters}</ul>
                    </div>
                    <div>
                        <h5>"Read, " {time}</h5>
                        <ul>{sources}</ul>
                    </div>
                </div>
            </div>
        </li>
    }
    .into_any()
}

/// A source as an item of the schedule: a tick, a link, its time.
fn to_source(source: &Source) -> AnyView {
    let store = store();
    let id = StoredValue::new(source.id.clone());
    let read = Memo::new(move |_| id.with_value(|id| store.with(|doc| doc.is_read(id))));
    let tick = move |event| {
        let read = event_target_checked(&event);
        store.update(|doc| doc.sources.entry(id.get_value()).or_default().read = read);
    };
    view! {
        <span class="to-source">
            <input type="checkbox" aria-label=format!("Read: {}", source.title) prop:checked=read on:change=tick />
            <a href=source.url.clone() rel="noopener external">{source.title.clone()}</a>
            <small>{duration(source.minutes)}</small>
        </span>
    }
    .into_any()
}

//! The home page: the reading map, with a live figure on its first screen.

mod chapters;
mod filters;
mod layers;
mod plan;
mod progress;
mod sources;

use std::sync::Arc;

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_content::schema::{Chapter, Course, Readings, Source, Status};
use ringside_core::query::Query;

use crate::data::{chapter_href, library};
use crate::deferred::{NotLoaded, Page, deferred};
use crate::page;
use crate::router::address;
use crate::shell::source_card::duration;
use crate::store::store;
use crate::widgets::{self, Module, Props};
use progress::{Next, Sum};

/// Downloads the page.
#[wasm_split(home, wasm_split_path = leptos::wasm_split, fallible)]
pub fn load() -> Result<Page, NotLoaded> {
    Ok(view)
}

fn view() -> AnyView {
    page::title("");
    let library = library();
    view! {
        <article class="home">
            <header class="hero">
                <div class="welcome">
                    <h1>"Ringside"</h1>
                    <p class="lede">
                        "A lab on how large language models are trained and served on many GPUs: figures that compute as you drag, "
                        "exercises that say what went wrong, and the papers behind both."
                    </p>
                    {library.course.show(|course| start(course).into_any())}
                </div>
                {library.course.show(|course| on_this_page(&course))}
            </header>
            {figure()}
            {library.course.show(|course| map(&course))}
        </article>
    }
    .into_any()
}

/// The link to what comes next, and what has been done so far.
fn start(course: Arc<Course>) -> impl IntoView {
    let store = store();
    let readings = library().readings;
    let next = {
        let course = Arc::clone(&course);
        move || {
            store.with(|doc| match progress::next(&course, doc) {
                Next::Start(chapter) => go("Start here", chapter, None),
                Next::GoOn(chapter, at) => go("Continue", chapter, at),
                Next::Then(chapter) => go("Next", chapter, None),
                Next::AllDone => view! {
                    <span class="all-done">
                        "Every chapter written so far is done. "
                        <a href="./?priority=3&read=no#sources">"Read what they stand on"</a>
                    </span>
                }
                .into_any(),
            })
        }
    };
    // What fits into half an hour: must-reads first, and what is recommended when those are read.
    let half_hour = move || {
        let readings = readings.ready()?;
        let fitting = |priority: u8| {
            let fits = |s: &&Source| s.priority == priority && s.minutes <= 30;
            store.with(|doc| readings.sources.iter().filter(fits).filter(|s| !doc.is_read(&s.id)).count())
        };
        let (priority, name, count) = match fitting(3) {
            0 => (2, "recommended", fitting(2)),
            n => (3, "must-read", n),
        };
        (count > 0).then(|| {
            let href = format!("./?priority={priority}&time=30&read=no#sources");
            let plural = if count == 1 { "source fits" } else { "sources fit" };
            view! {
                <span class="half-hour">
                    "Only half an hour? " <a href=href>{format!("{count} unread {name} {plural}")}</a> "."
                </span>
            }
        })
    };
    let done = move || {
        let readings = readings.ready()?;
        store.with(|doc| {
            let chapters = course.chapters().filter(|c| doc.is_done(&c.slug)).count();
            let right = doc.exercises.values().filter(|e| e.right).count();
            let read = Sum::of(readings.sources.iter().filter(|s| doc.is_read(&s.id)));
            let mut parts = Vec::new();
            let mut add = |n: usize, one: &str, many: &str| {
                if n > 0 {
                    parts.push(format!("{n} {}", if n == 1 { one } else { many }));
                }
            };
            add(chapters, "chapter done", "chapters done");
            add(right, "exercise right", "exercises right");
            add(read.count, "source read", "sources read");
            (!parts.is_empty()).then(|| view! { <p class="done-so-far">"So far: " {parts.join(", ")} "."</p> })
        })
    };
    view! {
        <p class="start sans">{next} {half_hour}</p>
        <div class="sans">{done}</div>
    }
}

fn go(what: &str, chapter: &Chapter, at: Option<String>) -> AnyView {
    let href = format!("{}{}", chapter_href(chapter), at.map(|at| format!("#{at}")).unwrap_or_default());
    let label = format!("{what}: {}", chapter.title);
    view! {
        <a class="button" href=href>{label}</a>
        <span class="minutes">{duration(chapter.minutes)}</span>
    }
    .into_any()
}

/// What is on the map, as links into it.
fn on_this_page(course: &Course) -> AnyView {
    let readings = library().readings;
    let sources = move || readings.ready().map(|r| format!("{} ", r.sources.len()));
    let (layers, chapters, parts) = (course.layers.len(), course.chapters().count(), course.parts.len());
    view! {
        <nav class="on-page sans" aria-label="On this page">
            <a href="./#layers">{format!("{layers} layers of understanding")}</a>
            <a href="./#chapters">{format!("{chapters} chapters in {parts} parts")}</a>
            <a href="./#plan">"Four-week plan"</a>
            <a href="./#not-covered">"What is not covered"</a>
            <a href="./#sources">{sources} "sources"</a>
        </nav>
    }
    .into_any()
}

/// The live figure, under the question that it answers.
fn figure() -> impl IntoView {
    let query = RwSignal::new(Query::default());
    widgets::find("memory-breakdown").map(|widget| {
        view! {
            <section class="live" aria-labelledby="live-question">
                <h2 id="live-question">
                    "Thirty billion parameters, sixty-four 80 GB GPUs, plain data parallelism. Does the model fit?"
                </h2>
                <div class="live-figure">
                    {deferred(widget.load, move |module: Module| {
                        (module.view)(Props { query, alone: false, compact: true })
                    })}
                </div>
            </section>
        }
    })
}

/// Everything below the figure.
fn map(course: &Arc<Course>) -> AnyView {
    let readings = library().readings;
    let address = address();
    // A link into the page: what it names is there only now.
    let begins_filtered = address.search().with_untracked(|s| !s.is_empty());
    let hash = address.hash();
    Effect::new(move |arrived: Option<bool>| {
        let ready = readings.get().is_some();
        let id = hash.get();
        let first = arrived != Some(true);
        let id = if id.is_empty() && begins_filtered && first { "sources".to_owned() } else { id };
        if ready && !id.is_empty() {
            request_animation_frame(move || {
                page::arrive(&id);
            });
        }
        ready
    });
    let with_readings = {
        let course = Arc::clone(course);
        move |readings: Arc<Readings>| {
            view! {
                {plan::view(&course, &readings)}
                {not_covered(&course)}
                {sources::view(&course, &readings)}
            }
            .into_any()
        }
    };
    view! {
        {layers::view(course)}
        {chapters::view(course)}
        {readings.show(with_readings)}
    }
    .into_any()
}

/// What the reading lists and the course leave out.
fn not_covered(course: &Course) -> AnyView {
    let topics = course
        .not_covered
        .iter()
        .map(|n| view! { <dt inner_html=n.topic.0.clone()></dt><dd inner_html=n.place.0.clone()></dd> })
        .collect_view();
    view! {
        <section id="not-covered" aria-labelledby="not-covered-title">
            <h2 id="not-covered-title">"What is not covered"</h2>
            <dl class="not-covered sans">{topics}</dl>
        </section>
    }
    .into_any()
}

/// A chapter's number and title, with a tick when it is done: a link to where it is read.
fn to_chapter(chapter: &Chapter) -> AnyView {
    let store = store();
    let slug = chapter.slug.clone();
    let is_done = move || store.with(|doc| doc.is_done(&slug));
    view! {
        <a class="to-chapter" class:planned=chapter.status == Status::Planned href=chapter_href(chapter)>
            <i>{format!("{:02}", chapter.number)}</i>
            <span>{chapter.title.clone()}</span>
            <b class="tick" hidden=move || !is_done() aria-label="done">"✓"</b>
        </a>
    }
    .into_any()
}

//! The chapters, part by part. What a chapter is for and what it stands on opens in place, written or not.

use leptos::prelude::*;
use ringside_content::schema::{Chapter, Course, Status};
use ringside_core::query::Query;

use crate::data::{chapter_href, library};
use crate::router::address;
use crate::shell::source_card::{SourceCard, duration};
use crate::store::store;
use crate::ui::link;
use crate::widgets;

pub(super) fn view(course: &Course) -> AnyView {
    let planned = course.chapters().any(|c| c.status == Status::Planned);
    let parts = course
        .parts
        .iter()
        .enumerate()
        .map(|(number, part)| {
            let rows = part.chapters.iter().map(row).collect_view();
            view! {
                <div class="part">
                    <h3><span class="sans">{format!("Part {number}")}</span> {part.title.clone()}</h3>
                    <ol class="chapters">{rows}</ol>
                </div>
            }
        })
        .collect_view();
    let still_planned = planned.then_some(
        "Chapters marked “planned” have no text yet; their sources and the skills that they will teach are here now.",
    );
    view! {
        <section id="chapters" aria-labelledby="chapters-title">
            <h2 id="chapters-title">"The chapters"</h2>
            <p>
                "In the order in which each stands on those before it. Part 0 is what the rest takes for granted. "
                {still_planned}
            </p>
            {parts}
        </section>
    }
    .into_any()
}

fn row(chapter: &Chapter) -> AnyView {
    let store = store();
    let readings = library().readings;
    let slug = chapter.slug.clone();
    let is_done = {
        let slug = slug.clone();
        move || store.with(|doc| doc.is_done(&slug))
    };
    let open = RwSignal::new(false);
    let hash = address().hash();
    Effect::new({
        let slug = slug.clone();
        move |_| {
            if hash.with(|hash| *hash == slug) {
                open.set(true);
            }
        }
    });
    let title = match chapter.status {
        Status::Written => view! { <a href=chapter_href(chapter)>{chapter.title.clone()}</a> }.into_any(),
        Status::Planned => view! { {chapter.title.clone()} " " <small class="sans">"planned"</small> }.into_any(),
    };
    let count = {
        let (slug, skills) = (slug.clone(), chapter.skills.len());
        move || {
            let sources = readings.ready()?.sources.iter().filter(|s| s.chapters.contains(&slug)).count();
            Some(format!("{skills} skills, {sources} sources"))
        }
    };
    let panel = format!("about-{slug}");
    let controls = panel.clone();
    let of = format!(" of {}", chapter.title);
    let layers: Vec<String> = chapter.layers.iter().map(u8::to_string).collect();
    let layers = (!layers.is_empty()).then(|| {
        let plural = if layers.len() == 1 { "layer" } else { "layers" };
        view! { <span>{format!("{plural} {}", layers.join(", "))}</span> }
    });
    let details = chapter.clone();
    view! {
        <li class="chapter" id=slug class:planned=chapter.status == Status::Planned>
            <i class="number sans" aria-hidden="true">{format!("{:02}", chapter.number)}</i>
            <div class="what">
                <h4>{title} <b class="tick" hidden=move || !is_done() aria-label="done">"✓"</b></h4>
                <p>{chapter.question.clone()}</p>
            </div>
            <div class="facts sans">
                <p><span>{duration(chapter.minutes)}</span> {layers}</p>
                <button
                    type="button"
                    class="quiet disclose"
                    aria-expanded=move || open.get().to_string()
                    aria-controls=controls
                    on:click=move |_| open.update(|open| *open = !*open)
                >
                    {count} <span class="visually-hidden">{of}</span>
                </button>
            </div>
            <div class="about sans" id=panel hidden=move || !open.get()>
                {move || open.get().then(|| about(&details))}
            </div>
        </li>
    }
    .into_any()
}

/// What a chapter is for, the widgets in it, and what it stands on.
fn about(chapter: &Chapter) -> AnyView {
    let slug = chapter.slug.clone();
    let skills = chapter.skills.iter().map(|s| view! { <li inner_html=s.text.0.clone()></li> }).collect_view();
    let figures = (!chapter.widgets.is_empty()).then(|| {
        let items = chapter
            .widgets
            .iter()
            .map(|id| match widgets::find(id) {
                Some(_) => {
                    view! { <li><a href=link::to_widget(id, &Query::default())>{id.clone()}</a></li> }.into_any()
                }
                None => view! { <li>{id.clone()}</li> }.into_any(),
            })
            .collect_view();
        view! {
            <h5>"Figures"</h5>
            <ul class="figures">{items}</ul>
        }
    });
    let sources = library().readings.show(move |readings| {
        let of_chapter = readings.sources.iter().filter(|s| s.chapters.contains(&slug));
        of_chapter.map(|s| view! { <li><SourceCard source=s.clone() folded=true /></li> }).collect_view().into_any()
    });
    view! {
        <h5>"After it you can"</h5>
        <ul class="skills">{skills}</ul>
        {figures}
        <h5>"Sources"</h5>
        <ul class="sources">{sources}</ul>
    }
    .into_any()
}

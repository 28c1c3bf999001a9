//! What there is of a chapter whose text is not there: because it is still to be written, because there is no such chapter, or
//! because it could not be fetched.

use leptos::prelude::*;
use ringside_content::schema::{Chapter, Status};

use super::sources;
use crate::data::library;
use crate::deferred::{deferred, lazy};
use crate::page;
use crate::shell::not_found;
use crate::ui::trouble::trouble;
use ringside_content::words::duration;

/// What was asked for, and why it did not come.
pub(super) struct Asked {
    pub(super) slug: String,
    pub(super) why: String,
    /// Asks for it again.
    pub(super) again: Callback<()>,
}

/// Shows it.
pub(super) type View = fn(Asked) -> AnyView;

lazy! {
    /// Downloads the view.
    chapter: pub(super) fn load() -> View {
        view
    }
}

fn view(asked: Asked) -> AnyView {
    let Asked { slug, why, again } = asked;
    let show = move |course: std::sync::Arc<ringside_content::schema::Course>| match course.chapter(&slug) {
        None => not_found::view().into_any(),
        Some(chapter) if chapter.status == Status::Planned => planned(chapter),
        Some(chapter) => {
            page::title(&chapter.title);
            trouble(why.clone(), move || again.run(()))
        }
    };
    library().course.show(show).into_any()
}

/// A chapter before it is written: its question, its skills, its sources.
fn planned(chapter: &Chapter) -> AnyView {
    page::title(&chapter.title);
    let slug = chapter.slug.clone();
    let skills = chapter.skills.iter().map(|s| view! { <li inner_html=s.text.0.clone()></li> }).collect_view();
    view! {
        <article class="chapter-page">
            <p class="eyebrow sans">{format!("Chapter {} · planned", chapter.number)}</p>
            <h1>{chapter.title.clone()}</h1>
            <p class="lede">{chapter.question.clone()}</p>
            <p>{format!("This chapter is not written yet. It is planned to take {}. After it you can:", duration(chapter.minutes))}</p>
            <ul>{skills}</ul>
            <h2>"Its sources, readable now"</h2>
            {deferred(sources::load, move |show: sources::View| show(&slug))}
        </article>
    }
    .into_any()
}

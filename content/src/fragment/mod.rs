//! What the app puts into a page as it is: the contents, the home page, the gallery, the list of sources.
//!
//! The app finds its way in them by data attributes, and shows there what the learner has done:
//!
//! | attribute | on | says |
//! |---|---|---|
//! | `data-source` | a source | its id; with `data-tick` on the checkbox that says whether it is read |
//! | `data-done` | a mark | the slug of the chapter that has to be done for it to be seen |
//! | `data-tally` | a count | sources and chapters (`data-sources`, `data-chapters`) of which it says how many are done |
//! | `data-progress` | a count | the slug of the chapter of which it says how much is done, in per cent; `data-sections` (id and seconds of each), `data-of` and `data-seconds` (exercises and their time) and `data-guesses` (ids that are none) are on those of the contents |
//! | `data-course` | a count | that it says how much of the whole course is done |
//! | `data-skim` | a mark | the slug of the chapter that may be skimmed for it to be seen |
//! | `data-island` | an empty place | what the app puts there |
//! | `data-widget` | the figure of the first screen | which widget is shown in its place |
//!
//! The contents and the home page are also in the pages as they are served, to be read before the app has started. What works
//! without it (links, fields, ticks) can be used there, and the app takes over what was typed, ticked and moved; what does not
//! is `disabled` until then.

mod begin;
mod chapters;
mod contents;
mod formulas;
mod gallery;
mod home;
pub(crate) mod labs;
mod layers;
pub(crate) mod missions;
mod pictures;
mod plan;
mod sources;
mod still;
mod syllabus;

pub(crate) use contents::contents;
pub(crate) use formulas::list as formulas;
pub(crate) use gallery::gallery;
pub(crate) use home::home;
pub(crate) use pictures::pictures;
pub(crate) use sources::list;
pub(crate) use syllabus::{page as syllabus, taught};

use crate::html::escape;
use crate::schema::{Chapter, Source, Status};
use crate::words;

/// The mark that a chapter is done.
fn tick(chapter: &Chapter) -> String {
    match chapter.status {
        Status::Written => {
            format!(
                " <b class=\"tick\" data-done=\"{}\" role=\"img\" aria-label=\"done\" hidden>✓</b>",
                escape(&chapter.slug)
            )
        }
        Status::Planned => String::new(),
    }
}

/// How much of a chapter is done, once something is; and whether it may be skimmed.
fn progress(chapter: &Chapter) -> String {
    progress_with(chapter, "")
}

/// The same with what it is computed from, as the contents have it.
fn progress_with(chapter: &Chapter, extent: &str) -> String {
    if chapter.status == Status::Planned {
        return String::new();
    }
    let slug = escape(&chapter.slug);
    format!(
        " <small class=\"skim\" data-skim=\"{slug}\" hidden>skim</small>\
         <small class=\"solved\" data-progress=\"{slug}\"{extent} hidden><span data-n>0</span>%\
         <span class=\"visually-hidden\"> done</span></small>"
    )
}

/// A chapter's number and title, with a tick when it is done: an item that leads to where it is read.
fn to_chapter(chapter: &Chapter) -> String {
    to_chapter_with(chapter, "")
}

/// The same, with more behind it.
fn to_chapter_with(chapter: &Chapter, more: &str) -> String {
    let planned = if chapter.status == Status::Planned { " planned" } else { "" };
    format!(
        "<li><a class=\"to-chapter{planned}\" href=\"{}\"><i>{:02}</i><span>{}</span>{}</a>{more}</li>\n",
        escape(&chapter.href()),
        chapter.number,
        escape(&chapter.title),
        tick(chapter),
    )
}

/// How long these sources take together, for a person.
fn time<'a>(sources: impl IntoIterator<Item = &'a Source>) -> String {
    words::about(sources.into_iter().fold(0, |sum: u32, source| sum.saturating_add(source.minutes)))
}

/// The ids of these sources, as a list in an attribute.
fn ids<'a>(sources: impl IntoIterator<Item = &'a Source>) -> String {
    escape(&sources.into_iter().map(|source| source.id.as_str()).collect::<Vec<_>>().join(" "))
}

/// Numbers as a list in an attribute.
fn numbers(list: &[u8]) -> String {
    list.iter().map(u8::to_string).collect::<Vec<_>>().join(" ")
}

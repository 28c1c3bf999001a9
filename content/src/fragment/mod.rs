//! What the app puts into a page as it is: the contents, the home page, the gallery, the list of sources.
//!
//! The app finds its way in them by data attributes, and shows there what the learner has done:
//!
//! | attribute | on | says |
//! |---|---|---|
//! | `data-source` | a source | its id; with `data-tick` on the checkbox that says whether it is read |
//! | `data-done` | a mark | the slug of the chapter that has to be done for it to be seen |
//! | `data-tally` | a count | sources and chapters (`data-sources`, `data-chapters`) of which it says how many are done |
//! | `data-exercises`, `data-of` | a count | the slug of the chapter and how many exercises it has, of which it says how many are solved |
//! | `data-picture-of` | an empty place | the widget that the app shows in it, small |
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
pub(crate) use syllabus::page as syllabus;

use crate::html::escape;
use crate::schema::{Chapter, ExerciseIndex, Source, Status};
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

/// How many exercises of a chapter are solved, once one is.
fn solved(chapter: &Chapter, exercises: &ExerciseIndex) -> String {
    let of = exercises.exercises.iter().filter(|e| e.chapter() == chapter.slug).count();
    if of == 0 {
        return String::new();
    }
    format!(
        " <small class=\"solved\" data-exercises=\"{}\" data-of=\"{of}\" hidden><span data-n>0</span>/{of}\
         <span class=\"visually-hidden\"> exercises solved</span></small>",
        escape(&chapter.slug)
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

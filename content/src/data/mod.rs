//! The data files, one module a file: read, checked and rendered to the schema's types.

mod course;
mod coverage;
mod exercises;
mod figures;
mod formulas;
mod glossary;
mod labs;
mod missions;
mod placement;
mod plan;
mod programs;
mod readings;
mod reference;
mod search;
mod signs;
mod syllabus;

pub(crate) use course::course;
pub(crate) use coverage::{Founding, coverage};
pub(crate) use exercises::{ChapterExercise, exercises};
pub(crate) use figures::{Group, Purpose, figures};
pub(crate) use formulas::{Formula, formulas};
pub(crate) use glossary::glossary;
pub(crate) use labs::{Lab, labs};
pub(crate) use missions::{Listed, missions};
pub(crate) use placement::placement;
pub(crate) use plan::plan;
pub(crate) use programs::programs;
pub(crate) use readings::readings;
pub(crate) use reference::reference;
pub(crate) use search::{Searched, searched};
pub(crate) use signs::signs;
#[cfg(test)]
pub(crate) use syllabus::Point;
pub(crate) use syllabus::{Debrief, Sample, Session, Syllabus, Teaching, syllabus};

use ringside_core::catalogue;
use ringside_core::query::Query;

use crate::evaluated::evaluated;
use crate::names::Kind;
use crate::schema::{Html, Place};
use crate::source::{Located, SourceFile};
use crate::toml_reader::{Document, Table};
use crate::world::World;

/// Reads the file `path` with `read`; a missing one is reported and yields the default.
fn read<'a, T: Default>(world: &World<'a>, path: &str, read: impl FnOnce(&mut Table<'a, '_>) -> T) -> T {
    let Some(file) = world.tree.file(path) else {
        let missing = SourceFile::missing(path);
        world.sink.report(missing.spot(0), "This file is missing.");
        return T::default();
    };
    let text = file.located();
    let document = Document::parse(&text, world.sink);
    let mut root = document.root();
    let value = read(&mut root);
    root.finish();
    value
}

/// A field of inline Markdown.
fn inline(world: &World<'_>, text: &Located<'_>) -> Html {
    crate::markdown::inline(world, None, text)
}

/// A list of ids, each of which must exist.
fn ids(world: &World<'_>, table: &mut Table<'_, '_>, key: &'static str, kind: Kind) -> Vec<String> {
    let mut ids = Vec::new();
    for id in table.texts(key) {
        if ids.contains(&id.text) {
            world.sink.report(id.spot(0), format!("“{}” is listed twice.", id.text));
        } else if world.names.resolve(kind, &id.text, id.spot(0), world.sink) {
            ids.push(id.text);
        }
    }
    ids
}

/// A list of numbers, each of which must exist.
fn numbers(world: &World<'_>, table: &mut Table<'_, '_>, key: &'static str, kind: Kind) -> Vec<u8> {
    let mut numbers = Vec::new();
    for (number, spot) in table.numbers(key) {
        if world.names.resolve(kind, &number.to_string(), spot, world.sink)
            && let Ok(number) = u8::try_from(number)
        {
            numbers.push(number);
        }
    }
    numbers
}

/// A place `chapter#section` that exists.
fn section(world: &World<'_>, place: &Located<'_>) -> Option<String> {
    let (slug, anchor) = place.text.split_once('#').unwrap_or((&place.text, ""));
    if !world.names.resolve(Kind::Chapter, slug, place.spot(0), world.sink) {
        return None;
    }
    let headings: Vec<&str> = world.scans.get(slug).into_iter().flat_map(|s| &s.headings).map(String::as_str).collect();
    if !headings.contains(&anchor) {
        let message = format!("The chapter “{slug}” has no section “#{anchor}”.");
        world.sink.report_near(place.spot(0), message, anchor, &headings);
        return None;
    }
    Some(place.text.clone())
}

/// A figure in a state, `id?query`, that its model takes.
fn figure(world: &World<'_>, state: &Located<'_>) -> Option<Place> {
    let (id, query) = state.text.split_once('?').unwrap_or((&state.text, ""));
    let Some(entry) = catalogue::find(id) else {
        world.names.resolve(Kind::Widget, id, state.spot(0), world.sink);
        return None;
    };
    let result = evaluated(entry, &Query::parse(query));
    if let Some(why) = result.problems.iter().map(|p| &p.message).chain(&result.error).next() {
        world.sink.report(state.spot(0), why.clone());
    }
    let href = if query.is_empty() { format!("w/{id}/") } else { format!("w/{id}/?{query}") };
    Some(Place { title: entry.title.to_owned(), href })
}

/// A list of exercises by their ids, each of one of these kinds, as `<chapter>/<exercise>`.
fn keys(world: &World<'_>, table: &mut Table<'_, '_>, key: &'static str, kinds: &[&str]) -> Vec<String> {
    let mut keys = Vec::new();
    for id in table.texts(key) {
        if !world.names.resolve(Kind::Exercise, &id.text, id.spot(0), world.sink) {
            continue;
        }
        let Some(head) = world.exercises.get(&id.text) else { continue };
        if !kinds.contains(&head.kind.as_str()) {
            let message =
                format!("“{}” is of the kind “{}”; here it must be one of {}.", id.text, head.kind, kinds.join(", "));
            world.sink.report(id.spot(0), message);
        }
        keys.push(format!("{}/{}", head.chapter, id.text));
    }
    keys
}

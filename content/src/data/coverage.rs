//! `coverage.toml`: what the founding documents of the reading map ask for, and where the course has it. A course may be without the file.

use std::collections::BTreeSet;

use super::{ids, read, section};
use crate::names::Kind;
use crate::schema::Readings;
use crate::source::Located;
use crate::toml_reader::Table;
use crate::world::World;

/// A founding document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Founding {
    pub(crate) number: u8,
    pub(crate) title: String,
    pub(crate) items: Vec<Item>,
    pub(crate) readings: Vec<Named>,
}

/// Something to understand, or to be able to do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Item {
    /// `topic` or `able`.
    pub(crate) kind: String,
    pub(crate) text: String,
    /// `chapter#section`.
    pub(crate) at: Vec<String>,
    pub(crate) figures: Vec<String>,
    /// Why there is no figure.
    pub(crate) no_figure: Option<String>,
    pub(crate) exercises: Vec<String>,
}

/// What a document names for reading, and the sources that stand for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) named: String,
    pub(crate) are: Vec<String>,
}

const KINDS: [&str; 2] = ["topic", "able"];

/// The documents. Every place is checked, and every source that a document names must be placed among the readings.
pub(crate) fn coverage(world: &World<'_>, readings: &Readings) -> Vec<Founding> {
    if world.tree.file("coverage.toml").is_none() {
        return Vec::new();
    }
    read(world, "coverage.toml", |root| {
        root.tables("document").into_iter().map(|table| document(world, table, readings)).collect()
    })
}

fn document(world: &World<'_>, mut table: Table<'_, '_>, readings: &Readings) -> Founding {
    let spot = table.spot();
    let document = Founding {
        number: table.number("number", 1..=5) as u8,
        title: table.string("title"),
        items: table.tables("items").into_iter().map(|t| item(world, t)).collect(),
        readings: table.tables("readings").into_iter().map(|t| named(world, t)).collect(),
    };
    table.finish();
    let listed: BTreeSet<&str> = document.readings.iter().flat_map(|n| &n.are).map(String::as_str).collect();
    for source in &readings.sources {
        let says = source.documents.contains(&document.number);
        let id = &source.id;
        if says != listed.contains(id.as_str()) {
            let (has, lacks) =
                if says { ("readings.toml", "coverage.toml") } else { ("coverage.toml", "readings.toml") };
            let number = document.number;
            let message = format!("{has} says that document {number} names the source “{id}”, and {lacks} does not.");
            world.sink.report(spot, message);
        }
        if says && (source.look_for.is_empty() || source.insight.is_empty() || source.after.is_none()) {
            let message = format!(
                "The source “{id}” of a founding document needs `look_for`, `insight`, `after` and `because` in readings.toml."
            );
            world.sink.report(spot, message);
        }
    }
    document
}

fn named(world: &World<'_>, mut table: Table<'_, '_>) -> Named {
    let spot = table.spot();
    let named = Named { named: table.string("named"), are: ids(world, &mut table, "are", Kind::Source) };
    table.finish();
    if named.are.is_empty() {
        world.sink.report(spot, "No source stands for this.");
    }
    named
}

fn item(world: &World<'_>, mut table: Table<'_, '_>) -> Item {
    let spot = table.spot();
    let kind = table.text("kind");
    if !KINDS.contains(&kind.text.as_str()) {
        world.sink.report_near(
            kind.spot(0),
            format!("`kind` must be one of {}.", KINDS.join(", ")),
            &kind.text,
            &KINDS,
        );
    }
    let at: Vec<String> = table.texts("at").iter().filter_map(|place| section(world, place)).collect();
    let chapters: Vec<&str> = at.iter().filter_map(|place| place.split('#').next()).collect();
    let figures = table.texts("figures").into_iter().filter(|id| figure(world, id, &chapters)).map(|id| id.text);
    let exercises = table.texts("exercises").into_iter().filter(|id| exercise(world, id, &chapters)).map(|id| id.text);
    let item = Item {
        kind: kind.text.clone(),
        text: table.string("text"),
        figures: figures.collect(),
        no_figure: table.optional_string("no_figure"),
        exercises: exercises.collect(),
        at: at.clone(),
    };
    table.finish();
    for (what, missing) in [
        ("section", item.at.is_empty()),
        ("exercise", item.exercises.is_empty()),
        ("figure, and no reason why (`no_figure`)", item.figures.is_empty() && item.no_figure.is_none()),
    ] {
        if missing {
            world.sink.report(spot, format!("“{}” has no {what}.", item.text));
        }
    }
    item
}

/// Whether one of the chapters has the figure.
fn figure(world: &World<'_>, id: &Located<'_>, chapters: &[&str]) -> bool {
    let of = |slug: &&str| world.scans.get(*slug).is_some_and(|s| s.figures.iter().any(|f| f.widget == id.text));
    let known = world.names.resolve(Kind::Widget, &id.text, id.spot(0), world.sink);
    let found = known && chapters.iter().any(of);
    if known && !found {
        world.sink.report(id.spot(0), format!("No chapter of `at` has the figure “{}”.", id.text));
    }
    found
}

/// Whether one of the chapters has the exercise.
fn exercise(world: &World<'_>, id: &Located<'_>, chapters: &[&str]) -> bool {
    let known = world.names.resolve(Kind::Exercise, &id.text, id.spot(0), world.sink);
    let of = world.exercises.get(&id.text).map_or("", |head| head.chapter.as_str());
    let found = known && chapters.contains(&of);
    if known && !found {
        world
            .sink
            .report(id.spot(0), format!("The exercise “{}” is of the chapter “{of}”, which `at` lacks.", id.text));
    }
    found
}

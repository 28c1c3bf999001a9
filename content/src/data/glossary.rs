//! `glossary.toml`: the terms.

use super::{figure, ids, inline, read};
use crate::names::Kind;
use crate::schema::{Glossary, Term};
use crate::toml_reader::Table;
use crate::world::World;

/// The terms.
pub(crate) fn glossary(world: &World<'_>) -> Glossary {
    read(world, "glossary.toml", |root| {
        let terms = root.tables("term").into_iter().map(|t| term(world, t)).collect();
        Glossary { terms }
    })
}

fn term(world: &World<'_>, mut table: Table<'_, '_>) -> Term {
    let term = Term {
        id: table.string("id"),
        term: table.string("term"),
        also: table.texts("also").into_iter().map(|t| t.text).collect(),
        definition: inline(world, &table.text("definition")),
        figure: table.optional_text("figure").and_then(|state| figure(world, &state)).map(|place| place.href),
        chapters: ids(world, &mut table, "chapters", Kind::Chapter),
        see: ids(world, &mut table, "see", Kind::Term),
    };
    if term.see.contains(&term.id) {
        world.sink.report(table.spot_of("see"), format!("The term “{}” refers to itself.", term.id));
    }
    table.finish();
    term
}

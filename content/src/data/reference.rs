//! `reference.toml`: variables, tools, other courses, the reference card.

use super::{ids, inline, read};
use crate::names::Kind;
use crate::schema::{Card, OtherCourse, Reference, Tool, Variable};
use crate::source::Located;
use crate::toml_reader::Table;
use crate::world::World;

/// The reference page.
pub(crate) fn reference(world: &World<'_>) -> Reference {
    read(world, "reference.toml", |root| Reference {
        variables: root.tables("variable").into_iter().map(|t| variable(world, t)).collect(),
        tools: root.tables("tool").into_iter().map(|t| tool(world, t)).collect(),
        courses: root.tables("course").into_iter().map(|t| course(world, t)).collect(),
        cards: root.tables("card").into_iter().map(|t| card(world, t)).collect(),
    })
}

fn variable(world: &World<'_>, mut table: Table<'_, '_>) -> Variable {
    let variable = Variable {
        name: table.string("name"),
        example: table.string("example"),
        purpose: inline(world, &table.text("purpose")),
        prints: table.optional_string("prints").unwrap_or_default(),
        chapters: ids(world, &mut table, "chapters", Kind::Chapter),
    };
    table.finish();
    variable
}

fn tool(world: &World<'_>, mut table: Table<'_, '_>) -> Tool {
    let tool =
        Tool { source: known(world, Kind::Source, &table.text("source")), purpose: inline(world, &table.text("use")) };
    table.finish();
    tool
}

fn course(world: &World<'_>, mut table: Table<'_, '_>) -> OtherCourse {
    let course = OtherCourse {
        source: known(world, Kind::Source, &table.text("source")),
        why: inline(world, &table.text("why")),
    };
    table.finish();
    course
}

fn card(world: &World<'_>, mut table: Table<'_, '_>) -> Card {
    let card = Card {
        concept: inline(world, &table.text("concept")),
        resource: known(world, Kind::Source, &table.text("resource")),
        section: inline(world, &table.text("section")),
        minutes: table.number("minutes", 1..=99_999) as u32,
        chapter: table.optional_text("chapter").map(|c| known(world, Kind::Chapter, &c)),
    };
    table.finish();
    card
}

fn known(world: &World<'_>, kind: Kind, id: &Located<'_>) -> String {
    world.names.resolve(kind, &id.text, id.spot(0), world.sink);
    id.text.clone()
}

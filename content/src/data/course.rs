//! `course.toml`: layers, parts, chapters, skills.

use super::{inline, numbers, read};
use crate::names::Kind;
use crate::schema::{Chapter, Layer, Part, Skill, Status};
use crate::toml_reader::Table;
use crate::world::World;

/// The layers and the parts.
pub(crate) fn course(world: &World<'_>) -> (Vec<Layer>, Vec<Part>) {
    read(world, "course.toml", |root| {
        let layers = root.tables("layer").into_iter().map(layer).collect();
        let parts = root.tables("part").into_iter().map(|t| part(world, t)).collect();
        (layers, parts)
    })
}

fn layer(mut table: Table<'_, '_>) -> Layer {
    let layer =
        Layer { id: table.number("id", 1..=9) as u8, title: table.string("title"), question: table.string("question") };
    table.finish();
    layer
}

fn part(world: &World<'_>, mut table: Table<'_, '_>) -> Part {
    let part = Part {
        id: table.string("id"),
        title: table.string("title"),
        chapters: table.tables("chapter").into_iter().map(|t| chapter(world, t)).collect(),
    };
    table.finish();
    part
}

fn chapter(world: &World<'_>, mut table: Table<'_, '_>) -> Chapter {
    let slug = table.string("slug");
    let status = table.text("status");
    let status = match status.text.as_str() {
        "written" => Status::Written,
        "planned" => Status::Planned,
        other => {
            let message = "`status` must be \"written\" or \"planned\".";
            world.sink.report_near(status.spot(0), message, other, &["written", "planned"]);
            Status::Planned
        }
    };
    let mut widgets = Vec::new();
    for widget in table.texts("widgets") {
        // A planned chapter may name widgets that are yet to be built.
        if status == Status::Planned || world.names.resolve(Kind::Widget, &widget.text, widget.spot(0), world.sink) {
            widgets.push(widget.text);
        }
    }
    let skills = table.tables("skills").into_iter().map(|t| skill(world, &slug, t)).collect();
    let chapter = Chapter {
        number: table.number("number", 0..=99) as u32,
        title: table.string("title"),
        question: table.string("question"),
        status,
        layers: numbers(world, &mut table, "layers", Kind::Layer),
        weeks: numbers(world, &mut table, "weeks", Kind::Week),
        widgets,
        minutes: table.number("minutes", 1..=999) as u32,
        skills,
        sections: Vec::new(),
        slug,
    };
    table.finish();
    chapter
}

fn skill(world: &World<'_>, slug: &str, mut table: Table<'_, '_>) -> Skill {
    let id = table.text("id");
    if !id.text.starts_with(&format!("{slug}.")) {
        world.sink.report(id.spot(0), format!("The id of a skill is `{slug}.` and a name; “{}” is not.", id.text));
    }
    let skill = Skill { text: inline(world, &table.text("text")), id: id.text };
    table.finish();
    skill
}

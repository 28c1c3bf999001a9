//! `placement.toml`: the areas of the quiz that says where to begin. A course may be without the file.

use ringside_core::practice::placement::Area;

use super::{ids, keys, read};
use crate::names::Kind;
use crate::toml_reader::Table;
use crate::world::World;

/// The kinds of exercises that are marked without a figure or a person.
const KINDS: [&str; 5] = ["number", "choice", "order", "match", "label"];

/// The areas, in order.
pub(crate) fn placement(world: &World<'_>) -> Vec<Area> {
    if world.tree.file("placement.toml").is_none() {
        return Vec::new();
    }
    let areas = read(world, "placement.toml", |root| -> Vec<Area> {
        root.tables("area").into_iter().map(|t| area(world, t)).collect()
    });
    for slug in world.entries.keys().filter(|slug| !areas.iter().any(|a| a.covers.contains(slug))) {
        if let Some((_, spot)) = world.names.all(Kind::Chapter).find(|(id, _)| id == slug) {
            world.sink.report(spot, format!("No area of placement.toml `covers` the chapter “{slug}”."));
        }
    }
    areas
}

fn area(world: &World<'_>, mut table: Table<'_, '_>) -> Area {
    let chapter = table.text("chapter");
    world.names.resolve(Kind::Chapter, &chapter.text, chapter.spot(0), world.sink);
    let area = Area {
        name: table.string("name"),
        chapter: chapter.text.clone(),
        covers: ids(world, &mut table, "covers", Kind::Chapter),
        exercises: keys(world, &mut table, "exercises", &KINDS),
    };
    for key in &area.exercises {
        let of = key.split('/').next().unwrap_or_default();
        if !area.covers.iter().any(|slug| slug == of) {
            let message = format!("The exercise “{key}” is of a chapter that this area does not cover.");
            world.sink.report(table.spot_of("exercises"), message);
        }
    }
    if area.exercises.len() < 2 {
        world.sink.report(table.spot(), "An area has two exercises or more, of which one is drawn.");
    }
    table.finish();
    area
}

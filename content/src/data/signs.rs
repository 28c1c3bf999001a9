//! `signs.toml`: what logs say. A course may be without the file.

use super::{figure, inline, read, section};
use crate::names::Kind;
use crate::schema::{Course, Html, Place, Sign, Signs};
use crate::source::Located;
use crate::toml_reader::Table;
use crate::world::World;

/// The signs, with the places that explain them.
pub(crate) fn signs(world: &World<'_>, course: &Course) -> Signs {
    if world.tree.file("signs.toml").is_none() {
        return Signs::default();
    }
    read(world, "signs.toml", |root| Signs(root.tables("sign").into_iter().map(|t| sign(world, course, t)).collect()))
}

fn sign(world: &World<'_>, course: &Course, mut table: Table<'_, '_>) -> Sign {
    let lines = table.texts("lines");
    for line in &lines {
        let words: String = line.text.split(['…', '{', '}']).next().unwrap_or_default().trim().to_owned();
        if words.chars().count() < 5 {
            world.sink.report(line.spot(0), "A line begins with words, not with anything: five characters or more.");
        }
    }
    let larger = table.texts("larger").into_iter().map(|t| t.text).collect::<Vec<_>>();
    let larger = match <[String; 2]>::try_from(larger) {
        Ok(two) => Some(two),
        Err(other) if other.is_empty() => None,
        Err(_) => {
            world.sink.report(table.spot_of("larger"), "`larger` names two kept sizes.");
            None
        }
    };
    let (means, remedy) = (table.text("means"), table.text("do"));
    for text in [&means, &remedy] {
        for name in names(&text.text) {
            if !lines.iter().all(|line| names(&line.text).any(|kept| kept == name)) {
                kept_somewhere(world, text, name, &lines);
            }
        }
    }
    let place = table.text("chapter");
    let sign = Sign {
        id: table.string("id"),
        title: table.string("title"),
        lines: lines.iter().map(|l| l.text.clone()).collect(),
        larger,
        means: with_names(inline(world, &means)),
        remedy: with_names(inline(world, &remedy)),
        section: section(world, &place).map(|place| chapter(course, &place)).unwrap_or_default(),
        figure: figure(world, &table.text("figure")).unwrap_or_default(),
        exercise: exercise(world, &table.text("exercise")),
    };
    table.finish();
    sign
}

/// The names in braces.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name)
}

/// Reports a name that no line keeps.
fn kept_somewhere(world: &World<'_>, text: &Located<'_>, name: &str, lines: &[Located<'_>]) {
    if !lines.iter().any(|line| names(&line.text).any(|kept| kept == name)) {
        world.sink.report(text.spot(0), format!("No line keeps “{{{name}}}”."));
    }
}

fn chapter(course: &Course, place: &str) -> Place {
    let (slug, anchor) = place.split_once('#').unwrap_or((place, ""));
    let title = course.chapter(slug).map(|c| format!("{:02} {}", c.number, c.title)).unwrap_or_default();
    Place { title, href: format!("chapter/{slug}/#{anchor}") }
}

fn exercise(world: &World<'_>, id: &Located<'_>) -> Place {
    world.names.resolve(Kind::Exercise, &id.text, id.spot(0), world.sink);
    let chapter = world.exercises.get(&id.text).map_or("", |head| head.chapter.as_str());
    Place { title: "An exercise about it".to_owned(), href: format!("chapter/{chapter}/#exercise-{}", id.text) }
}

/// The braces around the names of what is kept, which Markdown escapes.
fn with_names(html: Html) -> Html {
    Html(html.0.replace("&#123;", "{").replace("&#125;", "}"))
}

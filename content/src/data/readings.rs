//! `readings.toml`: the sources.

use super::{ids, inline, numbers, read};
use crate::names::Kind;
use crate::schema::{After, Readings, Source};
use crate::toml_reader::Table;
use crate::world::World;

const KINDS: [&str; 8] = ["paper", "docs", "blog", "code", "course", "book", "tool", "talk"];

/// The sources.
pub(crate) fn readings(world: &World<'_>) -> Readings {
    read(world, "readings.toml", |root| {
        let sources = root.tables("source").into_iter().map(|t| source(world, t)).collect();
        Readings { sources }
    })
}

fn source(world: &World<'_>, mut table: Table<'_, '_>) -> Source {
    let id = table.text("id");
    let url = table.text("url");
    let valid = url.text.bytes().all(|b| b.is_ascii_graphic() && !b"\"'<>`{}\\".contains(&b));
    let usable = valid && (url.text.starts_with("https://") || url.text.starts_with("http://"));
    if !usable {
        world.sink.report(url.spot(0), "`url` must be a full https:// or http:// address.");
    }
    let kind = table.text("kind");
    if !KINDS.contains(&kind.text.as_str()) {
        let message = format!("`kind` must be one of {}.", KINDS.join(", "));
        world.sink.report_near(kind.spot(0), message, &kind.text, &KINDS);
    }
    let chapters = ids(world, &mut table, "chapters", Kind::Chapter);
    let mut documents = Vec::new();
    for (number, spot) in table.numbers("documents") {
        match u8::try_from(number) {
            Ok(n @ 1..=5) => documents.push(n),
            _ => world.sink.report(spot, "`documents` are the five founding documents, 1 to 5."),
        }
    }
    let look_for = table.texts("look_for").iter().map(|t| inline(world, t)).collect();
    let after = table.optional_text("after").and_then(|id| {
        let known = After::ALL.iter().find(|(name, _)| *name == id.text);
        if known.is_none() {
            let ids = After::ALL.map(|(name, _)| name);
            world.sink.report_near(id.spot(0), format!("`after` must be one of {}.", ids.join(", ")), &id.text, &ids);
        }
        known.map(|(_, after)| *after)
    });
    let because = table.optional_text("because").map(|t| inline(world, &t)).unwrap_or_default();
    if after.is_some() == because.is_empty() {
        world.sink.report(table.spot(), "`after` and `because` belong together: what is left of the source, and why.");
    }
    let source = Source {
        title: table.string("title"),
        authors: table.string("authors"),
        year: table.optional_number("year", 1936..=2100).map(|y| y as u16),
        url: if usable { url.text } else { String::new() },
        kind: kind.text,
        priority: table.number("priority", 1..=3) as u8,
        minutes: table.number("minutes", 1..=99_999) as u32,
        layers: numbers(world, &mut table, "layers", Kind::Layer),
        weeks: numbers(world, &mut table, "weeks", Kind::Week),
        chapters,
        documents,
        look_for,
        insight: table.optional_text("insight").map(|t| inline(world, &t)).unwrap_or_default(),
        after,
        because,
        id: id.text,
    };
    table.finish();
    source
}

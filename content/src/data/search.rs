//! `search.toml`: what people call things when they search. A course may be without the file.

use super::read;
use crate::source::Located;
use crate::world::World;

/// What people call things.
#[derive(Debug, Default)]
pub(crate) struct Searched<'a> {
    /// Phrases that mean the same: all of a list count as its first.
    pub(crate) same: Vec<Vec<String>>,
    /// Places, and what people call their subjects.
    pub(crate) places: Vec<(Located<'a>, String)>,
}

/// What people call things.
pub(crate) fn searched<'a>(world: &World<'a>) -> Searched<'a> {
    if world.tree.file("search.toml").is_none() {
        return Searched::default();
    }
    read(world, "search.toml", |root| {
        let phrases = |line: Located<'_>| line.text.split(',').map(|phrase| phrase.trim().to_owned()).collect();
        let same = root.texts("same").into_iter().map(phrases).collect();
        let places = root.tables("place").into_iter().map(|mut table| {
            let place = (table.text("at"), table.string("words"));
            table.finish();
            place
        });
        Searched { same, places: places.collect() }
    })
}

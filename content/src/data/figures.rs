//! `figures.toml`: the groups of the gallery. A course without the file has one group of all its figures.

use std::collections::BTreeSet;

use ringside_core::catalogue;

use super::read;
use crate::names::Kind;
use crate::schema::Course;
use crate::toml_reader::Table;
use crate::world::World;

/// Figures that serve one purpose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) title: String,
    pub(crate) figures: Vec<Purpose>,
}

/// What a figure is for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Purpose {
    /// The widget.
    pub(crate) id: String,
    /// The question that it answers, or what one does with it.
    pub(crate) want: String,
    /// What else one might search for.
    pub(crate) words: String,
}

/// The groups, with every figure that there is in one of them.
pub(crate) fn figures(world: &World<'_>, course: &Course) -> Vec<Group> {
    let named: BTreeSet<&str> = course.chapters().flat_map(|c| &c.widgets).map(String::as_str).collect();
    let mut groups = Vec::new();
    if world.tree.file("figures.toml").is_some() {
        groups = read(world, "figures.toml", |root| {
            root.tables("group").into_iter().map(|table| group(world, table, &named)).collect()
        });
    }
    let mut seen = BTreeSet::new();
    for group in &mut groups {
        group.figures.retain(|f| catalogue::find(&f.id).is_some() && seen.insert(f.id.clone()));
    }
    let rest = catalogue::ALL.iter().filter(|entry| !seen.contains(entry.id));
    let rest = rest.map(|e| Purpose { id: e.id.into(), want: e.title.into(), words: String::new() }).collect();
    groups.push(Group { title: if groups.is_empty() { "All figures" } else { "More" }.into(), figures: rest });
    groups.retain(|group| !group.figures.is_empty());
    groups
}

fn group(world: &World<'_>, mut table: Table<'_, '_>, planned: &BTreeSet<&str>) -> Group {
    let title = table.string("title");
    let figures = table.tables("figures").into_iter().map(|mut table| {
        let id = table.text("id");
        if !planned.contains(id.text.as_str()) {
            world.names.resolve(Kind::Widget, &id.text, id.spot(0), world.sink);
        }
        let purpose = Purpose {
            id: id.text,
            want: table.string("want"),
            words: table.optional_string("words").unwrap_or_default(),
        };
        table.finish();
        purpose
    });
    let group = Group { title, figures: figures.collect() };
    table.finish();
    group
}

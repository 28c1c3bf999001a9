//! `figures/<id>.toml`: what a figure says of itself; and `figures.toml`: the groups of the gallery. A course without the groups has one
//! of all its figures, and needs no file for any.

use std::collections::{BTreeMap, BTreeSet};

use ringside_core::catalogue::{self, Entry};
use ringside_core::query::Query;

use super::read;
use crate::diagnostic::Mode;
use crate::markdown::check_query;
use crate::names::Kind;
use crate::source::SourceFile;
use crate::toml_reader::Table;
use crate::world::World;

/// The groups of the gallery.
const GROUPS: &str = "figures.toml";

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
    /// The question that it answers, or what one does with it; its title, if its file has none.
    pub(crate) want: String,
    /// What else one might search for.
    pub(crate) words: String,
}

/// The groups, with every figure that there is in one of them.
pub(crate) fn figures(world: &World<'_>) -> Vec<Group> {
    let mut purposes: BTreeMap<&str, Purpose> = BTreeMap::new();
    for file in world.tree.files_in("figures") {
        let id = file.path.strip_prefix("figures/").and_then(|name| name.strip_suffix(".toml")).unwrap_or_default();
        if world.names.resolve(Kind::Widget, id, file.spot(0), world.sink)
            && let Some(entry) = catalogue::find(id)
        {
            purposes.insert(entry.id, read(world, &file.path, |table| figure(world, table, entry)));
        }
    }
    let has_groups = world.tree.file(GROUPS).is_some();
    for entry in catalogue::ALL.iter().filter(|entry| has_groups && !purposes.contains_key(entry.id)) {
        let missing = SourceFile::missing(format!("figures/{}.toml", entry.id));
        world
            .sink
            .report(missing.spot(0), "This file is missing: it says what the figure is for, and has its examples.");
    }
    let mut take = |entry: &Entry| {
        purposes.remove(entry.id).unwrap_or_else(|| Purpose {
            id: entry.id.to_owned(),
            want: entry.title.to_owned(),
            ..Purpose::default()
        })
    };
    let mut listed = BTreeSet::new();
    let mut groups = Vec::new();
    if has_groups {
        groups = read(world, GROUPS, |root| {
            let group = |mut table: Table<'_, '_>| {
                let title = table.string("title");
                let ids = super::ids(world, &mut table, "figures", Kind::Widget);
                table.finish();
                let new = ids.iter().filter_map(|id| catalogue::find(id)).filter(|entry| listed.insert(entry.id));
                Group { title, figures: new.map(&mut take).collect() }
            };
            root.tables("group").into_iter().map(group).collect()
        });
    }
    let rest = catalogue::ALL.iter().filter(|entry| !listed.contains(entry.id)).map(take).collect();
    groups.push(Group { title: if groups.is_empty() { "All figures" } else { "More" }.into(), figures: rest });
    groups.retain(|group| !group.figures.is_empty());
    groups
}

/// A figure's file, all of it checked. The app has the examples and the small print compiled in (`app/figures`).
fn figure(world: &World<'_>, table: &mut Table<'_, '_>, entry: &Entry) -> Purpose {
    let want = table.optional_string("want").unwrap_or_else(|| entry.title.to_owned());
    let purpose = Purpose { id: entry.id.to_owned(), want, words: table.optional_string("words").unwrap_or_default() };
    table.optional_string("notes");
    table.flag("keep_rest");
    for name in table.texts("ignore") {
        let names: Vec<&str> = entry.specs().iter().map(|spec| spec.name).collect();
        if !names.contains(&name.text.as_str()) {
            let message = format!("The figure has no parameter “{}”.", name.text);
            world.sink.report_near(name.spot(0), message, &name.text, &names);
        }
    }
    let (row, spot) = (table.optional_text("examples"), table.spot());
    let examples = table.tables("example");
    match &row {
        None if !examples.is_empty() => {
            world
                .sink
                .report(spot, "`examples` is missing here: what the row of examples is called, such as “States”.");
        }
        Some(row) if examples.is_empty() => world.sink.report(row.spot(0), "The row has no `[[example]]`."),
        _ => {}
    }
    let mut labels = BTreeSet::new();
    for mut example in examples {
        let label = example.text("label");
        if !labels.insert(label.text.clone()) {
            world.sink.report(label.spot(0), format!("There are two examples “{}”.", label.text));
        }
        // The empty state is one, too.
        match example.optional_text("state") {
            // To compute all of them takes a release a while, and whoever looks at the site while they write two minutes.
            Some(state) if world.mode == Mode::Quick => {
                let (_, problems) = (entry.read)(&Query::parse(&state.text));
                problems.into_iter().for_each(|problem| world.sink.report(state.spot(0), problem.message));
            }
            Some(state) => check_query(world, entry.id, &Query::parse(&state.text), state.spot(0)),
            None => world
                .sink
                .report(example.spot(), "`state` is missing here; it must be the figure’s state as in its link."),
        }
        example.finish();
    }
    purpose
}

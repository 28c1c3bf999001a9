//! The course held against the reading map, for people: where every topic, every "be able to" and every source is, and how the
//! chapters hang together.

use std::fmt::Write as _;
use std::path::Path;

use ringside_core::catalogue;

use crate::data::{self, Formula, Founding};
use crate::diagnostic::{Mode, Sink};
use crate::names::Kind;
use crate::schema::{Diagnostic, Readings, Status};
use crate::site::survey;
use crate::source::Tree;
use crate::world::World;

/// What of the reading map the folder `content/` has, and everything that is wrong with that.
pub fn coverage(root: &Path) -> (String, Vec<Diagnostic>) {
    let (tree, sink) = (Tree::read(root), Sink::default());
    // What is wrong elsewhere is the build’s to say.
    let elsewhere = Sink::default();
    let world = survey(&tree, &elsewhere, Mode::Strict);
    let readings = data::readings(&world);
    let world = World { sink: &sink, ..world };
    let documents = data::coverage(&world, &readings);
    let formulas = data::formulas(&world);
    // Its figures are states of models as well.
    let _ = data::glossary(&world);
    let _ = data::signs(&world, &crate::site::course(&world));
    let _ = data::placement(&world);
    let text = format!("{}{}{}", map(&world, &documents, &readings), described(&formulas), links(&world));
    (text, sink.into_sorted())
}

/// Every item of every document with its places.
fn map(world: &World<'_>, documents: &[Founding], readings: &Readings) -> String {
    let mut text = String::new();
    for document in documents {
        let _ = writeln!(text, "\n{}. {}", document.number, document.title);
        for item in &document.items {
            let kind = if item.kind == "able" { "able to" } else { "topic  " };
            let at: Vec<String> = item.at.iter().map(|place| numbered(world, place)).collect();
            let figures = item.no_figure.as_ref().map_or_else(|| item.figures.join(", "), |why| format!("none: {why}"));
            let _ = writeln!(text, "  {kind}  {}", item.text);
            let _ = writeln!(text, "           section   {}", at.join(", "));
            let _ = writeln!(text, "           figure    {figures}");
            let _ = writeln!(text, "           exercise  {}", item.exercises.join(", "));
        }
        for named in &document.readings {
            let _ = writeln!(text, "  source   {}", named.named);
            for source in named.are.iter().filter_map(|id| readings.sources.iter().find(|s| s.id == *id)) {
                let chapters: Vec<String> = source.chapters.iter().map(|slug| numbered(world, slug)).collect();
                let after = source.after.map_or("", |after| after.in_words());
                let _ = writeln!(text, "           {}: {}. {after}", source.id, chapters.join(", "));
            }
        }
    }
    let count = |kind: &str| documents.iter().flat_map(|d| &d.items).filter(|i| i.kind == kind).count();
    let sources = readings.sources.iter().filter(|s| !s.documents.is_empty()).count();
    let _ = writeln!(
        text,
        "\n{} topics, {} things to be able to do and {sources} sources of {} documents are placed.",
        count("topic"),
        count("able"),
        documents.len()
    );
    text
}

/// Which models have formulas in the reference.
fn described(formulas: &[Formula]) -> String {
    let mut models: Vec<&str> = formulas.iter().map(|f| f.model.as_str()).collect();
    models.sort_unstable();
    models.dedup();
    let simulated = catalogue::ALL.iter().map(|entry| entry.id).filter(|id| !models.contains(id));
    let simulated: Vec<&str> = simulated.collect();
    format!(
        "{} formulas of {} models hold; {} models are simulated and have none: {}.\n",
        formulas.len(),
        models.len(),
        simulated.len(),
        simulated.join(", ")
    )
}

/// A place with the number of its chapter: `03 memory-accounting#zero`.
fn numbered(world: &World<'_>, place: &str) -> String {
    let slug = place.split('#').next().unwrap_or_default();
    let number = world.entries.get(slug).map_or(0, |entry| entry.number);
    format!("{number:02} {place}")
}

/// How the chapters link to each other. A link has its way back on the page of the chapter that it leads to.
fn links(world: &World<'_>) -> String {
    let mut text = "\nLinks between chapters\n".to_owned();
    for (slug, from, to) in between(world) {
        let list = |slugs: &[&str]| if slugs.is_empty() { "none".to_owned() } else { slugs.join(", ") };
        let _ = writeln!(text, "  {}: to {}; from {}", numbered(world, slug), list(&to), list(&from));
    }
    text
}

/// Every written chapter in order, with those that link to it and those that it links to.
fn between<'w>(world: &'w World<'_>) -> Vec<(&'w str, Vec<&'w str>, Vec<&'w str>)> {
    let mut written: Vec<(&str, u64)> = world
        .entries
        .iter()
        .filter(|(_, entry)| entry.status == Status::Written)
        .map(|(slug, entry)| (slug.as_str(), entry.number))
        .collect();
    written.sort_by_key(|(_, number)| *number);
    let row = |slug: &'w str| {
        let from = world.leading_to(slug).into_iter().map(|(from, _)| from).collect();
        let links = world.scans.get(slug).into_iter().flat_map(|scan| &scan.links);
        let mut to: Vec<&str> = links.map(|link| link.to.as_str()).filter(|to| *to != slug).collect();
        to.sort_unstable();
        to.dedup();
        (slug, from, to)
    };
    written.into_iter().map(|(slug, _)| row(slug)).collect()
}

/// Reports every written chapter that no other links to, or that links to none: a course that has a map of what it covers is one text.
pub(crate) fn check_links(world: &World<'_>) {
    for (slug, from, to) in between(world) {
        let Some((_, spot)) = world.names.all(Kind::Chapter).find(|(id, _)| *id == slug) else { continue };
        if from.is_empty() {
            world.sink.report(spot, format!("No other chapter links to “{slug}”."));
        }
        if to.is_empty() {
            world.sink.report(spot, format!("The chapter “{slug}” links to no other."));
        }
    }
}

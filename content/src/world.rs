//! What everything else is checked against: who exists, found before anything is rendered.
//!
//! Reading goes twice over the files. The first pass, here, notes every id, anchor and figure; what it cannot read it
//! skips. The second ([`crate::data`], [`crate::markdown`]) reads everything, reports what is wrong, and can resolve
//! every reference at once, forward or backward.

use std::collections::BTreeMap;

use ringside_core::catalogue;

use crate::diagnostic::{Mode, Sink};
use crate::language::Lang;
use crate::markdown::scan::{self, Scan};
use crate::names::{Kind, Names};
use crate::schema::Status;
use crate::source::{Located, Tree};
use crate::toml_reader::Document;

/// Where a source link goes.
#[derive(Debug, Clone, Default)]
pub(crate) struct SourceLink {
    pub(crate) title: String,
    pub(crate) url: String,
    pub(crate) priority: u64,
    pub(crate) chapters: Vec<String>,
}

/// A chapter as the manifest has it.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) number: u64,
    pub(crate) status: Status,
}

/// Everything that exists.
pub(crate) struct World<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) sink: &'a Sink,
    pub(crate) mode: Mode,
    pub(crate) names: Names<'a>,
    pub(crate) sources: BTreeMap<String, SourceLink>,
    /// The order of `readings.toml`.
    pub(crate) source_order: Vec<String>,
    /// The chapters of the manifest, by slug.
    pub(crate) entries: BTreeMap<String, Entry>,
    /// The chapters on disk, by slug, with the name of the folder.
    pub(crate) scans: BTreeMap<String, Scan<'a>>,
    pub(crate) folders: BTreeMap<String, String>,
    /// What chapters are called in other languages than English, by slug: those that can be read in them.
    pub(crate) titles: BTreeMap<(String, Lang), String>,
    /// The kind of every exercise, by id, with the slug of its chapter.
    pub(crate) exercises: BTreeMap<String, ExerciseHead>,
}

/// What links and figures need to know of an exercise.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExerciseHead {
    pub(crate) chapter: String,
    pub(crate) kind: String,
}

impl<'a> World<'a> {
    /// Finds out who exists.
    pub(crate) fn survey(tree: &'a Tree, sink: &'a Sink, mode: Mode) -> Self {
        let mut world = World {
            tree,
            sink,
            mode,
            names: Names::default(),
            sources: BTreeMap::new(),
            source_order: Vec::new(),
            entries: BTreeMap::new(),
            scans: BTreeMap::new(),
            folders: BTreeMap::new(),
            titles: BTreeMap::new(),
            exercises: BTreeMap::new(),
        };
        world.course();
        world.readings();
        world.ids("glossary.toml", "term", "id", Kind::Term);
        world.ids("plan.toml", "week", "number", Kind::Week);
        for folder in tree.chapters() {
            world.chapter(folder);
        }
        world
    }

    /// Whether `id` is a widget.
    pub(crate) fn widget(&self, id: &str) -> Option<&'static catalogue::Entry> {
        catalogue::find(id)
    }

    /// The language in which a chapter is read by who reads in `lang`.
    pub(crate) fn language_of(&self, slug: &str, lang: Lang) -> Lang {
        if self.titles.contains_key(&(slug.to_owned(), lang)) { lang } else { Lang::En }
    }

    /// The written chapters that link to the chapter `slug`, each with the heading under which it first does.
    pub(crate) fn leading_to(&self, slug: &str) -> Vec<(&str, &str)> {
        let written = self.scans.iter().filter(|(from, _)| {
            from.as_str() != slug && self.entries.get(*from).is_some_and(|e| e.status == Status::Written)
        });
        let link = written.filter_map(|(from, scan)| {
            let link = scan.links.iter().find(|link| link.to == slug)?;
            Some((from.as_str(), link.under.as_str()))
        });
        link.collect()
    }

    fn course(&mut self) {
        let Some(file) = self.tree.file("course.toml") else { return };
        let (text, quiet) = (file.located(), Sink::default());
        let document = Document::parse(&text, &quiet);
        let mut root = document.root();
        for mut layer in root.tables("layer") {
            let (id, spot) = (layer.number("id", 0..=99).to_string(), layer.spot_of("id"));
            self.names.define(Kind::Layer, &id, spot, self.sink);
        }
        for mut part in root.tables("part") {
            let id = part.text("id");
            self.names.define(Kind::Part, &id.text, id.spot(0), self.sink);
            for mut chapter in part.tables("chapter") {
                let slug = chapter.text("slug");
                self.names.define(Kind::Chapter, &slug.text, slug.spot(0), self.sink);
                let written = chapter.optional_string("status").is_some_and(|s| s == "written");
                let status = if written { Status::Written } else { Status::Planned };
                let number = chapter.number("number", 0..=999);
                for mut skill in chapter.tables("skills") {
                    let id = skill.text("id");
                    self.names.define(Kind::Skill, &id.text, id.spot(0), self.sink);
                }
                self.entries.entry(slug.text).or_insert(Entry { number, status });
            }
        }
    }

    fn readings(&mut self) {
        let Some(file) = self.tree.file("readings.toml") else { return };
        let (text, quiet) = (file.located(), Sink::default());
        let document = Document::parse(&text, &quiet);
        for mut source in document.root().tables("source") {
            let id = source.text("id");
            self.names.define(Kind::Source, &id.text, id.spot(0), self.sink);
            if self.sources.contains_key(&id.text) {
                continue;
            }
            self.source_order.push(id.text.clone());
            let link = SourceLink {
                title: source.string("title"),
                url: source.string("url"),
                priority: source.number("priority", 0..=9),
                chapters: source.texts("chapters").into_iter().map(|c| c.text).collect(),
            };
            self.sources.insert(id.text, link);
        }
    }

    fn ids(&mut self, path: &str, list: &'static str, key: &'static str, kind: Kind) {
        let Some(file) = self.tree.file(path) else { return };
        let (text, quiet) = (file.located(), Sink::default());
        let document = Document::parse(&text, &quiet);
        for mut table in document.root().tables(list) {
            if key == "number" {
                let id = table.number(key, 0..=99).to_string();
                self.names.define(kind, &id, table.spot_of(key), self.sink);
            } else {
                let id = table.text(key);
                self.names.define(kind, &id.text, id.spot(0), self.sink);
            }
        }
    }

    fn chapter(&mut self, folder: &str) {
        let slug = slug_of(folder).to_owned();
        if let Some(file) = self.tree.file(&format!("chapters/{folder}/exercises.toml")) {
            let (text, quiet) = (file.located(), Sink::default());
            let document = Document::parse(&text, &quiet);
            for mut exercise in document.root().tables("exercise") {
                let id: Located<'a> = exercise.text("id");
                self.names.define(Kind::Exercise, &id.text, id.spot(0), self.sink);
                let kind = exercise.optional_string("kind").unwrap_or_default();
                self.exercises.entry(id.text).or_insert(ExerciseHead { chapter: slug.clone(), kind });
            }
        }
        if let Some(file) = self.tree.file(&text_of(folder, Lang::En)) {
            self.scans.insert(slug.clone(), Scan::new(file));
        }
        for lang in Lang::others() {
            let Some(file) = self.tree.file(&text_of(folder, lang)) else { continue };
            let (quiet, front) = (Sink::default(), scan::parts(file).0);
            let title = front.map(|front| Document::parse(&front, &quiet).root().string("title")).unwrap_or_default();
            self.titles.insert((slug.clone(), lang), title);
        }
        self.folders.insert(slug, folder.to_owned());
    }
}

/// The text of the chapter in a folder of `chapters/`, in one language.
pub(crate) fn text_of(folder: &str, lang: Lang) -> String {
    match lang {
        Lang::En => format!("chapters/{folder}/chapter.md"),
        other => format!("chapters/{folder}/chapter.{}.md", other.code()),
    }
}

/// The slug in the name of a chapter's folder: `memory-accounting` of `03-memory-accounting`.
pub(crate) fn slug_of(folder: &str) -> &str {
    match folder.split_once('-') {
        Some((number, slug)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => slug,
        _ => folder,
    }
}

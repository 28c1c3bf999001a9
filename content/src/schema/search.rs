//! `search.json`: what [`crate::search::Index`] looks through.

use serde::{Deserialize, Serialize};

/// Every place that can be found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SearchIndex {
    /// The places: chapters first, then their sections, and so on in the order of [`EntryKind`].
    pub entries: Vec<SearchEntry>,
    /// Phrases that mean the same: all of a list count as its first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<Vec<String>>,
    /// Questions that people asked, and the places that answer them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<AskedQuestion>,
}

/// A question that somebody asked. It is compared with a new one, and never shown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AskedQuestion {
    /// In the words of who asked.
    pub ask: String,
    /// The entries that answer it, each as well as the others, by their places in the list.
    pub at: Vec<u32>,
}

/// A place that can be found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SearchEntry {
    /// What it is.
    pub kind: EntryKind,
    /// Its name.
    pub title: String,
    /// Where it is: the chapter of a section, the authors of a source.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub context: String,
    /// Where to go: relative to the site's base, or absolute for a source.
    pub href: String,
    /// What people call its subject where its title and text don't. It is searched and never shown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub words: String,
    /// Its text, without markup.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// What kind of place it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntryKind {
    /// A chapter, written or planned.
    #[default]
    Chapter,
    /// A section of a chapter.
    Section,
    /// A widget.
    Widget,
    /// A message that logs have.
    Message,
    /// A formula of the reference.
    Formula,
    /// A term of the glossary.
    Term,
    /// A source of the reading map.
    Source,
    /// An exercise.
    Exercise,
    /// A lab.
    Lab,
    /// A mission.
    Mission,
    /// A page for a purpose: to practice, to teach, to set things.
    Page,
}

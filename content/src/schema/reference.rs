//! `reference.json`: the page to come back to while working.

use serde::{Deserialize, Serialize};

use super::{Html, is_empty};

/// The reference page, apart from the glossary.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Reference {
    /// Environment variables worth knowing.
    pub variables: Vec<Variable>,
    /// Tools worth having.
    pub tools: Vec<Tool>,
    /// Other courses.
    pub courses: Vec<OtherCourse>,
    /// The reference card: where to read about one concept.
    pub cards: Vec<Card>,
}

/// An environment variable.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// How it is used: shell text.
    pub example: String,
    /// What it is for.
    pub purpose: Html,
    /// What is printed where it is set, missing or wrong; empty for one that nothing is printed of.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prints: String,
    /// Slugs of the chapters in which it matters.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub chapters: Vec<String>,
}

/// A tool.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tool {
    /// The id of its source.
    pub source: String,
    /// What it is used for.
    #[serde(rename = "use")]
    pub purpose: Html,
}

/// Another course.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OtherCourse {
    /// The id of its source.
    pub source: String,
    /// Why to take it.
    pub why: Html,
}

/// A line of the reference card.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Card {
    /// The concept.
    pub concept: Html,
    /// The resource that explains it: the id of a source.
    pub resource: String,
    /// Which section of it.
    pub section: Html,
    /// How long that takes.
    pub minutes: u32,
    /// The slug of the chapter that teaches it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chapter: Option<String>,
}

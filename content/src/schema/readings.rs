//! `readings.json`: every source of the reading map.

use serde::{Deserialize, Serialize};

use super::{Html, is_empty};

/// Every source, in the order of `readings.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Readings {
    /// The sources.
    pub sources: Vec<Source>,
}

/// A paper, a document, a repository, a lecture.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Source {
    /// Its stable id: `zero-paper`.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Authors or publisher.
    pub authors: String,
    /// Year of publication; not every page has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<u16>,
    /// Where it is.
    pub url: String,
    /// What it is: paper, code, docs, …
    pub kind: String,
    /// 1 (must read) to 3 (if there is time).
    pub priority: u8,
    /// How long it takes.
    pub minutes: u32,
    /// The layers it belongs to.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub layers: Vec<u8>,
    /// The weeks of the plan in which it is read.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub weeks: Vec<u8>,
    /// Slugs of the chapters it belongs to.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub chapters: Vec<String>,
    /// The documents of the reading map that list it.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub documents: Vec<String>,
    /// What to look for while reading it.
    pub look_for: Html,
    /// The insight to take away.
    pub insight: Html,
}

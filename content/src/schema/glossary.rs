//! `glossary.json`: the terms that a reader can point at.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Html, is_empty};

/// Every term, in the order of `glossary.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Glossary {
    /// The terms.
    pub terms: Vec<Term>,
}

/// A term and what it means. Its place is `reference/#<id>`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Term {
    /// Its stable id: `all-reduce`.
    pub id: String,
    /// The term itself.
    pub term: String,
    /// Other words for it.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub also: Vec<String>,
    /// What it means.
    pub definition: Html,
    /// The live figure that shows it, `w/<id>/?<state>`, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figure: Option<String>,
    /// Slugs of the chapters that explain it.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub chapters: Vec<String>,
    /// Ids of related terms.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub see: Vec<String>,
}

/// The small pictures of those terms whose figure is a chart, by id.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pictures(pub BTreeMap<String, Html>);

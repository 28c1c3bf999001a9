//! `signs.json`: what logs say, and where the course explains it.

use serde::{Deserialize, Serialize};

use super::Html;

/// Every sign, in the order in which lines are held against them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Signs(pub Vec<Sign>);

/// A message that is known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sign {
    /// Its stable id.
    pub id: String,
    /// What it comes to.
    pub title: String,
    /// Patterns of lines that have it: `…` for anything, `{name}` for what is kept.
    pub lines: Vec<String>,
    /// Two names: it fits only where the size kept under the first is more than that under the second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub larger: Option<[String; 2]>,
    /// What it means, with `{name}` for what was kept.
    pub means: Html,
    /// What to do about it, with `{name}` for what was kept.
    pub remedy: Html,
    /// Where it is taught.
    pub section: Place,
    /// The figure that shows it, in the state that does.
    pub figure: Place,
    /// The exercise about it.
    pub exercise: Place,
}

/// A place of the course.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Place {
    /// What it is called.
    pub title: String,
    /// Where it is, relative to the site's base.
    pub href: String,
}

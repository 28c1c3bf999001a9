//! `signs.json`: what logs say, and where the course explains it.

use serde::{Deserialize, Serialize};

use super::Html;

/// Every sign, in the order in which lines are held against them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Signs(pub Vec<Sign>);

/// How much a sign says about why a job went wrong, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SignKind {
    /// Something that a healthy job prints too.
    Note,
    /// Something failed, and the reason stands elsewhere: in another line, or with another rank.
    Consequence,
    /// What it may be; the line alone does not show it.
    Possible,
    /// What it is.
    #[default]
    Cause,
}

impl SignKind {
    /// What is said before a sign’s title.
    pub fn certainty(self) -> &'static str {
        match self {
            SignKind::Cause => "",
            SignKind::Possible => "Possibly: ",
            SignKind::Consequence => "Symptom: ",
            SignKind::Note => "Not an error: ",
        }
    }
}

/// A message that is known.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sign {
    /// Its stable id.
    pub id: String,
    /// What it comes to.
    pub title: String,
    /// How much it says.
    #[serde(default)]
    pub kind: SignKind,
    /// Patterns of lines that have it: `…` for anything, `{name}` for what is kept, `^` and `$` for the ends of a line.
    pub lines: Vec<String>,
    /// What must hold of what is kept, as `unallocated > 0.1 total`, where a pattern keeps it. What cannot be read does not hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// Patterns of which one must fit a line of the log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Patterns of which none may fit a line of the log. A sign that has them is never a cause: the line may be missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<String>,
    /// Who prints it, with the version where that matters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub program: String,
    /// Patterns of which one must fit a line of the log, by which that program is known. None if the words are its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<String>,
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

//! What an author is shown of a chapter that is being written.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Exercises, Html};

/// Asks the author's worker for slides, not for a chapter.
pub const SLIDES: &str = "slides";

/// A chapter as the site would have it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Draft {
    /// Its slug, from the name of its folder.
    pub slug: String,
    /// Its page: `chapters/<slug>.html`. Empty if the manifest does not have it.
    pub html: Html,
    /// Its exercises.
    pub exercises: Exercises,
    /// What is wrong with its files and with the manifest, in order.
    pub diagnostics: Vec<Diagnostic>,
}

/// What a chapter can name, for an editor to offer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Vocabulary {
    /// The models, by the ids of their widgets.
    pub models: BTreeMap<String, ModelWords>,
    /// Ids of the glossary.
    pub terms: Vec<String>,
    /// Ids of `readings.toml`.
    pub sources: Vec<String>,
    /// Slugs of chapters.
    pub chapters: Vec<String>,
    /// Ids of skills.
    pub skills: Vec<String>,
    /// Kinds of exercises.
    pub kinds: Vec<String>,
}

/// What of a model can be named.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ModelWords {
    /// Its title.
    pub title: String,
    /// Its parameters, by name.
    pub parameters: BTreeMap<String, ParameterWords>,
    /// Its quantities: id and label, in its order.
    pub quantities: Vec<(String, String)>,
}

/// What a parameter means, and the values that it takes if they can be listed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ParameterWords {
    /// What it means, with its unit.
    pub means: String,
    /// All of its values; empty for a number.
    pub values: Vec<String>,
}

/// Something that an author has to put right.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The file, from the repository's root: `content/chapters/03-memory-accounting/chapter.md`.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// What is wrong and what was expected: a full sentence.
    pub message: String,
    /// A suggestion such as `did you mean “zero”?`; may be empty.
    pub hint: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)?;
        if self.hint.is_empty() { Ok(()) } else { write!(f, " ({})", self.hint) }
    }
}

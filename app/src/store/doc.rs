//! What is stored, as plain data: its current form, how older forms become it, and what is not ours to read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The form that this version writes.
pub const VERSION: u64 = 1;

/// Everything that a learner has done. Fields of this version that an export of a later patch adds are kept in `rest`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Doc {
    /// Always [`VERSION`] once read.
    pub version: u64,
    /// How the site looks.
    #[serde(default)]
    pub settings: Settings,
    /// By source id: read ticks and summaries.
    #[serde(default)]
    pub sources: BTreeMap<String, SourceNote>,
    /// By chapter slug: where the learner is.
    #[serde(default)]
    pub chapters: BTreeMap<String, ChapterProgress>,
    /// By `<chapter>/<exercise>`: what was answered.
    #[serde(default)]
    pub exercises: BTreeMap<String, Attempt>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl Doc {
    /// Whether this chapter is marked as done.
    pub fn is_done(&self, slug: &str) -> bool {
        self.chapters.get(slug).is_some_and(|c| c.done)
    }

    /// Whether this source is ticked as read.
    pub fn is_read(&self, id: &str) -> bool {
        self.sources.get(id).is_some_and(|s| s.read)
    }
}

impl Default for Doc {
    fn default() -> Self {
        Self {
            version: VERSION,
            settings: Settings::default(),
            sources: BTreeMap::new(),
            chapters: BTreeMap::new(),
            exercises: BTreeMap::new(),
            rest: Map::new(),
        }
    }
}

/// How the site looks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Settings {
    /// Light, dark, or as the system says.
    #[serde(default)]
    pub theme: Theme,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A colour scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theme {
    /// As the system says.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// The name in the store and in `<html data-theme>`.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// What the learner did with one source.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SourceNote {
    /// Ticked as read.
    #[serde(default)]
    pub read: bool,
    /// The learner's own one-page summary, as Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Where the learner is in one chapter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ChapterProgress {
    /// Marked as done.
    #[serde(default)]
    pub done: bool,
    /// The heading last read, to come back to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// What the learner did with one exercise.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Attempt {
    /// The seed of the parameters on screen; 0 is the exercise as written.
    #[serde(default)]
    pub seed: u64,
    /// What is in the field, or the chosen options, comma-separated.
    #[serde(default)]
    pub input: String,
    /// The points of a rubric that the learner found in their own answer, comma-separated.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub marks: String,
    /// How sure the learner was, in percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
    /// Whether `input` has been submitted.
    #[serde(default)]
    pub checked: bool,
    /// Whether it has ever been answered rightly.
    #[serde(default)]
    pub right: bool,
    /// How many answers were checked.
    #[serde(default)]
    pub tries: u32,
    /// How many hints were opened.
    #[serde(default)]
    pub hints: u32,
    /// Whether the solution was opened before a right answer.
    #[serde(default)]
    pub shown: bool,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Why a stored text cannot be used. It is kept aside, never dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unusable {
    /// It is not what any version wrote.
    Corrupt,
    /// A later version wrote it.
    Newer(u64),
}

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Corrupt => f.write_str("it is damaged and cannot be read"),
            Self::Newer(version) => {
                write!(
                    f,
                    "it was written by a later version of Ringside (format {version}; this one reads up to {VERSION})"
                )
            }
        }
    }
}

/// Reads what was stored or exported.
///
/// # Errors
/// [`Unusable`], when it is not a document of this or an earlier version.
pub fn read(text: &str) -> Result<Doc, Unusable> {
    let value: Value = serde_json::from_str(text).map_err(|_| Unusable::Corrupt)?;
    let version = value.get("version").and_then(Value::as_u64).ok_or(Unusable::Corrupt)?;
    if version > VERSION {
        return Err(Unusable::Newer(version));
    }
    if version == 0 {
        return Err(Unusable::Corrupt);
    }
    serde_json::from_value(value).map_err(|_| Unusable::Corrupt)
}

/// The text that [`read`] reads back to the same document.
pub fn write(doc: &Doc) -> String {
    // Maps with string keys and plain values always serialise.
    serde_json::to_string(doc).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back_the_same_with_unknown_fields_kept() {
        let text = r#"{"version":1,"settings":{"theme":"dark","font":"big"},"sources":{"zero-paper":{"read":true,"summary":"s"}},"later":[1]}"#;
        let doc = read(text).expect("reads");
        assert_eq!(doc.settings.theme, Theme::Dark);
        assert!(doc.sources["zero-paper"].read);
        let again = read(&write(&doc)).expect("reads");
        assert_eq!(again, doc);
        assert!(write(&doc).contains("\"font\":\"big\"") && write(&doc).contains("\"later\":[1]"));
    }

    #[test]
    fn what_is_not_ours_is_told_apart() {
        for text in
            ["", "{", "[]", "null", "{}", r#"{"version":"1"}"#, r#"{"version":0}"#, r#"{"version":1,"sources":3}"#]
        {
            assert_eq!(read(text), Err(Unusable::Corrupt), "{text}");
        }
        assert_eq!(read(r#"{"version":7,"anything":true}"#), Err(Unusable::Newer(7)));
    }
}

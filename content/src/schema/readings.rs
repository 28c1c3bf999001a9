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
    /// What it is: paper, docs, blog, code, course, book, tool, talk.
    pub kind: String,
    /// 3 (must read), 2 (recommended) or 1 (optional).
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
    /// Which of the five founding documents of the reading map name it, 1 to 5.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub documents: Vec<u8>,
    /// What to look for while reading it.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub look_for: Vec<Html>,
    /// The insight to take away.
    #[serde(default, skip_serializing_if = "Html::is_empty")]
    pub insight: Html,
    /// What is left of it for whoever has done the chapter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<After>,
    /// Why that is so.
    #[serde(default, skip_serializing_if = "Html::is_empty")]
    pub because: Html,
}

/// What is left of a source for whoever has done its chapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum After {
    /// Nothing: the chapter makes it unnecessary.
    Skip,
    /// The parts that one is to look for.
    Part,
    /// All of it.
    Read,
    /// It is not for reading through but for having at hand.
    Use,
}

impl After {
    /// Each with its id in `readings.toml`.
    pub const ALL: [(&'static str, Self); 4] =
        [("skip", Self::Skip), ("part", Self::Part), ("read", Self::Read), ("use", Self::Use)];

    /// In words.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Skip => "Not needed.",
            Self::Part => "Read the parts listed above.",
            Self::Read => "Still worth reading in full.",
            Self::Use => "Keep it at hand.",
        }
    }
}

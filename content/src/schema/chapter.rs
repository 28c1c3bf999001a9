//! `chapters/<slug>.json`: what the page of a chapter needs beside its text.

use ringside_core::exercise::Exercise;
use serde::{Deserialize, Serialize};

use super::{Html, is_empty};

/// A written chapter. Its text is `chapters/<slug>.html`, in which `[data-slot-widget]`, `[data-slot-exercise]` and
/// `[data-slot-sources]` are the places for what is alive.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ChapterPage {
    /// The chapter.
    pub slug: String,
    /// Its title.
    pub title: String,
    /// What it is about, in a sentence or two.
    pub lede: Html,
    /// Its headings of levels 2 and 3.
    pub outline: Vec<Heading>,
    /// Its widgets, in order.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub figures: Vec<Figure>,
    /// Its exercises in the order of the file. Their Markdown fields (`prompt`, `hints`, `solution`, `say`, `reveal`, an
    /// option's `text`) are HTML here, with the templates' `{…}` as the author wrote them: fill them with
    /// [`ringside_core`]'s template function and put the result into the page as it is.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub exercises: Vec<Exercise>,
    /// How long it takes.
    pub minutes: u32,
    /// How many words of prose it has.
    pub words: u32,
}

/// A heading of a chapter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Heading {
    /// Its anchor.
    pub id: String,
    /// 2 or 3.
    pub level: u8,
    /// Its text, without markup.
    pub text: String,
}

/// A widget's place in a chapter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Figure {
    /// The place-holder's `id`.
    pub id: String,
    /// The widget's id.
    pub widget: String,
    /// Its parameters at the start, as a query string.
    pub query: String,
    /// The predict exercise that must be committed before it unlocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The states that "see it" links set.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub presets: Vec<Preset>,
}

/// A state of a widget that a "see it" link sets.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Preset {
    /// The link's text.
    pub label: String,
    /// The parameters that it changes, as a query string.
    pub query: String,
}

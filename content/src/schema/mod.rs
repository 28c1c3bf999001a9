//! The types of the files that the build writes and the browser reads.
//!
//! | file | type |
//! |---|---|
//! | `course.json` | [`Course`] |
//! | `readings.json` | [`Readings`] |
//! | `glossary.json` | [`Glossary`] |
//! | `reference.json` | [`Reference`] |
//! | `pictures.json` | [`Pictures`] |
//! | `contents.html`, `home.html`, `figures.html`, `sources.html`, `formulas.html` | HTML fragments, see `fragment` |
//! | `chapters/<slug>.html` | the chapter's page: an HTML fragment with place-holders |
//! | `chapters/<slug>.notes.html` | its notes for whoever presents it, if it has any; the page has their places |
//! | `chapters/<slug>.exercises.json` | [`Exercises`] |
//! | `exercises.json` | [`ExerciseIndex`] |
//! | `search.json` | [`SearchIndex`] |
//! | `signs.json` | [`Signs`] |
//! | `syllabus.json` | a list of [`Taught`] |
//! | `source.json` | the files of `content/`, from path to text: for whoever writes a chapter |
//!
//! Fields that hold rendered HTML have the type [`Html`]; everything else is plain text and must be escaped by whoever
//! shows it (as Leptos does by itself).

mod chapter;
mod course;
mod draft;
mod glossary;
mod pages;
mod readings;
mod reference;
mod search;
mod sign;
mod syllabus;

use serde::{Deserialize, Serialize};

pub use chapter::{ExerciseIndex, ExercisePictures, Exercises, Indexed};
pub use course::{Block, Chapter, Course, Extent, Layer, NotCovered, Part, Skill, Status, Week};
pub use draft::{Diagnostic, Draft, ModelWords, ParameterWords, SLIDES, Vocabulary};
pub use glossary::{Glossary, Pictures, Term};
pub use pages::{HOME, Page};
pub use readings::{After, Readings, Source};
pub use reference::{Card, OtherCourse, Reference, Tool, Variable};
pub use search::{AskedQuestion, EntryKind, SearchEntry, SearchIndex};
pub use sign::{Place, Sign, SignKind, Signs};
pub use syllabus::Taught;

/// HTML made by this crate from checked content: safe to put into a page as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Html(pub String);

impl Html {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Serde's way of leaving out what is empty.
fn is_empty<T>(list: &[T]) -> bool {
    list.is_empty()
}

//! `chapters/<slug>.exercises.json`: the exercises of a chapter; `exercises.json`: all of them in short.

use ringside_core::exercise::Exercise;
use serde::{Deserialize, Serialize};

/// The exercises of a written chapter.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Exercises {
    /// In the order of the file. Their Markdown fields (`prompt`, `hints`, `solution`, `say`, `reveal`, an option's `text`)
    /// are HTML here, with the templates' `{…}` as the author wrote them: fill them with [`ringside_core`]'s template
    /// function and put the result into the page as it is.
    pub exercises: Vec<Exercise>,
}

/// Every exercise of the course in short: to choose from, and to find by its skill.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ExerciseIndex {
    /// By chapter, then in the order of its file.
    pub exercises: Vec<Indexed>,
}

/// An exercise in short.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Indexed {
    /// `<chapter>/<exercise>`.
    pub key: String,
    /// A few words for it: plain text.
    pub title: String,
    /// The name of its kind, as in `kind = "…"`.
    pub kind: String,
    /// The skill that it trains.
    pub skill: String,
    /// How hard it is, 1 to 3.
    pub level: u8,
}

impl Indexed {
    /// The chapter's slug.
    pub fn chapter(&self) -> &str {
        self.key.split('/').next().unwrap_or_default()
    }

    /// Where it is, relative to the site's base.
    pub fn href(&self) -> String {
        match self.key.split_once('/') {
            Some((chapter, id)) => format!("chapter/{chapter}/#exercise-{id}"),
            None => String::new(),
        }
    }
}

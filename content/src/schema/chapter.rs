//! `chapters/<slug>.exercises.json`: the exercises of a chapter; `exercises.json`: all of them in short.

use std::collections::BTreeMap;

use ringside_core::exercise::export::Picture;
use ringside_core::exercise::{Exercise, Kind};
use ringside_core::practice::queue;
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

impl ExerciseIndex {
    /// Those of a chapter.
    pub fn of_chapter<'a>(&'a self, slug: &'a str) -> impl Iterator<Item = &'a Indexed> {
        self.exercises.iter().filter(move |e| e.chapter() == slug)
    }
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
    /// The puzzle of a workbench that it is; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub puzzle: String,
    /// Whether it stands in an aside.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aside: bool,
}

/// The figures that prompts point at, by the keys of their exercises: exports show them.
pub type ExercisePictures = BTreeMap<String, Picture>;

impl Indexed {
    /// Whether a chapter isn't done without it: it is no guess, and stands in no aside.
    pub fn counts(&self) -> bool {
        !self.is_guess() && !self.aside
    }

    /// The chapter's slug.
    pub fn chapter(&self) -> &str {
        self.key.split('/').next().unwrap_or_default()
    }

    /// Its id in its chapter.
    pub fn id(&self) -> &str {
        self.key.split_once('/').map_or(self.key.as_str(), |(_, id)| id)
    }

    /// Whether it asks for a guess: right or wrong, it shows no skill.
    pub fn is_guess(&self) -> bool {
        Kind::unlocking().any(|kind| kind == self.kind)
    }

    /// How long it takes.
    pub fn seconds(&self) -> u32 {
        queue::seconds(&self.kind, self.level)
    }

    /// Where it is, relative to the site's base.
    pub fn href(&self) -> String {
        match self.key.split_once('/') {
            Some((chapter, id)) => format!("chapter/{chapter}/#exercise-{id}"),
            None => String::new(),
        }
    }
}

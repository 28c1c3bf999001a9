//! An exercise on paper, or on a wall: what there is to answer it with, besides its prompt.

use super::{Env, Template};

/// A list under the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// What it is, or what to do with it: plain text.
    pub lead: String,
    /// How its items are told apart.
    pub marks: Marks,
    /// Its items, with their numbers in place: in the form that the exercise's own texts have, or numbers and labels of
    /// quantities, which have no markup in any form.
    pub items: Vec<String>,
    /// Whether something is to be written beside each.
    pub fill_in: bool,
}

impl List {
    /// With items from templates.
    pub(super) fn filled<'a>(
        lead: &str,
        marks: Marks,
        templates: impl IntoIterator<Item = &'a String>,
        env: &Env,
    ) -> Result<Self, String> {
        let items = templates.into_iter().map(|text| Template::fill(text, env)).collect::<Result<_, _>>()?;
        Ok(Self { lead: lead.to_owned(), marks, items, fill_in: false })
    }

    /// With something to be written beside each item.
    pub(super) fn with_blanks(self) -> Self {
        Self { fill_in: true, ..self }
    }
}

/// The answer to an exercise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// What is right, in pieces, with their numbers in place.
    pub pieces: Vec<String>,
    /// How the pieces are told apart.
    pub marks: Marks,
    /// Where they are letters: the place of each piece among the lettered options of [`on_paper`](super::on_paper), from 0.
    pub right: Vec<usize>,
}

/// How the items of a list are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    /// They are not: they all hold.
    None,
    /// A, B, C …
    Letters,
    /// 1, 2, 3 …
    Numbers,
}

/// Templates, filled and put together.
pub(super) fn filled(templates: &[&str], env: &Env) -> Result<String, String> {
    let texts: Result<Vec<String>, String> = templates.iter().map(|text| Template::fill(text, env)).collect();
    texts.map(|texts| texts.join(" "))
}

//! What a kind of exercise says of itself.
//!
//! A kind is a struct with the fields that an author writes, in a file of its own, and its [`ExerciseKind`]. A line in
//! `kinds.rs` makes it known, and whatever asks what kind an exercise is of asks there.

use std::borrow::Cow;
use std::fmt;

use super::export::Leaves;
use super::names::{Evaluate, environment};
use super::paper::List;
use super::report::Report;
use super::{Env, Exercise, Number, Params, draw, option_order};
use crate::query::Query;

/// An exercise with one set of parameters.
pub(super) struct Posed<'a> {
    pub(super) exercise: &'a Exercise,
    pub(super) seed: u64,
    /// From [`draw`].
    pub(super) parameters: Query,
    pub(super) evaluate: Evaluate<'a>,
}

impl<'a> Posed<'a> {
    pub(super) fn new(exercise: &'a Exercise, seed: u64, evaluate: Evaluate<'a>) -> Self {
        Self { exercise, seed, parameters: draw(exercise, seed), evaluate }
    }

    /// The names for its templates.
    ///
    /// # Errors
    /// Why they cannot be computed: a sentence.
    pub(super) fn environment(&self) -> Result<Env, String> {
        environment(self.exercise, &self.parameters, self.evaluate)
    }

    /// `all` in the order in which they are shown.
    pub(super) fn shuffled<T: Copy>(&self, all: &[T]) -> Vec<T> {
        option_order(self.exercise, self.seed).iter().filter_map(|i| all.get(*i).copied()).collect()
    }
}

/// A Markdown template of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// The list that it is in and its place there, from 0; none for a field of the exercise.
    pub list: Option<(&'static str, usize)>,
    /// Its name; empty in a list of texts.
    pub name: &'static str,
    /// What it may hold.
    pub form: Form,
    pub(super) role: Role,
}

/// What a template may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Paragraphs, lists, formulas.
    Blocks,
    /// One line.
    Line,
    /// One line without formulas: it is shown in a list to choose from.
    Listed,
}

/// What is checked of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It must not be empty.
    Text,
    /// A learner chooses it, so no other may read the same either.
    Choice,
    /// Its kind says what is missing where it is empty.
    Reason,
    /// Its kind fills it, with names that no other template has.
    Own,
}

impl Field {
    pub(super) fn blocks(name: &'static str) -> Self {
        Self { list: None, name, form: Form::Blocks, role: Role::Text }
    }

    pub(super) fn line(name: &'static str) -> Self {
        Self { form: Form::Line, ..Self::blocks(name) }
    }

    pub(super) fn listed(name: &'static str) -> Self {
        Self { form: Form::Listed, ..Self::blocks(name) }
    }

    pub(super) fn within(self, list: &'static str, index: usize) -> Self {
        Self { list: Some((list, index)), ..self }
    }

    pub(super) fn as_choice(self) -> Self {
        Self { role: Role::Choice, ..self }
    }

    pub(super) fn as_reason(self) -> Self {
        Self { role: Role::Reason, ..self }
    }

    pub(super) fn with_names_of_its_own(self) -> Self {
        Self { role: Role::Own, ..self }
    }
}

/// As messages call it: `reveal`, `option 2, text`, `extra 1`.
impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((list, index)) = self.list {
            write!(f, "{} {}", list.strip_suffix('s').unwrap_or(list), index + 1)?;
        }
        let comma = if self.list.is_some() && !self.name.is_empty() { ", " } else { "" };
        write!(f, "{comma}{}", self.name)
    }
}

/// Is given each template with its field.
pub(super) type Visit<'v> = &'v mut dyn FnMut(Field, &mut String);

/// What went wrong in an answer: a sentence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slip {
    /// The sentence.
    pub say: String,
    /// Whether it is HTML that the build has written; otherwise it is plain text, in which a learner's own words may stand.
    pub is_html: bool,
}

/// What a kind of exercise says of itself. What has no default every kind has to decide.
pub(super) trait ExerciseKind {
    /// For a kind that commits a learner to an answer: the figure that waits for it.
    const UNLOCKS: Option<fn(&Self) -> &str> = None;

    /// Whether its answer is a text that [`ExerciseKind::mark`] cannot judge: its author does, or what runs it.
    const UNMARKED: bool = false;

    /// The number that it asks for.
    fn number(&self) -> Option<&Number> {
        None
    }

    /// How many things are shown in an order of their own for every seed.
    fn shuffled(&self) -> usize {
        0
    }

    /// Visits its templates.
    fn texts(&mut self, visit: Visit<'_>);

    /// The parameters that it changes somewhere, each after the field that they are in.
    fn sets(&self) -> Vec<(String, Cow<'_, Params>)> {
        Vec::new()
    }

    /// Reports what is wrong with its fields, whatever the parameters.
    fn review(&self, exercise: &Exercise, report: &mut Report);

    /// Solves it, and reports where what must not solve it does.
    ///
    /// # Errors
    /// Why it cannot be solved: a sentence.
    fn prove(&self, _posed: &Posed<'_>, _env: &Env, _report: &mut Report) -> Result<(), String> {
        Ok(())
    }

    /// See [`mark`](super::input::mark).
    fn mark(&self, posed: &Posed<'_>, answer: &str) -> Result<&'static str, String>;

    /// Of an answer with several parts, how many are right and how many there are; nothing for a kind whose answers have none.
    fn parts(&self, _answer: &str) -> Option<[usize; 2]> {
        None
    }

    /// See [`slips`](super::input::slips).
    fn slips(&self, _posed: &Posed<'_>, _answer: &str) -> Result<Vec<Slip>, String> {
        Ok(Vec::new())
    }

    /// See [`solve`](super::input::solve).
    fn solve(&self, posed: &Posed<'_>) -> Result<Option<String>, String>;

    /// See [`in_words`](super::input::in_words): templates, not filled yet.
    fn in_words(&self, answer: &str) -> Vec<String>;

    /// See [`on_paper`](super::input::on_paper).
    fn on_paper(&self, posed: &Posed<'_>, env: &Env) -> Result<Vec<List>, String>;

    /// The pieces of [`answer_key`](super::input::answer_key).
    fn answer_key(&self, posed: &Posed<'_>, env: &Env) -> Result<Vec<String>, String>;

    /// The place of each of these pieces among the lettered options that [`Self::on_paper`] shows; nothing if it shows none.
    fn right(&self, _posed: &Posed<'_>) -> Vec<usize> {
        Vec::new()
    }

    /// Whether these pieces are right in this order alone.
    fn is_in_order(&self) -> bool {
        false
    }

    /// What it comes to outside the page: in a learning platform, or on a flashcard.
    fn leaves(&self, posed: &Posed<'_>, env: &Env) -> Result<Leaves, String>;

    /// What its text does not say of the right answer; nothing for a kind whose text says all.
    fn fingerprint(&self, posed: &Posed<'_>) -> Result<Option<String>, String> {
        Ok(Some(self.solve(posed)?.unwrap_or_default()))
    }
}

/// The parameters that each of `all`, called `what`, changes: for [`ExerciseKind::sets`].
pub(super) fn sets_of<'a, T>(what: &str, all: &'a [T], set: fn(&T) -> &Params) -> Vec<(String, Cow<'a, Params>)> {
    all.iter().enumerate().map(|(i, one)| (format!("{what} {}, set", i + 1), Cow::Borrowed(set(one)))).collect()
}

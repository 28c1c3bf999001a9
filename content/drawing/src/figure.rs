//! A figure of a known form: what a model says of a state, one picture of it, and tables. The build draws it, the app makes it live.

use ringside_core::declare::Model;
use ringside_core::kv_cache::models::{self, WITHOUT_SHAPE};
use ringside_core::model::ModelRef;
use ringside_core::quantity::grouped;
use ringside_core::serving::machine::Machine;

use crate::picture::Picture;

/// A model that one picture shows.
pub trait Figure: Model<Result: Send + Sync> {
    /// Whether it is played step by step in some state.
    const PLAYS: bool = false;

    /// Where the model that it is about stands, if that may be the learner's own.
    fn about(&mut self) -> Option<About<'_>> {
        None
    }

    /// The state without what only chooses how its result is shown: while that changes, nothing is computed anew.
    fn computed(&self) -> Self {
        self.clone()
    }

    /// The state in a few words.
    fn subtitle(&self) -> String;

    /// What the picture shows, in sentences.
    fn finding(&self, result: &Self::Result) -> String;

    /// Small print, where it follows from the state and isn't the figure's own.
    fn notes(&self) -> Option<String> {
        None
    }

    /// The picture.
    fn picture(&self, result: &Self::Result) -> Picture;

    /// How far it is played, in the states in which it is played step by step.
    fn played(&self, _result: &Self::Result) -> Option<Played> {
        None
    }

    /// Plays it up to a step.
    fn play(&mut self, _step: usize) {}

    /// The numbers behind it.
    fn table(&self, result: &Self::Result) -> Table;

    /// More of them, each table with a caption.
    fn more_tables(&self, _result: &Self::Result) -> Vec<Table> {
        Vec::new()
    }
}

/// Where a figure has its model.
#[derive(Debug)]
pub enum About<'a> {
    /// By itself.
    Model(&'a mut ModelRef),
    /// On the machine that serves it.
    Machine(&'a mut Machine),
    /// As what it keeps of a sequence, which some have without a shape.
    Cached(&'a mut models::Model),
}

impl About<'_> {
    /// The model.
    pub fn model(&self) -> ModelRef {
        match self {
            Self::Model(model) => **model,
            Self::Machine(machine) => machine.model,
            Self::Cached(model) => model.as_ref(),
        }
    }

    /// Puts another in its place; a machine takes its weights' form with it.
    pub fn choose(self, other: ModelRef) {
        match self {
            Self::Model(model) => *model = other,
            Self::Machine(machine) => machine.choose(other),
            Self::Cached(model) => *model = models::Model::Of(other),
        }
    }

    /// Those that it may be besides, by id and name.
    pub fn others(&self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Model(_) | Self::Machine(_) => &[],
            Self::Cached(_) => &WITHOUT_SHAPE,
        }
    }

    /// Which of those it is.
    pub fn other(&self) -> Option<&'static str> {
        match self {
            Self::Cached(models::Model::Other(named)) => Some(named.id),
            _ => None,
        }
    }

    /// Puts one of those in its place.
    pub fn choose_other(self, id: &str) {
        if let (Self::Cached(model), Some(other)) = (self, models::Model::find(id)) {
            *model = other;
        }
    }
}

/// Steps, some of which have been done.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Played {
    /// Done.
    pub step: usize,
    /// All of them.
    pub steps: usize,
    /// Where it is, in words; empty where the numbers say it.
    pub place: String,
}

impl Played {
    /// This step, or all of them where the state doesn't say.
    pub fn or_all(step: usize, steps: usize) -> Self {
        Self { step: if step == 0 { steps } else { step.min(steps) }, steps, place: String::new() }
    }

    /// Where it is.
    pub fn in_words(&self) -> String {
        let [step, steps] = [self.step, self.steps].map(|n| grouped(n as u64));
        if self.place.is_empty() { format!("Step {step} of {steps}") } else { self.place.clone() }
    }
}

/// Numbers in rows. The first cell of a row is its head.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// What it shows; empty where that is said already.
    pub caption: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// The cells of each row, as many as there are columns.
    pub rows: Vec<Vec<String>>,
}

/// A column, by its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// Of words.
    Words(&'static str),
    /// Of numbers.
    Numbers(&'static str),
}

impl Table {
    /// A table whose rows are headed by words, all others being numbers.
    pub fn new<const N: usize>(head: &'static str, numbers: [&'static str; N], rows: Vec<Vec<String>>) -> Self {
        let columns: Vec<Column> = std::iter::once(Column::Words(head)).chain(numbers.map(Column::Numbers)).collect();
        Self::of(columns, rows)
    }

    /// A table of numbers alone.
    pub fn of_numbers<const N: usize>(heads: [&'static str; N], rows: Vec<Vec<String>>) -> Self {
        Self::of(heads.map(Column::Numbers), rows)
    }

    /// A table of these columns.
    pub fn of(columns: impl Into<Vec<Column>>, rows: Vec<Vec<String>>) -> Self {
        Self { caption: String::new(), columns: columns.into(), rows }
    }

    /// With this caption.
    pub fn captioned(self, caption: impl Into<String>) -> Self {
        Self { caption: caption.into(), ..self }
    }
}

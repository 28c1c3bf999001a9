//! Every model of the crate by the id of the widget that shows it.
//!
//! Content names models and quantities by these ids; so do links and tests. To add a model: write its file, add its
//! `ENTRY` to [`ALL`].

use crate::quantity::{Quantity, Unit};
use crate::query::{ParamSpec, Problem, Query};

/// A model, as everything outside it sees it.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The id of the widget: `memory-breakdown`.
    pub id: &'static str,
    /// Its title for people.
    pub title: &'static str,
    /// What it shows, in one sentence.
    pub summary: &'static str,
    /// The parameters it reads.
    pub params: &'static [ParamSpec],
    /// The quantities it yields, always all of them, in this order: id, label, unit.
    pub quantities: &'static [(&'static str, &'static str, Unit)],
    /// Computes it. Never fails: what cannot be read is replaced by its default and reported; what is read but
    /// impossible yields no quantities and says so in [`Evaluation::error`].
    pub evaluate: fn(&Query) -> Evaluation,
}

impl Entry {
    /// All quantities, each with the value that `value` has for its id.
    pub fn measured(&self, value: impl Fn(&str) -> f64) -> Vec<Quantity> {
        self.quantities.iter().map(|&(id, label, unit)| Quantity::new(id, label, value(id), unit)).collect()
    }
}

/// What came of one evaluation.
#[derive(Debug, Clone, Default)]
pub struct Evaluation {
    /// The parameters as understood; reading this again gives the same state.
    pub query: Query,
    /// Parameters that could not be used as given.
    pub problems: Vec<Problem>,
    /// The result; empty if `error` is set.
    pub quantities: Vec<Quantity>,
    /// Why there is no result: a sentence.
    pub error: Option<String>,
}

impl Evaluation {
    /// Of `query`, read with `problems`: the quantities, or why there are none.
    pub fn new(query: Query, problems: Vec<Problem>, result: Result<Vec<Quantity>, String>) -> Self {
        let (quantities, error) = match result {
            Ok(quantities) => (quantities, None),
            Err(why) => (Vec::new(), Some(why)),
        };
        Self { query, problems, quantities, error }
    }

    /// The value of the quantity `id`, in base units.
    pub fn get(&self, id: &str) -> Option<f64> {
        self.quantities.iter().find(|q| q.id == id).map(|q| q.value)
    }
}

/// All models that have a widget.
pub const ALL: &[Entry] = &[
    crate::amdahl::ENTRY,
    crate::model::anatomy::ENTRY,
    crate::memory::breakdown::ENTRY,
    crate::memory::activations::ENTRY,
    crate::collective::ENTRY,
    crate::network::sizes::ENTRY,
    crate::attention::ENTRY,
    crate::attention::growth::ENTRY,
    crate::attention::position::ENTRY,
    crate::zero::ENTRY,
    crate::ddp::ENTRY,
    crate::roofline::ENTRY,
    crate::scaling::ENTRY,
    crate::pipeline::ENTRY,
    crate::pipeline::editor::EDITOR,
    crate::kernels::matmul::ENTRY,
    crate::kernels::workbench::ENTRY,
    crate::kernels::attention::ENTRY,
    crate::kernels::fusion::ENTRY,
    crate::tensor_parallel::ENTRY,
    crate::planner::ENTRY,
];

/// The model with this id.
pub fn find(id: &str) -> Option<&'static Entry> {
    ALL.iter().find(|e| e.id == id)
}

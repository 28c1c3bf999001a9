//! What each model was compared with: shown beside its results, and written by the tests that make the comparisons,
//! so that it cannot claim what was not run.

mod list;

pub use list::ALL;

/// One comparison of a model with somebody else's numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Checked {
    /// The id of the model in the catalogue (or `hardware`, `kv-cache`).
    pub model: &'static str,
    /// What was compared.
    pub what: &'static str,
    /// Whose numbers: a repository or a paper.
    pub source: &'static str,
    /// Its commit or version.
    pub version: &'static str,
    /// Where in it.
    pub place: &'static str,
    /// Cases compared.
    pub cases: u32,
    /// Cases left out and why; empty if none.
    pub excluded: &'static str,
    /// The largest relative difference found.
    pub largest: f64,
    /// The largest that would pass.
    pub tolerance: f64,
}

/// The comparisons of one model.
pub fn of(model: &str) -> impl Iterator<Item = &'static Checked> {
    ALL.iter().filter(move |c| c.model == model)
}

//! States of models, each evaluated once: a page quotes many numbers of one state, and some states train a network.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use ringside_core::catalogue::{self, Entry, Evaluation};
use ringside_core::declare::Shown;
use ringside_core::exercise::Exercise;
use ringside_core::quantity::Quantity;
use ringside_core::query::Query;
use serde::{Deserialize, Serialize};

/// By the model's id and the query.
pub(crate) type Known = BTreeMap<(&'static str, String), Arc<Evaluation>>;

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

pub(crate) fn known() -> MutexGuard<'static, Known> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a model says of a state.
pub(crate) fn evaluated(entry: &Entry, query: &Query) -> Arc<Evaluation> {
    let state = (entry.id, query.to_string());
    let before = known().get(&state).cloned();
    before.unwrap_or_else(|| {
        let evaluation = Arc::new((entry.evaluate)(query));
        known().insert(state, Arc::clone(&evaluation));
        evaluation
    })
}

/// Evaluates the model of an exercise.
pub(crate) fn of_exercise(exercise: &Exercise) -> impl Fn(&Query) -> Evaluation + use<> {
    let model = exercise.model.clone().unwrap_or_default();
    move |query: &Query| match catalogue::find(&model) {
        Some(entry) => Evaluation::clone(&evaluated(entry, query)),
        None => Evaluation { error: Some(format!("There is no model “{model}”.")), ..Evaluation::default() },
    }
}

/// A state without problems, as it is written down.
#[derive(Serialize, Deserialize)]
pub(crate) struct Kept {
    model: String,
    query: String,
    understood: String,
    error: Option<String>,
    values: Vec<Value>,
}

impl Kept {
    /// Evaluates the state.
    pub(crate) fn again(&self) {
        if let Some(entry) = catalogue::find(&self.model) {
            evaluated(entry, &Query::parse(&self.query));
        }
    }
}

/// A quantity's value and limit with the bits that they had, and whether it applies.
#[derive(Serialize, Deserialize)]
struct Value(u64, Option<u64>, bool);

/// What has been evaluated so far.
pub(crate) fn evaluations() -> Vec<Kept> {
    let known = known();
    let kept = known.iter().filter(|(_, of)| of.problems.is_empty()).map(|((model, query), of)| Kept {
        model: (*model).to_owned(),
        query: query.clone(),
        understood: of.query.to_string(),
        error: of.error.clone(),
        values: of.quantities.iter().map(|q| Value(q.value.to_bits(), q.limit.map(f64::to_bits), q.applies)).collect(),
    });
    kept.collect()
}

/// Takes for evaluated what [`evaluations`] of this very program gave.
pub(crate) fn remember(all: Vec<Kept>) {
    for kept in all {
        let Some(entry) = catalogue::find(&kept.model) else { continue };
        let named = kept.values.iter().enumerate().map_while(|(at, Value(bits, limit, applies))| {
            let Shown { id, label, unit, words, .. } = (entry.quantity_at)(at)?;
            let quantity = Quantity::new(id, label, f64::from_bits(*bits), unit);
            Some(Quantity { applies: *applies, limit: limit.map(f64::from_bits), words, ..quantity })
        });
        let quantities: Vec<Quantity> = named.collect();
        let evaluation =
            Evaluation { query: Query::parse(&kept.understood), problems: Vec::new(), quantities, error: kept.error };
        known().insert((entry.id, kept.query), Arc::new(evaluation));
    }
}

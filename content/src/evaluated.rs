//! States of models, each evaluated once: a page quotes many numbers of one state, and some states train a network.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use ringside_core::catalogue::{Entry, Evaluation};
use ringside_core::query::Query;

/// By the model's id and the query.
type Known = HashMap<(&'static str, String), Arc<Evaluation>>;

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

fn known() -> MutexGuard<'static, Known> {
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

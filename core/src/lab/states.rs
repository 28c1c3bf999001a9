//! Bytes of model states on a rank, from the model of memory.

use crate::memory::convention::{Convention, Sharding};
use crate::memory::shard::{Elements, Held};
use crate::memory::{Concept, Dtype, Optimizer};

/// Weights, gradients and optimizer states in bytes, of `params` parameters under Adam, sharded over `ranks` by a ZeRO stage.
pub(super) fn states(params: f64, dtype: Dtype, stage: u8, ranks: f64) -> [f64; 3] {
    let held = Held { shared: Elements { params, ..Elements::default() }, ..Held::default() };
    let sharding = Sharding { stage, ranks: ranks.max(1.0), expert_ranks: ranks.max(1.0) };
    let terms = Convention::Zero.terms(&held, 0.0, dtype, Optimizer::AdamW, sharding);
    [Concept::Weights, Concept::Gradients, Concept::Optimizer]
        .map(|concept| terms.iter().filter(|term| term.concept == concept).map(crate::memory::Term::total).sum())
}

//! The cache on one of several GPUs.
//!
//! Tensor parallelism splits heads, down to one a rank; beyond that, and for MLA's latent, every rank keeps a copy.

use super::{Cache, Keeps};
use crate::model::{Attention, Shape};

/// How attention keeps its past.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// As many key–value heads as query heads.
    MultiHead,
    /// Fewer.
    Grouped,
    /// One.
    MultiQuery,
    /// One latent for all heads.
    Latent,
}

impl Kind {
    /// The kind of an architecture.
    pub fn of(shape: &Shape) -> Self {
        match shape.attention {
            Attention::Latent { .. } => Kind::Latent,
            Attention::Heads { kv_heads, .. } if kv_heads == shape.num_attention_heads => Kind::MultiHead,
            Attention::Heads { kv_heads: 1, .. } => Kind::MultiQuery,
            Attention::Heads { .. } => Kind::Grouped,
        }
    }

    /// What a person reads.
    pub const fn label(self) -> &'static str {
        match self {
            Kind::MultiHead => "multi-head attention",
            Kind::Grouped => "grouped-query attention",
            Kind::MultiQuery => "multi-query attention",
            Kind::Latent => "multi-head latent attention",
        }
    }
}

impl Keeps {
    /// Values of one token that one of `ranks` ranks keeps of a layer.
    pub fn values_on_rank(self, ranks: u64) -> u64 {
        match self {
            Keeps::Heads { kv_heads, key, value } => {
                Keeps::Heads { kv_heads: kv_heads.div_ceil(ranks.max(1)), key, value }.values_per_token()
            }
            Keeps::Latent { .. } | Keeps::Index { .. } | Keeps::State { .. } => self.values_per_token(),
        }
    }
}

/// Values of one token and layer that one of `tp` ranks keeps.
pub fn values_per_rank(shape: &Shape, tp: u64) -> f64 {
    Cache::of(shape).layers[0].keeps.values_on_rank(tp) as f64
}

/// Tokens × layers that one sequence of `context` tokens keeps in `layers` of the layers; those with a window are taken
/// to be spread evenly.
pub fn token_layers(shape: &Shape, context: u64, layers: u64) -> f64 {
    // One byte a value leaves the number of values.
    let values = shape.kv_values_per_token_per_layer();
    let share = layers as f64 / shape.num_hidden_layers.max(1) as f64;
    if values == 0 { 0.0 } else { shape.kv_bytes(context, 1.0) / values as f64 * share }
}

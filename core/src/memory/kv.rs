//! The KV cache of one GPU.
//!
//! A token keeps, in every layer, 2 × kv_heads × head_dim values: kv_heads is the number of query heads in multi-head
//! attention, fewer in grouped-query attention (Ainslie et al. 2023, arXiv:2305.13245), one in multi-query attention
//! (Shazeer 2019, arXiv:1911.02150). MLA keeps one latent of kv_lora_rank + qk_rope_head_dim values instead (DeepSeek-V2,
//! arXiv:2405.04434, Table 1). A layer with a sliding window keeps at most that many tokens.
//!
//! Tensor parallelism splits heads, down to one a rank; beyond that, and for MLA's latent, every rank keeps a copy.

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

/// Values of one token and layer that one of `tp` ranks keeps.
pub fn values_per_rank(shape: &Shape, tp: u64) -> f64 {
    match shape.attention {
        Attention::Heads { kv_heads, head_dim } => 2.0 * kv_heads.div_ceil(tp.max(1)) as f64 * head_dim as f64,
        Attention::Latent { .. } => shape.kv_values_per_token_per_layer() as f64,
    }
}

/// Tokens × layers that one sequence of `context` tokens keeps in `layers` of the layers; those with a window are taken
/// to be spread evenly.
pub fn token_layers(shape: &Shape, context: u64, layers: u64) -> f64 {
    // One byte a value leaves the number of values.
    let values = shape.kv_values_per_token_per_layer();
    let share = layers as f64 / shape.num_hidden_layers.max(1) as f64;
    if values == 0 { 0.0 } else { shape.kv_bytes(context, 1.0) / values as f64 * share }
}

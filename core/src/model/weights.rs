//! What a pass reads of the weights, for so many tokens at once.
//!
//! Of routed experts those are read that at least one token chose, if tokens choose independently: E·(1 − (1 − k/E)ⁿ).

use super::{ParameterCount, Shape};

/// Weights: those that every token reads, those of all experts, and those that a token computes with.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Weights {
    /// Read by every token.
    pub common: f64,
    /// The part of these that stays in 16 bits: output matrix, norms, routers.
    pub kept: f64,
    /// Of routed experts.
    pub experts: f64,
    /// The part of the experts that one token chooses.
    pub chosen: f64,
    /// Computed with by a token.
    pub active: f64,
}

impl Weights {
    /// Of a count, without the embedding, which is looked up.
    pub fn of(shape: &Shape, counted: &ParameterCount) -> Self {
        let kept = counted.total.saturating_sub(counted.quantized()).saturating_sub(counted.lookup) as f64;
        let active = counted.active as f64;
        let experts = counted.experts as f64;
        let chosen = shape.moe.map_or(0.0, |m| m.num_experts_per_tok as f64 / m.num_experts.max(1) as f64);
        Self { common: active - experts * chosen, kept, experts, chosen, active }
    }

    /// Weights that are read for so many tokens at once.
    pub fn read(&self, tokens: f64) -> f64 {
        self.common + self.experts * (1.0 - (1.0 - self.chosen).powf(tokens))
    }

    /// Their bytes, where those of the layers have so many each.
    pub fn bytes(&self, tokens: f64, per_weight: f64) -> f64 {
        self.common_bytes(per_weight) + self.expert_bytes(tokens, per_weight)
    }

    /// Bytes of what every token reads, where those of the layers have so many each.
    pub fn common_bytes(&self, per_weight: f64) -> f64 {
        (self.common - self.kept) * per_weight + self.kept * 2.0
    }

    /// Bytes of the experts that so many tokens choose.
    pub fn expert_bytes(&self, tokens: f64, per_weight: f64) -> f64 {
        (self.read(tokens) - self.common) * per_weight
    }
}

//! Forward FLOPs of one token, component by component.
//!
//! A matrix of m × n costs 2mn: a multiplication and an addition for each weight. The attention matrix has no weights:
//! with a context of s keys, a layer's scores cost 2·s·heads·head_dim and its weighted sum of values as much again.
//! Backward is twice forward: once for the inputs, once for the weights. Norms, activation functions, softmax, rotary
//! positions and the lookup of an embedding are not counted: they are memory traffic, not matrix multiplication.

use super::params::{Component, Tensor};
use super::shape::Shape;
use crate::declare::Origin;

/// Where these counts come from.
pub const ORIGIN: Origin = Origin::Of(
    "Kaplan et al. 2020, arXiv:2001.08361, Table 1; Chowdhery et al. 2022 (PaLM), arXiv:2204.02311, Appendix B; NVIDIA/Megatron-LM, megatron/training/training.py, num_floating_point_operations (causal attention counted as half); karpathy/nanoGPT, transformer_sizing.ipynb",
);

/// Forward FLOPs of one token. A multiply–add counts as two.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ForwardFlops {
    /// Projections of attention: q, k, v and o, or those of MLA.
    pub projections: f64,
    /// Queries times keys.
    pub scores: f64,
    /// Attention weights times values.
    pub values: f64,
    /// Projections of layers with a state of fixed size, and the recurrence.
    pub mixers: f64,
    /// Dense MLPs.
    pub mlp: f64,
    /// Shared experts.
    pub shared_experts: f64,
    /// Routed experts that the token uses.
    pub experts: f64,
    /// Routers.
    pub router: f64,
    /// The output matrix, tied or not.
    pub lm_head: f64,
    /// Projections between the embedding's width and the model's.
    pub other: f64,
}

impl ForwardFlops {
    /// The sum.
    pub fn total(&self) -> f64 {
        self.projections
            + self.scores
            + self.values
            + self.mixers
            + self.mlp
            + self.shared_experts
            + self.experts
            + self.router
            + self.lm_head
            + self.other
    }
}

/// Keys that a query sees on average in a sequence of `seq` tokens.
///
/// All of them without a mask; with a causal mask half (as Megatron-LM counts: s/2, not (s + 1)/2); with a window of w
/// under a causal mask w − w²/2s, which is s/2 again at w = s.
pub fn average_keys(seq: u64, window: Option<u64>, causal: bool) -> f64 {
    let s = seq as f64;
    let w = window.map_or(s, |w| (w as f64).min(s));
    if s <= 0.0 {
        0.0
    } else if causal {
        w - w * w / (2.0 * s)
    } else {
        w
    }
}

impl Shape {
    /// The occurrences of a tensor that one token uses: for routed experts those it is routed to.
    pub fn used(&self, tensor: &Tensor) -> f64 {
        let n = tensor.count as f64;
        match (tensor.component, self.moe) {
            (Component::Experts, Some(moe)) if moe.num_experts > 0 => {
                n * moe.num_experts_per_tok as f64 / moe.num_experts as f64
            }
            _ => n,
        }
    }

    /// Forward FLOPs of one tensor for one token: 2 × rows × columns × the occurrences it uses. Nothing for vectors and
    /// for tables that are looked up.
    pub fn tensor_flops(&self, tensor: &Tensor) -> f64 {
        let lookup = matches!(
            tensor.name,
            "embed_tokens"
                | "embed_positions"
                | "compressor_near_positions"
                | "compressor_far_positions"
                | "index_positions"
        );
        if lookup || !tensor.is_matrix() {
            return 0.0;
        }
        2.0 * tensor.rows as f64 * tensor.cols as f64 * self.used(tensor)
    }

    /// Forward FLOPs of one token of a sequence of `seq`, on average. `causal` counts only the half of the attention
    /// matrix that a causal mask keeps.
    pub fn forward_flops(&self, seq: u64, causal: bool) -> ForwardFlops {
        let mut flops = ForwardFlops::default();
        for tensor in self.tensors() {
            let cost = self.tensor_flops(&tensor);
            match tensor.component {
                Component::Attention => flops.projections += cost,
                Component::Mixers => flops.mixers += cost,
                Component::Mlp => flops.mlp += cost,
                Component::SharedExperts => flops.shared_experts += cost,
                Component::Experts => flops.experts += cost,
                Component::Router => flops.router += cost,
                Component::LmHead => flops.lm_head += cost,
                Component::Other => flops.other += cost,
                Component::Embedding | Component::Norms => {}
            }
        }
        if self.tie_word_embeddings {
            let width = self.word_embed_proj_dim.unwrap_or(self.hidden_size);
            flops.lm_head += 2.0 * self.vocab_size as f64 * width as f64;
        }
        for layers in self.attending() {
            let keys = average_keys(seq, layers.window, causal) / layers.every.max(1) as f64;
            let each = 2.0 * layers.layers as f64 * keys * layers.heads as f64;
            flops.scores += each * layers.key as f64;
            flops.values += each * layers.value as f64;
        }
        if let Some(state) = self.kinds.state {
            flops.mixers += state.layers as f64 * state.mixer.recurrence(self.hidden_size);
        }
        flops
    }
}

//! The operations of a transformer layer: what each computes, and what it has to move.
//!
//! Everything is stored in two bytes. Bytes are those that must be moved if nothing is fused: inputs once, outputs once.
//! Products take 2mnk operations, as Kaplan et al., arXiv:2001.08361, count them; attention without fusion computes and moves
//! the whole matrix of scores, as PyTorch does with a mask; FlashAttention half of it under a causal mask (Dao, arXiv:2307.08691,
//! §4.1). A norm is counted as `kernels::rows` counts layer normalisation, a gate or GELU as nine operations.

use crate::declare::Origin;
use crate::kernels::rows::Op;
use crate::model::Shape;
use crate::model::flops::average_keys;
use crate::model::shape::Gated;
use crate::options;

/// Where FLOPs and bytes of an operation come from.
pub const ORIGIN: Origin = Origin::Of(
    "Kaplan et al. 2020, arXiv:2001.08361, Table 1, for products; Dao 2023 (FlashAttention-2), arXiv:2307.08691, §4.1, for fused attention; every input read once, every output written once",
);

/// Bytes of a value.
pub const BYTES: f64 = 2.0;
/// Operations of an activation function and its gate, for each value.
const ACTIVATION: f64 = 9.0;

/// What is computed at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phase {
    /// All tokens of some sequences: the forward pass of training, and what a server does with a prompt.
    #[default]
    Prefill,
    /// One more token of each sequence, after those in the cache.
    Decode,
}

options!(Phase {
    Prefill: "prefill", "all tokens: prefill";
    Decode: "decode", "one more: decode";
});

/// One operation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Operation {
    /// The name in a query string.
    pub id: &'static str,
    /// What a person reads.
    pub label: &'static str,
    /// Floating-point operations.
    pub flop: f64,
    /// Bytes that have to be moved.
    pub bytes: f64,
    /// Whether it is a product with the layer's weights, and those weights: (k, n).
    pub weights: Option<(f64, f64)>,
}

impl Operation {
    /// Operations for each byte.
    pub fn intensity(&self) -> f64 {
        if self.bytes > 0.0 { self.flop / self.bytes } else { 0.0 }
    }

    /// A product of m × k and k × n.
    pub fn product(id: &'static str, label: &'static str, [m, n, k]: [f64; 3]) -> Self {
        let bytes = BYTES * (m * k + k * n + m * n);
        Self { id, label, flop: 2.0 * m * n * k, bytes, weights: Some((k, n)) }
    }

    fn small(id: &'static str, label: &'static str, flop: f64, values: f64) -> Self {
        Self { id, label, flop, bytes: BYTES * values, weights: None }
    }
}

/// What goes through a layer.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Load {
    /// What is computed at once.
    pub phase: Phase,
    /// Tokens of a sequence: those that are computed, or those in the cache.
    pub seq: u64,
    /// Sequences.
    pub batch: u64,
    /// Whether attention is fused.
    pub flash: bool,
}

impl Load {
    /// Tokens that are computed.
    pub fn tokens(&self) -> f64 {
        let sequences = self.batch as f64;
        if self.phase == Phase::Prefill { sequences * self.seq as f64 } else { sequences }
    }
}

/// The operations of a layer of a model with a dense MLP, in the order in which they run.
pub fn operations(shape: &Shape, load: &Load) -> Vec<Operation> {
    let [h, f] = [shape.hidden_size, shape.intermediate_size].map(|size| size as f64);
    let [heads, kv, d] = [shape.num_attention_heads, shape.kv_heads(), shape.head_dim()].map(|size| size as f64);
    let (t, s, batch) = (load.tokens(), load.seq as f64, load.batch as f64);
    let wide = if shape.gated_mlp == Gated::Yes { 2.0 * f } else { f };
    let norm = |id, label| Operation::small(id, label, Op::LayerNorm.flop() as f64 * t * h, 2.0 * t * h);
    let residual = |id, label| Operation::small(id, label, t * h, 3.0 * t * h);
    let mut all = vec![
        norm("norm-1", "First norm"),
        Operation::product("qkv", "Queries, keys, values", [t, (heads + 2.0 * kv) * d, h]),
    ];
    // Queries and output of all heads; keys and values of the whole sequence.
    let (queries, cache) = (t * heads * d, batch * s * kv * d);
    if load.flash {
        let keys = if load.phase == Phase::Prefill { average_keys(load.seq, None, true) } else { s };
        let flop = 4.0 * queries * keys;
        all.push(Operation::small("attention", "Attention, fused", flop, 2.0 * queries + 2.0 * cache));
    } else {
        let scores = t * heads * s;
        all.push(Operation::small("scores", "Queries × keys", 2.0 * scores * d, queries + cache + scores));
        all.push(Operation::small("softmax", "Softmax", Op::Softmax.flop() as f64 * scores, 2.0 * scores));
        all.push(Operation::small("values", "Weights × values", 2.0 * scores * d, scores + cache + queries));
    }
    all.extend([
        Operation::product("out", "Output of attention", [t, h, heads * d]),
        residual("residual-1", "First residual"),
        norm("norm-2", "Second norm"),
        Operation::product("mlp-up", if wide > f { "MLP: gate and up" } else { "MLP: up" }, [t, wide, h]),
        Operation::small("activation", "Activation", ACTIVATION * t * f, t * (wide + f)),
        Operation::product("mlp-down", "MLP: down", [t, h, f]),
        residual("residual-2", "Second residual"),
    ]);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::presets;

    fn shape() -> &'static Shape {
        &presets::find("llama-3-8b").expect("there").shape
    }

    fn load(phase: Phase, flash: bool) -> Load {
        Load { phase, seq: 4096, batch: 1, flash }
    }

    #[test]
    fn products_do_what_the_model_counts() {
        // Products with weights, and FlashAttention's two, are the forward FLOPs of a layer under a causal mask.
        let all = operations(shape(), &load(Phase::Prefill, true));
        let products: f64 = all.iter().filter(|o| o.weights.is_some() || o.id == "attention").map(|o| o.flop).sum();
        let flops = shape().forward_flops(4096, true);
        let layer = (flops.total() - flops.lm_head) * 4096.0 / shape().num_hidden_layers as f64;
        assert!((products / layer - 1.0).abs() < 1e-9, "{products} {layer}");
    }

    #[test]
    fn decoding_does_a_few_operations_for_each_byte() {
        for operation in operations(shape(), &load(Phase::Decode, true)) {
            assert!(operation.intensity() < 5.0, "{}: {}", operation.id, operation.intensity());
        }
        let prefill = operations(shape(), &load(Phase::Prefill, true));
        assert!(prefill.iter().filter(|o| o.weights.is_some()).all(|o| o.intensity() > 1000.0));
    }

    #[test]
    fn fused_attention_moves_no_scores() {
        let bytes = |flash| operations(shape(), &load(Phase::Prefill, flash)).iter().map(|o| o.bytes).sum::<f64>();
        let scores = 4096.0 * 4096.0 * 32.0 * BYTES;
        assert!(bytes(false) - bytes(true) > 3.9 * scores);
    }
}

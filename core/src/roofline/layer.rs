//! The operations of a transformer layer: what each computes, and what it has to move.
//!
//! Everything is stored in two bytes. Bytes are those that must be moved if nothing is fused: inputs once, outputs once.
//! Products take 2mnk operations, as Kaplan et al., arXiv:2001.08361, count them; attention without fusion computes and moves
//! the whole matrix of scores, as PyTorch does with a mask; FlashAttention half of it under a causal mask (Dao, arXiv:2307.08691,
//! §4.1). A norm is counted as `kernels::rows` counts layer normalisation, a gate or GELU as nine operations.

use crate::declare::Origin;
use crate::kernels::rows::Op;
use crate::kv_cache::STATE_BYTES;
use crate::model::flops::average_keys;
use crate::model::params::{Place, Tensor};
use crate::model::shape::Gated;
use crate::model::{Attention, Component, Shape};
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
    /// The weights (k, n), if it is one product with weights that every token shares.
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

    /// Keys that a query looks at, on average, under a causal mask and within a window.
    fn keys(&self, window: Option<u64>) -> f64 {
        if self.phase == Phase::Prefill { average_keys(self.seq, window, true) } else { self.rows(window) }
    }

    /// Tokens of a sequence that are read: all of them in prefill, where every one is in some window.
    fn rows(&self, window: Option<u64>) -> f64 {
        let kept = window.filter(|_| self.phase == Phase::Decode);
        kept.map_or(self.seq, |window| window.min(self.seq)) as f64
    }
}

/// The operations of a layer, in the order in which they run: the layer that looks back on everything where a model has several sorts, with
/// experts where it has some. Where attention and experts stand in layers of their own, of one of each.
///
/// Of routed experts, weights are read of those that at least one token chose, if all are equally likely. A latent is read as it is in
/// decoding (absorbed, DeepSeek-V2, §2.1.2), and made into keys and values of every head in prefill.
pub fn operations(shape: &Shape, load: &Load) -> Vec<Operation> {
    let h = shape.hidden_size as f64;
    let t = load.tokens();
    let attends = shape.attention_layers() > 0;
    let place = if shape.layers_at(Place::Attention) > 0 { Place::Attention } else { Place::Window };
    let tensors = shape.tensors();
    let here = |tensor: &&Tensor| tensor.is_hidden_matrix();
    let attention: Vec<&Tensor> =
        tensors.iter().filter(here).filter(|m| m.component == Component::Attention && m.place() == place).collect();
    let part = |of: fn(&str) -> bool| attention.iter().copied().filter(move |m| of(m.name));
    let norms = match (shape.norms.per_layer, shape.kinds.without_mlp) {
        (1, 1..) => [1.0, 1.0],
        (per_layer, _) => [per_layer.div_ceil(2) as f64, (per_layer / 2) as f64],
    };
    let norm =
        |id, label, n: f64| Operation::small(id, label, n * Op::LayerNorm.flop() as f64 * t * h, n * 2.0 * t * h);
    let residual = |id, label| Operation::small(id, label, t * h, 3.0 * t * h);
    let mut all = vec![norm("norm-1", "First norm", norms[0])];
    if attends {
        let is_first = |name: &str| !name.ends_with("o_proj") && name != "o_a_proj" && !is_of_indexer(name);
        all.push(products("qkv", "Queries, keys, values", t, part(is_first)));
        all.extend(indexer(shape, load, t, part(is_of_indexer)));
        all.extend(looking(shape, load, t));
        let is_last = |name: &str| name.ends_with("o_proj") || name == "o_a_proj";
        all.push(products("out", "Output of attention", t, part(is_last)));
    }
    if let Some(state) = shape.kinds.state.filter(|state| state.beside_attention || !attends) {
        let mixers = tensors.iter().filter(here).filter(|m| m.component == Component::Mixers);
        let mut mixer = products("mixer", state.mixer.label(), t, mixers);
        mixer.flop += t * state.mixer.recurrence(shape.hidden_size);
        let values: u64 = state.mixer.state(shape.hidden_size).into_iter().fold(0, u64::saturating_add);
        mixer.bytes += 2.0 * load.batch as f64 * values as f64 * STATE_BYTES;
        all.push(Operation { weights: None, ..mixer });
    }
    all.push(residual("residual-1", "First residual"));
    if norms[1] > 0.0 {
        all.push(norm("norm-2", "Second norm", norms[1]));
    }
    all.extend(mlp(shape, t, &tensors));
    all.push(residual("residual-2", "Second residual"));
    all
}

/// Whether a weight belongs to what chooses the tokens that attention reads.
fn is_of_indexer(name: &str) -> bool {
    name.starts_with("index_")
}

/// Products of t tokens with these matrices. Those with equal inputs are one product; where all are, its weights are known.
fn products<'a>(
    id: &'static str,
    label: &'static str,
    t: f64,
    matrices: impl Iterator<Item = &'a Tensor>,
) -> Operation {
    let mut sums: Vec<[f64; 2]> = Vec::new();
    for matrix in matrices {
        let (rows, cols) = (matrix.rows as f64, matrix.cols as f64);
        match sums.iter_mut().find(|[_, inputs]| *inputs == cols) {
            Some([outputs, _]) => *outputs += rows,
            None => sums.push([rows, cols]),
        }
    }
    let each: Vec<_> = sums.iter().map(|[rows, cols]| Operation::product(id, label, [t, *rows, *cols])).collect();
    let sum = |of: fn(&Operation) -> f64| each.iter().map(of).sum::<f64>();
    let weights = if let [one] = each.as_slice() { one.weights } else { None };
    Operation { id, label, flop: sum(|o| o.flop), bytes: sum(|o| o.bytes), weights }
}

/// What chooses the tokens that attention reads: its products, and its queries times the keys of all tokens or rows.
fn indexer<'a>(shape: &Shape, load: &Load, t: f64, matrices: impl Iterator<Item = &'a Tensor>) -> Option<Operation> {
    let i = shape.kinds.indexer?;
    let every = shape.kinds.compressed.map_or(1.0, |c| c.near[0].max(1) as f64);
    let mut all = products("indexer", "Indexer", t, matrices);
    all.flop += 2.0 * t * (i.heads as f64) * (i.dim as f64) * load.keys(None) / every;
    all.bytes += BYTES * load.batch as f64 * load.seq as f64 / every * i.dim as f64;
    Some(Operation { weights: None, ..all })
}

/// Softmax attention of t queries: scores, softmax and the weighted sum.
fn looking(shape: &Shape, load: &Load, t: f64) -> Vec<Operation> {
    let sorts = shape.attending();
    let Some(first) = sorts.first() else { return Vec::new() };
    let heads = first.heads as f64;
    // Compressed rows are looked at beside the window.
    let older = sorts.iter().find(|sort| sort.every > 1 && sort.value > 0);
    let looks: Vec<_> = std::iter::once(first).chain(older).collect();
    let keys = |of: fn(&Load, Option<u64>) -> f64| -> f64 {
        looks.iter().map(|sort| of(load, sort.window) / sort.every.max(1) as f64).sum()
    };
    let rows = load.batch as f64 * keys(Load::rows);
    let [usual, windowed] = shape.heads();
    let kv_heads = if shape.layers_at(Place::Attention) > 0 { usual.kv_heads } else { windowed.kv_heads } as f64;
    let shared = |width: u64| (width as f64, width as f64, width as f64);
    // Widths of a query and of an output of each head, and of what is cached of a token.
    let (query, output, cached) = match (shape.attention, shape.kinds.compressed, load.phase) {
        // One row is key and value.
        (Attention::Heads { head_dim, .. }, Some(_), _) => shared(head_dim),
        (Attention::Latent { kv_lora_rank: rank, qk_rope_head_dim: rope, .. }, _, Phase::Decode) => {
            ((rank + rope) as f64, rank as f64, (rank + rope) as f64)
        }
        (Attention::Latent { qk_nope_head_dim: nope, qk_rope_head_dim: rope, v_head_dim: value, .. }, ..) => {
            ((nope + rope) as f64, value as f64, heads * (nope + rope + value) as f64)
        }
        _ => (first.key as f64, first.value as f64, kv_heads * (first.key + first.value) as f64),
    };
    let (asked, given, cache) = (t * heads * query, t * heads * output, rows * cached);
    if load.flash {
        let flop = 2.0 * t * heads * keys(Load::keys) * (query + output);
        return vec![Operation::small("attention", "Attention, fused", flop, asked + given + cache)];
    }
    // Without fusion the whole matrix is computed.
    let scores = t * heads * keys(Load::rows);
    let [for_keys, for_values] = [query, output].map(|width| cache * width / (query + output));
    vec![
        Operation::small("scores", "Queries × keys", 2.0 * scores * query, asked + for_keys + scores),
        Operation::small("softmax", "Softmax", Op::Softmax.flop() as f64 * scores, 2.0 * scores),
        Operation::small("values", "Weights × values", 2.0 * scores * output, scores + for_values + given),
    ]
}

/// The router, and the MLPs that a token goes through: a dense one, shared experts, the routed ones that it chose.
fn mlp(shape: &Shape, t: f64, tensors: &[Tensor]) -> Vec<Operation> {
    use Component::{Experts, Mlp, SharedExperts};
    let moe = shape.moe.filter(|moe| moe.layers > 0);
    let has_dense = moe.is_none() || shape.kinds.dense_beside_experts;
    let gated = shape.gated_mlp == Gated::Yes;
    let (used, touched) = moe.map_or((0.0, 0.0), |moe| {
        let (k, n) = (moe.num_experts_per_tok.min(moe.num_experts) as f64, moe.num_experts.max(1) as f64);
        (k, n * (1.0 - (1.0 - k / n).powf(t)))
    });
    // Passes of a token through one of these, and how many of them are read.
    let times = |component| match component {
        Mlp if has_dense => Some((1.0, 1.0)),
        SharedExperts => Some((1.0, 1.0)),
        Experts => Some((used, touched)),
        _ => None,
    };
    let label = |dense: &'static str, experts: &'static str| if moe.is_some() { experts } else { dense };
    let [up_label, down_label] = [
        if gated { label("MLP: gate and up", "Experts: gate and up") } else { label("MLP: up", "Experts: up") },
        label("MLP: down", "Experts: down"),
    ];
    let mut up = Operation { id: "mlp-up", label: up_label, flop: 0.0, bytes: 0.0, weights: None };
    let mut down = Operation { id: "mlp-down", label: down_label, ..up };
    let mut activated = 0.0;
    let matrix = |component, suffix: &str| {
        let mut of = tensors.iter().filter(|m| m.component == component && m.is_matrix());
        of.find(|m| m.name.ends_with(suffix)).map(|m| (m.rows as f64, m.cols as f64))
    };
    for component in [Mlp, SharedExperts, Experts] {
        let Some((passes, read)) = times(component) else { continue };
        let Some((f, outer)) = matrix(component, "up_proj") else { continue };
        let wide = if gated { 2.0 * f } else { f };
        let tokens = t * passes;
        for (sum, n, k) in [(&mut up, wide, outer), (&mut down, outer, f)] {
            let one = Operation::product(sum.id, sum.label, [tokens, n, k]);
            sum.flop += one.flop;
            sum.bytes += one.bytes + BYTES * (read - 1.0) * n * k;
            sum.weights = one.weights.filter(|_| moe.is_none());
        }
        activated += tokens * f;
    }
    let wide = if gated { 2.0 * activated } else { activated };
    let mut all = Vec::with_capacity(6);
    if let Some(moe) = moe {
        let sizes = [t, moe.num_experts as f64, shape.hidden_size as f64];
        all.push(Operation::product("router", "Router", sizes));
    }
    let shared = |name: &'static str| tensors.iter().filter(move |m| m.name == name);
    if shape.kinds.expert_latent > 0 {
        all.push(products("latent-in", "To the experts’ width", t, shared("expert_latent_in")));
    }
    if activated > 0.0 {
        all.extend([up, Operation::small("activation", "Activation", ACTIVATION * activated, wide + activated), down]);
    }
    if shape.kinds.expert_latent > 0 {
        all.push(products("latent-out", "From the experts’ width", t, shared("expert_latent_out")));
    }
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

    /// For every model with one sort of layer, and of others for the layer that is drawn.
    #[test]
    fn every_model_has_the_weights_and_flops_of_its_layer() {
        for preset in presets::ALL {
            let shape = &preset.shape;
            let all = operations(shape, &load(Phase::Prefill, true));
            assert!(all.iter().all(|o| o.flop.is_finite() && o.flop > 0.0 && o.bytes > 0.0), "{}: {all:?}", preset.id);
            let ids: Vec<_> = all.iter().map(|o| o.id).collect();
            assert!(ids.iter().all(|id| super::super::OPERATIONS.contains(id)), "{}: {ids:?}", preset.id);
            let layers = shape.num_hidden_layers as f64;
            let uniform = shape.is_uniform()
                && shape.sliding.is_none()
                && shape.dense_layers() == if shape.moe.is_some() { 0 } else { shape.num_hidden_layers };
            if uniform {
                let flops = shape.forward_flops(4096, true);
                let extra: f64 = all.iter().filter(|o| is_elementwise(o.id)).map(|o| o.flop).sum();
                let ours = all.iter().map(|o| o.flop).sum::<f64>() - extra;
                let gate = shape.moe.filter(|m| m.shared_gate).map_or(0.0, |_| 2.0 * shape.hidden_size as f64);
                let want = ((flops.total() - flops.lm_head) / layers - gate) * 4096.0;
                assert!((ours / want - 1.0).abs() < 1e-9, "{}: {ours} {want}", preset.id);
            }
        }
    }

    fn is_elementwise(id: &str) -> bool {
        ["norm-1", "norm-2", "residual-1", "residual-2", "activation"].contains(&id)
    }

    /// One token reads the experts that it chose; a long prompt reads all of them.
    #[test]
    fn experts_are_read_as_they_are_chosen() {
        let shape = &presets::find("qwen3-30b-a3b").expect("there").shape;
        let up = |load: &Load| operations(shape, load).into_iter().find(|o| o.id == "mlp-up").expect("there").bytes;
        let one = 2.0 * 768.0 * 2048.0 * BYTES;
        let decode = up(&load(Phase::Decode, true));
        assert!((decode / (8.0 * one) - 1.0).abs() < 0.01, "{decode}");
        let (many, moved) = (up(&load(Phase::Prefill, true)), 4096.0 * 8.0 * (2048.0 + 2.0 * 768.0) * BYTES);
        assert!(((many - moved) / (128.0 * one) - 1.0).abs() < 1e-6, "{many}");
    }

    /// A latent is read once for all heads in decoding: 576 values of each token (DeepSeek-V2, Table 1).
    #[test]
    fn a_latent_is_read_as_it_is() {
        let shape = &presets::find("deepseek-v3").expect("there").shape;
        let attention =
            operations(shape, &load(Phase::Decode, true)).into_iter().find(|o| o.id == "attention").expect("there");
        let queries = 128.0 * (576.0 + 512.0);
        assert_eq!(attention.bytes, BYTES * (queries + 4096.0 * 576.0));
        assert_eq!(attention.flop, 2.0 * 128.0 * 4096.0 * (576.0 + 512.0));
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

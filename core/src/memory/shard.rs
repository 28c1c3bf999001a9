//! Which parameters one GPU holds: its pipeline stage, its tensor- and expert-parallel part of it.
//!
//! Tensor parallelism splits a pair of matrices by the columns of the first and the rows of the second (Shoeybi et al.
//! 2019, arXiv:1909.08053, §3): q, k, v, gate and up by their outputs, o and down by their inputs, embedding and head by
//! the vocabulary. Norms, routers, learned positions, and the down-projections of MLA stay whole on every rank. Key–value
//! heads cannot be split below one: with more ranks than heads they are repeated. Layers with a state of fixed size are split by their
//! heads (Megatron-LM, `core/ssm/mamba_mixer.py`); indexers and hyper-connections stay whole.
//!
//! The first pipeline stage has the embedding, the last one the last norm and the head; a head that is tied to the
//! embedding is a copy of it there, because the two ends are on different GPUs.

use std::ops::{Add, Mul};

use super::layout::Layout;
use super::pipeline::Stage;
use crate::model::{Component, ModelRef, ModelSize, Shape, Tensor};

/// Numbers of elements that weights, gradients and optimizer states follow from.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Elements {
    /// Parameters.
    pub params: f64,
    /// Those in matrices of hidden layers: what Muon orthogonalises.
    pub hidden_matrices: f64,
    /// Rows and columns of matrices, lengths of vectors: Adafactor's second moment.
    pub factors: f64,
    /// Those that a quantized checkpoint stores in fewer bits, as [`ParameterCount::quantized`](crate::model::ParameterCount::quantized) has
    /// them.
    pub quantized: f64,
}

impl Add for Elements {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            params: self.params + other.params,
            hidden_matrices: self.hidden_matrices + other.hidden_matrices,
            factors: self.factors + other.factors,
            quantized: self.quantized + other.quantized,
        }
    }
}

impl Mul<f64> for Elements {
    type Output = Self;
    fn mul(self, times: f64) -> Self {
        Self {
            params: self.params * times,
            hidden_matrices: self.hidden_matrices * times,
            factors: self.factors * times,
            quantized: self.quantized * times,
        }
    }
}

/// What one GPU holds before ZeRO partitions it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Held {
    /// Everything but routed experts.
    pub shared: Elements,
    /// Its routed experts, which fewer ranks hold alike if they are spread over expert-parallel ranks.
    pub experts: Elements,
}

impl Held {
    /// Parameters in all.
    pub fn params(&self) -> f64 {
        self.shared.params + self.experts.params
    }

    /// Both kinds together.
    pub fn all(&self) -> Elements {
        self.shared + self.experts
    }
}

/// A model cut up for one GPU of each pipeline stage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shards {
    /// One layer with a dense MLP.
    dense: Elements,
    /// One layer with experts, without its routed ones.
    mixture: Elements,
    /// Their routed experts.
    experts: Elements,
    /// What only the first stage has.
    first: Elements,
    /// What only the last stage has.
    last: Elements,
    /// What a last stage needs that is not the first: the tied embedding.
    copy: Elements,
    /// Layers with a dense MLP, which come first.
    dense_layers: u64,
}

impl Shards {
    /// Cuts up a model. A bare number of parameters is divided evenly, as one stage.
    pub fn new(model: &ModelRef, size: &ModelSize, layout: &Layout) -> Self {
        let none = Elements::default();
        let mut cut =
            Self { dense: none, mixture: none, experts: none, first: none, last: none, copy: none, dense_layers: 0 };
        let Some(shape) = model.shape() else {
            let ModelSize { params, hidden_matrices, factors, .. } = *size;
            cut.first = Elements { params, hidden_matrices, factors, quantized: 0.0 } * (1.0 / layout.model_ranks());
            return cut;
        };
        let sorts = shape.sorts();
        cut.dense_layers = sorts[0];
        // Where layers of one sort differ, each counts as their mean.
        let [layers, dense, mixtures] = [shape.num_hidden_layers, sorts[0], sorts[1]].map(|n| n.max(1) as f64);
        let beside = shape.kinds.dense_beside_experts;
        let experts = mixtures * layout.ep.max(1) as f64;
        for tensor in shape.tensors() {
            let one = elements(&tensor, shape, layout.tp);
            // Occurrences of each layer are whole numbers: exact.
            let in_each = |layers: f64| one * (tensor.count as f64 / layers);
            match (tensor.component, tensor.name) {
                (Component::Embedding, _) => {
                    cut.first = cut.first + one;
                    if shape.tie_word_embeddings {
                        cut.copy = one;
                    }
                }
                (Component::LmHead, _) | (_, "last_norm" | "project_out") => cut.last = cut.last + one,
                (_, "hyper_head" | "hyper_head_scale") => cut.last = cut.last + one,
                (_, "expert_latent_in" | "expert_latent_out") => cut.mixture = cut.mixture + in_each(mixtures),
                (Component::Other, name) if !name.starts_with("hyper_layer") => cut.first = cut.first + one,
                (_, "embedding_norm") => cut.first = cut.first + one,
                (Component::Mlp, _) if !beside => cut.dense = cut.dense + in_each(dense),
                (Component::Experts, _) => cut.experts = cut.experts + in_each(experts),
                (Component::SharedExperts | Component::Router, _) => cut.mixture = cut.mixture + in_each(mixtures),
                (
                    Component::Attention | Component::Mixers | Component::Mlp | Component::Norms | Component::Other,
                    _,
                ) => {
                    cut.dense = cut.dense + in_each(layers);
                    cut.mixture = cut.mixture + in_each(layers);
                }
            }
        }
        cut
    }

    /// What a GPU of one of `stages` stages holds.
    pub fn held(&self, stage: &Stage, stages: u64) -> Held {
        let dense = self.dense_layers.saturating_sub(stage.first_layer).min(stage.layers);
        let mixtures = (stage.layers - dense) as f64;
        let mut shared = self.dense * dense as f64 + self.mixture * mixtures;
        let (first, last) = (stage.index == 0, stage.index + 1 >= stages);
        if first {
            shared = shared + self.first;
        }
        if last {
            shared = shared + self.last;
        }
        if last && !first {
            shared = shared + self.copy;
        }
        Held { shared, experts: self.experts * mixtures }
    }

    /// Parameters of the larger kind of layer on one GPU, its experts included.
    pub fn layer(&self) -> f64 {
        self.dense.params.max(self.mixture.params + self.experts.params)
    }
}

/// By how much one of `tp` ranks divides the rows and the columns of a weight.
pub fn split(tensor: &Tensor, shape: &Shape, tp: u64) -> (f64, f64) {
    let t = tp.max(1) as f64;
    match tensor.name {
        "k_proj" | "v_proj" | "window_k_proj" | "window_v_proj" => {
            let windowed = shape.kinds.windowed.filter(|_| tensor.name.starts_with("window_"));
            let heads = windowed.map_or(shape.kv_heads(), |own| own.kv_heads).max(1);
            (heads as f64 / heads.div_ceil(tp.max(1)) as f64, 1.0)
        }
        "embed_tokens"
        | "lm_head"
        | "lm_head_bias"
        | "q_proj"
        | "q_b_proj"
        | "kv_b_proj"
        | "sinks"
        | "gate_proj"
        | "up_proj"
        | "expert_gate_proj"
        | "expert_up_proj"
        | "shared_gate_proj"
        | "shared_up_proj"
        | "window_q_proj"
        | "window_sinks"
        | "attention_gate"
        | "window_attention_gate"
        | "o_a_proj"
        | "mixer_in"
        | "mixer_conv"
        | "mixer_vectors"
        | "mixer_gate"
        | "mixer_gate_out"
        | "mixer_decay_out" => (t, 1.0),
        "o_proj" | "down_proj" | "expert_down_proj" | "shared_down_proj" | "window_o_proj" | "mixer_out" => (1.0, t),
        _ => (1.0, 1.0),
    }
}

/// The part of one occurrence of a weight that one of `tp` ranks holds.
fn elements(tensor: &Tensor, shape: &Shape, tp: u64) -> Elements {
    let (rows, cols) = (tensor.rows as f64, tensor.cols as f64);
    let (by_rows, by_cols) = split(tensor, shape, tp);
    let (rows, cols) = (rows / by_rows, cols / by_cols);
    let bias = if tensor.bias { rows } else { 0.0 };
    let params = rows * cols + bias;
    Elements {
        params,
        hidden_matrices: if tensor.is_hidden_matrix() { rows * cols } else { 0.0 },
        factors: rows + if tensor.is_matrix() { cols } else { 0.0 } + bias,
        quantized: if tensor.component.is_quantized() { params } else { 0.0 },
    }
}

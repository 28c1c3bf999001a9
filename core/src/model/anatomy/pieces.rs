//! The pieces of a model: every kind of weight, and what is computed without weights.

use crate::model::flops::average_keys;
use crate::model::params::{Component, Tensor};
use crate::model::shape::{Attention, Shape};
use crate::quantity::grouped;

/// The ids that pieces have: the names of [`Shape::tensors`], the two products of the attention matrix, and the use of the
/// token embedding as output matrix.
pub const IDS: [&str; 36] = [
    "embed_tokens",
    "embed_positions",
    "project_in",
    "project_out",
    "embedding_norm",
    "q_proj",
    "k_proj",
    "v_proj",
    "q_norm",
    "k_norm",
    "q_a_proj",
    "q_a_norm",
    "q_b_proj",
    "kv_a_proj",
    "kv_a_norm",
    "kv_b_proj",
    "scores",
    "values",
    "o_proj",
    "sinks",
    "gate_proj",
    "up_proj",
    "down_proj",
    "router",
    "expert_gate_proj",
    "expert_up_proj",
    "expert_down_proj",
    "shared_gate_proj",
    "shared_up_proj",
    "shared_down_proj",
    "shared_expert_gate",
    "layer_norm",
    "last_norm",
    "lm_head",
    "lm_head_bias",
    "tied_head",
];

/// Where a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Once, before the first layer.
    Before,
    /// In every layer.
    Layer,
    /// In layers with a dense MLP.
    Dense,
    /// In layers that are mixtures of experts.
    Mixture,
    /// Once, after the last layer.
    After,
}

/// One kind of weight, or one product without weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// `q_proj`; one of [`IDS`].
    pub id: &'static str,
    /// The component it belongs to.
    pub component: Component,
    /// Where it is.
    pub place: Place,
    /// How many layers have it; 1 outside the layers.
    pub layers: u64,
    /// How often it is in one of them.
    pub copies: u64,
    /// How many of these one token uses.
    pub used: u64,
    /// Parameters of all its occurrences.
    pub params: f64,
    /// Forward FLOPs of one token, all layers.
    pub flops: f64,
    /// Its parameters with the numbers put in: "num_attention_heads·head_dim × hidden_size = 4 096 × 4 096".
    pub formula: String,
    /// Its FLOPs with the numbers put in: "2 × 4 096 × 4 096"; empty if it costs none.
    pub cost: String,
    /// What makes it in nanoGPT's model.py: `CausalSelfAttention.c_attn`. Empty if GPT-2 has no such thing.
    pub code: &'static str,
}

impl Piece {
    /// Parameters in one layer that has it, or outside the layers all.
    pub fn params_here(&self) -> f64 {
        self.params / self.layers.max(1) as f64
    }

    /// Forward FLOPs of one token in one layer that has it, or outside the layers all.
    pub fn flops_here(&self) -> f64 {
        self.flops / self.layers.max(1) as f64
    }
}

/// Every piece, input to output.
pub(super) fn of(shape: &Shape, seq: u64, causal: bool) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(36);
    for tensor in shape.tensors() {
        if tensor.name == "o_proj" {
            pieces.extend(matrix(shape, seq, causal));
        }
        pieces.push(weight(shape, &tensor));
    }
    if shape.tie_word_embeddings {
        let width = shape.word_embed_proj_dim.unwrap_or(shape.hidden_size);
        pieces.push(Piece {
            id: "tied_head",
            component: Component::LmHead,
            place: Place::After,
            layers: 1,
            copies: 1,
            used: 1,
            params: 0.0,
            flops: 2.0 * shape.vocab_size as f64 * width as f64,
            formula: "the token embedding again: no parameters of its own".to_owned(),
            cost: format!("2 × {} × {}", grouped(shape.vocab_size), grouped(width)),
            code: "GPT.lm_head",
        });
    }
    pieces
}

fn weight(shape: &Shape, tensor: &Tensor) -> Piece {
    let place = place(tensor);
    let layers = match place {
        Place::Before | Place::After => 1,
        Place::Layer => shape.num_hidden_layers,
        Place::Dense => shape.dense_layers(),
        Place::Mixture => shape.moe_layers(),
    }
    .max(1);
    let copies = tensor.count / layers;
    let used = match (tensor.component, shape.moe) {
        (Component::Experts, Some(moe)) => moe.num_experts_per_tok.min(copies),
        _ => copies,
    };
    let flops = shape.tensor_flops(tensor);
    let many = if used > 1 { format!(" × {}", grouped(used)) } else { String::new() };
    let cost = format!("2 × {} × {}{many}", grouped(tensor.rows), grouped(tensor.cols));
    Piece {
        id: tensor.name,
        component: tensor.component,
        place,
        layers,
        copies,
        used,
        params: tensor.total() as f64,
        flops,
        formula: formula(tensor),
        cost: if flops > 0.0 { cost } else { String::new() },
        code: code(tensor.name),
    }
}

fn place(tensor: &Tensor) -> Place {
    match tensor.component {
        Component::Mlp => Place::Dense,
        Component::Experts | Component::SharedExperts | Component::Router => Place::Mixture,
        _ => match tensor.name {
            "embed_tokens" | "embed_positions" | "project_in" | "embedding_norm" => Place::Before,
            "last_norm" | "project_out" | "lm_head" | "lm_head_bias" => Place::After,
            _ => Place::Layer,
        },
    }
}

/// Queries times keys, and the weighted sum of values.
fn matrix(shape: &Shape, seq: u64, causal: bool) -> [Piece; 2] {
    let flops = shape.forward_flops(seq, causal);
    let heads = shape.num_attention_heads;
    let (head_dim, value_dim) = match shape.attention {
        Attention::Heads { head_dim, .. } => (head_dim, head_dim),
        Attention::Latent { v_head_dim, .. } => (shape.head_dim(), v_head_dim),
    };
    let piece = |id, flops, width: u64, formula: &str| {
        let layers = shape.num_hidden_layers.max(1);
        let each = 2.0 * heads as f64 * width as f64;
        let keys = if each > 0.0 { flops / layers as f64 / each } else { average_keys(seq, None, causal) };
        let per_head =
            format!("2 × {} keys × {} heads × {}", grouped(keys.round() as u64), grouped(heads), grouped(width));
        Piece {
            id,
            component: Component::Attention,
            place: Place::Layer,
            layers,
            copies: 1,
            used: 1,
            params: 0.0,
            flops,
            formula: formula.to_owned(),
            cost: per_head,
            code: "CausalSelfAttention.forward",
        }
    };
    [
        piece("scores", flops.scores, head_dim, "queries × keys: no parameters"),
        piece("values", flops.values, value_dim, "attention weights × values: no parameters"),
    ]
}

fn formula(t: &Tensor) -> String {
    let bias = |what: &str| if t.bias { format!(" + {what}") } else { String::new() };
    let rows = grouped(t.rows);
    if !t.is_matrix() {
        return format!("{}{} = {rows}{}", t.rows_are, bias(t.rows_are), bias(&rows));
    }
    let cols = grouped(t.cols);
    format!("{} × {}{} = {rows} × {cols}{}", t.rows_are, t.cols_are, bias(t.rows_are), bias(&rows))
}

/// The attribute of nanoGPT's model.py (commit 3adf61e) that holds a weight. Its `c_attn` is q, k and v in one matrix.
fn code(name: &str) -> &'static str {
    match name {
        "embed_tokens" => "GPT.transformer.wte",
        "embed_positions" => "GPT.transformer.wpe",
        "q_proj" | "k_proj" | "v_proj" => "CausalSelfAttention.c_attn",
        "o_proj" => "CausalSelfAttention.c_proj",
        "up_proj" => "MLP.c_fc",
        "down_proj" => "MLP.c_proj",
        "layer_norm" => "Block.ln_1 and Block.ln_2",
        "last_norm" => "GPT.transformer.ln_f",
        "lm_head" => "GPT.lm_head",
        _ => "",
    }
}

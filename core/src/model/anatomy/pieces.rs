//! The pieces of a model: every kind of weight, and what is computed without weights.

use super::{Group, Measure};
use crate::model::flops::average_keys;
use crate::model::params::{Component, Tensor};
use crate::model::shape::{Attention, Shape};
use crate::quantity::grouped;

/// The ids that pieces have: the names of [`Shape::tensors`], the two products of the attention matrix, and the use of the
/// token embedding as output matrix.
pub const IDS: [&str; 37] = [
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
    "mlp_norm",
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
    /// Outputs and inputs of the matrix, or rows and width of the table; the inputs of a vector are 1. None for a product.
    pub size: Option<(u64, u64)>,
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
    /// What it does, in a sentence.
    pub does: &'static str,
    /// What makes it in nanoGPT's model.py: `CausalSelfAttention.c_attn`. Empty if GPT-2 has no such thing.
    pub code: &'static str,
}

impl Piece {
    /// Its parameters or its forward FLOPs of one token, all layers.
    pub fn amount(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Params => self.params,
            Measure::Flops => self.flops,
        }
    }

    /// The same in one layer that has it; outside the layers all.
    pub fn amount_here(&self, measure: Measure) -> f64 {
        self.amount(measure) / self.layers.max(1) as f64
    }

    /// What it goes together with.
    pub fn group(&self) -> Group {
        match self.component {
            Component::Embedding | Component::LmHead | Component::Other => Group::Tables,
            Component::Attention if self.size.is_none() => Group::Matrix,
            Component::Attention => Group::Attention,
            Component::Mlp | Component::SharedExperts | Component::Experts => Group::Mlp,
            Component::Router | Component::Norms => Group::Small,
        }
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
            size: Some((shape.vocab_size, width)),
            copies: 1,
            used: 1,
            params: 0.0,
            flops: 2.0 * shape.vocab_size as f64 * width as f64,
            formula: "the token embedding again: no parameters of its own".to_owned(),
            cost: format!("2 × {} × {}", grouped(shape.vocab_size), grouped(width)),
            does: about("tied_head").0,
            code: about("tied_head").1,
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
        size: Some((tensor.rows, tensor.cols)),
        copies,
        used,
        params: tensor.total() as f64,
        flops,
        formula: formula(tensor),
        cost: if flops > 0.0 { cost } else { String::new() },
        does: about(tensor.name).0,
        code: about(tensor.name).1,
    }
}

fn place(tensor: &Tensor) -> Place {
    match tensor.component {
        Component::Mlp => Place::Dense,
        Component::Experts | Component::SharedExperts | Component::Router => Place::Mixture,
        _ => match tensor.name {
            "embed_tokens" | "embed_positions" | "project_in" | "embedding_norm" => Place::Before,
            "last_norm" | "project_out" | "lm_head" | "lm_head_bias" => Place::After,
            "mlp_norm" => Place::Dense,
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
            size: None,
            copies: 1,
            used: 1,
            params: 0.0,
            flops,
            formula: formula.to_owned(),
            cost: per_head,
            does: about(id).0,
            code: about(id).1,
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

/// What a piece does, and the attribute of nanoGPT's model.py (commit 3adf61e) that holds it. Its `c_attn` is q, k and v in
/// one matrix.
fn about(id: &str) -> (&'static str, &'static str) {
    match id {
        "embed_tokens" => ("Looks up a vector for each token: no multiplication.", "GPT.transformer.wte"),
        "embed_positions" => ("Looks up a vector for each position, added to the token’s.", "GPT.transformer.wpe"),
        "project_in" => ("Brings the token’s vector to the width of the model.", ""),
        "project_out" => ("Brings the last layer’s output to the width of the embedding.", ""),
        "embedding_norm" => ("Normalises the embedding before the first layer.", ""),
        "q_proj" => ("Makes the query of every head.", "CausalSelfAttention.c_attn"),
        "k_proj" => ("Makes the keys, which are kept in the KV cache.", "CausalSelfAttention.c_attn"),
        "v_proj" => ("Makes the values, which are kept in the KV cache.", "CausalSelfAttention.c_attn"),
        "q_norm" => ("Normalises the queries.", ""),
        "k_norm" => ("Normalises the keys.", ""),
        "q_a_proj" => ("Compresses the input to a latent vector, from which all queries are made.", ""),
        "q_a_norm" => ("Normalises the latent vector of the queries.", ""),
        "q_b_proj" => ("Expands the latent vector to the query of every head.", ""),
        "kv_a_proj" => ("Compresses the input to one latent vector and one rotary key: all that is cached.", ""),
        "kv_a_norm" => ("Normalises the latent vector of keys and values.", ""),
        "kv_b_proj" => ("Expands the latent vector to the key and value of every head.", ""),
        "scores" => ("Multiplies every query by the keys that it may see.", "CausalSelfAttention.forward"),
        "values" => ("Sums the values, weighted by the softmax of the scores.", "CausalSelfAttention.forward"),
        "o_proj" => ("Mixes what the heads found back into the residual stream.", "CausalSelfAttention.c_proj"),
        "sinks" => ("A learned logit for each head, so that it can attend to nothing.", ""),
        "gate_proj" => ("Makes the gate, which multiplies what up_proj makes.", ""),
        "up_proj" => ("Widens the residual stream to the width of the MLP.", "MLP.c_fc"),
        "down_proj" => ("Brings the MLP’s inner width back to the residual stream.", "MLP.c_proj"),
        "router" => ("Scores every expert for each token; the best few are used.", ""),
        "expert_gate_proj" => ("Makes the gate inside an expert.", ""),
        "expert_up_proj" => ("Widens the residual stream to the width of an expert.", ""),
        "expert_down_proj" => ("Brings an expert’s inner width back to the residual stream.", ""),
        "shared_gate_proj" => ("Makes the gate of the expert that every token uses.", ""),
        "shared_up_proj" => ("Widens the residual stream to the width of the shared expert.", ""),
        "shared_down_proj" => ("Brings the shared expert’s inner width back to the residual stream.", ""),
        "shared_expert_gate" => ("Weighs the output of the shared expert.", ""),
        "layer_norm" => {
            ("Normalises what attention and MLP read, or in some families write.", "Block.ln_1 and Block.ln_2")
        }
        "mlp_norm" => ("Normalises what the MLP makes inside, before it is brought back to the residual stream.", ""),
        "last_norm" => ("Normalises the output of the last layer.", "GPT.transformer.ln_f"),
        "lm_head" => ("Scores every token of the vocabulary as the next one.", "GPT.lm_head"),
        "lm_head_bias" => ("Added to the scores of the tokens.", ""),
        "tied_head" => ("The token embedding again, as output matrix: multiplied in full, stored once.", "GPT.lm_head"),
        _ => ("", ""),
    }
}

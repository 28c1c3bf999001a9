//! The pieces of a model: every kind of weight, and what is computed without weights.

use super::{Group, Measure};
use crate::model::flops::average_keys;
use crate::model::params::{Component, Place, Tensor};
use crate::model::shape::{Attention, Shape};
use crate::quantity::{grouped, number};

/// The ids that pieces have: the names of [`Shape::tensors`], the two products of the attention matrix, and the use of the
/// token embedding as output matrix.
pub const IDS: [&str; 79] = [
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
    "attention_gate",
    "window_q_proj",
    "window_k_proj",
    "window_v_proj",
    "window_o_proj",
    "window_q_norm",
    "window_k_norm",
    "window_attention_gate",
    "window_sinks",
    "o_a_proj",
    "compressor_near",
    "compressor_near_positions",
    "compressor_far",
    "compressor_far_positions",
    "compressor_norm",
    "index_q_proj",
    "index_k_proj",
    "index_weights",
    "index_compressor",
    "index_positions",
    "index_q_norm",
    "index_k_norm",
    "mixer_in",
    "mixer_conv",
    "mixer_vectors",
    "mixer_norm",
    "recurrence",
    "mixer_out",
    "mixer_decay_in",
    "mixer_decay_out",
    "mixer_gate",
    "mixer_gate_in",
    "mixer_gate_out",
    "gate_proj",
    "up_proj",
    "down_proj",
    "router",
    "hash_router",
    "router_scale",
    "expert_scale",
    "expert_latent_in",
    "expert_latent_out",
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
    "hyper_layer",
    "hyper_layer_scale",
    "hyper_head",
    "hyper_head_scale",
];

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
            Component::Attention | Component::Mixers => Group::Attention,
            Component::Mlp | Component::SharedExperts | Component::Experts => Group::Mlp,
            Component::Router | Component::Norms => Group::Small,
        }
    }
}

/// Every piece, input to output.
pub(super) fn of(shape: &Shape, seq: u64, causal: bool) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(36);
    let mut products = Some(matrix(shape, seq, causal));
    for tensor in shape.tensors() {
        if matches!(tensor.name, "o_proj" | "window_o_proj") {
            pieces.extend(products.take().into_iter().flatten());
        }
        if tensor.name == "mixer_out" {
            pieces.extend(recurrence(shape));
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
    let place = tensor.place();
    // Of an indexer or a compressor, fewer layers have one.
    let layers = shape.layers_at(place).min(tensor.count).max(1);
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

/// Queries times keys, and the weighted sum of values.
fn matrix(shape: &Shape, seq: u64, causal: bool) -> [Piece; 2] {
    let flops = shape.forward_flops(seq, causal);
    let heads = shape.num_attention_heads;
    let (head_dim, value_dim) = match shape.attention {
        Attention::Heads { head_dim, .. } => (head_dim, head_dim),
        Attention::Latent { v_head_dim, .. } => (shape.head_dim(), v_head_dim),
    };
    let piece = |id, flops, width: u64, formula: &str| {
        let layers = shape.attention_layers().max(1);
        let each = 2.0 * heads as f64 * width as f64;
        let keys = if each > 0.0 { flops / layers as f64 / each } else { average_keys(seq, None, causal) };
        let per_head =
            format!("2 × {} keys × {} heads × {}", grouped(keys.round() as u64), grouped(heads), grouped(width));
        Piece {
            id,
            component: Component::Attention,
            place: Place::Attention,
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

/// What a token does to the state of each layer that has one.
fn recurrence(shape: &Shape) -> Option<Piece> {
    let state = shape.kinds.state?;
    let each = state.mixer.recurrence(shape.hidden_size);
    let (does, code) = about("recurrence");
    Some(Piece {
        id: "recurrence",
        component: Component::Mixers,
        place: Place::State,
        layers: state.layers,
        size: None,
        copies: 1,
        used: 1,
        params: 0.0,
        flops: state.layers as f64 * each,
        formula: "the state, updated and read: no parameters".to_owned(),
        cost: if each > 0.0 { number(each) } else { String::new() },
        does,
        code,
    })
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
        "attention_gate" | "window_attention_gate" => ("Makes a gate on what the heads found.", ""),
        "window_q_proj" => ("Makes the query of every head in layers with a window.", ""),
        "window_k_proj" => ("Makes the keys of layers with a window, which keep the last ones.", ""),
        "window_v_proj" => ("Makes the values of layers with a window, which keep the last ones.", ""),
        "window_o_proj" => ("Mixes what the heads found in the window back into the residual stream.", ""),
        "window_q_norm" => ("Normalizes the queries in layers with a window.", ""),
        "window_k_norm" => ("Normalizes the keys in layers with a window.", ""),
        "window_sinks" => ("A learned logit for each head of layers with a window.", ""),
        "o_a_proj" => ("Brings what each group of heads found to the output latent.", ""),
        "compressor_near" => ("Makes one row of 4 tokens, from rows that overlap, with the weights of the sum.", ""),
        "compressor_far" => ("Makes one row of many tokens, with the weights of the sum.", ""),
        "compressor_near_positions" | "compressor_far_positions" | "index_positions" => {
            ("Added to the weights by the token’s place in its row.", "")
        }
        "compressor_norm" => ("Normalizes compressed rows.", ""),
        "index_q_proj" => ("Makes the indexer’s queries, which choose the tokens that attention reads.", ""),
        "index_k_proj" => ("Makes the indexer’s one key, which is cached beside the latent or the keys.", ""),
        "index_weights" => ("Weighs the indexer’s heads for each token.", ""),
        "index_compressor" => ("Makes the indexer’s key of several tokens.", ""),
        "index_q_norm" => ("Normalizes the indexer’s queries.", ""),
        "index_k_norm" => ("Normalizes the indexer’s key.", ""),
        "mixer_in" => ("Makes what goes into the state, what reads it, and its gates.", ""),
        "mixer_conv" => ("Mixes each channel with its last few inputs before the state sees it.", ""),
        "mixer_vectors" => ("How fast each head’s state decays, and its step.", ""),
        "mixer_norm" => ("Normalizes what was read from the state.", ""),
        "recurrence" => ("Updates the layer’s state with the token, and reads it.", ""),
        "mixer_out" => ("Brings what was read from the state back to the residual stream.", ""),
        "mixer_decay_in" => ("Compresses the input to the decay’s narrow width.", ""),
        "mixer_decay_out" => ("Makes the decay of each channel.", ""),
        "mixer_gate" => ("Makes a gate on what was read from the state.", ""),
        "mixer_gate_in" => ("Compresses the input to the gate’s narrow width.", ""),
        "mixer_gate_out" => ("Makes a gate on what was read from the state.", ""),
        "hash_router" => ("Weighs the experts that a table chooses by the token’s id.", ""),
        "router_scale" => ("Scales the input of the router.", ""),
        "expert_scale" => ("Scales the output of each expert.", ""),
        "expert_latent_in" => ("Brings the residual stream to the width at which routed experts work.", ""),
        "expert_latent_out" => ("Brings what routed experts made back to the residual stream.", ""),
        "hyper_layer" => ("Decides how residual streams mix before attention and before the MLP.", ""),
        "hyper_layer_scale" => ("Scales and offsets of that mix.", ""),
        "hyper_head" => ("Decides how residual streams join after the last layer.", ""),
        "hyper_head_scale" => ("Scales and offsets of that mix.", ""),
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

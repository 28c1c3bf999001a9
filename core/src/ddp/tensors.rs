//! The parameters of a model in the order in which they are registered, and what their gradients cost.

use crate::model::{Component, Shape, Tensor};

/// Most pieces of a model.
pub const MAX_PIECES: usize = 20_000;

/// Where in the model something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The embedding and what else comes before the layers.
    Input,
    /// A layer, from 0.
    Layer(u32),
    /// The last norm and the head.
    Output,
}

/// A parameter tensor, or the attention matrix, which has none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// Where it is.
    pub part: Part,
    /// The weight that it is or that it belongs to: `q_proj`.
    pub name: &'static str,
    /// Elements of the tensor; 0 for what has no parameters.
    pub elements: f64,
    /// FLOPs of its forward pass for one token.
    pub flops: f64,
}

/// What follows a layer's attention.
fn follows_attention(component: Component) -> bool {
    use Component::{Experts, Mlp, Router, SharedExperts};
    matches!(component, Mlp | Experts | Router | SharedExperts)
}

/// All of a model's pieces, input to output, for sequences of `seq` tokens. Weights and biases are two tensors. In a mixture
/// of experts the dense layers come first.
///
/// # Errors
/// A sentence if there are over [`MAX_PIECES`].
pub fn pieces(shape: &Shape, seq: u64) -> Result<Vec<Piece>, String> {
    let tensors = shape.tensors();
    let layers = shape.num_hidden_layers;
    let (dense, moe) = (shape.dense_layers(), shape.moe_layers());
    // How often a kind of tensor is in a layer that has it.
    let each = |t: &Tensor| match t.component {
        Component::Mlp => t.count / dense.max(1),
        Component::Router | Component::Experts | Component::SharedExperts => t.count / moe.max(1),
        _ => t.count / layers.max(1),
    };
    let total: u64 = tensors.iter().map(|t| t.count.saturating_mul(1 + u64::from(t.bias))).fold(0, u64::saturating_add);
    if total > MAX_PIECES as u64 {
        return Err(format!("This model has {total} parameter tensors; at most {MAX_PIECES} can be shown."));
    }
    let mut list = Vec::with_capacity(total as usize + layers as usize);
    let mut add = |part: Part, t: &Tensor, times: u64| {
        let flops = shape.tensor_flops(t) / t.count.max(1) as f64;
        for _ in 0..times {
            list.push(Piece { part, name: t.name, elements: t.rows as f64 * t.cols as f64, flops });
            if t.bias {
                list.push(Piece { part, name: t.name, elements: t.rows as f64, flops: 0.0 });
            }
        }
    };
    let in_layers = |t: &Tensor| {
        matches!(t.component, Component::Attention)
            || follows_attention(t.component)
            || matches!(t.name, "layer_norm" | "q_norm" | "k_norm" | "q_a_norm" | "kv_a_norm")
    };
    let at_the_end = |t: &Tensor| matches!(t.name, "project_out" | "last_norm" | "lm_head" | "lm_head_bias");
    tensors.iter().filter(|t| !in_layers(t) && !at_the_end(t)).for_each(|t| add(Part::Input, t, t.count));
    let forward = shape.forward_flops(seq, true);
    let scores = (forward.scores + forward.values) / layers.max(1) as f64;
    for layer in 0..layers {
        let part = Part::Layer(layer as u32);
        let norms = tensors.iter().find(|t| t.name == "layer_norm");
        let per_layer = norms.map_or(0, &each);
        let before = per_layer.div_ceil(2);
        if let Some(norm) = norms {
            add(part, norm, before);
        }
        for t in tensors.iter().filter(|t| in_layers(t) && t.name != "layer_norm" && !follows_attention(t.component)) {
            if t.name == "o_proj" {
                // The attention matrix stands before the projection of what it yields.
                let matrix = Tensor { name: "attention", component: t.component, rows: 0, cols: 0, bias: false, ..*t };
                add(part, &matrix, 1);
            }
            add(part, t, each(t));
        }
        if let Some(norm) = norms {
            add(part, norm, per_layer - before);
        }
        let is_dense = layer < dense;
        for t in tensors.iter().filter(|t| follows_attention(t.component)) {
            if (t.component == Component::Mlp) == is_dense {
                add(part, t, each(t));
            }
        }
    }
    tensors.iter().filter(|t| at_the_end(t)).for_each(|t| add(Part::Output, t, t.count));
    for piece in list.iter_mut().filter(|p| p.name == "attention") {
        piece.flops = scores;
    }
    if shape.tie_word_embeddings {
        // The head has no weights of its own.
        list.push(Piece { part: Part::Output, name: "tied head", elements: 0.0, flops: forward.lm_head });
    }
    Ok(list)
}

//! The parameters of a model in the order in which they are registered, and what their gradients cost.

use crate::model::{Place, Shape, Tensor};

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

/// How often a weight is in each layer. Where layers differ, those that have it are spread evenly, and layers with a state come before
/// the attention that follows them.
struct Spread {
    layers: u64,
    sorts: [u64; 2],
    beside: bool,
}

impl Spread {
    fn of(&self, t: &Tensor, layer: u64) -> u64 {
        let [plain, mixtures] = self.sorts;
        let (at, among) = match t.place() {
            Place::Mixture => (layer.checked_sub(plain), mixtures),
            Place::Dense if mixtures > 0 && !self.beside => (Some(layer).filter(|l| *l < plain), plain),
            _ => (Some(layer), self.layers),
        };
        let Some(at) = at else { return 0 };
        let (count, among) = (u128::from(t.count), u128::from(among.max(1)));
        let before = |layer: u64| {
            let product = u128::from(layer) * count;
            if t.place() == Place::State { product.div_ceil(among) } else { product / among }
        };
        u64::try_from(before(at.saturating_add(1)) - before(at)).unwrap_or(u64::MAX)
    }
}

/// All of a model's pieces, input to output, for sequences of `seq` tokens. Weights and biases are two tensors. In a mixture
/// of experts the dense layers come first.
///
/// # Errors
/// A sentence if there are over [`MAX_PIECES`].
pub fn pieces(shape: &Shape, seq: u64) -> Result<Vec<Piece>, String> {
    let tensors = shape.tensors();
    let layers = shape.num_hidden_layers;
    let spread = Spread { layers, sorts: shape.sorts(), beside: shape.kinds.dense_beside_experts };
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
    let follows_attention = |t: &Tensor| matches!(t.place(), Place::Dense | Place::Mixture);
    let at_the_end = |t: &Tensor| t.place() == Place::After;
    tensors.iter().filter(|t| t.place() == Place::Before).for_each(|t| add(Part::Input, t, t.count));
    let forward = shape.forward_flops(seq, true);
    let scores = (forward.scores + forward.values) / shape.attention_layers().max(1) as f64;
    for layer in 0..layers {
        let part = Part::Layer(layer as u32);
        let norms = tensors.iter().find(|t| t.name == "layer_norm");
        let per_layer = norms.map_or(0, |norm| spread.of(norm, layer));
        let before = per_layer.div_ceil(2);
        if let Some(norm) = norms {
            add(part, norm, before);
        }
        let mixing = |t: &&Tensor| t.place().is_in_layers() && t.name != "layer_norm" && !follows_attention(t);
        for t in tensors.iter().filter(mixing) {
            let times = spread.of(t, layer);
            // What has no weights stands before the projection of what it yields.
            let weightless = match t.name {
                "o_proj" | "window_o_proj" => Some("attention"),
                "mixer_out" => Some("recurrence"),
                _ => None,
            };
            if let Some(name) = weightless.filter(|_| times > 0) {
                add(part, &Tensor { name, component: t.component, rows: 0, cols: 0, bias: false, ..*t }, 1);
            }
            add(part, t, times);
        }
        if let Some(norm) = norms {
            add(part, norm, per_layer - before);
        }
        for t in tensors.iter().filter(|t| follows_attention(t)) {
            add(part, t, spread.of(t, layer));
        }
    }
    tensors.iter().filter(|t| at_the_end(t)).for_each(|t| add(Part::Output, t, t.count));
    let recurrence = shape.kinds.state.map_or(0.0, |state| state.mixer.recurrence(shape.hidden_size));
    for piece in &mut list {
        match piece.name {
            "attention" => piece.flops = scores,
            "recurrence" => piece.flops = recurrence,
            _ => {}
        }
    }
    if shape.tie_word_embeddings {
        // The head has no weights of its own.
        list.push(Piece { part: Part::Output, name: "tied head", elements: 0.0, flops: forward.lm_head });
    }
    Ok(list)
}

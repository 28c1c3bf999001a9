//! Does it hide? What each way to divide a step sends, beside the arithmetic that it could be sent behind.
//!
//! A flow sends b bytes over a link of B bytes a second while the GPU does f FLOPs at F a second. It hides if b/B ≤ f/F, that is, if
//! the FLOPs for each byte reach F/B. [`Pass`] is this inequality with latency, as a function of T, the tokens of a GPU in a
//! micro-batch; [`Technique`] says what b and f are:
//!
//! | | sends for a layer, forward | and backward | beside | hides if |
//! |:--|:--|:--|:--|:--|
//! | DDP | nothing | an all-reduce of p gradients of g bytes | 4 p T | T ≥ g/2 · F/B |
//! | FSDP | an all-gather of p weights of 2 bytes | the same, and a reduce-scatter of p gradients | 2 p T; 4 p T | T ≥ F/B; (2 + g)/4 · F/B |
//! | tensor | an all-gather and a reduce-scatter of n T tokens before and after each half | the same, and an all-gather | 2 p T | n ≤ p/4h · B/F |
//! | context | keys and values of T tokens, n − 1 times | twice that | n − 1 blocks of causal attention | T ≥ kv/q · 2 F/B |
//! | expert | k copies of T tokens, there and back | the same | 2 p T | does not depend on T |
//! | pipeline | T tokens of a stage of L/n layers | the same | 2 p T L/n | does not depend on T |
//!
//! with p matrix elements of a layer, width h, n ranks. Factors (n − 1)/n and latencies come with [`crate::network`]. The inequality is that
//! of Austin et al., How to Scale Your Model, "Training" and "GPUs" ([`book`] has its closed forms); for the ring of context
//! parallelism that of Liu et al. 2023, arXiv:2310.01889, §3. FLOPs are those of matrix products; attention's own are counted on request.
//!
//! What is left out: that the collectives' kernels slow the arithmetic down; activations in memory; the first gather and the last
//! reduction of a pass, which have nothing beside them; a pipeline's bubble; overlap that a framework does not do. So where this
//! says "exposed" it is, and where it says "free" it can be.

pub mod book;
mod finding;
mod params;
mod technique;
#[cfg(test)]
mod tests;

use crate::declare::Model as _;
use crate::model::{Component, Shape, Tensor};
use crate::network::Fabric;
use crate::options;

pub use params::{MAX_GPUS, MAX_TOKENS, MIN_TOKENS, Params};
pub use technique::{Flow, Technique, Terms};

/// Bytes of a weight or an activation on its way.
const BYTES: f64 = 2.0;

/// The type in which gradients are summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reduce {
    /// 2 bytes.
    #[default]
    Bf16,
    /// 4 bytes.
    Fp32,
}

options!(Reduce {
    Bf16: "bf16", "bf16";
    Fp32: "fp32", "fp32";
});

impl Reduce {
    /// Bytes of a gradient on its way.
    pub fn bytes(self) -> f64 {
        if self == Self::Fp32 { 4.0 } else { BYTES }
    }
}

/// What is sent in one pass through one layer, and the arithmetic beside it: seconds, as functions of the tokens of a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Pass {
    /// Seconds of sending, whatever the tokens: latency, and weights or gradients.
    pub fixed: f64,
    /// Seconds of sending for each token.
    pub per_token: f64,
    /// Seconds of arithmetic for each token.
    pub work: f64,
    /// Seconds of arithmetic for each pair of tokens.
    pub pairs: f64,
}

impl Pass {
    /// Seconds of sending.
    pub fn send(&self, tokens: f64) -> f64 {
        self.fixed + self.per_token * tokens
    }

    /// Seconds of arithmetic.
    pub fn arithmetic(&self, tokens: f64) -> f64 {
        (self.work + self.pairs * tokens) * tokens
    }

    /// Seconds of sending that no arithmetic covers.
    pub fn exposed(&self, tokens: f64) -> f64 {
        (self.send(tokens) - self.arithmetic(tokens)).max(0.0)
    }

    /// The least tokens of a GPU from which on all of it hides. None if no number of tokens hides it.
    pub fn hides_from(&self) -> Option<f64> {
        let spare = self.work - self.per_token;
        if self.fixed == 0.0 && (spare >= 0.0 || self.pairs == 0.0) {
            return (spare >= 0.0).then_some(0.0);
        }
        if self.pairs == 0.0 {
            return (spare > 0.0).then(|| self.fixed / spare);
        }
        // The positive root of pairs·T² + spare·T = fixed, without taking nearly equal numbers from each other.
        let root = (spare * spare + 4.0 * self.pairs * self.fixed).sqrt();
        let tokens = if spare > 0.0 { 2.0 * self.fixed / (spare + root) } else { (root - spare) / (2.0 * self.pairs) };
        tokens.is_finite().then_some(tokens)
    }

    /// Both over the same link, beside the same arithmetic.
    fn and(self, other: Self) -> Self {
        Self { fixed: self.fixed + other.fixed, per_token: self.per_token + other.per_token, ..self }
    }
}

/// A layer: on average over the model's, and of a model with experts one that has them. Weights are gathered layer by layer, so that is the
/// layer that has to hide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layer {
    /// p: elements of its matrices; norms and biases are under a thousandth of them.
    pub weights: f64,
    /// FLOPs of a token, forward: twice the elements that it uses, and attention's own products where they are counted.
    pub flops: f64,
    /// h: width of the residual stream.
    pub hidden: f64,
    /// Width of the MLP, of an expert where there are experts.
    pub wide: f64,
    /// FLOPs of attention's two products for each pair of a query and a key.
    pub pair: f64,
    /// Keys and values that a token leaves in it.
    pub kv: f64,
    /// Exchanges of tensor parallelism, forward: 2, or 1 where attention and MLP stand side by side.
    pub halves: f64,
    /// Experts of a token; 0 where there are none.
    pub copies: f64,
    /// Layers of the model.
    pub layers: f64,
}

impl Layer {
    /// That of a model; attention's own products counted for sequences of `seq` tokens, if given.
    pub fn of(shape: &Shape, seq: Option<u64>) -> Self {
        let layers = shape.num_hidden_layers.max(1) as f64;
        let mixtures = shape.sorts()[1] as f64;
        let beside = shape.kinds.dense_beside_experts;
        let is_here = |t: &Tensor| t.is_hidden_matrix() && (mixtures == 0.0 || beside || t.component != Component::Mlp);
        let hidden = || shape.tensors().into_iter().filter(is_here);
        // Layers that have this matrix.
        let among = |t: &Tensor| match t.component {
            Component::Experts | Component::SharedExperts | Component::Router => mixtures.max(1.0),
            _ => layers,
        };
        let weights: f64 = hidden().map(|t| (t.rows * t.cols) as f64 * t.count as f64 / among(&t)).sum();
        let used: f64 = hidden().map(|t| shape.tensor_flops(&t) / among(&t)).sum();
        // One token without a mask is one pair.
        let pair = shape.forward_flops(1, false);
        let attention = seq.map_or(0.0, |seq| {
            let flops = shape.forward_flops(seq, true);
            flops.scores + flops.values
        });
        let wide = hidden().filter(|t| t.component == Component::Experts && t.cols == shape.hidden_size);
        let expert = wide.map(|t| t.rows as f64).fold(0.0, f64::max);
        Self {
            weights,
            flops: used + attention / layers,
            hidden: shape.hidden_size as f64,
            wide: if expert > 0.0 { expert } else { shape.intermediate_size as f64 },
            pair: (pair.scores + pair.values) / layers,
            kv: shape.kv_values_per_token_per_layer() as f64,
            halves: if shape.norms.per_layer == 1 { 1.0 } else { 2.0 },
            copies: shape.moe.map_or(0.0, |moe| moe.num_experts_per_tok as f64),
            layers,
        }
    }
}

/// What it runs on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    /// The links, at what is reached of their bandwidths.
    pub fabric: Fabric,
    /// FLOPs a second that a GPU reaches.
    pub speed: f64,
}

impl Machine {
    /// F/B, in FLOP for each byte: of a ring of so many ranks.
    pub fn ratio(&self, ranks: usize) -> f64 {
        self.speed / self.fabric.ring_bandwidth(ranks.max(2))
    }
}

/// Whether something hides.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// All of it, or there is nothing to send.
    Free,
    /// Not all of it.
    Exposed,
    /// It cannot be done: why.
    Impossible(String),
}

/// A technique at one place of the map.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Which.
    pub technique: Technique,
    /// What comes of it.
    pub verdict: Verdict,
    /// What it sends; of an impossible one nothing.
    pub terms: Terms,
    /// The least tokens of a GPU from which on it hides, and can be done. None if there are none.
    pub hides_from: Option<f64>,
}

/// A technique on one number of GPUs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Column {
    /// GPUs.
    pub gpus: u64,
    /// The least tokens of a GPU with which it can be done; none if it cannot.
    pub possible_from: Option<f64>,
    /// The least tokens of a GPU from which on it hides; none if it never does.
    pub hides_from: Option<f64>,
}

/// What there is to show.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    /// The state.
    pub params: Params,
    /// A layer of the model.
    pub layer: Layer,
    /// What it runs on.
    pub machine: Machine,
    /// Bytes of the model's states on each GPU, with the chosen technique.
    pub states: f64,
    /// The chosen technique on 1, 2, 4 … GPUs.
    pub columns: Vec<Column>,
    /// Every technique at the place of the state, in the order of [`Technique::ALL`].
    pub here: Vec<Place>,
}

impl Map {
    /// Works it out.
    ///
    /// # Errors
    /// A sentence, if a number is out of its range or the model has no size.
    pub fn new(params: &Params) -> Result<Self, String> {
        params.in_range()?;
        let setup = technique::Setup::new(params)?;
        let columns = std::iter::successors(Some(1_u64), |n| n.checked_mul(2)).take_while(|n| *n <= MAX_GPUS);
        let columns = columns.map(|gpus| setup.column(params.technique, gpus)).collect();
        let here = Technique::ALL.map(|technique| setup.place(technique, params.gpus, params.tokens as f64)).to_vec();
        let states = setup.states(params.technique, params.gpus);
        Ok(Self { params: *params, layer: setup.layer, machine: setup.machine, states, columns, here })
    }

    /// The chosen technique at the place of the state.
    pub fn chosen(&self) -> Option<&Place> {
        self.here.iter().find(|place| place.technique == self.params.technique)
    }

    /// Tokens of all GPUs together.
    pub fn batch(&self) -> f64 {
        self.params.gpus as f64 * self.params.tokens as f64
    }

    /// The most GPUs, of the columns, among which the batch of the state can be shared so that the chosen technique hides; 0 if on none.
    pub fn stretches(&self) -> u64 {
        let batch = self.batch();
        let fits = |c: &&Column| c.hides_from.is_some_and(|tokens| batch / c.gpus as f64 >= tokens);
        self.columns.iter().rev().find(fits).map_or(0, |c| c.gpus)
    }
}

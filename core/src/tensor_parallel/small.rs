//! A language model small enough to be drawn: an embedding, one layer, an output matrix; and what one rank computes with it.

use super::local::{Normed, activate, activate_backward, attend, attend_backward, norm, norm_backward};
use super::matrix::Matrix;
use crate::collective::data::number;

/// Its sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Tokens of the one sequence.
    pub tokens: usize,
    /// Width of the residual stream.
    pub hidden: usize,
    /// Query heads.
    pub heads: usize,
    /// Key–value heads, a divisor of `heads`.
    pub kv_heads: usize,
    /// Width of a head.
    pub head_dim: usize,
    /// Width of the MLP.
    pub mid: usize,
    /// Whether the MLP has a gate: two matrices in.
    pub gated: bool,
    /// Rows of the embedding and columns of the output matrix.
    pub vocab: usize,
}

/// The weights of half a layer, or their gradients: a norm, the matrices in, the matrix out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Half<M> {
    /// Of the norm.
    pub gain: M,
    /// Of the norm.
    pub bias: M,
    /// q, k and v; or gate and up, or up.
    pub first: Vec<M>,
    /// o, or down.
    pub second: M,
}

/// All weights, or all their gradients.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Weights<M> {
    /// A row for each token of the vocabulary.
    pub embedding: M,
    /// Attention, then the MLP.
    pub halves: [Half<M>; 2],
    /// A column for each token of the vocabulary.
    pub head: M,
}

impl<M> Half<M> {
    fn all(&self) -> impl Iterator<Item = &M> {
        [&self.gain, &self.bias].into_iter().chain(&self.first).chain([&self.second])
    }
}

impl<M> Weights<M> {
    /// All matrices, in a fixed order.
    pub fn all(&self) -> Vec<&M> {
        let [attention, mlp] = &self.halves;
        [&self.embedding].into_iter().chain(attention.all()).chain(mlp.all()).chain([&self.head]).collect()
    }
}

/// What half a layer keeps for its backward pass.
#[derive(Debug, Clone, PartialEq)]
struct Kept {
    normed: Normed,
    mids: Vec<Matrix>,
    softmax: Vec<Matrix>,
    act: Matrix,
}

/// A model and what it reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Small {
    /// Its sizes.
    pub sizes: Sizes,
    /// Its weights.
    pub weights: Weights<Matrix>,
    /// The tokens it reads.
    pub ids: Vec<usize>,
    /// The tokens that come next.
    pub targets: Vec<usize>,
}

/// What a step of training computes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// The mean cross-entropy, in nats.
    pub loss: f64,
    /// What the layer puts out.
    pub output: Matrix,
    /// The gradient of what the layer reads.
    pub input_gradient: Matrix,
    /// The gradients of the weights.
    pub gradients: Weights<Matrix>,
}

impl Small {
    /// A model of these sizes with weights that look random and are the same each time.
    pub fn new(sizes: Sizes) -> Self {
        let Sizes { tokens, hidden, heads, kv_heads, head_dim, mid, gated, vocab } = sizes;
        let mut seed = 0;
        // Numbers of −1 to 1, as large as keeps a product of `rows` of them near 1.
        let mut random = |rows: usize, cols: usize| {
            seed += 1;
            let scale = 1.0 / (rows.max(1) as f64).sqrt();
            Matrix::new(rows, cols, |i, j| (f64::from(number(seed, i * cols + j)) / 5.0 - 1.0) * scale)
        };
        let mut half = |first: &[usize], out: usize| Half {
            gain: random(1, hidden).map(|v| 1.0 + v / 2.0),
            bias: random(1, hidden).map(|v| v / 4.0),
            first: first.iter().map(|&cols| random(hidden, cols)).collect(),
            second: random(out, hidden),
        };
        let (query, shared) = (heads * head_dim, kv_heads * head_dim);
        let mlp = [mid, mid];
        let halves = [half(&[query, shared, shared], query), half(if gated { &mlp } else { mlp.split_at(1).0 }, mid)];
        let weights =
            Weights { embedding: random(vocab, hidden).map(|v| v * 2.0), halves, head: random(hidden, vocab) };
        let token = |i: usize| (f64::from(number(vocab, i)) * 10.0) as usize % vocab.max(1);
        let (ids, targets) = (0..tokens).map(|i| (token(i), token(i + 1))).unzip();
        Self { sizes, weights, ids, targets }
    }

    /// One step of training on one rank.
    pub fn one_rank(&self) -> Outcome {
        let x = Matrix::new(self.sizes.tokens, self.sizes.hidden, |i, j| {
            self.ids.get(i).map_or(0.0, |&id| self.weights.embedding.at(id, j))
        });
        let [attention, mlp] = &self.weights.halves;
        let (middle, kept_attention) = self.forward(&x, attention, true);
        let (output, kept_mlp) = self.forward(&middle, mlp, false);

        let logits = output.times(&self.weights.head);
        let (loss, d_logits) = cross_entropy(&logits, &self.targets);
        let d_head = output.transposed().times(&d_logits);
        let d_output = d_logits.times(&self.weights.head.transposed());

        let (d_middle, mlp) = self.backward(&d_output, mlp, &kept_mlp, false);
        let (d_x, attention) = self.backward(&d_middle, attention, &kept_attention, true);
        let mut embedding = Matrix::zero(self.sizes.vocab, self.sizes.hidden);
        for (i, &id) in self.ids.iter().enumerate() {
            d_x.row(i).iter().enumerate().for_each(|(j, &d)| embedding.add_at(id, j, d));
        }
        let gradients = Weights { embedding, halves: [attention, mlp], head: d_head };
        Outcome { loss, output, input_gradient: d_x, gradients }
    }

    fn forward(&self, x: &Matrix, half: &Half<Matrix>, attention: bool) -> (Matrix, Kept) {
        let normed = norm(x, &half.gain, &half.bias);
        let mids: Vec<Matrix> = half.first.iter().map(|w| normed.out.times(w)).collect();
        let (act, softmax) = act(&mids.iter().collect::<Vec<_>>(), attention, self.sizes.head_dim);
        (x.plus(&act.times(&half.second)), Kept { normed, mids, softmax, act })
    }

    fn backward(&self, d: &Matrix, half: &Half<Matrix>, kept: &Kept, attention: bool) -> (Matrix, Half<Matrix>) {
        let d_act = d.times(&half.second.transposed());
        let mids: Vec<&Matrix> = kept.mids.iter().collect();
        let d_mids = act_backward(&d_act, &mids, &kept.softmax, attention, self.sizes.head_dim);
        let d_normed = d_mids
            .iter()
            .zip(&half.first)
            .map(|(d, w)| d.times(&w.transposed()))
            .reduce(|sum, m| sum.plus(&m))
            .unwrap_or_default();
        let [d_input, gain, bias] = norm_backward(&d_normed, &kept.normed, &half.gain);
        let first = d_mids.iter().map(|d| kept.normed.out.transposed().times(d)).collect();
        (d.plus(&d_input), Half { gain, bias, first, second: kept.act.transposed().times(d) })
    }
}

/// What lies between the two matrices of a half: attention, or the non-linearity.
pub(super) fn act(mids: &[&Matrix], attention: bool, head_dim: usize) -> (Matrix, Vec<Matrix>) {
    match mids {
        [q, k, v] if attention => attend([q, k, v], head_dim),
        _ => (activate(mids), Vec::new()),
    }
}

/// Its backward pass.
pub(super) fn act_backward(
    d: &Matrix,
    mids: &[&Matrix],
    softmax: &[Matrix],
    attention: bool,
    head_dim: usize,
) -> Vec<Matrix> {
    match mids {
        [q, k, v] if attention => attend_backward(d, [q, k, v], softmax, head_dim).into(),
        _ => activate_backward(d, mids),
    }
}

/// The mean cross-entropy of the rows, and its gradient.
fn cross_entropy(logits: &Matrix, targets: &[usize]) -> (f64, Matrix) {
    let n = logits.rows.max(1) as f64;
    let sums: Vec<f64> = (0..logits.rows).map(|i| logits.row(i).iter().map(|v| v.exp()).sum()).collect();
    let target = |i: usize| targets.get(i).copied().unwrap_or_default();
    let loss = (0..logits.rows).map(|i| sums[i].ln() - logits.at(i, target(i))).sum::<f64>() / n;
    let hit = |i, j| if target(i) == j { 1.0 } else { 0.0 };
    let gradient = Matrix::new(logits.rows, logits.cols, |i, j| (logits.at(i, j).exp() / sums[i] - hit(i, j)) / n);
    (loss, gradient)
}

//! Forward and backward pass.

use super::numerics::{Input, Matrix, Numerics, Op, Pass};
use super::{INNER, LENGTH, SEQUENCES, TOKENS, VOCABULARY, WIDTH};
use crate::float::elementary::{exp, ln};
use crate::mix::Stream;

/// Tokens and what follows each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The tokens, sequence by sequence.
    pub tokens: Vec<usize>,
    /// What has to be predicted at each: the token before it, which attention alone can find, and the first token at the first.
    pub targets: Vec<usize>,
}

impl Batch {
    /// Random sequences.
    pub fn draw(stream: &mut Stream) -> Self {
        let tokens: Vec<usize> = (0..TOKENS).map(|_| stream.below(VOCABULARY as u64) as usize).collect();
        let before =
            |i: usize| tokens.get(if i.is_multiple_of(LENGTH) { i } else { i - 1 }).copied().unwrap_or_default();
        let targets = (0..TOKENS).map(before).collect();
        Self { tokens, targets }
    }
}

/// Weights, or gradients of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// Token embedding, vocabulary × width.
    pub embedding: Matrix,
    /// Position embedding, length × width.
    pub position: Matrix,
    /// To queries, keys and values, width × width each.
    pub qkv: [Matrix; 3],
    /// Projection of attention, width × width.
    pub output: Matrix,
    /// Into the MLP, width × inner.
    pub up: Matrix,
    /// Out of it, inner × width.
    pub down: Matrix,
    /// The head, width × vocabulary.
    pub head: Matrix,
}

impl Weights {
    /// Random weights. `mean` is added to every embedding, `qk` multiplies queries and keys, `outlier` one channel of the MLP.
    pub fn draw(stream: &mut Stream, mean: f32, qk: f32, outlier: f32) -> Self {
        let mut matrix = |rows: usize, columns: usize, deviation: f64| {
            let data = (0..rows * columns).map(|_| (stream.normal() * deviation) as f32).collect();
            Matrix { columns, data }
        };
        let deviation = 1.0 / (WIDTH as f64).sqrt();
        let embedding = matrix(VOCABULARY, WIDTH, 0.7).map(|x| x + mean);
        let position = matrix(LENGTH, WIDTH, 0.7);
        let [q, k, v] = [qk, qk, 1.0].map(|gain| matrix(WIDTH, WIDTH, deviation).map(|x| x * gain));
        let output = matrix(WIDTH, WIDTH, deviation);
        let mut up = matrix(WIDTH, INNER, deviation);
        up.data.iter_mut().step_by(INNER).for_each(|w| *w *= outlier);
        let down = matrix(INNER, WIDTH, 1.0 / (INNER as f64).sqrt());
        let head = matrix(WIDTH, VOCABULARY, deviation);
        Self { embedding, position, qkv: [q, k, v], output, up, down, head }
    }

    /// All matrices.
    pub fn all(&self) -> [&Matrix; 9] {
        let [q, k, v] = &self.qkv;
        [&self.embedding, &self.position, q, k, v, &self.output, &self.up, &self.down, &self.head]
    }

    /// All matrices, to be changed.
    pub fn all_mut(&mut self) -> [&mut Matrix; 9] {
        let [q, k, v] = &mut self.qkv;
        let (embedding, position) = (&mut self.embedding, &mut self.position);
        [embedding, position, q, k, v, &mut self.output, &mut self.up, &mut self.down, &mut self.head]
    }

    /// The weights that are multiplied. Embeddings are not quantized.
    pub fn rounded(&self, numerics: &Numerics) -> Self {
        let plain = Numerics::new(numerics.compute, numerics.keep, None);
        let w = |m: &Matrix| numerics.weights(m);
        let [q, k, v] = &self.qkv;
        Self {
            embedding: plain.weights(&self.embedding),
            position: plain.weights(&self.position),
            qkv: [w(q), w(k), w(v)],
            output: w(&self.output),
            up: w(&self.up),
            down: w(&self.down),
            head: w(&self.head),
        }
    }
}

/// A norm and what its backward pass needs.
struct Norm {
    out: Matrix,
    /// One over the deviation, of each row.
    inverse: Vec<f32>,
}

/// What the forward pass leaves for the backward pass.
pub struct Forward {
    norms: [Norm; 3],
    /// Queries, keys and values as they are multiplied.
    qkv: [Matrix; 3],
    /// The norms of queries and keys, where there are any.
    qk_norms: Option<[Norm; 2]>,
    probabilities: Vec<Matrix>,
    mixed: Matrix,
    inner: Matrix,
    /// Probabilities of the tokens.
    predicted: Matrix,
    /// The mean loss over `micro` micro-batches like this one, as the run sums it.
    pub loss: f32,
    /// The same mean, computed exactly from the predictions.
    pub exact_loss: f64,
    /// The largest attention logit, whatever its sign.
    pub logit: f32,
    /// The logarithm of the denominator of the softmax over the vocabulary, for each token.
    pub log_z: Vec<f32>,
}

const FORWARD: Pass = Pass::Forward;
const BACKWARD: Pass = Pass::Backward;
const EPSILON: f32 = 1e-5;

fn norm(n: &mut Numerics, op: Op, x: &Matrix) -> Norm {
    let kept = n.keep.norm;
    let width = x.columns as f32;
    let mut out = Matrix::zeros(x.rows(), x.columns);
    let mut inverse = Vec::with_capacity(x.rows());
    for r in 0..x.rows() {
        let row = x.row(r);
        let mean = n.sum(op, FORWARD, kept, row.iter().copied()) / width;
        let mean = n.inner(op, FORWARD, kept, mean);
        let squares: Vec<f32> = row.iter().map(|v| n.inner(op, FORWARD, kept, v * v)).collect();
        let square = n.sum(op, FORWARD, kept, squares.into_iter()) / width;
        let square = n.inner(op, FORWARD, kept, square);
        let variance = square - n.inner(op, FORWARD, kept, mean * mean);
        let variance = n.inner(op, FORWARD, kept, variance + EPSILON);
        let scale = n.inner(op, FORWARD, kept, 1.0 / variance.sqrt());
        for (c, v) in row.iter().enumerate() {
            out.data[r * x.columns + c] = n.round(op, FORWARD, (v - mean) * scale);
        }
        inverse.push(scale);
    }
    Norm { out, inverse }
}

fn norm_backward(n: &mut Numerics, op: Op, norm: &Norm, dy: &Matrix) -> Matrix {
    let kept = n.keep.norm;
    let width = dy.columns as f32;
    let mut dx = Matrix::zeros(dy.rows(), dy.columns);
    for r in 0..dy.rows() {
        let (d, y) = (dy.row(r), norm.out.row(r));
        let mean = n.sum(op, BACKWARD, kept, d.iter().copied()) / width;
        let along = n.sum(op, BACKWARD, kept, d.iter().zip(y).map(|(d, y)| d * y)) / width;
        for c in 0..dy.columns {
            let value = norm.inverse[r] * (d[c] - mean - y[c] * along);
            dx.data[r * dy.columns + c] = n.round(op, BACKWARD, value);
        }
    }
    dx
}

/// Rows of one sequence.
fn sequence(m: &Matrix, s: usize) -> Matrix {
    let size = LENGTH * m.columns;
    Matrix { columns: m.columns, data: m.data[s * size..(s + 1) * size].to_vec() }
}

fn join(parts: Vec<Matrix>, columns: usize) -> Matrix {
    Matrix { columns, data: parts.into_iter().flat_map(|p| p.data).collect() }
}

/// Softmax over the columns that a row may see: those up to its own, or all.
fn softmax(n: &mut Numerics, op: Op, kept: bool, scores: &Matrix, causal: bool) -> Matrix {
    let mut out = Matrix::zeros(scores.rows(), scores.columns);
    for r in 0..scores.rows() {
        let seen = if causal { r + 1 } else { scores.columns };
        let row = &scores.row(r)[..seen];
        let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        // Infinity less itself is NaN, as on a GPU.
        let powers: Vec<f32> = row
            .iter()
            .map(|s| {
                let below = n.inner(op, FORWARD, kept, s - largest);
                n.inner(op, FORWARD, kept, exp(below.into()) as f32)
            })
            .collect();
        let sum = n.sum(op, FORWARD, kept, powers.iter().copied());
        for (c, power) in powers.iter().enumerate() {
            out.data[r * scores.columns + c] = n.round(op, FORWARD, power / sum);
        }
    }
    out
}

/// The forward pass over a batch; the loss is the mean over `micro` such micro-batches.
pub fn forward(n: &mut Numerics, w: &Weights, batch: &Batch, micro: u32) -> Forward {
    let mut x0 = Matrix::zeros(TOKENS, WIDTH);
    for (i, token) in batch.tokens.iter().enumerate() {
        for c in 0..WIDTH {
            let sum = w.embedding.row(*token)[c] + w.position.row(i % LENGTH)[c];
            x0.data[i * WIDTH + c] = n.round(Op::Embedding, FORWARD, sum);
        }
    }
    let first = norm(n, Op::NormAttention, &x0);
    let mut qkv = [0, 1, 2].map(|i| {
        let product = n.product(Input::Value(&first.out), Input::Value(&w.qkv[i]));
        n.finish(Op::Qkv, FORWARD, &product)
    });
    let qk_norms = n.variant.qk_norm.then(|| [0, 1].map(|i| norm(n, Op::Logits, &qkv[i])));
    for (plain, normed) in qkv.iter_mut().zip(qk_norms.iter().flatten()) {
        plain.clone_from(&normed.out);
    }
    let scale = 1.0 / (WIDTH as f32).sqrt();
    let (mut probabilities, mut mixed, mut largest) = (Vec::new(), Vec::new(), 0.0_f32);
    let (keep_logits, keep_softmax) = (n.keep.logits, n.keep.softmax);
    for s in 0..SEQUENCES {
        let [q, k, v] = [0, 1, 2].map(|i| sequence(&qkv[i], s));
        let product = n.product(Input::Value(&q), Input::Value(&k.transposed()));
        let logits = product.map(|x| {
            let x = n.inner(Op::Logits, FORWARD, keep_logits, x);
            n.inner(Op::Logits, FORWARD, keep_logits, x * scale)
        });
        largest = logits.data.iter().fold(largest, |m, x| if x.is_nan() { *x } else { m.max(x.abs()) });
        let p = softmax(n, Op::Softmax, keep_softmax, &logits, true);
        let product = n.product(Input::Value(&p), Input::Value(&v));
        mixed.push(n.finish(Op::Values, FORWARD, &product));
        probabilities.push(p);
    }
    let mixed = join(mixed, WIDTH);
    let product = n.product(Input::Value(&mixed), Input::Value(&w.output));
    let attention = n.finish(Op::Values, FORWARD, &product);
    let x1 = x0.zip(&attention, |a, b| n.round(Op::Values, FORWARD, a + b));
    let second = norm(n, Op::NormMlp, &x1);
    let product = n.product(Input::Value(&second.out), Input::Value(&w.up));
    let inner = n.finish(Op::Mlp, FORWARD, &product).map(|x| if x > 0.0 || x.is_nan() { x } else { 0.0 });
    let product = n.product(Input::Value(&inner), Input::Value(&w.down));
    let mlp = n.finish(Op::Mlp, FORWARD, &product);
    let x2 = x1.zip(&mlp, |a, b| n.round(Op::Mlp, FORWARD, a + b));
    let third = norm(n, Op::NormHead, &x2);
    let product = n.product(Input::Value(&third.out), Input::Value(&w.head));
    let scores = n.finish(Op::Head, FORWARD, &product);
    let kept = n.keep.loss;
    let predicted = softmax(n, Op::Loss, kept, &scores, false);
    let (loss, exact_loss) = loss(n, &scores, &batch.targets, micro);
    let log_z = (0..TOKENS).map(|r| denominator(scores.row(r))).map(|(largest, log)| largest + log as f32).collect();
    Forward {
        norms: [first, second, third],
        qkv,
        qk_norms,
        probabilities,
        mixed,
        inner,
        predicted,
        loss,
        exact_loss,
        logit: largest,
        log_z,
    }
}

/// The largest of the scores, and the logarithm of the sum of the exponentials of what each is below it.
fn denominator(scores: &[f32]) -> (f32, f64) {
    let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    (largest, ln(scores.iter().map(|s| exp(f64::from(s - largest))).sum()))
}

/// The mean of the cross-entropy over `micro` micro-batches alike: as the run sums it, and exactly from the scores.
fn loss(n: &mut Numerics, scores: &Matrix, targets: &[usize], micro: u32) -> (f32, f64) {
    let kept = n.keep.loss;
    let (mut losses, mut exact) = (Vec::with_capacity(TOKENS), 0.0);
    for (r, target) in targets.iter().enumerate() {
        let row = scores.row(r);
        let (largest, log) = denominator(row);
        let loss = log - f64::from(row[*target] - largest);
        exact += loss / TOKENS as f64;
        losses.push(n.inner(Op::Loss, FORWARD, kept, loss as f32));
    }
    let part = n.sum(Op::Loss, FORWARD, kept, losses.into_iter());
    let mut total = if kept { part * micro as f32 } else { 0.0 };
    for _ in 0..if kept { 0 } else { micro } {
        let next = n.round(Op::Loss, FORWARD, total + part);
        // From here on every addition leaves it as it is.
        if next == total || !next.is_finite() {
            total = next;
            break;
        }
        total = next;
    }
    let mean = total / (micro as f32 * TOKENS as f32);
    (n.inner(Op::Loss, FORWARD, kept, mean), exact)
}

/// The gradient of `scale` times the mean loss: of one micro-batch's part of it, rounded as the run rounds it.
pub fn backward(n: &mut Numerics, w: &Weights, batch: &Batch, f: &Forward, micro: u32, scale: f32) -> Weights {
    let kept = n.keep.loss;
    // The gradient starts as the scale itself and is divided by what the mean divides by.
    let start = n.inner(Op::Loss, BACKWARD, kept, scale);
    let start = n.inner(Op::Loss, BACKWARD, kept, start / (micro as f32 * TOKENS as f32));
    let mut d_scores = f.predicted.clone();
    for (r, target) in batch.targets.iter().enumerate() {
        d_scores.data[r * VOCABULARY + target] -= 1.0;
    }
    if n.variant.z_loss != 0.0 {
        // d(z·ln²Z)/ds = 2z·ln Z·p.
        for (i, d) in d_scores.data.iter_mut().enumerate() {
            *d += 2.0 * n.variant.z_loss * f.log_z[i / VOCABULARY] * f.predicted.data[i];
        }
    }
    let d_scores = d_scores.map(|d| n.round(Op::Loss, BACKWARD, d * start));
    let [first, second, third] = &f.norms;
    let (d_head, d_third) = linear(n, Op::Head, &third.out, &w.head, &d_scores);
    let dx2 = norm_backward(n, Op::NormHead, third, &d_third);

    let (d_down, d_inner) = linear(n, Op::Mlp, &f.inner, &w.down, &dx2);
    let d_inner = d_inner.zip(&f.inner, |d, x| if x > 0.0 { d } else { 0.0 });
    let (d_up, d_second) = linear(n, Op::Mlp, &second.out, &w.up, &d_inner);
    let through = norm_backward(n, Op::NormMlp, second, &d_second);
    let dx1 = dx2.zip(&through, |a, b| n.round(Op::NormMlp, BACKWARD, a + b));

    let (d_output, d_mixed) = linear(n, Op::Values, &f.mixed, &w.output, &dx1);
    let mut d_qkv = attention_backward(n, f, &d_mixed);
    for (d, normed) in d_qkv.iter_mut().zip(f.qk_norms.iter().flatten()) {
        *d = norm_backward(n, Op::Logits, normed, d);
    }
    let mut d_first = Matrix::zeros(TOKENS, WIDTH);
    let d_projections = [0, 1, 2].map(|i| {
        let (d_weight, d_input) = linear(n, Op::Qkv, &first.out, &w.qkv[i], &d_qkv[i]);
        d_first = d_first.zip(&d_input, |a, b| n.round(Op::Qkv, BACKWARD, a + b));
        d_weight
    });
    let through = norm_backward(n, Op::NormAttention, first, &d_first);
    let dx0 = dx1.zip(&through, |a, b| n.round(Op::NormAttention, BACKWARD, a + b));
    let mut embedding = Matrix::zeros(VOCABULARY, WIDTH);
    let mut position = Matrix::zeros(LENGTH, WIDTH);
    for (i, token) in batch.tokens.iter().enumerate() {
        for c in 0..WIDTH {
            embedding.data[token * WIDTH + c] += dx0.row(i)[c];
            position.data[i % LENGTH * WIDTH + c] += dx0.row(i)[c];
        }
    }
    let embedding = n.finish(Op::Embedding, BACKWARD, &embedding);
    let position = n.finish(Op::Embedding, BACKWARD, &position);
    Weights { embedding, position, qkv: d_projections, output: d_output, up: d_up, down: d_down, head: d_head }
}

/// The gradients of the weight and of the input of `y = x · weight`.
fn linear(n: &mut Numerics, op: Op, x: &Matrix, weight: &Matrix, dy: &Matrix) -> (Matrix, Matrix) {
    let d_weight = n.product(Input::Value(&x.transposed()), Input::Gradient(dy));
    let d_x = n.product(Input::Gradient(dy), Input::Value(&weight.transposed()));
    (n.finish(op, BACKWARD, &d_weight), n.finish(op, BACKWARD, &d_x))
}

/// The gradients of queries, keys and values.
fn attention_backward(n: &mut Numerics, f: &Forward, d_mixed: &Matrix) -> [Matrix; 3] {
    let scale = 1.0 / (WIDTH as f32).sqrt();
    let (keep_logits, keep_softmax) = (n.keep.logits, n.keep.softmax);
    let mut parts: [Vec<Matrix>; 3] = Default::default();
    for s in 0..SEQUENCES {
        let [q, k, v] = [0, 1, 2].map(|i| sequence(&f.qkv[i], s));
        let (p, dy) = (&f.probabilities[s], sequence(d_mixed, s));
        let product = n.product(Input::Value(&p.transposed()), Input::Gradient(&dy));
        let dv = n.finish(Op::Values, BACKWARD, &product);
        let product = n.product(Input::Gradient(&dy), Input::Value(&v.transposed()));
        let dp = n.finish(Op::Values, BACKWARD, &product);
        let mut d_logits = Matrix::zeros(LENGTH, LENGTH);
        for r in 0..LENGTH {
            let (d, p) = (dp.row(r), p.row(r));
            let along = n.sum(Op::Softmax, BACKWARD, keep_softmax, d.iter().zip(p).map(|(d, p)| d * p));
            for c in 0..=r {
                let value = n.round(Op::Softmax, BACKWARD, p[c] * (d[c] - along));
                d_logits.data[r * LENGTH + c] = n.inner(Op::Logits, BACKWARD, keep_logits, value * scale);
            }
        }
        let product = n.product(Input::Gradient(&d_logits), Input::Value(&k));
        let dq = n.finish(Op::Logits, BACKWARD, &product);
        let product = n.product(Input::Value(&q.transposed()), Input::Gradient(&d_logits));
        let dk = n.finish(Op::Logits, BACKWARD, &product.transposed());
        for (part, d) in parts.iter_mut().zip([dq, dk, dv]) {
            part.push(d);
        }
    }
    parts.map(|part| join(part, WIDTH))
}

//! What a rank computes by itself, forward and backward: layer norm, attention over its heads, the MLP's non-linearity.

use super::matrix::Matrix;

/// What is added to a variance before its root is taken.
const EPSILON: f64 = 1e-5;

/// A layer norm and what its backward pass needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Normed {
    /// The result.
    pub out: Matrix,
    /// Before gain and bias.
    unit: Matrix,
    /// One over the standard deviation of each row.
    inverse: Vec<f64>,
}

/// The layer norm of each row.
pub fn norm(x: &Matrix, gain: &Matrix, bias: &Matrix) -> Normed {
    let n = x.cols.max(1) as f64;
    let (mut inverse, mut means) = (Vec::with_capacity(x.rows), Vec::with_capacity(x.rows));
    for i in 0..x.rows {
        let mean = x.row(i).iter().sum::<f64>() / n;
        let variance = x.row(i).iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
        means.push(mean);
        inverse.push(1.0 / (variance + EPSILON).sqrt());
    }
    let unit = Matrix::new(x.rows, x.cols, |i, j| (x.at(i, j) - means[i]) * inverse[i]);
    let out = Matrix::new(x.rows, x.cols, |i, j| unit.at(i, j) * gain.at(0, j) + bias.at(0, j));
    Normed { out, unit, inverse }
}

/// The gradients of a norm's input, gain and bias, from that of its result.
pub fn norm_backward(d: &Matrix, normed: &Normed, gain: &Matrix) -> [Matrix; 3] {
    let n = d.cols.max(1) as f64;
    let scaled = Matrix::new(d.rows, d.cols, |i, j| d.at(i, j) * gain.at(0, j));
    let mean = |i: usize| scaled.row(i).iter().sum::<f64>() / n;
    let along = |i: usize| scaled.row(i).iter().zip(normed.unit.row(i)).map(|(a, b)| a * b).sum::<f64>() / n;
    let rows: Vec<(f64, f64)> = (0..d.rows).map(|i| (mean(i), along(i))).collect();
    let input = Matrix::new(d.rows, d.cols, |i, j| {
        let (mean, along) = rows[i];
        (scaled.at(i, j) - mean - normed.unit.at(i, j) * along) * normed.inverse.get(i).copied().unwrap_or_default()
    });
    [input, d.zip(&normed.unit, |a, b| a * b).column_sums(), d.column_sums()]
}

/// Causal attention of queries, keys and values with heads of `width` columns. Groups of query heads share a key–value head.
/// Yields the result and each head's attention weights.
pub fn attend([q, k, v]: [&Matrix; 3], width: usize) -> (Matrix, Vec<Matrix>) {
    let heads = q.cols / width.max(1);
    let (mut out, mut weights) = (Vec::with_capacity(heads), Vec::with_capacity(heads));
    for head in 0..heads {
        let [query, key, value] = head_of([q, k, v], head, width);
        let scores = query.times(&key.transposed()).map(|s| s / (width as f64).sqrt());
        let softmax = causal_softmax(&scores);
        out.push(softmax.times(&value));
        weights.push(softmax);
    }
    (Matrix::beside(out.iter()), weights)
}

/// The gradients of queries, keys and values from that of the result.
pub fn attend_backward(d: &Matrix, [q, k, v]: [&Matrix; 3], weights: &[Matrix], width: usize) -> [Matrix; 3] {
    let (heads, kv_heads) = (q.cols / width.max(1), k.cols / width.max(1));
    let mut queries = Vec::with_capacity(heads);
    let mut shared = [(); 2].map(|()| vec![Matrix::zero(k.rows, width); kv_heads]);
    for (head, softmax) in weights.iter().enumerate().take(heads) {
        let [query, key, value] = head_of([q, k, v], head, width);
        let d = d.some_cols(head * width, width);
        let d_softmax = d.times(&value.transposed());
        let along = |i: usize| -> f64 { softmax.row(i).iter().zip(d_softmax.row(i)).map(|(a, b)| a * b).sum() };
        let along: Vec<f64> = (0..softmax.rows).map(along).collect();
        let d_scores = Matrix::new(softmax.rows, softmax.cols, |i, j| {
            softmax.at(i, j) * (d_softmax.at(i, j) - along[i]) / (width as f64).sqrt()
        });
        queries.push(d_scores.times(&key));
        let group = group(head, heads, kv_heads);
        let [keys, values] = &mut shared;
        for (all, one) in [(keys, d_scores.transposed().times(&query)), (values, softmax.transposed().times(&d))] {
            if let Some(sum) = all.get_mut(group) {
                *sum = sum.plus(&one);
            }
        }
    }
    let [keys, values] = shared;
    [queries, keys, values].map(|list| Matrix::beside(list.iter()))
}

/// The key–value head of a query head.
fn group(head: usize, heads: usize, kv_heads: usize) -> usize {
    head * kv_heads / heads.max(1)
}

fn head_of([q, k, v]: [&Matrix; 3], head: usize, width: usize) -> [Matrix; 3] {
    let group = group(head, q.cols / width.max(1), k.cols / width.max(1));
    [q.some_cols(head * width, width), k.some_cols(group * width, width), v.some_cols(group * width, width)]
}

/// The softmax of each row over the tokens up to its own.
fn causal_softmax(scores: &Matrix) -> Matrix {
    let rows: Vec<(f64, f64)> = (0..scores.rows)
        .map(|i| {
            let seen = scores.row(i).iter().take(i + 1);
            let most = seen.clone().fold(f64::NEG_INFINITY, |m, &s| m.max(s));
            (most, seen.map(|s| (s - most).exp()).sum())
        })
        .collect();
    Matrix::new(scores.rows, scores.cols, |i, j| {
        let (most, sum) = rows[i];
        if j <= i { (scores.at(i, j) - most).exp() / sum } else { 0.0 }
    })
}

/// SiLU, x·σ(x) (Elfwing et al. 2017), and its derivative.
fn silu(x: f64) -> (f64, f64) {
    let sigmoid = 1.0 / (1.0 + (-x).exp());
    (x * sigmoid, sigmoid * (1.0 + x * (1.0 - sigmoid)))
}

/// The MLP's non-linearity: SiLU of one matrix, or SiLU of the first times the second (SwiGLU).
pub fn activate(mids: &[&Matrix]) -> Matrix {
    match mids {
        [gate, up, ..] => gate.zip(up, |g, u| silu(g).0 * u),
        [up] => up.map(|u| silu(u).0),
        [] => Matrix::default(),
    }
}

/// The gradients of what it was given, from that of its result.
pub fn activate_backward(d: &Matrix, mids: &[&Matrix]) -> Vec<Matrix> {
    match mids {
        [gate, up, ..] => {
            let to_gate = gate.zip(up, |g, u| silu(g).1 * u);
            vec![d.zip(&to_gate, |d, g| d * g), d.zip(gate, |d, g| d * silu(g).0)]
        }
        [up] => vec![d.zip(up, |d, u| d * silu(u).1)],
        [] => Vec::new(),
    }
}

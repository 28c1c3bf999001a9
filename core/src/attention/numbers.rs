//! The numbers: queries, keys, values and the gradient of the output of one head, the same on every machine; and plain
//! softmax attention of a row, in double precision, which every algorithm is compared with.

use super::algorithm::Matrix;

/// The standard deviation of a score, which is N(0, this²) to a good approximation: wide enough for maxima to change often.
const SPREAD: f64 = 2.0;

/// An element of Q, K, V or dO: evenly spread around 0. Keys have a variance of 1, queries of 4, values and
/// dO lie between −1 and 1. Zero for any other matrix.
pub fn element(matrix: Matrix, row: u64, column: u64) -> f32 {
    let (stream, width) = match matrix {
        Matrix::Q => (1, SPREAD * 3_f64.sqrt()),
        Matrix::K => (2, 3_f64.sqrt()),
        Matrix::V => (3, 1.0),
        Matrix::DO => (4, 1.0),
        _ => return 0.0,
    };
    // SplitMix64's finalizer (Steele, Lea and Flood 2014).
    let mut z = ((stream << 56) + (row << 16) + column + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    // 24 bits: what an f32 holds.
    let unit = (z >> 40) as f64 / (1_u64 << 24) as f64;
    (width * (2.0 * unit - 1.0)) as f32
}

/// A row of a matrix of `width` columns.
pub fn row(matrix: Matrix, row: u64, width: u64) -> Vec<f32> {
    (0..width).map(|column| element(matrix, row, column)).collect()
}

/// A query times a key over √d, in single precision.
pub fn score(query: &[f32], key: &[f32]) -> f32 {
    let sum: f32 = query.iter().zip(key).map(|(q, k)| q * k).sum();
    sum / (query.len() as f32).sqrt()
}

/// Softmax attention of one query over the keys and values that it sees, in double precision.
#[derive(Debug, Clone, PartialEq)]
pub struct Plain {
    /// The largest score.
    pub max: f64,
    /// The sum of e^(score − max).
    pub sum: f64,
    /// The row of O.
    pub output: Vec<f64>,
}

impl Plain {
    /// Of a query over `keys` and `values`, as many of each.
    pub fn new<'a>(
        query: &[f32],
        keys: impl Iterator<Item = &'a [f32]> + Clone,
        values: impl Iterator<Item = &'a [f32]>,
    ) -> Self {
        let root = (query.len() as f64).sqrt();
        let dot = |key: &[f32]| query.iter().zip(key).map(|(q, k)| f64::from(*q) * f64::from(*k)).sum::<f64>() / root;
        let scores: Vec<f64> = keys.map(dot).collect();
        let max = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = scores.iter().map(|s| (s - max).exp()).sum();
        let mut output = vec![0.0; query.len()];
        for (s, value) in scores.iter().zip(values) {
            let weight = (s - max).exp() / sum;
            output.iter_mut().zip(value).for_each(|(o, v)| *o += weight * f64::from(*v));
        }
        Self { max, sum, output }
    }
}

/// The most by which an element of O in single precision may differ from [`Plain`]'s, for values of at most 1.
///
/// With u = 2⁻²⁴: a score is off by at most (d + 2)·u·B, where B bounds Σ|q·k|/√d; its exponential by as much again, by 2u·B
/// for the subtraction of the maximum and a few u of its own; each of the `blocks` rescalings by 4u + 2u·B/blocks, because
/// the differences of maxima add up to at most 2B; sums of N terms by N·u. A weight is the quotient of two such numbers,
/// and the output a sum of N. Twice the first order leaves room for the second.
pub fn bound(seq: u64, head_dim: u64, blocks: u64) -> f64 {
    let d = head_dim as f64;
    // |q| ≤ SPREAD·√3 and |k| ≤ √3.
    let b = 3.0 * SPREAD * d.sqrt();
    let weight = (d + 2.0) * b + 4.0 * b + 8.0 + 4.0 * blocks as f64 + seq as f64;
    2.0 * (2.0 * weight + seq as f64) * (-24_f64).exp2()
}

//! Softmax of a row that comes in blocks: the running maximum, the running sum, and the output that is rescaled whenever the
//! maximum grows.
//!
//! Milakov and Gimelshein, "Online normalizer calculation for softmax", arXiv:1805.02867, Algorithm 3; with the output carried
//! along as in FlashAttention.

use super::algorithm::{Algo, Matrix};
use super::numbers::{self, Plain, score};

/// A row on its way.
#[derive(Debug, Clone, PartialEq)]
pub struct Online {
    /// The largest score so far, m; −∞ before the first.
    pub max: f32,
    /// The sum of e^(score − m) so far, ℓ.
    pub sum: f32,
    /// The output so far: divided by ℓ at every block in FlashAttention, at the end in FlashAttention-2.
    pub output: Vec<f32>,
    /// Multiplications and divisions that have rescaled elements of the output.
    pub rescales: u64,
}

impl Online {
    /// A row of `width` outputs that has seen nothing.
    pub fn new(width: usize) -> Self {
        Self { max: f32::NEG_INFINITY, sum: 0.0, output: vec![0.0; width], rescales: 0 }
    }

    /// Takes in a block of scores, −∞ where they are masked, with their values; yields the factor e^(m − m′) by which the
    /// past is rescaled. FlashAttention (Algorithm 1, lines 10 to 12) brings block and past to one scale and divides by ℓ;
    /// FlashAttention-2 (Algorithm 1, lines 9 and 10) rescales the past alone and divides when the row ends.
    pub fn take<'a>(&mut self, scores: &[f32], values: impl Iterator<Item = &'a [f32]>, algo: Algo) -> f32 {
        let block = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let max = self.max.max(block);
        let divides = algo != Algo::Flash2;
        let times = if divides { 3 } else { 1 };
        self.rescales += times * self.output.len() as u64;
        if block == f32::NEG_INFINITY {
            return 1.0;
        }
        let factor = (self.max - max).exp();
        let base = if divides { block } else { max };
        let mut added = vec![0.0; self.output.len()];
        let mut sum = 0.0;
        for (s, value) in scores.iter().zip(values) {
            let weight = (s - base).exp();
            sum += weight;
            added.iter_mut().zip(value).for_each(|(o, v)| *o += weight * v);
        }
        let scale = (base - max).exp();
        let before = self.sum * factor;
        self.sum = before + scale * sum;
        self.max = max;
        for (o, a) in self.output.iter_mut().zip(added) {
            *o = if divides { (before * *o + scale * a) / self.sum } else { factor * *o + a };
        }
        factor
    }

    /// Ends the row: FlashAttention-2's one division. Yields L = m + ln ℓ.
    pub fn finish(&mut self, algo: Algo) -> f32 {
        if algo == Algo::Flash2 {
            self.output.iter_mut().for_each(|o| *o /= self.sum);
            self.rescales += self.output.len() as u64;
        }
        self.max + self.sum.ln()
    }
}

/// A block of a row that was taken in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Taken {
    /// Its columns: from, to (as far as the row sees).
    pub columns: (u64, u64),
    /// The largest score of the block alone.
    pub block_max: f32,
    /// m before and after it.
    pub max: [f32; 2],
    /// e^(m − m′): 0 at the first block.
    pub factor: f32,
    /// The sum of e^(score − m′) over the block.
    pub added: f32,
    /// ℓ before and after it.
    pub sum: [f32; 2],
    /// The first element of the row of O as it is carried along, after it.
    pub output: f32,
}

/// A row from the first block to the last, and what plain softmax makes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The scores that it sees.
    pub scores: Vec<f32>,
    /// Its blocks.
    pub blocks: Vec<Taken>,
    /// The row of O.
    pub output: Vec<f32>,
    /// The same by plain softmax.
    pub plain: Plain,
}

/// Most numbers of K that are worked out for a row: 8192 keys of 64. More would be felt while a slider is dragged.
pub const MOST: u64 = 1 << 19;

impl Row {
    /// Row `row` of `seq`, its keys taken `columns` at a time; none if there is too much of it ([`MOST`]) or it has no
    /// keys.
    pub fn new(row: u64, seq: u64, head_dim: u64, columns: u64, causal: bool, algo: Algo) -> Option<Self> {
        let sees = if causal { (row + 1).min(seq) } else { seq };
        if sees == 0 || head_dim == 0 || sees * head_dim > MOST {
            return None;
        }
        let query = numbers::row(Matrix::Q, row, head_dim);
        let all = |matrix: Matrix| -> Vec<f32> { (0..sees).flat_map(|r| numbers::row(matrix, r, head_dim)).collect() };
        let (keys, values) = (all(Matrix::K), all(Matrix::V));
        let width = head_dim as usize;
        let scores: Vec<f32> = keys.chunks(width).map(|key| score(&query, key)).collect();
        let mut online = Online::new(width);
        let mut blocks = Vec::new();
        let step = columns.clamp(1, seq) as usize;
        for (i, (block, part)) in scores.chunks(step).zip(values.chunks(step * width)).enumerate() {
            let before = (online.max, online.sum);
            let factor = online.take(block, part.chunks(width), algo);
            let from = (i * step) as u64;
            blocks.push(Taken {
                columns: (from, from + block.len() as u64),
                block_max: block.iter().copied().fold(f32::NEG_INFINITY, f32::max),
                max: [before.0, online.max],
                factor,
                added: block.iter().map(|s| (s - online.max).exp()).sum(),
                sum: [before.1, online.sum],
                output: online.output.first().copied().unwrap_or_default(),
            });
        }
        online.finish(algo);
        let plain = Plain::new(&query, keys.chunks(width), values.chunks(width));
        Some(Self { scores, blocks, output: online.output, plain })
    }

    /// What each of the first `taken` blocks is worth in ℓ after the last of them: what it added, times every factor since.
    pub fn parts(&self, taken: usize) -> Vec<f64> {
        let mut parts: Vec<f64> = Vec::new();
        for block in self.blocks.iter().take(taken) {
            parts.iter_mut().for_each(|part| *part *= f64::from(block.factor));
            parts.push(f64::from(block.added));
        }
        parts
    }

    /// L = m + ln ℓ, all that the backward pass needs of the row.
    pub fn lse(&self) -> f64 {
        self.blocks.last().map_or(0.0, |b| f64::from(b.max[1]) + f64::from(b.sum[1]).ln())
    }

    /// The largest difference of an element of O from plain softmax.
    pub fn difference(&self) -> f64 {
        self.output.iter().zip(&self.plain.output).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max)
    }
}

//! What each puzzle comes to, on the CPU: in f32, in the order of its solution.

use ringside_core::kernels::workbench::{BLOCK, CHUNK, TAPS};

use super::check::Expected;
use crate::descriptor::Dims;
use crate::lanes::fold;

/// Invocations of a workgroup.
const LANES: usize = BLOCK as usize;
/// Unit roundoff of f32.
const ROUND: f32 = 1.0 / (1 << 24) as f32;
/// Largest error of an exponential and a division in WGSL beside the largest value of a row, both ways.
const EXP: f32 = 1e-4;

/// Values with an error of at most `steps` roundings of the sum of what each is made of, on the GPU and here.
fn rounded(values: Vec<f32>, weights: impl IntoIterator<Item = f32>, steps: usize) -> Expected {
    let slack = weights.into_iter().map(|weight| 2.0 * steps as f32 * ROUND * weight).collect();
    Expected { values, slack }
}

/// Values that are what they are made of.
fn plain(values: Vec<f32>) -> Expected {
    let weights: Vec<f32> = values.iter().map(|v| v.abs()).collect();
    rounded(values, weights, 1)
}

fn size(dims: &Dims, name: &str) -> usize {
    dims.get(name) as usize
}

pub(super) fn plus_ten(_: &Dims, inputs: &[Vec<f32>]) -> Expected {
    let [a] = inputs else { return plain(Vec::new()) };
    plain(a.iter().map(|a| a + 10.0).collect())
}

pub(super) fn products(_: &Dims, inputs: &[Vec<f32>]) -> Expected {
    let [a, b] = inputs else { return plain(Vec::new()) };
    plain(a.iter().zip(b).map(|(a, b)| a * b).collect())
}

pub(super) fn doubled(_: &Dims, inputs: &[Vec<f32>]) -> Expected {
    let [a] = inputs else { return plain(Vec::new()) };
    plain(a.iter().map(|a| 2.0 * a).collect())
}

pub(super) fn outer_sum(_: &Dims, inputs: &[Vec<f32>]) -> Expected {
    let [a, b] = inputs else { return plain(Vec::new()) };
    plain(a.iter().flat_map(|a| b.iter().map(move |b| a + b)).collect())
}

pub(super) fn transposed(dims: &Dims, inputs: &[Vec<f32>]) -> Expected {
    let [a] = inputs else { return plain(Vec::new()) };
    let cols = size(dims, "cols");
    plain((0..cols).flat_map(|col| a.iter().skip(col).step_by(cols.max(1)).copied()).collect())
}

pub(super) fn block_sums(_: &Dims, inputs: &[Vec<f32>]) -> Expected {
    let [a] = inputs else { return plain(Vec::new()) };
    let sum = |block: &[f32]| fold(BLOCK, block.iter().copied(), 0.0, |x, y| x + y);
    let weights: Vec<f32> = a.chunks(LANES).map(|block| block.iter().map(|v| v.abs()).sum()).collect();
    rounded(a.chunks(LANES).map(sum).collect(), weights, LANES)
}

pub(super) fn convolved(_: &Dims, inputs: &[Vec<f32>]) -> Expected {
    let [a, w] = inputs else { return plain(Vec::new()) };
    let reach = TAPS as usize / 2;
    let padded = [&vec![0.0; reach][..], a, &vec![0.0; reach]].concat();
    let (mut values, mut weights) = (Vec::with_capacity(a.len()), Vec::with_capacity(a.len()));
    for window in padded.windows(TAPS as usize) {
        let terms = || w.iter().zip(window).map(|(w, a)| w * a);
        values.push(terms().sum());
        weights.push(terms().map(f32::abs).sum());
    }
    rounded(values, weights, TAPS as usize + 1)
}

pub(super) fn dot(_: &Dims, inputs: &[Vec<f32>]) -> Expected {
    let [a, b] = inputs else { return plain(Vec::new()) };
    let products = || a.iter().zip(b).map(|(a, b)| a * b);
    let weight = products().map(f32::abs).sum();
    rounded(vec![fold(BLOCK, products(), 0.0, |x, y| x + y)], [weight], a.len() + 1)
}

pub(super) fn prefix_sums(_: &Dims, inputs: &[Vec<f32>]) -> Expected {
    let [a] = inputs else { return plain(Vec::new()) };
    let (mut values, mut weights) = (Vec::with_capacity(a.len()), Vec::with_capacity(a.len()));
    for block in a.chunks(LANES) {
        let mut sums = block.to_vec();
        let mut step = 1;
        while step < LANES {
            let before = sums.clone();
            for (sum, before) in sums.iter_mut().skip(step).zip(&before) {
                *sum += before;
            }
            step *= 2;
        }
        values.extend(sums);
        weights.extend(block.iter().scan(0.0, |sum, value| {
            *sum += value.abs();
            Some(*sum)
        }));
    }
    rounded(values, weights, LANES)
}

pub(super) fn compacted(_: &Dims, inputs: &[Vec<f32>]) -> Expected {
    let [a] = inputs else { return plain(Vec::new()) };
    let mut values = Vec::with_capacity(a.len());
    for block in a.chunks(LANES) {
        values.extend(block.iter().filter(|value| **value > 0.0));
        values.extend(block.iter().filter(|value| **value <= 0.0).map(|_| 0.0));
    }
    plain(values)
}

pub(super) fn product(dims: &Dims, inputs: &[Vec<f32>]) -> Expected {
    product_by(dims, inputs, size(dims, "k"))
}

pub(super) fn tiled_product(dims: &Dims, inputs: &[Vec<f32>]) -> Expected {
    product_by(dims, inputs, 16)
}

/// Along k, `depth` at a time.
fn product_by(dims: &Dims, inputs: &[Vec<f32>], depth: usize) -> Expected {
    let [a, b] = inputs else { return plain(Vec::new()) };
    let [m, n, k] = ["m", "n", "k"].map(|name| size(dims, name));
    let (mut values, mut weights) = (vec![0.0; m * n], vec![0.0; m * n]);
    for start in (0..k).step_by(depth.max(1)) {
        for i in start..(start + depth).min(k) {
            for (row, (values, weights)) in values.chunks_mut(n).zip(weights.chunks_mut(n)).enumerate() {
                let a = a[row * k + i];
                for ((value, weight), b) in values.iter_mut().zip(weights).zip(&b[i * n..]) {
                    *value += a * b;
                    *weight += (a * b).abs();
                }
            }
        }
    }
    rounded(values, weights, k + 1)
}

/// Rows near 200 and rows near −200, in turn.
pub(super) fn far_from_zero(dims: &Dims, inputs: &mut [Vec<f32>]) {
    let [a] = inputs else { return };
    for (row, values) in a.chunks_mut(size(dims, "cols").max(1)).enumerate() {
        let middle = if row % 2 == 0 { 200.0 } else { -200.0 };
        values.iter_mut().for_each(|v| *v = 3.0 * *v + middle);
    }
}

/// What no value of a row is below.
const LOWEST: f32 = -3.4e38;

fn quotients(row: &[f32], most: f32, sum: f32) -> (Vec<f32>, Vec<f32>) {
    let values: Vec<f32> = row.iter().map(|v| (v - most).exp() / sum).collect();
    let largest = values.iter().copied().fold(0.0, f32::max);
    let slack = vec![EXP * largest; row.len()];
    (values, slack)
}

fn by_row(dims: &Dims, inputs: &[Vec<f32>], most_and_sum: impl Fn(&[f32]) -> (f32, f32)) -> Expected {
    let [a] = inputs else { return plain(Vec::new()) };
    let mut expected = Expected { values: Vec::with_capacity(a.len()), slack: Vec::with_capacity(a.len()) };
    for row in a.chunks(size(dims, "cols").max(1)) {
        let (most, sum) = most_and_sum(row);
        let (values, slack) = quotients(row, most, sum);
        expected.values.extend(values);
        expected.slack.extend(slack);
    }
    expected
}

pub(super) fn softmax(dims: &Dims, inputs: &[Vec<f32>]) -> Expected {
    by_row(dims, inputs, |row| {
        let most = fold(BLOCK, row.iter().copied(), LOWEST, f32::max);
        (most, fold(BLOCK, row.iter().map(|value| (value - most).exp()), 0.0, |x, y| x + y))
    })
}

pub(super) fn online_softmax(dims: &Dims, inputs: &[Vec<f32>]) -> Expected {
    by_row(dims, inputs, |row| fold(BLOCK, row.iter().map(|value| (*value, 1.0)), (LOWEST, 0.0), merged))
}

/// Maximum and sum of what two pairs cover.
fn merged((most, sum): (f32, f32), (other, others): (f32, f32)) -> (f32, f32) {
    let now = most.max(other);
    (now, sum * (most - now).exp() + others * (other - now).exp())
}

pub(super) fn doubled_and_added(_: &Dims, inputs: &[Vec<f32>]) -> Expected {
    let [a, b] = inputs else { return plain(Vec::new()) };
    let weights = a.iter().zip(b).map(|(a, b)| 2.0 * a.abs() + b.abs());
    rounded(a.iter().zip(b).map(|(a, b)| 2.0 * a + b).collect(), weights, 2)
}

pub(super) fn in_bands(dims: &Dims, inputs: &[Vec<f32>]) -> Expected {
    let [a] = inputs else { return plain(Vec::new()) };
    let [rows, cols, high] = ["rows", "cols", "high"].map(|name| size(dims, name));
    let mut values = Vec::with_capacity(a.len());
    for top in (0..rows).step_by(high.max(1)) {
        for col in 0..cols {
            values.extend((top..(top + high).min(rows)).map(|row| a[row * cols + col]));
        }
    }
    plain(values)
}

pub(super) fn chunk_sums(dims: &Dims, inputs: &[Vec<f32>]) -> Expected {
    let [a, b] = inputs else { return plain(Vec::new()) };
    let (mut values, mut weights) = (Vec::new(), Vec::new());
    for row in a.chunks(size(dims, "k").max(1)) {
        for (a, b) in row.chunks(CHUNK as usize).zip(b.chunks(CHUNK as usize)) {
            let products = || a.iter().zip(b).map(|(a, b)| a * b);
            values.push(fold(BLOCK, products(), 0.0, |x, y| x + y));
            weights.push(products().map(f32::abs).sum());
        }
    }
    rounded(values, weights, CHUNK as usize + 1)
}

/// Largest scores far from 0 and from each other, and sums as they are with a largest score among them: at least 1.
pub(super) fn apart(_: &Dims, inputs: &mut [Vec<f32>]) {
    let [mosts, sums, _] = inputs else { return };
    for (i, most) in mosts.iter_mut().enumerate() {
        *most = 4.0 * *most + if i % 5 < 3 { 150.0 } else { 147.0 };
    }
    sums.iter_mut().for_each(|sum| *sum = 1.0 + 3.0 * sum.abs());
}

pub(super) fn merged_chunks(dims: &Dims, inputs: &[Vec<f32>]) -> Expected {
    let [mosts, sums, parts] = inputs else { return plain(Vec::new()) };
    let [chunks, d] = ["chunks", "d"].map(|name| size(dims, name).max(1));
    let mut expected = Expected { values: Vec::new(), slack: Vec::new() };
    for (row, (mosts, sums)) in mosts.chunks(chunks).zip(sums.chunks(chunks)).enumerate() {
        for i in 0..d {
            let part = |chunk: usize| parts[(row * chunks + chunk) * d + i];
            let (mut most, mut sum, mut all, mut weight) = (LOWEST, 0.0, 0.0, 0.0);
            for (chunk, (other, others)) in mosts.iter().zip(sums).enumerate() {
                let now = f32::max(most, *other);
                let (kept, share) = ((most - now).exp(), (other - now).exp());
                sum = sum * kept + others * share;
                all = all * kept + part(chunk) * share;
                weight = weight * kept + part(chunk).abs() * share;
                most = now;
            }
            expected.values.push(all / sum);
            expected.slack.push(EXP * weight / sum);
        }
    }
    expected
}

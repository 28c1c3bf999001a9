//! What operations on rows, sums and the intensity ladder come to in f64, row by row.

use ringside_core::kernels::rows::{EPSILON, Op};
use ringside_core::kernels::stream::Intensity;

/// A row of the output in f64, and how far each value may be from it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reference {
    /// What exact arithmetic comes to, but for f64's own rounding.
    pub values: Vec<f64>,
    /// The largest error that rounding explains, by value: the error bound of the kernel that is least exact is a factor of
    /// this; see [`crate::check`].
    pub weights: Vec<f64>,
}

fn double(values: &[f32]) -> impl Iterator<Item = f64> + Clone {
    values.iter().map(|v| f64::from(*v))
}

/// A row of the output of `op`, of `row` of the matrices among `inputs` and all of the vectors.
pub(crate) fn row(op: Op, inputs: &[Vec<f32>], row: usize, cols: usize) -> Reference {
    let part = |i: usize| &inputs[i][row * cols..][..cols];
    match (op, inputs) {
        (Op::Softmax, [_]) => softmax(part(0)),
        (Op::LayerNorm, [_, gamma, beta]) => layer_norm(part(0), gamma, beta),
        (Op::Chain, [_, b, _, _]) => chain(part(0), b, part(2), part(3)),
        _ => Reference::default(),
    }
}

fn softmax(x: &[f32]) -> Reference {
    let most = double(x).fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = double(x).map(|x| (x - most).exp()).collect();
    let sum: f64 = weights.iter().sum();
    Reference { weights: vec![1.0 / sum; x.len()], values: weights.iter().map(|w| w / sum).collect() }
}

/// The mean is as exact as the largest value lets it be.
fn layer_norm(x: &[f32], gamma: &[f32], beta: &[f32]) -> Reference {
    let n = x.len() as f64;
    let mean = double(x).sum::<f64>() / n;
    let variance = double(x).map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    let inverse = 1.0 / (variance + EPSILON).sqrt();
    let largest = double(x).map(f64::abs).fold(0.0, f64::max);
    let affine = || double(gamma).zip(double(beta));
    Reference {
        values: double(x).zip(affine()).map(|(x, (gamma, beta))| (x - mean) * inverse * gamma + beta).collect(),
        weights: affine().map(|(gamma, beta)| largest * inverse * gamma.abs() + beta.abs()).collect(),
    }
}

/// GELU is nowhere steeper than 1.13, so that what the first sum is off is about as much at the end.
fn chain(x: &[f32], b: &[f32], g: &[f32], r: &[f32]) -> Reference {
    let mut reference = Reference::default();
    for ((x, b), (g, r)) in double(x).zip(double(b)).zip(double(g).zip(double(r))) {
        let t = x + b;
        // (1 + tanh u)/2 = 1/(1 + exp(−2u)): one function of the standard library instead of two.
        let u = (2.0 / std::f64::consts::PI).sqrt() * (t + 0.044_715 * t * t * t);
        let active = t / (1.0 + (-2.0 * u).exp());
        reference.values.push(active * g + r);
        reference.weights.push((x.abs() + b.abs()) * g.abs() + r.abs());
    }
    reference
}

/// The sum, and that of the magnitudes.
pub(crate) fn sum(x: &[f32]) -> Reference {
    Reference { values: vec![double(x).sum()], weights: vec![double(x).map(f64::abs).sum()] }
}

/// One value, and what the roundings on the way to it have come to: that of each product and sum, shrunk by the products that
/// follow.
pub(crate) fn ladder(sizes: Intensity, x: f32) -> Reference {
    let scale = f64::from((1.0 / sizes.fma.max(1) as f32).sqrt());
    let x = f64::from(x);
    let (mut value, mut weight) = (x, 0.0);
    for _ in 0..sizes.fma {
        let product = value * scale;
        weight = weight * scale + product.abs() + x.abs();
        value = product + x;
    }
    Reference { values: vec![value], weights: vec![weight] }
}

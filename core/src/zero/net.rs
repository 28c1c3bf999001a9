//! What is trained: linear layers of one width with ReLU between them, a mean squared error, and Adam. All in fp32, and
//! with arithmetic that IEEE 754 rounds the same everywhere.
//!
//! A layer's parameters are one flat list: the matrix row by row (out × in), then the bias. Activations are rows of
//! `width` numbers, one for each example. Adam as in Kingma and Ba, arXiv:1412.6980, Algorithm 1, at its tenth step, so
//! that its moments are not zero.

use crate::collective::data::number;

/// Adam's constants.
const RATE: f32 = 0.01;
const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;
/// The step that is taken, counted from 1.
const STEP: usize = 10;

/// Parameters of a layer.
pub fn elements(width: usize) -> usize {
    width * width + width
}

/// The parameters of a layer before the step.
pub fn parameters(layer: usize, width: usize) -> Vec<f32> {
    // Uniform with the variance 2/width, which keeps the size of activations behind a ReLU (He et al. 2015).
    let scale = (6.0 / width as f32).sqrt() / 5.0;
    (0..elements(width)).map(|i| (number(layer, i) - 5.0) * scale).collect()
}

/// Adam's first moment of a layer before the step.
pub fn momentum(layer: usize, width: usize) -> Vec<f32> {
    (0..elements(width)).map(|i| (number(100 + layer, i) - 5.0) / 50.0).collect()
}

/// Adam's second moment of a layer before the step.
pub fn variance(layer: usize, width: usize) -> Vec<f32> {
    (0..elements(width)).map(|i| number(200 + layer, i) / 100.0).collect()
}

/// The examples from `first` on, as many as `rows`: what goes in.
pub fn inputs(first: usize, rows: usize, width: usize) -> Vec<f32> {
    examples(300, first, rows, width)
}

/// What should come out for them.
fn targets(first: usize, rows: usize, width: usize) -> Vec<f32> {
    examples(700, first, rows, width)
}

fn examples(stream: usize, first: usize, rows: usize, width: usize) -> Vec<f32> {
    (first..first + rows).flat_map(|row| (0..width).map(move |i| (number(stream + row, i) - 5.0) / 5.0)).collect()
}

/// The matrix and the bias in a layer's parameters.
fn split(parameters: &[f32], width: usize) -> (&[f32], &[f32]) {
    parameters.split_at((width * width).min(parameters.len()))
}

/// One layer: x Wᵀ + b for each row of `x`, and ReLU after it unless it is the last.
pub fn forward(parameters: &[f32], x: &[f32], width: usize, last: bool) -> Vec<f32> {
    let (matrix, bias) = split(parameters, width);
    let mut y = Vec::with_capacity(x.len());
    for row in x.chunks_exact(width) {
        for (weights, b) in matrix.chunks_exact(width).zip(bias) {
            let mut sum = *b;
            for (w, x) in weights.iter().zip(row) {
                sum += w * x;
            }
            y.push(if last { sum } else { sum.max(0.0) });
        }
    }
    y
}

/// The gradient of the mean squared error over `rows` rows, for the output `y` of the examples from `first` on.
pub fn loss_gradient(y: &[f32], first: usize, rows: usize, width: usize) -> Vec<f32> {
    let scale = 2.0 / (rows * width).max(1) as f32;
    y.iter().zip(targets(first, rows, width)).map(|(y, t)| (y - t) * scale).collect()
}

/// The backward pass of one layer: the gradients of its parameters and of what went into it, from its input `x` and the
/// gradient `dz` of its output before ReLU. `x` is the ReLU of the layer before, unless this is the first.
pub fn backward(parameters: &[f32], x: &[f32], dz: &[f32], width: usize, first: bool) -> (Vec<f32>, Vec<f32>) {
    let (matrix, _) = split(parameters, width);
    let mut gradient = vec![0.0; elements(width)];
    let mut dx = vec![0.0; x.len()];
    let (of_matrix, of_bias) = gradient.split_at_mut(width * width);
    for ((x, dz), dx) in x.chunks_exact(width).zip(dz.chunks_exact(width)).zip(dx.chunks_exact_mut(width)) {
        let outputs = matrix.chunks_exact(width).zip(of_matrix.chunks_exact_mut(width)).zip(of_bias.iter_mut());
        for (((weights, dw), db), d) in outputs.zip(dz) {
            *db += d;
            for (((dw, dx), w), x) in dw.iter_mut().zip(dx.iter_mut()).zip(weights).zip(x) {
                *dw += d * x;
                *dx += d * w;
            }
        }
        if !first {
            for (dx, x) in dx.iter_mut().zip(x) {
                if *x <= 0.0 {
                    *dx = 0.0;
                }
            }
        }
    }
    (gradient, dx)
}

/// Adam's step for some parameters and their moments, with `scale` times their gradients.
pub fn adam(parameters: &mut [f32], momentum: &mut [f32], variance: &mut [f32], gradients: &[f32], scale: f32) {
    let power = |base: f32| (0..STEP).fold(1.0, |power: f32, _| power * base);
    let (correct1, correct2) = (1.0 - power(BETA1), 1.0 - power(BETA2));
    for (((p, m), v), g) in parameters.iter_mut().zip(momentum).zip(variance).zip(gradients) {
        let g = g * scale;
        *m = BETA1 * *m + (1.0 - BETA1) * g;
        *v = BETA2 * *v + (1.0 - BETA2) * g * g;
        *p -= RATE * (*m / correct1) / ((*v / correct2).sqrt() + EPSILON);
    }
}

/// Parameters and both moments of each layer after the step, as one rank takes it: `batches` micro-batches of `rows` rows
/// one after the other, their gradients added in that order and averaged.
pub fn alone(layers: usize, width: usize, batches: usize, rows: usize) -> Vec<[Vec<f32>; 3]> {
    let model: Vec<Vec<f32>> = (0..layers).map(|layer| parameters(layer, width)).collect();
    let mut sums = vec![vec![0.0; elements(width)]; layers];
    for batch in 0..batches {
        let first = batch * rows;
        let mut kept = vec![inputs(first, rows, width)];
        for (layer, parameters) in model.iter().enumerate() {
            if let Some(x) = kept.last() {
                kept.push(forward(parameters, x, width, layer + 1 == layers));
            }
        }
        let mut flow = loss_gradient(&kept.pop().unwrap_or_default(), first, rows, width);
        for (layer, parameters) in model.iter().enumerate().rev() {
            let (gradient, dx) = backward(parameters, &kept.pop().unwrap_or_default(), &flow, width, layer == 0);
            flow = dx;
            if let Some(sum) = sums.get_mut(layer) {
                sum.iter_mut().zip(gradient).for_each(|(sum, g)| *sum += g);
            }
        }
    }
    let scale = 1.0 / batches.max(1) as f32;
    let step = |((layer, mut parameters), gradients): ((usize, Vec<f32>), Vec<f32>)| {
        let (mut momentum, mut variance) = (momentum(layer, width), variance(layer, width));
        adam(&mut parameters, &mut momentum, &mut variance, &gradients, scale);
        [parameters, momentum, variance]
    };
    model.into_iter().enumerate().zip(sums).map(step).collect()
}

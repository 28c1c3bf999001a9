//! The optimizer's numbers, and what of the network may be otherwise.

use super::numerics::{Matrix, Numerics, Variant};

/// How a run is trained, beside its learning rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recipe {
    /// How much of the running means of the gradient and of its square Adam keeps at each step.
    pub betas: (f64, f64),
    /// What Adam adds to the root of the second.
    pub epsilon: f64,
    /// The norm to which a longer gradient is shortened.
    pub clip: Option<f64>,
    /// What the gradient is multiplied by: the number of ranks where it was to be averaged and is only summed.
    pub factor: f64,
    /// What of the network is otherwise.
    pub variant: Variant,
}

impl Default for Recipe {
    fn default() -> Self {
        let variant = Variant { qk_norm: false, z_loss: 0.0, reversed: false };
        Self { betas: (0.9, 0.95), epsilon: 1e-8, clip: None, factor: 1.0, variant }
    }
}

/// Adam's moments of one matrix, in fp32.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Moments {
    first: Vec<f32>,
    second: Vec<f32>,
}

impl Moments {
    pub(super) fn of(matrix: &Matrix) -> Self {
        Self { first: vec![0.0; matrix.data.len()], second: vec![0.0; matrix.data.len()] }
    }

    /// One step of Adam (Kingma and Ba 2015, algorithm 1), `t` counted from 1. Returns the sum of the squares of the updates.
    pub(super) fn update(&mut self, w: &mut Matrix, g: &Matrix, by: &Update<'_>) -> f64 {
        let Recipe { betas, epsilon, .. } = *by.recipe;
        let power = |beta: f64| (0..by.t).fold(1.0, |p, _| p * beta);
        let correct = (1.0 - power(betas.0), 1.0 - power(betas.1));
        let mut squares = 0.0;
        for (i, (w, g)) in w.data.iter_mut().zip(&g.data).enumerate() {
            let g = f64::from(*g) * by.unscale;
            let first = betas.0 * f64::from(self.first[i]) + (1.0 - betas.0) * g;
            let second = betas.1 * f64::from(self.second[i]) + (1.0 - betas.1) * g * g;
            (self.first[i], self.second[i]) = (first as f32, second as f32);
            let step = by.rate * (first / correct.0) / ((second / correct.1).sqrt() + epsilon);
            squares += step * step;
            *w = by.numerics.updated((f64::from(*w) - step) as f32);
        }
        squares
    }
}

/// What an update is made by.
pub(super) struct Update<'a> {
    pub(super) recipe: &'a Recipe,
    pub(super) numerics: &'a Numerics,
    /// What the gradient is multiplied by first.
    pub(super) unscale: f64,
    pub(super) rate: f64,
    /// Updates so far, this one included.
    pub(super) t: u32,
}

//! A model that is smaller than the best for its training, because it will be served.
//!
//! A token costs 6N to train on and 2N to serve. For one loss there are many pairs of a size and a number of tokens; the
//! cheapest to train is the optimum of its budget, and the cheapest in all is smaller.
//!
//! Source: Sardana et al. 2024, "Beyond Chinchilla-Optimal", arXiv:2401.00448, equation 2; de Vries 2023, "Go smol or go
//! home", for the question.

use super::fit::{Fit, Point};

/// FLOPs for each pair of a parameter and a token in the forward pass alone.
pub const FORWARD_PER_PAIR: f64 = 2.0;

/// FLOPs of training at `at` and serving `served` tokens.
pub fn total(at: Point, served: f64) -> f64 {
    at.compute() + FORWARD_PER_PAIR * at.params * served
}

/// The model of this loss that is cheapest to train and to serve `served` tokens with; none if no model has this loss.
///
/// The cost is a sum of a falling and a rising power over the size, so it has one minimum: found by golden section between
/// the smallest model that can reach the loss and the optimum of training alone.
pub fn leanest(fit: &Fit, loss: f64, served: f64) -> Option<Point> {
    let optimum = fit.optimum(fit.compute_for(loss)?);
    let smallest = (fit.a / (loss - fit.e)).powf(1.0 / fit.alpha);
    let at = |ln: f64| {
        let params = ln.exp();
        fit.tokens_for(params, loss).map(|tokens| Point { params, tokens })
    };
    let cost = |ln: f64| at(ln).map_or(f64::INFINITY, |point| total(point, served));
    let golden = (5_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (smallest.ln(), optimum.params.ln() + 1e-9);
    for _ in 0..80 {
        let step = golden * (high - low);
        let (left, right) = (high - step, low + step);
        if cost(left) <= cost(right) {
            high = right;
        } else {
            low = left;
        }
    }
    at(f64::midpoint(low, high)).or(Some(optimum))
}

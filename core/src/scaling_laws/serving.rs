//! A model that is smaller than the best for its training, because it will be served.
//!
//! A token costs 6N to train on and 2N to serve. For one loss there are many pairs of a size and a number of tokens; the
//! cheapest to train is the optimum of its budget, and the cheapest in all is smaller.

use super::data;
use super::fit::{Fit, Point};
use crate::declare::Origin;

/// Where the cost over a lifetime comes from.
pub const ORIGIN: Origin = Origin::Of(
    "Sardana et al. 2024, “Beyond Chinchilla-Optimal”, arXiv:2401.00448, eq. 2; de Vries 2023, “Go smol or go home”, for the question",
);

/// FLOPs for each pair of a parameter and a token in the forward pass alone.
pub const FORWARD_PER_PAIR: f64 = 2.0;

/// FLOPs of training at `at` and serving `served` tokens.
pub fn total(at: Point, served: f64) -> f64 {
    at.compute() + FORWARD_PER_PAIR * at.params * served
}

/// The model with the loss of `here` that is cheapest to train and to serve `served` tokens with, when there are `unique` tokens of text.
///
/// Of sizes from a thousandth of this one's to a thousand times as much the cheapest on a grid, then a search by golden section around it:
/// with limited text the cost need not have one minimum only.
pub fn leanest(fit: &Fit, here: Point, unique: f64, served: f64) -> Point {
    const GRID: u32 = 256;
    let loss = data::loss(fit, here, unique);
    let at = |ln: f64| {
        let params = ln.exp();
        data::tokens_for(fit, params, loss, unique).map(|tokens| Point { params, tokens })
    };
    let cost = |ln: f64| at(ln).map_or(f64::INFINITY, |point| total(point, served));
    let middle = here.params.ln();
    let apart = 2.0 * 1000_f64.ln() / f64::from(GRID);
    let grid = (0..=GRID).map(|i| middle + apart * (f64::from(i) - f64::from(GRID / 2)));
    let cheapest = grid.min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or(middle);
    let golden = (5_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (cheapest - apart, cheapest + apart);
    for _ in 0..60 {
        let step = golden * (high - low);
        let (left, right) = (high - step, low + step);
        if cost(left) <= cost(right) {
            high = right;
        } else {
            low = left;
        }
    }
    let found = at(f64::midpoint(low, high)).filter(|point| total(*point, served) <= total(here, served));
    found.unwrap_or(here)
}

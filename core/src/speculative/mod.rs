//! Speculative decoding: several tokens are drafted cheaply and checked in one pass of the model.
//!
//! Leviathan, Kalman, Matias 2023, arXiv:2211.17192. A drafted token x is kept with probability min(1, p(x)/q(x)); the first that is not
//! is replaced by a draw from norm(max(p − q, 0)), so that what comes out is distributed as p. With γ drafted tokens and a mean
//! probability α that one is kept, a pass yields (1 − α^(γ+1)) / (1 − α) tokens on average (eq. 1), its own included.

pub mod figure;
pub mod serving;
#[cfg(test)]
mod tests;

use crate::declare::Origin;

/// Where the tokens of a pass come from.
pub const ORIGIN: Origin = Origin::Of("Leviathan, Kalman and Matias 2023, arXiv:2211.17192, eq. 1");

/// Probability that a token drafted from `draft` is kept: the sum of the smaller of both probabilities, 1 less their total
/// variation distance (Theorem 3.5 and Corollary 3.6).
pub fn acceptance(target: &[f64], draft: &[f64]) -> f64 {
    target.iter().zip(draft).map(|(p, q)| p.min(*q)).sum()
}

/// Where a token is drawn from in place of one that was not kept: norm(max(p − q, 0)); none if every token is kept.
pub fn residual(target: &[f64], draft: &[f64]) -> Option<Vec<f64>> {
    let over: Vec<f64> = target.iter().zip(draft).map(|(p, q)| (p - q).max(0.0)).collect();
    let sum: f64 = over.iter().sum();
    (sum > 1e-12).then(|| over.into_iter().map(|part| part / sum).collect())
}

/// Tokens of a pass on average, when `drafted` tokens are checked and each is kept with probability `alpha`.
pub fn tokens(alpha: f64, drafted: u32) -> f64 {
    // Summed, the closed form needs no case of its own for α = 1.
    (0..=drafted).map(|n| alpha.powi(n as i32)).sum()
}

/// How many times as fast, when drafting a token takes `cost` of a pass and checking several takes as long as one (Theorem 3.8).
pub fn speedup(alpha: f64, drafted: u32, cost: f64) -> f64 {
    tokens(alpha, drafted) / (cost * f64::from(drafted) + 1.0)
}

/// How many times the operations for each token, when drafting one takes `cost` of the operations (Theorem 3.11).
pub fn operations(alpha: f64, drafted: u32, cost: f64) -> f64 {
    (f64::from(drafted) * cost + f64::from(drafted) + 1.0) / tokens(alpha, drafted)
}

//! How far the policy is from its reference, estimated from the tokens that it sampled.
//!
//! With d = log π − log π_ref of a token that π sampled (Schulman 2020, "Approximating KL divergence"): k1 = d is right on average and may
//! be negative; k2 = d²/2 is never negative and biased; k3 = exp(−d) − 1 + d is never negative and right on average. GRPO takes k3.

use crate::float::elementary::exp;

/// The three estimates of one token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimates {
    /// The difference of log-probabilities.
    pub k1: f64,
    /// Half its square.
    pub k2: f64,
    /// exp(−k1) − 1 + k1.
    pub k3: f64,
}

/// The estimates of a token with these log-probabilities under the policy and under the reference.
pub fn estimates(policy: f64, reference: f64) -> Estimates {
    let k1 = policy - reference;
    Estimates { k1, k2: 0.5 * k1 * k1, k3: exp(-k1) - 1.0 + k1 }
}

/// The rewards of an answer's tokens: −β·k1 for each, and the score at the last (InstructGPT, arXiv:2203.02155, §3.5 and Appendix C.4).
pub fn rewards(policy: &[f64], reference: &[f64], score: f64, beta: f64) -> Vec<f64> {
    let mut rewards: Vec<f64> = policy.iter().zip(reference).map(|(p, r)| -beta * (p - r)).collect();
    if let Some(last) = rewards.last_mut() {
        *last += score;
    }
    rewards
}

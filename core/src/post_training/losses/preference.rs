//! Learning from pairs: a reward model's loss, and DPO, which needs none.
//!
//! Ouyang et al. 2022, arXiv:2203.02155, equation 1; Rafailov et al. 2023, arXiv:2305.18290, equation 7. DPO's implicit reward of an
//! answer is β(log π − log π_ref) of the whole answer.

use crate::float::elementary::{exp, ln};

/// −log σ(x), without overflow on either side.
fn minus_log_sigmoid(x: f64) -> f64 {
    (-x).max(0.0) + ln(1.0 + exp(-x.abs()))
}

/// The loss of a reward model on a pair.
pub fn pairwise(chosen: f64, rejected: f64) -> f64 {
    minus_log_sigmoid(chosen - rejected)
}

/// The log-probabilities of a pair's answers under the policy and the reference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// The better answer's, under policy and reference.
    pub chosen: [f64; 2],
    /// The other's.
    pub rejected: [f64; 2],
}

impl Pair {
    /// log π − log π_ref of each answer.
    pub fn log_ratios(&self) -> [f64; 2] {
        [self.chosen, self.rejected].map(|[policy, reference]| policy - reference)
    }

    /// The implicit rewards.
    pub fn rewards(&self, beta: f64) -> [f64; 2] {
        self.log_ratios().map(|ratio| beta * ratio)
    }

    /// By how much the policy's preference exceeds the reference's.
    pub fn margin(&self) -> f64 {
        let [chosen, rejected] = self.log_ratios();
        chosen - rejected
    }

    /// DPO's loss. `smoothing` is the probability that the pair is labelled the wrong way round: 0 for none (conservative DPO).
    pub fn dpo(&self, beta: f64, smoothing: f64) -> f64 {
        let margin = beta * self.margin();
        (1.0 - smoothing) * minus_log_sigmoid(margin) + smoothing * minus_log_sigmoid(-margin)
    }

    /// The same made unbiased under such labels (robust DPO, Chowdhury et al. 2024, arXiv:2403.00409).
    pub fn robust(&self, beta: f64, smoothing: f64) -> f64 {
        let margin = beta * self.margin();
        let sum = (1.0 - smoothing) * minus_log_sigmoid(margin) - smoothing * minus_log_sigmoid(-margin);
        sum / (1.0 - 2.0 * smoothing)
    }

    /// The hinge of SLiC.
    pub fn hinge(&self, beta: f64) -> f64 {
        (1.0 - beta * self.margin()).max(0.0)
    }

    /// IPO (Azar et al. 2023, arXiv:2310.12036, equation 17), each side's log-ratio divided by its `tokens`: (1, 1) as OpenRLHF has it, the
    /// answers' lengths as TRL has it.
    pub fn ipo(&self, beta: f64, tokens: [f64; 2]) -> f64 {
        let [chosen, rejected] = self.log_ratios();
        (chosen / tokens[0].max(1.0) - rejected / tokens[1].max(1.0) - 1.0 / (2.0 * beta)).powi(2)
    }
}

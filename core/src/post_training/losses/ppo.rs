//! PPO's clipped objective and what GRPO and its relatives make of it.
//!
//! Schulman et al. 2017, arXiv:1707.06347, equation 7: maximise min(rA, clip(r, 1 − ε, 1 + ε)A). As a loss it is
//! max(−rA, −clip(r)A). A bound of its own above (DAPO, arXiv:2503.14476), a second clip for negative advantages (Ye et al. 2020,
//! arXiv:1912.09729) and one ratio for a whole answer (GSPO, arXiv:2507.18071) are variants of it. Libraries differ in what they
//! average: TRL 0.11.4 and verl all tokens, TRL's `grpo` and OpenRLHF's sequence level each answer first, Dr. GRPO divides by a constant.

use super::masked_mean;
use crate::float::elementary::exp;

/// Where the ratio is clipped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clip {
    /// ε below 1.
    pub low: f64,
    /// ε above 1.
    pub high: f64,
    /// The least objective of a token with a negative advantage, as a multiple of it; none for no second clip.
    pub dual: Option<f64>,
}

impl Clip {
    /// The same ε on both sides.
    pub const fn of(epsilon: f64) -> Self {
        Self { low: epsilon, high: epsilon, dual: None }
    }

    /// The ratio within its bounds.
    pub fn ratio(self, ratio: f64) -> f64 {
        ratio.max(1.0 - self.low).min(1.0 + self.high)
    }
}

/// The objective of one token or answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surrogate {
    /// What is minimised.
    pub loss: f64,
    /// Whether the clipped term is the larger: what libraries count as the clip fraction.
    pub clipped: bool,
    /// d loss / d log-probability: −rA, or 0 where the clipped term is flat.
    pub slope: f64,
}

/// The objective at a ratio r and an advantage A.
pub fn surrogate(ratio: f64, advantage: f64, clip: Clip) -> Surrogate {
    let (plain, bounded) = (-advantage * ratio, -advantage * clip.ratio(ratio));
    let clipped = bounded > plain;
    let loss = plain.max(bounded);
    let slope = if clipped { 0.0 } else { plain };
    match clip.dual {
        Some(most) if advantage < 0.0 && -advantage * most < loss => {
            Surrogate { loss: -advantage * most, clipped, slope: 0.0 }
        }
        _ => Surrogate { loss, clipped, slope },
    }
}

/// The ratio of a token.
pub fn ratio(new: f64, old: f64) -> f64 {
    exp(new - old)
}

/// One ratio for a whole answer: the geometric mean of its tokens' (GSPO, equation 7).
pub fn sequence_ratio(new: &[f64], old: &[f64], mask: &[bool]) -> f64 {
    let logs: Vec<f64> = new.iter().zip(old).map(|(n, o)| n - o).collect();
    exp(masked_mean(&logs, mask))
}

/// How the losses of tokens become one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Average {
    /// Over all tokens of the batch (TRL 0.11.4, DAPO).
    Tokens,
    /// Over the tokens of each answer, then over answers (GRPO): a token of a short answer weighs more.
    Answers,
    /// The sum over each answer, then the mean over answers.
    Sums,
    /// The sum over all, divided by answers × this many tokens (Dr. GRPO, arXiv:2503.20783).
    Constant(f64),
}

impl Average {
    /// The average of rows of losses.
    pub fn of(self, losses: &[Vec<f64>], masks: &[Vec<bool>]) -> f64 {
        let count = masks.iter().flatten().filter(|kept| **kept).count() as f64;
        let answers = losses.len() as f64;
        let sum = |row: &[f64], mask: &[bool]| -> f64 {
            row.iter().zip(mask).filter(|(_, kept)| **kept).map(|(loss, _)| *loss).sum()
        };
        let rows = || losses.iter().zip(masks);
        let total: f64 = rows().map(|(row, mask)| sum(row, mask)).sum();
        let by = match self {
            Average::Tokens => count,
            Average::Answers => {
                let means: f64 = rows().map(|(row, mask)| masked_mean(row, mask)).sum();
                return if answers > 0.0 { means / answers } else { 0.0 };
            }
            Average::Sums => answers,
            Average::Constant(tokens) => answers * tokens,
        };
        if by > 0.0 { total / by } else { 0.0 }
    }
}

/// The critic's loss of one token: half the larger of both squared errors, of its value and of its value kept within `range` of what it
/// was when sampled.
pub fn value_loss(new: f64, old: f64, target: f64, range: f64) -> f64 {
    let bounded = new.max(old - range).min(old + range);
    0.5 * (new - target).powi(2).max((bounded - target).powi(2))
}

//! The critical batch size: how many steps a larger batch saves, and how many tokens it costs.
//!
//! The gradient of a batch of B tokens is the true one plus noise with a variance of 1/B. While the noise is larger than the
//! gradient, twice the batch halves the steps; beyond, it doubles the tokens. With the gradient noise scale
//! B_noise = tr(Σ)/|G|² as critical batch size,
//!
//! S = S_min · (1 + B_crit/B) and E = E_min · (1 + B/B_crit), with E = B · S and E_min = B_crit · S_min.
//!
//! For language B_crit(L) = B* / L^(1/α_B) with B* = 2 × 10⁸ tokens and α_B = 0.21.

use crate::declare::Origin;
use crate::scaling_laws::POINTS;

/// Where the critical batch comes from.
pub const ORIGIN: Origin = Origin::Of(
    "McCandlish et al. 2018, arXiv:1812.06162, eq. 2.8 and 2.11; Kaplan et al. 2020, arXiv:2001.08361, eq. 5.3, for language",
);

/// B* of Kaplan et al., tokens.
pub const KAPLAN_B: f64 = 2e8;
/// α_B of Kaplan et al.
pub const KAPLAN_ALPHA: f64 = 0.21;

/// Where the critical batch size is from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Noise {
    /// Measured, in tokens.
    Measured(f64),
    /// Kaplan's law at the loss of the run's end.
    Kaplan,
}

impl Noise {
    /// The critical batch size at this loss, tokens.
    pub fn critical(self, loss: f64) -> f64 {
        match self {
            Noise::Measured(tokens) => tokens,
            Noise::Kaplan => KAPLAN_B / loss.powf(1.0 / KAPLAN_ALPHA),
        }
    }
}

/// Steps at this batch over the fewest possible: 1 + B_crit/B.
pub fn step_factor(batch: f64, critical: f64) -> f64 {
    1.0 + critical / batch
}

/// Tokens at this batch over the fewest possible: 1 + B/B_crit.
pub fn token_factor(batch: f64, critical: f64) -> f64 {
    1.0 + batch / critical
}

/// What another batch would take for what `batch` reaches with `tokens`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trade {
    /// Tokens of the batch.
    pub batch: f64,
    /// Steps.
    pub steps: f64,
    /// Tokens.
    pub tokens: f64,
}

/// The trade at `batch`, for what a batch of `planned` reaches with `tokens`.
pub fn trade(tokens: f64, planned: f64, critical: f64, batch: f64) -> Trade {
    let fewest = tokens / token_factor(planned, critical);
    let tokens = fewest * token_factor(batch, critical);
    Trade { batch, steps: tokens / batch, tokens }
}

/// Trades for batches from a hundredth of the critical one to a hundred times it.
pub fn trades(tokens: f64, planned: f64, critical: f64) -> Vec<Trade> {
    let at = |i: usize| critical * 10_f64.powf(4.0 * i as f64 / (POINTS - 1) as f64 - 2.0);
    (0..POINTS).map(|i| trade(tokens, planned, critical, at(i))).collect()
}

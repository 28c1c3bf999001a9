//! RoPE beyond the length of training: how much slower each pair is turned.
//!
//! A pair with angle θ a token comes round in λ = 2π/θ tokens, and training on L tokens shows it L/λ turns. To read s·L tokens:
//! - position interpolation turns every pair s times slower: Chen et al., arXiv:2306.15595, eq. 4;
//! - NTK-aware scaling raises the base to b·s^(d/(d−2)), which leaves the first pair and slows the last s times: Peng et al., "YaRN",
//!   arXiv:2309.00071, §3.1;
//! - by parts: pairs with at least β turns in training stay, those with at most α are slowed s times, between them the angles are
//!   mixed, (1 − γ)·θ/s + γ·θ with γ = (L/λ − α)/(β − α): the same, §3.2. YaRN has α = 1 and β = 32. Llama 3.1 has α = 1 and β = 4:
//!   meta-llama/llama-models, `apply_scaling` in `models/llama3/model.py`, `low_freq_factor` and `high_freq_factor`.

use crate::declare::Origin;
use std::f64::consts::TAU;

use crate::options;

/// Where the ways to stretch RoPE come from.
pub const ORIGIN: Origin = Origin::Of(
    "Chen et al. 2023 (position interpolation), arXiv:2306.15595, eq. 4; Peng et al. 2023 (YaRN), arXiv:2309.00071, §3.1 and §3.2; meta-llama/llama-models, models/llama3/model.py, apply_scaling",
);

/// By which rule pairs are slowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stretch {
    /// All alike.
    #[default]
    Positions,
    /// By a larger base.
    Ntk,
    /// By parts, as YaRN bounds them.
    Yarn,
    /// By parts, as Llama 3.1 bounds them.
    Llama3,
}

options!(Stretch {
    Positions: "linear", "position interpolation";
    Ntk: "ntk", "NTK-aware: a larger base";
    Yarn: "yarn", "by parts: YaRN";
    Llama3: "llama3", "by parts: Llama 3.1";
});

impl Stretch {
    /// How many times slower pair `i` of a head of `dim` numbers is turned, whose angle in training is `angle` a token, for a
    /// context `factor` times the `trained` tokens.
    pub fn slower(self, i: u64, dim: u64, angle: f64, factor: f64, trained: f64) -> f64 {
        let by_parts = |few: f64, many: f64| {
            let turns = trained * angle / TAU;
            let kept = ((turns - few) / (many - few)).clamp(0.0, 1.0);
            1.0 / ((1.0 - kept) / factor + kept)
        };
        match self {
            Stretch::Positions => factor,
            Stretch::Ntk if dim > 2 => factor.powf(2.0 * i as f64 / (dim - 2) as f64),
            Stretch::Ntk => 1.0,
            Stretch::Yarn => by_parts(1.0, 32.0),
            Stretch::Llama3 => by_parts(1.0, 4.0),
        }
    }
}

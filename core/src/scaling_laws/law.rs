//! The laws by name: what each says of the best model for a budget, and the surface under it where it has one.

use super::fit::{Fit, Point};
use super::{PER_PAIR, PF_DAY};
use crate::declare::Origin;
use crate::options;

/// Where the laws come from.
pub const ORIGIN: Origin = Origin::Of(
    "Kaplan et al. 2020, arXiv:2001.08361; Hoffmann et al. 2022 (Chinchilla), arXiv:2203.15556, eq. 4 and 10; Besiroglu et al. 2024, arXiv:2404.10102; Muennighoff et al. 2023, arXiv:2305.16264, appendix A: the law you choose",
);

/// A published law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Law {
    /// Kaplan et al. 2020.
    Kaplan,
    /// Hoffmann et al. 2022, approach 1: the lowest loss over training curves.
    Approach1,
    /// Hoffmann et al. 2022, approach 2: the bottoms of isoFLOP curves.
    Approach2,
    /// Hoffmann et al. 2022, approach 3, with the constants that the paper prints.
    Rounded,
    /// The same with all digits.
    Unrounded,
    /// Besiroglu et al. 2024.
    #[default]
    Refit,
    /// Muennighoff et al. 2023.
    C4,
}

options!(Law {
    Kaplan: "kaplan", "Kaplan 2020";
    Approach1: "approach-1", "Hoffmann 2022, approach 1";
    Approach2: "approach-2", "Hoffmann 2022, approach 2";
    Rounded: "approach-3", "Hoffmann 2022, approach 3 as printed";
    Unrounded: "approach-3-exact", "Hoffmann 2022, approach 3, all digits";
    Refit: "refit", "Besiroglu 2024, approach 3 fitted again";
    C4: "c4", "Muennighoff 2023, on C4";
});

/// How a law gets from a budget to a model.
enum Frontier {
    /// N = k · C^a.
    Power {
        /// The parameters at one FLOP.
        k: f64,
        /// The exponent.
        a: f64,
    },
    /// The bottom of a surface.
    Surface(Fit),
}

/// Model sizes of the table of optima, Hoffmann et al. 2022, Table 3 and Table A3.
const SIZES: [f64; 9] = [0.4e9, 1e9, 10e9, 67e9, 175e9, 280e9, 520e9, 1e12, 10e12];
/// FLOPs for each of [`SIZES`] by approach 1 (Table 3).
const BUDGETS_1: [f64; 9] = [1.92e19, 1.21e20, 1.23e22, 5.76e23, 3.85e24, 9.90e24, 3.43e25, 1.27e26, 1.30e28];
/// FLOPs for each of [`SIZES`] by approach 2 (Table A3).
const BUDGETS_2: [f64; 9] = [1.84e19, 1.20e20, 1.32e22, 6.88e23, 4.54e24, 1.18e25, 4.19e25, 1.59e26, 1.75e28];

impl Law {
    /// Where it is from.
    pub fn source(self) -> &'static str {
        match self {
            Law::Kaplan => {
                "Kaplan et al., arXiv:2001.08361, Table 6: N = 1.3e9 · C^0.73, C in PF-days, without embeddings"
            }
            Law::Approach1 => "Hoffmann et al., arXiv:2203.15556, Table 3: a power law through its nine rows",
            Law::Approach2 => "Hoffmann et al., arXiv:2203.15556, Table A3: a power law through its nine rows",
            Law::Rounded => "Hoffmann et al., arXiv:2203.15556, equation 10",
            Law::Unrounded => "Hoffmann et al., arXiv:2203.15556, LaTeX source, by epoch-research/analyzing-chinchilla",
            Law::Refit => "Besiroglu et al., arXiv:2404.10102; digits of epoch-research/analyzing-chinchilla",
            Law::C4 => "Muennighoff et al., arXiv:2305.16264, appendix A",
        }
    }

    /// The surface that it was read from; none where only the frontier was published.
    pub fn surface(self) -> Option<Fit> {
        match self {
            Law::Kaplan | Law::Approach1 | Law::Approach2 => None,
            Law::Rounded => Some(Fit::ROUNDED),
            Law::Unrounded => Some(Fit::UNROUNDED),
            Law::Refit => Some(Fit::REFIT),
            Law::C4 => Some(Fit::C4),
        }
    }

    fn frontier(self) -> Frontier {
        match self {
            // Table 6: N_e = 1.3e9 parameters at one PF-day, p_N = 0.73.
            Law::Kaplan => Frontier::Power { k: 1.3e9 / PF_DAY.powf(0.73), a: 0.73 },
            Law::Approach1 => through(&BUDGETS_1),
            Law::Approach2 => through(&BUDGETS_2),
            _ => Frontier::Surface(self.surface().unwrap_or(Fit::REFIT)),
        }
    }

    /// The model and the tokens for a budget. Kaplan's tokens are what the budget leaves, C/6N: its own Table 6 has twice as
    /// many, because it trains at the critical batch size and counts the FLOPs of a small one.
    pub fn optimum(self, compute: f64) -> Point {
        match self.frontier() {
            Frontier::Power { k, a } => {
                let params = k * compute.powf(a);
                Point { params, tokens: compute / (PER_PAIR * params) }
            }
            Frontier::Surface(fit) => fit.optimum(compute),
        }
    }

    /// The exponent a of N ∝ C^a.
    pub fn exponent(self) -> f64 {
        match self.frontier() {
            Frontier::Power { a, .. } => a,
            Frontier::Surface(fit) => fit.exponent(),
        }
    }
}

/// The power law through the rows of a table, by least squares in logarithms.
fn through(budgets: &[f64; 9]) -> Frontier {
    let n = SIZES.len() as f64;
    let pairs = || budgets.iter().zip(SIZES).map(|(c, size)| (c.ln(), size.ln()));
    let (x, y) = pairs().fold((0.0, 0.0), |(x, y), (c, s)| (x + c / n, y + s / n));
    let (up, across) =
        pairs().fold((0.0, 0.0), |(up, across), (c, s)| (up + (c - x) * (s - y), across + (c - x) * (c - x)));
    let a = up / across;
    Frontier::Power { k: (y - a * x).exp(), a }
}

//! Optimizers by what a step stores, moves and computes.
//!
//! What is stored is the memory model's ([`crate::memory::Optimizer`]) for all that it has. Shampoo and SOAP keep square matrices
//! beside: statistics L and R of a matrix of m × n take m² + n², and their roots or eigenvectors as much again.
//!
//! FLOPs are counted for each parameter from the papers' algorithms, where an addition, a multiplication, a division and a square
//! root count one each and what is the same for all parameters nothing; matrix products as 2 × rows × inner × columns.

use super::Size;
use crate::declare::Origin;
use crate::memory::Optimizer;
use crate::memory::shard::Elements;
use crate::options;

/// Where the costs come from.
pub const ORIGIN: Origin = Origin::Of(
    "Kingma & Ba 2015, Algorithm 1; Loshchilov & Hutter 2019, Algorithm 2; Chen et al. 2023, Program 1; Shazeer & Stern 2018, Algorithm 4; Jordan 2024; Gupta, Koren & Singer 2018, arXiv:1802.09568, Algorithm 1; Vyas et al. 2024, arXiv:2409.11321, Algorithm 3 and §6: operations counted per parameter",
);

/// An update rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rule {
    /// AdamW.
    #[default]
    AdamW,
    /// AdamW with moments of 8 bits.
    Adam8bit,
    /// Lion.
    Lion,
    /// Adafactor without momentum.
    Adafactor,
    /// Muon, with AdamW for what is no hidden matrix.
    Muon,
    /// Shampoo with a momentum.
    Shampoo,
    /// SOAP: Adam in Shampoo's eigenbasis.
    Soap,
    /// SGD with momentum.
    Momentum,
}

options!(Rule {
    AdamW: "adamw", "AdamW";
    Adam8bit: "adam8bit", "8-bit Adam";
    Lion: "lion", "Lion";
    Adafactor: "adafactor", "Adafactor";
    Muon: "muon", "Muon";
    Shampoo: "shampoo", "Shampoo";
    Soap: "soap", "SOAP";
    Momentum: "momentum", "SGD with momentum";
});

/// The longest side that Shampoo and SOAP precondition; a longer one stays as it is (`max_precond_dim` of nikhilvyas/SOAP).
pub const LONGEST_SIDE: f64 = 10_000.0;

/// Newton–Schulz steps of Muon.
pub const NEWTON_STEPS: f64 = 5.0;

/// A model's weights as optimizers see them: matrices of hidden layers, and the rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Parameters in all, parameters in hidden matrices, and rows and columns: what the memory model asks for.
    pub elements: Elements,
    /// Σ m² + n² over hidden matrices, of sides that are preconditioned.
    pub squares: f64,
    /// Σ m²n + mn² over hidden matrices, of sides that are preconditioned: the products with m × m and n × n.
    pub sided: f64,
    /// FLOPs of one Newton–Schulz step for every hidden matrix.
    pub newton: f64,
}

impl Weights {
    /// Those of the classic block: in each layer four matrices of width × width and two of width × 4 width.
    pub fn classic(size: &Size) -> Self {
        let params = size.total;
        let w = size.width;
        let shapes = [(4.0, w, w), (2.0, w, 4.0 * w)];
        let sum =
            |of: fn(f64, f64) -> f64| shapes.iter().map(|&(count, m, n)| size.layers * count * of(m, n)).sum::<f64>();
        let elements = Elements {
            params,
            hidden_matrices: sum(|m, n| m * n).min(params),
            factors: sum(|m, n| m + n),
            ..Elements::default()
        };
        Self {
            elements,
            squares: sum(|m, n| side(m) * m + side(n) * n),
            sided: sum(|m, n| (side(m) + side(n)) * m * n),
            // X Xᵀ, its square, and their product with X, for m ≤ n: 2m²n + 2m³ + 2m²n.
            newton: sum(|m, n| 4.0 * m * m * n + 2.0 * m * m * m),
        }
    }
}

/// A side, or 0 where it is too long to be preconditioned.
fn side(length: f64) -> f64 {
    if length > LONGEST_SIDE { 0.0 } else { length }
}

/// What a step of the optimizer takes for the whole model, before it is sharded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// Bytes of state beside the fp32 master weights.
    pub state: f64,
    /// Bytes read and written: bf16 gradients and weights, master weights, state.
    pub traffic: f64,
    /// FLOPs. Roots and eigenvectors, which Shampoo and SOAP renew every so many steps, are not in it.
    pub flop: f64,
}

impl Rule {
    /// The optimizer of the memory model with this state; none for those that it has not.
    fn known(self) -> Option<Optimizer> {
        match self {
            Rule::AdamW => Some(Optimizer::AdamW),
            Rule::Adam8bit => Some(Optimizer::Adam8bit),
            Rule::Lion => Some(Optimizer::Lion),
            Rule::Adafactor => Some(Optimizer::Adafactor),
            Rule::Muon => Some(Optimizer::Muon),
            Rule::Momentum => Some(Optimizer::Momentum),
            Rule::Shampoo | Rule::Soap => None,
        }
    }

    /// Bytes of state beside the master weights.
    pub fn state(self, weights: &Weights) -> f64 {
        let held = &weights.elements;
        if let Some(known) = self.known() {
            return known.states(held).iter().map(|s| s.bytes * s.elements).sum();
        }
        // Shampoo: one momentum, SOAP: Adam's two; both two pairs of square matrices.
        let moments = if self == Rule::Soap { 2.0 } else { 1.0 };
        4.0 * (moments * held.params + 2.0 * weights.squares)
    }

    /// FLOPs of a step for the whole model.
    pub fn flop(self, weights: &Weights) -> f64 {
        let (all, hidden) = (weights.elements.params, weights.elements.hidden_matrices);
        match self {
            // m: 3, v: 4, √v + ε and the quotient: 3, the step: 2, decay: 1.
            Rule::AdamW => 13.0 * all,
            // The same, and a product for each of both moments when it is unpacked and when it is packed.
            Rule::Adam8bit => 17.0 * all,
            // The interpolation: 3, its sign and the step: 2, decay: 1, m: 3.
            Rule::Lion => 9.0 * all,
            // g²: 1, the sums of rows and columns: 2, their product and the quotient: 2, clipping: 3, the step: 2.
            Rule::Adafactor => 10.0 * all,
            // The momentum and Nesterov's look ahead: 4, the step and decay: 3.
            Rule::Muon => NEWTON_STEPS * weights.newton + 7.0 * hidden + 13.0 * (all - hidden).max(0.0),
            // L and R and both products: 2 (m²n + mn²) each time; momentum, step and decay: 6.
            Rule::Shampoo => 4.0 * weights.sided + 6.0 * all,
            // L and R, three rotations; Adam in between.
            Rule::Soap => 8.0 * weights.sided + 13.0 * all,
            // m: 2, the step: 2.
            Rule::Momentum => 4.0 * all,
        }
    }

    /// All of it.
    pub fn cost(self, weights: &Weights) -> Cost {
        let state = self.state(weights);
        // Gradient read and weight written in bf16, master weight read and written in fp32.
        let moved = (2.0 + 2.0 + 4.0 + 4.0) * weights.elements.params;
        Cost { state, traffic: moved + 2.0 * state, flop: self.flop(weights) }
    }
}

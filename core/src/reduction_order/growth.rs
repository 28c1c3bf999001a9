//! What one bit comes to: two runs of the tiny network that differ in the last bit of one weight, or in the direction of their
//! sums, step by step.

use crate::loss_scaling::network::{Compute, Settings, Trainer, apart};
use crate::options;

/// What differs between the two runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// One bit of one weight, before the first step.
    #[default]
    Bit,
    /// Every matrix product adds from the last number to the first.
    Order,
    /// Nothing.
    Nothing,
}

options!(Start {
    Bit: "bit", "one bit in one weight";
    Order: "order", "the order of every sum";
    Nothing: "nothing", "nothing";
});

/// Two runs after a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Apart {
    /// The length of the difference of their weights over the length of the weights.
    pub distance: f64,
    /// The part of the weights that differ in any bit.
    pub differing: f64,
    /// The loss of either, on the batch of the step, before its update.
    pub losses: [f64; 2],
}

/// How two runs drift apart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Growth {
    /// After each step.
    pub steps: Vec<Apart>,
    /// The distance before the first step.
    pub first: f64,
}

/// Trains twice. `bit` counts from the last one of fp32's mantissa, which is 0.
pub fn grow(start: Start, bit: u32, settings: &Settings) -> Growth {
    let [mut one, mut other] = [Trainer::new(settings), Trainer::new(settings)];
    match start {
        Start::Bit => {
            if let Some(w) = other.weights.up.data.first_mut() {
                *w = f32::from_bits(w.to_bits() ^ (1 << bit.min(31)));
            }
        }
        Start::Order => other.settings.recipe.variant.reversed = true,
        Start::Nothing => {}
    }
    let first = apart(&one.weights, &other.weights).0;
    let steps = (0..settings.steps)
        .map(|_| {
            let batch = one.batch();
            let losses = [one.step(&batch).loss, other.step(&batch).loss];
            let (distance, differing) = apart(&one.weights, &other.weights);
            Apart { distance, differing, losses }
        })
        .collect();
    Growth { steps, first }
}

/// The settings of such a run.
pub fn settings(narrow: bool, rate: f64, steps: u32, seed: u64) -> Settings {
    let compute = if narrow { Compute::Bf16 } else { Compute::Fp32 };
    Settings { compute, rate, steps, seed, ..Settings::default() }
}

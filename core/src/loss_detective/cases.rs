//! What can be wrong with a run, as the tiny network is made to suffer it, and what can be done.

use crate::loss_scaling::network::{Batch, Compute, INNER, Scaling, Settings, TOKENS, Trainer, VOCABULARY, Weights};
use crate::loss_scaling::scaler;
use crate::mix::{Stream, mix};
use crate::options;

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Case {
    /// The learning rate is too high.
    #[default]
    Rate,
    /// Some batches have the wrong labels.
    Shard,
    /// One gradient is a thousand times too long, and the mean of squares that β₂ = 0.999 keeps remembers it.
    Outlier,
    /// Adam's ε is as large as the gradients.
    Epsilon,
    /// Products of queries and keys are so large that softmax is all or nothing.
    Logits,
    /// The logits over the vocabulary have drifted where softmax does not see it, in bf16.
    Drift,
    /// One channel of the MLP overflows fp16, and the loss scale falls.
    Scale,
    /// Gradients are summed over the ranks where they were to be averaged.
    Sum,
    /// A broken GPU flips the sign of a weight at every step.
    Flip,
}

options!(Case {
    Rate: "a", "A";
    Shard: "b", "B";
    Outlier: "c", "C";
    Epsilon: "d", "D";
    Logits: "e", "E";
    Drift: "f", "F";
    Scale: "g", "G";
    Sum: "h", "H";
    Flip: "i", "I";
});

/// What is done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Act {
    /// Nothing.
    #[default]
    Wait,
    /// Back to a checkpoint, and the same again.
    Rewind,
    /// Back to a checkpoint, and past the batches since.
    Skip,
    /// Back to a checkpoint, with the gradient's length limited to 1.
    Clip,
    /// Back to a checkpoint, at a third of the learning rate.
    Lower,
    /// Back to a checkpoint, or to the beginning, with what was wrong put right.
    Recipe,
}

options!(Act {
    Wait: "wait", "wait";
    Rewind: "rewind", "rewind";
    Skip: "skip", "rewind, skip the data";
    Clip: "clip", "rewind, clip at 1";
    Lower: "lower", "rewind, a third of the rate";
    Recipe: "recipe", "change the recipe";
});

/// The step at which what is wrong begins, where it has a beginning.
pub const ONSET: u32 = 100;
/// Batches of the bad shard.
pub const BAD: u32 = 12;
/// Ranks over which gradients are summed.
pub const RANKS: f64 = 64.0;
/// How much too long the gradient of [`Case::Outlier`] is.
const LONG: f64 = 1000.0;
/// What the overflowing channel of [`Case::Scale`] is multiplied by, and what reads it divided by: a power of two, so that the network
/// computes the same.
const CHANNEL: f32 = 1_048_576.0;
/// The deviation of what the logits of [`Case::Drift`] are moved by.
const DRIFT: f64 = 120.0;

impl Case {
    /// What is wrong, in a few words.
    pub const fn cause(self) -> &'static str {
        match self {
            Self::Rate => "the learning rate is too high",
            Self::Shard => "a shard of the data has wrong labels",
            Self::Outlier => "one gradient was a thousand times too long, and Adam’s β₂ = 0.999 remembers it",
            Self::Epsilon => "Adam’s ε is as large as the gradients",
            Self::Logits => "attention logits are so large that softmax saturates",
            Self::Drift => "the logits over the vocabulary have drifted, in bf16",
            Self::Scale => "one channel overflows fp16 and the loss scale collapses",
            Self::Sum => "gradients are summed over 64 ranks, not averaged",
            Self::Flip => "a broken GPU flips the sign of one weight at every step",
        }
    }

    /// What [`Act::Recipe`] changes.
    pub const fn cure(self) -> &'static str {
        match self {
            Self::Rate => "a tenth of the learning rate from the start",
            Self::Shard => "the shard is taken out of the data",
            Self::Outlier => "gradients are clipped at 1",
            Self::Epsilon => "ε = 1e-8",
            Self::Logits => "queries and keys are normed",
            Self::Drift => "the logits are centred, and z-loss keeps them there",
            Self::Scale => "bf16, which has the range of fp32",
            Self::Sum => "the sum is divided by the number of ranks",
            Self::Flip => "the GPU is replaced",
        }
    }

    /// Whether the cure makes another network or another start, so that nothing trained so far can be kept.
    pub const fn from_the_beginning(self) -> bool {
        matches!(self, Self::Logits | Self::Rate)
    }

    /// The settings of the run, cured or not.
    pub fn settings(self, cured: bool, seed: u64, steps: u32) -> Settings {
        let mut s = Settings { rate: 0.02, seed, steps, ..Settings::default() };
        match self {
            Self::Rate => s.rate = if cured { 0.02 } else { 0.2 },
            Self::Outlier => {
                s.recipe.betas.1 = 0.999;
                s.recipe.clip = cured.then_some(1.0);
            }
            Self::Epsilon => s.recipe.epsilon = if cured { 1e-8 } else { 0.1 },
            Self::Logits => {
                s.qk = 6.0;
                s.rate = 0.04;
                s.recipe.variant.qk_norm = cured;
            }
            Self::Drift => {
                s.compute = Compute::Bf16;
                s.recipe.variant.z_loss = if cured { 1e-4 } else { 0.0 };
            }
            Self::Scale if cured => s.compute = Compute::Bf16,
            Self::Scale => {
                s.compute = Compute::Fp16;
                s.scaling = Scaling::Dynamic(scaler::Settings { initial: 65_536.0, ..scaler::Settings::MEGATRON });
            }
            Self::Sum => s.recipe.factor = if cured { 1.0 } else { RANKS },
            Self::Shard | Self::Flip => {}
        }
        s
    }

    /// Before the first step.
    pub fn start(self, cured: bool, seed: u64, steps: u32) -> Trainer {
        let mut trainer = Trainer::new(&self.settings(cured, seed, steps));
        if self == Self::Drift && !cured {
            // Each row of the head has a number of its own for all tokens alike, which softmax takes out again.
            let mut stream = Stream::new(seed ^ 0xd21f);
            for row in trainer.weights.head.data.chunks_mut(VOCABULARY) {
                let offset = (stream.normal() * DRIFT) as f32;
                row.iter_mut().for_each(|w| *w += offset);
            }
        }
        trainer
    }

    /// What the cure changes in the weights of a checkpoint.
    pub fn mend(self, trainer: &mut Trainer) {
        if self == Self::Drift {
            for row in trainer.weights.head.data.chunks_mut(VOCABULARY) {
                let mean = row.iter().sum::<f32>() / VOCABULARY as f32;
                row.iter_mut().for_each(|w| *w -= mean);
            }
        }
    }

    /// The batch of this place in the data.
    pub fn batch(self, place: u32, cured: bool, seed: u64) -> Batch {
        let mut stream = Stream::new(mix(seed) ^ u64::from(place));
        let mut batch = Batch::draw(&mut stream);
        match self {
            Self::Shard if !cured && (ONSET..ONSET + BAD).contains(&place) => {
                batch.targets = (0..TOKENS).map(|_| stream.below(VOCABULARY as u64) as usize).collect();
            }
            _ => {}
        }
        batch
    }

    /// What happens before a step on the data of `place`. A machine does it again after a restart, unless it is replaced.
    pub fn happens(self, step: u32, place: u32, faulty: bool, trainer: &mut Trainer) {
        match self {
            Self::Flip if faulty && step >= ONSET => flip(&mut trainer.weights, step),
            Self::Outlier => trainer.settings.recipe.factor = if place == ONSET { LONG } else { 1.0 },
            Self::Scale if step == ONSET => {
                let weights = &mut trainer.weights;
                weights.up.data.iter_mut().step_by(INNER).for_each(|w| *w *= CHANNEL);
                let row = weights.down.columns;
                weights.down.data.iter_mut().take(row).for_each(|w| *w /= CHANNEL);
            }
            _ => {}
        }
    }
}

/// Flips the sign of one weight, another at each step.
fn flip(weights: &mut Weights, step: u32) {
    let mut stream = Stream::new(u64::from(step));
    let all = weights.all_mut();
    let matrix = stream.below(all.len() as u64) as usize;
    if let Some(matrix) = all.into_iter().nth(matrix) {
        let place = stream.below(matrix.data.len() as u64) as usize;
        if let Some(w) = matrix.data.get_mut(place) {
            *w = -*w;
        }
    }
}

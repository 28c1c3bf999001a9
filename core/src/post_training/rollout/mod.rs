//! `rl-pipeline`: generation engines, a queue of finished answers, a trainer, and weights in transit between them.
//!
//! A discrete-event simulation of [`STEPS`] training steps. Answers have lengths drawn from a long-tailed distribution and are written at
//! one speed per answer, whatever else the engine writes (decoding is memory bound). Each engine writes up to `slots` answers at once, and
//! takes the next prompt as soon as one of them ends. A training step takes `batch` finished answers, and is followed by a transfer of
//! the new weights, during which the trainer and the engines that take them stand still. Four layouts decide who waits for whom:
//!
//! - synchronous: a step is generation, training and transfer, one after another. Generation takes until the last answer ends;
//! - one step off: batch n + 1 is generated while batch n is trained on, so a period is the longer of the two and a transfer;
//! - fully asynchronous: engines go on as long as no more than (η + version + 1) · batch answers were started, the rule of AReaL's
//!   `StalenessManager`. An engine takes new weights once its running answers have ended;
//! - partial rollouts: the same, but running answers are interrupted for the transfer and go on under the new weights.
//!
//! Staleness counts versions: that of the trainer when it takes a sample, less that of the weights which wrote its first token.
//! Left out: prompts and prefill, rewards that take time, an engine that slows down as it gets fuller, and the recomputation of the KV
//! cache after an interruption (add it to the transfer).

mod finding;
mod lengths;
mod params;
mod simulate;
#[cfg(test)]
mod tests;

use crate::options;
pub use lengths::{Lengths, Shape};
pub use simulate::{Run, Shares, Span, Track, What, capacity};

/// Who waits for whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// One thing after another.
    #[default]
    Synchronous,
    /// The next batch is generated while one is trained on.
    OneStep,
    /// Engines run ahead by a bounded number of batches, and finish answers before they take new weights.
    Asynchronous,
    /// The same, but answers go on under new weights.
    Partial,
}

options!(Layout {
    Synchronous: "sync", "synchronous";
    OneStep: "one-step", "one step off";
    Asynchronous: "async", "fully asynchronous";
    Partial: "partial", "partial rollouts";
});

/// Training steps that are simulated.
pub const STEPS: u64 = 20;
/// Training steps before anything is measured, until the pipeline is full.
pub const WARM: u64 = 8;

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// Who waits for whom.
    pub layout: Layout,
    /// GPUs that generate, one engine each.
    pub engines: u64,
    /// GPUs that train.
    pub trainers: u64,
    /// Versions by which generation may run ahead, where it may.
    pub bound: u64,
    /// How lengths are distributed.
    pub shape: Shape,
    /// The deviation of a length's logarithm, for lognormal lengths.
    pub sigma: f64,
    /// Mean length before the limit, in tokens.
    pub mean: f64,
    /// No answer is longer than this, in tokens.
    pub cap: f64,
    /// Answers that an engine writes at once.
    pub slots: u64,
    /// Tokens per second of one answer.
    pub speed: f64,
    /// Answers of a training step.
    pub batch: u64,
    /// GPU-seconds of training per answer.
    pub cost: f64,
    /// Seconds until new weights have reached the engines.
    pub transfer: f64,
    /// Which lengths are drawn.
    pub seed: u64,
}

/// What comes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The layout that is set.
    pub run: Run,
    /// Samples per second of the synchronous layout.
    pub synchronous: f64,
    /// Samples per second of one pool of all GPUs that generates and trains in turn.
    pub shared: f64,
    /// Seconds that are drawn: three synchronous steps.
    pub shown: f64,
}

impl Params {
    /// Answers that can be written at once.
    pub fn places(&self) -> u64 {
        self.engines * self.slots
    }

    /// Seconds of training per step.
    pub fn training(&self) -> f64 {
        self.batch as f64 * self.cost / self.trainers.max(1) as f64
    }

    /// How long answers are.
    pub fn lengths(&self) -> Lengths {
        Lengths { shape: self.shape, sigma: self.sigma, mean: self.mean, cap: self.cap }
    }

    /// Answers per second that the engines write if no place is ever free and no weights arrive.
    pub fn generation_rate(&self) -> f64 {
        self.places() as f64 * self.speed / self.lengths().expected()
    }

    /// Answers per second that the trainer takes if it never waits for one.
    pub fn training_rate(&self) -> f64 {
        self.batch as f64 / (self.training() + self.transfer)
    }

    /// The most answers per second of any layout, with lengths as expected: the slower pool, always at work.
    pub fn limit(&self) -> f64 {
        self.generation_rate().min(self.training_rate())
    }

    /// Every layout on the same answers, from the one that waits most.
    pub fn runs(&self) -> [Run; 4] {
        Layout::ALL.map(|layout| Run::of(&Self { layout, ..*self }, 0.0))
    }

    /// What comes of it.
    pub fn outcome(&self) -> Outcome {
        let waits = Self { layout: Layout::Synchronous, ..*self };
        let synchronous = Run::of(&waits, 0.0);
        let shown = 3.0 * synchronous.step;
        let all = self.engines + self.trainers;
        let shared = Run::of(&Self { engines: all, trainers: all, ..waits }, 0.0).rate;
        Outcome { run: Run::of(self, shown), synchronous: synchronous.rate, shared, shown }
    }
}

//! `stragglers`: a synchronous step takes as long as the slowest of its ranks.
//!
//! A rank's computation takes 1 + σ·N(0, 1), in units of what it takes undisturbed, now and then a pause more (garbage collection, a daemon,
//! a page that faults), and one rank may be slow for good. With F for the distribution of one rank's time, the step is over by x with
//! probability F(x)ⁿ, and by its mean ∫(1 − F(x)ⁿ) dx: the expected maximum of n. Backup workers (Chen et al. 2016, "Revisiting distributed
//! synchronous SGD", arXiv 1604.00981) start n + k ranks and take the first n, an order statistic. Left out: communication, ranks that wait
//! for neighbours before the step ends, more than one slow rank.

mod finding;
mod law;
mod params;
#[cfg(test)]
mod tests;

use crate::mix::Stream;
use crate::options;
pub use law::{Law, above, ln_without};

/// What is done about the slow rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cure {
    /// Nothing.
    #[default]
    Nothing,
    /// Its node is taken out for one that stands by.
    Swap,
    /// More ranks start each step than count, and the last are left out.
    Backup,
}

options!(Cure {
    Nothing: "nothing", "nothing";
    Swap: "swap", "swap it for a spare";
    Backup: "backup", "first n of n + k";
});

/// What is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// Ranks in one step.
    #[default]
    Step,
    /// The step's time over the number of ranks.
    Size,
}

options!(View {
    Step: "step", "one step";
    Size: "size", "by size";
});

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// What is shown.
    pub view: View,
    /// Ranks that step together.
    pub ranks: u64,
    /// How much slower the slow rank is, in percent.
    pub slow: f64,
    /// What is done about it.
    pub cure: Cure,
    /// Ranks that stand by, or start besides.
    pub spares: u64,
    /// The deviation of a rank's computation, in percent of it.
    pub jitter: f64,
    /// A rank pauses once in so many steps.
    pub every: f64,
    /// How long, in percent of its computation.
    pub pause: f64,
    /// Seconds of computation of an undisturbed rank.
    pub seconds: f64,
    /// The step that is drawn.
    pub seed: u64,
}

/// One step of all ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Each rank's computation, in units of an undisturbed one.
    pub ranks: Vec<f64>,
    /// When the step is over.
    pub over: f64,
}

/// What comes of it. Times in units of an undisturbed rank's computation.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The expected step.
    pub step: f64,
    /// The same without a slow rank and without anything done.
    pub healthy: f64,
    /// The same with the slow rank and nothing done.
    pub untreated: f64,
    /// The mean computation of a rank that is not slow.
    pub mean: f64,
    /// The part of the time that the GPUs that are paid for compute what counts.
    pub useful: f64,
    /// One step, drawn.
    pub drawn: Step,
}

/// The number of the slow rank, or the last where there are fewer.
const SLOW: usize = 3;
/// Most ranks that are drawn.
pub const DRAWN: usize = 24;

impl Params {
    /// The time of a rank.
    pub fn law(&self) -> Law {
        Law { sigma: self.jitter / 100.0, often: 1.0 / self.every.max(1.0), pause: self.pause / 100.0 }
    }

    /// How much longer the slow rank computes; 0 for none.
    pub fn excess(&self) -> f64 {
        self.slow / 100.0
    }

    /// Ranks that start a step beyond those that count.
    fn besides(&self) -> u64 {
        if self.cure == Cure::Backup { self.spares } else { 0 }
    }

    /// Ranks that are paid for.
    pub fn paid(&self) -> u64 {
        if self.cure == Cure::Nothing { self.ranks } else { self.ranks + self.spares }
    }

    /// Whether the slow rank steps with the others: a swap needs somebody who stands by.
    pub fn limps(&self) -> bool {
        self.slow > 0.0 && (self.cure != Cure::Swap || self.spares == 0)
    }

    /// The slow rank's number, where it steps with the others.
    pub fn slow_rank(&self) -> Option<usize> {
        self.limps().then(|| SLOW.min((self.ranks + self.besides()) as usize - 1))
    }

    /// The expected step of so many ranks, as it is set.
    pub fn expected(&self, ranks: u64) -> f64 {
        let excess = if self.limps() { self.excess() } else { 0.0 };
        self.law().expected(ranks + self.besides(), self.besides(), excess)
    }

    /// What comes of it.
    pub fn outcome(&self) -> Outcome {
        let law = self.law();
        let step = self.expected(self.ranks);
        let mean = law.mean();
        Outcome {
            step,
            healthy: law.expected(self.ranks, 0, 0.0),
            untreated: law.expected(self.ranks, 0, self.excess()),
            mean,
            useful: self.ranks as f64 / self.paid() as f64 / step,
            drawn: self.draw(self.seed),
        }
    }

    /// One step of all ranks.
    pub fn draw(&self, seed: u64) -> Step {
        let (law, mut stream) = (self.law(), Stream::new(seed));
        let all = self.ranks + self.besides();
        let mut ranks: Vec<f64> = (0..all).map(|_| law.draw(&mut stream)).collect();
        if let Some(slow) = self.slow_rank()
            && let Some(rank) = ranks.get_mut(slow)
        {
            *rank += self.excess();
        }
        let mut sorted = ranks.clone();
        sorted.sort_by(f64::total_cmp);
        let over = sorted.get((self.ranks as usize).saturating_sub(1)).copied().unwrap_or(0.0);
        Step { ranks, over }
    }
}

impl Step {
    /// The ranks that are drawn, by their numbers: the first ones, and the last where not all are.
    pub fn shown(&self) -> Vec<(usize, f64)> {
        let all = self.ranks.len();
        let first = if all <= DRAWN { all } else { DRAWN - 1 };
        let last = (first < all).then(|| all - 1);
        (0..first).chain(last).filter_map(|i| Some((i, *self.ranks.get(i)?))).collect()
    }

    /// The rank that was last to finish.
    pub fn slowest(&self) -> usize {
        let last = self.ranks.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        last.map_or(0, |(i, _)| i)
    }
}

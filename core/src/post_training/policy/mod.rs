//! `policy-update`: a policy of six answers, trained by PPO or one of its relatives against a reward model that can be fooled.

pub mod answers;
mod finding;
mod params;
mod run;
#[cfg(test)]
mod tests;

pub use run::{Each, Update, divergence, optimum, reference};

use super::losses::advantage::{Scale, group};
use super::losses::ppo::{Surrogate, surrogate};
use crate::options;

/// What is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// The answers and their probabilities.
    #[default]
    Policy,
    /// Score, worth and KL over the updates.
    Course,
    /// The objective of one token over its ratio.
    Objective,
    /// The advantage within a group over how many are right.
    Group,
}

options!(View {
    Policy: "policy", "Policy";
    Course: "course", "Course";
    Objective: "objective", "Clip";
    Group: "group", "Group";
});

/// How advantages and the penalty are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Algorithm {
    /// A critic; the penalty in the reward.
    #[default]
    Ppo,
    /// The group's mean and deviation; the penalty in the loss.
    Grpo,
    /// The group's mean alone.
    DrGrpo,
    /// The mean of the others; the penalty in the reward.
    Rloo,
}

options!(Algorithm {
    Ppo: "ppo", "PPO";
    Grpo: "grpo", "GRPO";
    DrGrpo: "dr-grpo", "Dr. GRPO";
    Rloo: "rloo", "RLOO";
});

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// What is shown.
    pub view: View,
    /// How advantages are made.
    pub algorithm: Algorithm,
    /// β, the weight of the penalty.
    pub beta: f64,
    /// ε, where the ratio is clipped; 0 for nowhere.
    pub clip: f64,
    /// ε above 1, where it is another one (DAPO's “clip higher”); 0 for the same.
    pub clip_high: f64,
    /// Length of a gradient step.
    pub rate: f64,
    /// Answers of a batch.
    pub batch: u64,
    /// Gradient steps on each batch.
    pub epochs: u64,
    /// Updates by which the policy that samples is behind.
    pub lag: u64,
    /// Updates.
    pub updates: u64,
    /// The seed.
    pub seed: u64,
    /// The update on show; 0 for the last.
    pub step: u64,
    /// A token's probability when it was sampled.
    pub old: f64,
    /// And now.
    pub new: f64,
    /// Its advantage.
    pub advantage: f64,
    /// Answers of a group.
    pub group: u64,
    /// Of these, right ones.
    pub right: u64,
}

/// What comes of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// Every update.
    pub updates: Vec<Update>,
    /// The objective of the one token.
    pub token: Surrogate,
    /// The advantage of a right answer of the group, and of a wrong one.
    pub group: [f64; 2],
}

impl Params {
    /// All of it.
    pub fn shown(&self) -> Shown {
        Shown { updates: self.run(), ..self.beside() }
    }

    /// What does not come of training: the one token, the one group.
    pub fn beside(&self) -> Shown {
        let token = surrogate(self.ratio(), self.advantage, self.clip());
        Shown { updates: Vec::new(), token, group: self.grouped(self.right) }
    }

    /// The ratio of the one token.
    pub fn ratio(&self) -> f64 {
        self.new / self.old
    }

    /// The probability that all answers of a group are right or all wrong, where each is right with the group's share of right ones:
    /// pᴳ + (1 − p)ᴳ.
    pub fn no_gradient(&self) -> f64 {
        let right = self.right.min(self.group) as f64 / self.group.max(1) as f64;
        let all = |p: f64| (0..self.group).fold(1.0, |product, _| product * p);
        all(right) + all(1.0 - right)
    }

    /// The advantages of a right and of a wrong answer, where so many of the group are right and a right one is worth 1.
    pub fn grouped(&self, right: u64) -> [f64; 2] {
        let right = right.min(self.group) as usize;
        let rewards: Vec<f64> = (0..self.group as usize).map(|i| f64::from(u8::from(i < right))).collect();
        let scale = if self.algorithm == Algorithm::DrGrpo { Scale::None } else { Scale::Group(1e-4) };
        let advantages = if self.algorithm == Algorithm::Rloo {
            super::losses::advantage::leave_one_out(&rewards, rewards.len())
        } else {
            group(&rewards, rewards.len(), scale)
        };
        let first = if right > 0 { advantages.first().copied() } else { None };
        let last = if right < rewards.len() { advantages.last().copied() } else { None };
        [first.unwrap_or(0.0), last.unwrap_or(0.0)]
    }
}

impl Shown {
    /// The update on show.
    pub fn at(&self, step: u64) -> Option<&Update> {
        match step {
            0 => self.updates.last(),
            step => self.updates.get(step as usize - 1).or(self.updates.last()),
        }
    }

    /// The update after which the answers were worth most, counted from 1, and what they were worth.
    pub fn best(&self) -> (usize, f64) {
        let worth = |(i, update): (usize, &Update)| (i + 1, update.worth());
        self.updates.iter().enumerate().map(worth).fold((0, 0.0), |a, b| if b.1 > a.1 { b } else { a })
    }
}

//! A policy of six answers, trained: a softmax over six numbers, plain gradient descent on the objective of [`super::super::losses`].
//!
//! Each update samples a batch from a policy that may be some updates old, scores it, and takes one or more gradient steps on it. PPO and
//! RLOO put −β(log π_old − log π_ref) into the reward, as InstructGPT does; GRPO and Dr. GRPO add β·k3 to the loss (arXiv:2402.03300,
//! equation 3). PPO's critic is one number, moved toward the mean reward: with one prompt there is nothing else to know.

use super::answers::{ANSWERS, COUNT};
use super::{Algorithm, Params};
use crate::float::elementary::{exp, ln};
use crate::mix::Stream;
use crate::post_training::losses::advantage::{Scale, group, leave_one_out};
use crate::post_training::losses::divergence::estimates;
use crate::post_training::losses::ppo::{Clip, surrogate};

/// Of the way to the mean reward, how much the critic goes with each batch.
const CRITIC: f64 = 0.2;
/// What TRL adds to a group's deviation.
const BESIDE: f64 = 1e-4;
/// The largest step of a logit's distance from the highest, so that a probability never becomes 0.
const LOWEST: f64 = -40.0;

/// One number for each answer.
pub type Each = [f64; COUNT];

/// One update.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Update {
    /// The policy that sampled.
    pub old: Each,
    /// The policy afterwards.
    pub new: Each,
    /// Answers sampled, of each.
    pub sampled: [u32; COUNT],
    /// The advantage of each answer that was sampled.
    pub advantage: Each,
    /// Tokens whose gradient the clip removed, of all that were stepped on.
    pub clipped: f64,
    /// What the critic expected.
    pub baseline: f64,
}

impl Update {
    /// The policy's mean of something.
    fn mean(&self, of: impl Fn(usize) -> f64) -> f64 {
        self.new.iter().enumerate().map(|(i, p)| p * of(i)).sum()
    }

    /// The reward model's score on average.
    pub fn score(&self) -> f64 {
        self.mean(|i| ANSWERS[i].score)
    }

    /// What the answers are worth on average.
    pub fn worth(&self) -> f64 {
        self.mean(|i| ANSWERS[i].worth)
    }

    /// KL(π ‖ π_ref), exactly.
    pub fn divergence(&self) -> f64 {
        divergence(&self.new)
    }

    /// Entropy of the policy, in nats.
    pub fn entropy(&self) -> f64 {
        self.mean(|i| if self.new[i] > 0.0 { -ln(self.new[i]) } else { 0.0 })
    }

    /// The ratio of each answer.
    pub fn ratio(&self, i: usize) -> f64 {
        if self.old[i] > 0.0 { self.new[i] / self.old[i] } else { 0.0 }
    }
}

/// KL(π ‖ π_ref).
pub fn divergence(policy: &Each) -> f64 {
    let one =
        |(p, answer): (&f64, &super::answers::Answer)| if *p > 0.0 { p * (ln(*p) - ln(answer.reference)) } else { 0.0 };
    policy.iter().zip(&ANSWERS).map(one).sum()
}

/// The reference policy.
pub fn reference() -> Each {
    ANSWERS.map(|answer| answer.reference)
}

/// The policy that maximises score − β·KL: π_ref·exp(score/β), normalised (Rafailov et al. 2023, equation 4). With β = 0 the highest score.
pub fn optimum(beta: f64) -> Each {
    if beta <= 0.0 {
        let most = ANSWERS.iter().map(|a| a.score).fold(f64::NEG_INFINITY, f64::max);
        return ANSWERS.map(|a| f64::from(u8::from(a.score == most)));
    }
    softmax(&ANSWERS.map(|a| ln(a.reference) + a.score / beta))
}

fn softmax(logits: &Each) -> Each {
    let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers = logits.map(|l| exp(l - most));
    let sum: f64 = powers.iter().sum();
    powers.map(|p| p / sum)
}

/// The answer at `u`, 0 ≤ u < 1.
fn draw(policy: &Each, u: f64) -> usize {
    let mut below = 0.0;
    for (i, p) in policy.iter().enumerate() {
        below += p;
        if u < below {
            return i;
        }
    }
    COUNT - 1
}

/// A batch with its advantages.
struct Batch {
    answers: Vec<usize>,
    advantages: Vec<f64>,
    old: Each,
}

impl Params {
    /// The clip; none where it is off.
    pub fn clip(&self) -> Clip {
        match (self.clip, self.clip_high) {
            (0.0, _) => Clip::of(f64::INFINITY),
            (clip, 0.0) => Clip::of(clip),
            (clip, high) => Clip { high, ..Clip::of(clip) },
        }
    }

    fn in_reward(&self) -> bool {
        matches!(self.algorithm, Algorithm::Ppo | Algorithm::Rloo)
    }

    /// Every update.
    pub fn run(&self) -> Vec<Update> {
        let mut stream = Stream::new(self.seed);
        let mut logits = reference().map(ln);
        let mut past = vec![logits];
        let mut critic = 0.0;
        (0..self.updates as usize)
            .map(|update| {
                let at = update.saturating_sub(self.lag as usize);
                let old = softmax(past.get(at).unwrap_or(&logits));
                let batch = self.sample(&mut stream, &old, &mut critic);
                let clipped = self.step(&batch, &mut logits);
                past.push(logits);
                let mut advantage = [0.0; COUNT];
                let mut sampled = [0; COUNT];
                for (answer, a) in batch.answers.iter().zip(&batch.advantages) {
                    advantage[*answer] = *a;
                    sampled[*answer] += 1;
                }
                Update { old, new: softmax(&logits), sampled, advantage, clipped, baseline: critic }
            })
            .collect()
    }

    fn sample(&self, stream: &mut Stream, old: &Each, critic: &mut f64) -> Batch {
        let answers: Vec<usize> = (0..self.batch).map(|_| draw(old, stream.unit())).collect();
        let reward = |i: &usize| {
            let penalty = self.beta * (ln(old[*i]) - ln(ANSWERS[*i].reference));
            ANSWERS[*i].score - if self.in_reward() { penalty } else { 0.0 }
        };
        let rewards: Vec<f64> = answers.iter().map(reward).collect();
        let size = rewards.len();
        let advantages = match self.algorithm {
            Algorithm::Ppo => {
                let expected = *critic;
                *critic += CRITIC * (rewards.iter().sum::<f64>() / size.max(1) as f64 - expected);
                rewards.iter().map(|r| r - expected).collect()
            }
            Algorithm::Grpo => group(&rewards, size, Scale::Group(BESIDE)),
            Algorithm::DrGrpo => group(&rewards, size, Scale::None),
            Algorithm::Rloo => leave_one_out(&rewards, size),
        };
        Batch { answers, advantages, old: *old }
    }

    /// Gradient steps on a batch; the part of the samples whose gradient the clip removed.
    fn step(&self, batch: &Batch, logits: &mut Each) -> f64 {
        let (mut clipped, count) = (0_u64, batch.answers.len().max(1) as f64);
        for _ in 0..self.epochs {
            let policy = softmax(logits);
            let mut gradient = [0.0; COUNT];
            for (answer, advantage) in batch.answers.iter().zip(&batch.advantages) {
                let one = surrogate(policy[*answer] / batch.old[*answer].max(1e-300), *advantage, self.clip());
                clipped += u64::from(one.clipped);
                let mut slope = one.slope;
                if !self.in_reward() {
                    // d k3 / d log π = 1 − exp(−k1).
                    let k = estimates(ln(policy[*answer]), ln(ANSWERS[*answer].reference));
                    slope += self.beta * (k.k1 - k.k3);
                }
                for (i, g) in gradient.iter_mut().enumerate() {
                    *g += slope * (f64::from(u8::from(i == *answer)) - policy[i]) / count;
                }
            }
            for (logit, g) in logits.iter_mut().zip(gradient) {
                *logit -= self.rate * g.clamp(-1e3, 1e3);
            }
            let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            *logits = logits.map(|l| (l - most).max(LOWEST));
        }
        clipped as f64 / (count * self.epochs.max(1) as f64)
    }
}

//! Keeping experts busy alike: the auxiliary loss, DeepSeek-V3's bias, and what each does to the weights.

use super::route::{Choice, Router, biased, load};
use crate::float::elementary::{exp, ln};

/// E × Σ fᵢ Pᵢ over the k choices: fᵢ the share of choices that expert i gets, Pᵢ its mean probability. 1 when balanced (Switch,
/// arXiv:2101.03961, eq. 4, and Megatron-LM's scale). transformers' Mixtral loss is k times as large.
pub fn auxiliary(routed: &[Vec<Choice>], probabilities: &[Vec<f64>], experts: usize) -> f64 {
    let chosen: usize = routed.iter().map(Vec::len).sum();
    if chosen == 0 || probabilities.is_empty() {
        return 0.0;
    }
    let share = load(routed, experts);
    let mean = mean_probability(probabilities, experts);
    let sum: f64 = share.iter().zip(&mean).map(|(n, p)| *n as f64 / chosen as f64 * p).sum();
    experts as f64 * sum
}

fn mean_probability(probabilities: &[Vec<f64>], experts: usize) -> Vec<f64> {
    let mut mean = vec![0.0; experts];
    for row in probabilities {
        for (sum, p) in mean.iter_mut().zip(row) {
            *sum += p / probabilities.len() as f64;
        }
    }
    mean
}

/// The mean over tokens of (ln Σ eˡᵒᵍⁱᵗ)²: the router z-loss, which keeps logits small (Zoph et al. 2022, arXiv:2202.08906, eq. 5).
pub fn z_loss(logits: &[Vec<f64>]) -> f64 {
    let one = |row: &Vec<f64>| {
        let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = row.iter().map(|logit| exp(logit - most)).sum();
        let z = most + ln(sum);
        z * z
    };
    if logits.is_empty() { 0.0 } else { logits.iter().map(one).sum::<f64>() / logits.len() as f64 }
}

/// One update of DeepSeek-V3's bias (arXiv:2412.19437, §2.1.2): up by γ for an expert with less than its share, down by γ for one
/// with more.
pub fn update(bias: &mut [f64], load: &[usize], gamma: f64) {
    let mean = load.iter().sum::<usize>() as f64 / load.len().max(1) as f64;
    for (b, n) in bias.iter_mut().zip(load) {
        let short = mean - *n as f64;
        if short != 0.0 {
            *b += gamma * short.signum();
        }
    }
}

/// What γ is multiplied by after each update in [`biases`], so that forty suffice: DeepSeek-V3 keeps γ at 0.001 for 14.3 trillion
/// tokens.
const DECAY: f64 = 0.87;

/// Biases after so many updates on a batch, the first by `gamma`; `deciding` is what a bias is added to.
pub fn biases(router: &Router, deciding: &[Vec<f64>], experts: usize, updates: u32, mut gamma: f64) -> Vec<f64> {
    let mut bias = vec![0.0; experts];
    for _ in 0..updates {
        let routed: Vec<Vec<Choice>> = deciding.iter().map(|row| router.choose(row, &bias)).collect();
        update(&mut bias, &load(&routed, experts), gamma);
        gamma *= DECAY;
    }
    bias
}

/// Offsets of the logits after so many steps of gradient descent on the auxiliary loss alone: what the loss does to a router that
/// can move each expert's logit for all tokens at once. With p the softmax of a token, ∂L/∂bⱼ is the mean over tokens of
/// E·pⱼ(fⱼ − Σᵢ fᵢpᵢ), which experts are chosen has no
/// gradient. As under Adam the size of a step does not depend on the gradient's: its root mean square is `rate`, which shrinks.
pub fn offsets(router: &Router, logits: &[Vec<f64>], experts: usize, steps: u32, mut rate: f64) -> Vec<f64> {
    let mut offset = vec![0.0; experts];
    let tokens = logits.len().max(1) as f64;
    for _ in 0..steps {
        let moved: Vec<Vec<f64>> = logits.iter().map(|row| biased(row, &offset)).collect();
        let routed: Vec<Vec<Choice>> = moved.iter().map(|row| router.route(row, &[])).collect();
        let chosen = routed.iter().map(Vec::len).sum::<usize>().max(1) as f64;
        let share: Vec<f64> = load(&routed, experts).iter().map(|n| *n as f64 / chosen).collect();
        let mut gradient = vec![0.0; experts];
        for row in &moved {
            let p = super::route::softmax(row);
            let common: f64 = p.iter().zip(&share).map(|(p, f)| p * f).sum();
            for ((g, p), f) in gradient.iter_mut().zip(&p).zip(&share) {
                *g += experts as f64 * p * (f - common) / tokens;
            }
        }
        let size = (gradient.iter().map(|g| g * g).sum::<f64>() / experts.max(1) as f64).sqrt();
        if size > 0.0 {
            for (o, g) in offset.iter_mut().zip(&gradient) {
                *o -= rate * g / size;
            }
        }
        rate *= DECAY;
    }
    offset
}

/// The busiest over the mean; 1 when all are alike.
pub fn imbalance(load: &[f64]) -> f64 {
    let sum: f64 = load.iter().sum();
    let most = load.iter().copied().fold(0.0, f64::max);
    if sum == 0.0 { 1.0 } else { most * load.len() as f64 / sum }
}

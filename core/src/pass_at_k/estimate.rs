//! The two estimators, and how they scatter over draws of n samples.

use crate::mix::Stream;

/// The unbiased estimate 1 − C(n−c, k)/C(n, k), as the product ∏ (1 − k/i) over i from n−c+1 to n: no number on the way leaves 0 to 1
/// (`openai/human-eval`, `human_eval/evaluation.py`, `estimate_pass_at_k`).
///
/// # Errors
/// A sentence, where c is more than n, or k is 0 or more than n. With k over n human-eval's function returns 1 whatever c is, because it
/// asks first whether fewer than k samples failed.
pub fn unbiased(n: u64, c: u64, k: u64) -> Result<f64, String> {
    if n == 0 {
        return Err("n must be at least 1: there is no sample.".to_owned());
    }
    if c > n {
        return Err(format!("Of {n} samples at most {n} can pass, not {c}."));
    }
    if k == 0 || k > n {
        return Err(format!("k must be from 1 to {n}, the number of samples, not {k}."));
    }
    Ok(of(n, c, k))
}

/// The same for numbers that are known to fit.
pub(super) fn of(n: u64, c: u64, k: u64) -> f64 {
    if n - c < k {
        return 1.0;
    }
    1.0 - (n - c + 1..=n).map(|i| 1.0 - k as f64 / i as f64).product::<f64>()
}

/// 1 − (1 − p)^k: right for a known p, biased for p̂ = c/n.
pub fn plug_in(p: f64, k: u64) -> f64 {
    1.0 - (1.0 - p).powi(i32::try_from(k).unwrap_or(i32::MAX))
}

/// The probabilities of 0 to n passes when each sample passes with probability p. Built from the most likely number outwards, so that
/// nothing underflows that matters.
pub fn binomial(n: u64, p: f64) -> Vec<f64> {
    let most = (((n + 1) as f64 * p) as u64).min(n);
    let mut all = vec![0.0; n as usize + 1];
    if p <= 0.0 || p >= 1.0 {
        all[if p <= 0.0 { 0 } else { n as usize }] = 1.0;
        return all;
    }
    let odds = p / (1.0 - p);
    all[most as usize] = 1.0;
    for c in most..n {
        all[c as usize + 1] = all[c as usize] * odds * (n - c) as f64 / (c + 1) as f64;
    }
    for c in (1..=most).rev() {
        all[c as usize - 1] = all[c as usize] / odds * c as f64 / (n - c + 1) as f64;
    }
    let sum: f64 = all.iter().sum();
    all.iter_mut().for_each(|part| *part /= sum);
    all
}

/// The mean of an estimate over draws, and its standard deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scatter {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
}

impl Scatter {
    /// Of an estimate for each number of passes, weighted by how likely that number is.
    fn of(likely: &[f64], estimate: impl Fn(u64) -> f64) -> Self {
        let sum = |f: &dyn Fn(f64) -> f64| -> f64 {
            likely.iter().enumerate().map(|(c, part)| part * f(estimate(c as u64))).sum()
        };
        let mean = sum(&|x| x);
        Self { mean, deviation: sum(&|x| (x - mean) * (x - mean)).max(0.0).sqrt() }
    }
}

/// How the unbiased estimate and the one with p̂ scatter, exactly: over every number of passes.
pub fn scatter(n: u64, p: f64, k: u64) -> [Scatter; 2] {
    let likely = binomial(n, p);
    [Scatter::of(&likely, |c| of(n, c, k)), Scatter::of(&likely, |c| plug_in(c as f64 / n as f64, k))]
}

/// Both estimates in so many experiments, each of n samples.
pub fn experiments(n: u64, p: f64, k: u64, how_many: usize, stream: &mut Stream) -> Vec<[f64; 2]> {
    let likely = binomial(n, p);
    let one = |_| {
        let c = passes(&likely, stream.unit());
        [of(n, c, k), plug_in(c as f64 / n as f64, k)]
    };
    (0..how_many).map(one).collect()
}

/// The number of passes below which this part of the probability lies.
pub(super) fn passes(likely: &[f64], part: f64) -> u64 {
    let mut below = 0.0;
    let found = likely.iter().position(|p| {
        below += p;
        part < below
    });
    found.unwrap_or(likely.len().saturating_sub(1)) as u64
}

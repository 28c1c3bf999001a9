//! How sure an estimate is: from the samples of one problem, and from the problems of a benchmark.

use super::estimate::{binomial, plug_in};
use crate::declare::Origin;
use crate::mix::Stream;

/// Where the interval of one problem comes from.
pub const SAMPLES: Origin = Origin::Of("Clopper and Pearson 1934, Biometrika 26(4), taken through 1 − (1 − p)^k");
/// Where the interval of a benchmark comes from.
pub const PROBLEMS: Origin = Origin::Of(
    "Efron 1979, “Bootstrap Methods: Another Look at the Jackknife”, Annals of Statistics 7(1), percentile interval: the problems are drawn again with replacement",
);

/// The part of repetitions whose interval holds the truth.
pub const LEVEL: f64 = 0.95;

/// Resamplings of a benchmark's problems.
pub const RESAMPLES: usize = 400;

/// Halvings of an interval of probabilities: more than its 53 bits.
const HALVINGS: u32 = 60;

/// The interval of Clopper and Pearson (1934) for the probability with which a sample passes: all p under which neither as many as c
/// nor as few as c has less than 2.5 % probability.
pub fn of_rate(n: u64, c: u64) -> [f64; 2] {
    let tail = (1.0 - LEVEL) / 2.0;
    let at_least = |p: f64| binomial(n, p).iter().skip(c as usize).sum::<f64>();
    let at_most = |p: f64| binomial(n, p).iter().take(c as usize + 1).sum::<f64>();
    let low = if c == 0 { 0.0 } else { crossing(|p| at_least(p) > tail) };
    let high = if c >= n { 1.0 } else { crossing(|p| at_most(p) < tail) };
    [low, high]
}

/// Where what is false at 0 and true at 1 becomes true.
fn crossing(holds: impl Fn(f64) -> bool) -> f64 {
    let [mut low, mut high] = [0.0, 1.0];
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        if holds(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    (low + high) / 2.0
}

/// The interval of one problem's pass@k: 1 − (1 − p)^k grows with p, so it takes the ends of p's to its own.
pub fn of_problem(n: u64, c: u64, k: u64) -> [f64; 2] {
    of_rate(n, c).map(|p| plug_in(p, k))
}

/// The interval of a mean over problems, as if they were drawn from many: the problems are drawn again with replacement, and the
/// outer 5 % of the means are cut off (Efron's percentile bootstrap). One problem alone says nothing of others: 0 to 1.
pub fn of_mean(values: &[f64], stream: &mut Stream) -> [f64; 2] {
    let n = values.len();
    if n < 2 {
        return [0.0, 1.0];
    }
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let drawn = (0..n).filter_map(|_| values.get(stream.below(n as u64) as usize));
            drawn.sum::<f64>() / n as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |part: f64| means.get((part * (RESAMPLES - 1) as f64).round() as usize).copied().unwrap_or(0.0);
    [at((1.0 - LEVEL) / 2.0), at((1.0 + LEVEL) / 2.0)]
}

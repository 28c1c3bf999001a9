//! A benchmark: problems of different difficulty, sampled at a temperature, or results that were pasted.
//!
//! The population is a model of the mechanism, of no published system. A problem has programs with logits: some are right, some wrong,
//! and very many are noise, each of them unlikely. Temperature T divides logits. Low, nearly every sample is the likeliest program:
//! good where that is right, and k samples are worth one. Higher, samples differ. Too high, noise takes over, because there is so much
//! of it.

use super::estimate::{binomial, of, passes, plug_in};
use super::interval;
use super::results::Counted;
use crate::mix::{Stream, mix};

/// Wrong programs of a problem that are not noise, and right ones.
const PROGRAMS: (usize, usize) = (24, 3);
/// The logarithm of how many programs are noise, and how far their logits lie below 0.
const NOISE: (f64, f64) = (16.0, 11.0);
/// By how much the logits of right programs lie above those of wrong ones: mean and deviation over problems.
const EDGE: (f64, f64) = (1.0, 2.5);
/// Seed of the problems: they are the same for every draw of samples.
const PROBLEMS: u64 = 25;

/// Logits of one problem's programs.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    right: Vec<f64>,
    wrong: Vec<f64>,
}

/// So many problems. The first of them are the same for every number.
pub fn problems(how_many: u64) -> Vec<Problem> {
    let one = |i: u64| {
        let mut stream = Stream::new(mix(PROBLEMS) ^ i);
        let edge = EDGE.0 + EDGE.1 * stream.normal();
        let wrong = (0..PROGRAMS.0).map(|_| 1.5 * stream.normal()).collect();
        let right = (0..PROGRAMS.1).map(|_| edge + 0.8 * stream.normal()).collect();
        Problem { right, wrong }
    };
    (0..how_many).map(one).collect()
}

impl Problem {
    /// The probability that a sample is right: softmax of the logits over the temperature.
    pub fn rate(&self, temperature: f64) -> f64 {
        let noise = (NOISE.0, -NOISE.1);
        let all = self.right.iter().chain(&self.wrong).map(|z| z / temperature);
        let most = all.fold(noise.0 + noise.1 / temperature, f64::max);
        let sum = |logits: &[f64]| logits.iter().map(|z| (z / temperature - most).exp()).sum::<f64>();
        let right = sum(&self.right);
        let rest = sum(&self.wrong) + (noise.0 + noise.1 / temperature - most).exp();
        right / (right + rest)
    }
}

/// The pass rates of all problems at a temperature.
pub fn rates(problems: &[Problem], temperature: f64) -> Vec<f64> {
    problems.iter().map(|problem| problem.rate(temperature)).collect()
}

/// What the mean of 1 − (1 − p)^k over problems is, if their rates are known.
pub fn truth(rates: &[f64], k: u64) -> f64 {
    mean(rates.iter().map(|p| plug_in(*p, k)))
}

/// n samples of each problem.
pub fn sample(rates: &[f64], n: u64, stream: &mut Stream) -> Vec<Counted> {
    let one =
        |(i, p): (usize, &f64)| Counted { name: (i + 1).to_string(), n, c: passes(&binomial(n, *p), stream.unit()) };
    rates.iter().enumerate().map(one).collect()
}

/// A benchmark's pass@k.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Score {
    /// The mean of the unbiased estimates.
    pub unbiased: f64,
    /// The mean of those with p̂.
    pub plug_in: f64,
    /// 1 − (1 − the mean of p̂)^k, which is no estimate of it: the mean has to come last.
    pub pooled: f64,
    /// The interval of the first.
    pub interval: [f64; 2],
}

/// The mean over problems, and its interval. Every problem has at least k samples.
pub fn score(counted: &[Counted], k: u64, stream: &mut Stream) -> Score {
    let each: Vec<f64> = counted.iter().map(|p| of(p.n, p.c, k.min(p.n))).collect();
    Score {
        unbiased: mean(each.iter().copied()),
        plug_in: mean(counted.iter().map(|p| plug_in(p.c as f64 / p.n as f64, k))),
        pooled: plug_in(mean(counted.iter().map(|p| p.c as f64 / p.n as f64)), k),
        interval: interval::of_mean(&each, stream),
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count.max(1))
}

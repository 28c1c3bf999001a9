//! How long a rank computes, and the slowest of many.

use crate::float::elementary::{exp, ln};
use crate::mix::Stream;

/// The time of one rank's computation, in units of what it takes undisturbed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Law {
    /// Deviation.
    pub sigma: f64,
    /// Probability of a pause.
    pub often: f64,
    /// Length of a pause.
    pub pause: f64,
}

/// Steps of the integral.
const STEPS: u32 = 4000;
/// Deviations within which a normal time lies.
const WIDE: f64 = 9.0;
/// The smallest deviation that is calculated with.
const FINE: f64 = 1e-5;

/// The probability that a standard normal number is above `x`, to 1.2e-7 of itself: erfc as Press et al., "Numerical Recipes", §6.2, fit it.
pub fn above(x: f64) -> f64 {
    const FIT: [f64; 10] = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let z = x.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.5 * z);
    let polynomial = FIT.iter().rev().fold(0.0, |sum, c| sum * t + c);
    let tail = 0.5 * t * exp(-z * z + polynomial);
    if x >= 0.0 { tail } else { 1.0 - tail }
}

/// ln(1 − q).
pub fn ln_without(q: f64) -> f64 {
    if q < 1e-6 { -q - q * q / 2.0 } else { ln((1.0 - q).max(f64::MIN_POSITIVE)) }
}

impl Law {
    fn deviation(self) -> f64 {
        self.sigma.max(FINE)
    }

    /// The mean.
    pub fn mean(self) -> f64 {
        1.0 + self.often * self.pause
    }

    /// The probability that a rank which computes `excess` longer is not done by `x`.
    pub fn late(self, x: f64, excess: f64) -> f64 {
        let beyond = |mean: f64| above((x - mean - excess) / self.deviation());
        (1.0 - self.often) * beyond(1.0) + self.often * beyond(1.0 + self.pause)
    }

    /// The probability that the step is over by `x`: of `ranks`, one of which computes `excess` longer, at most `spared` are late.
    pub fn over(self, x: f64, ranks: u64, spared: u64, excess: f64) -> f64 {
        let (late, slow) = (self.late(x, 0.0), self.late(x, excess));
        let others = ranks.saturating_sub(1);
        // At most so many of the others are late, and one fewer.
        let (mut term, mut at_most, mut fewer) = (exp(others as f64 * ln_without(late)), 0.0, 0.0);
        for i in 0..=spared.min(others) {
            fewer = at_most;
            at_most += term;
            // A first term that is too small for a number leaves nothing to a few more.
            if term > 0.0 {
                term *= (others - i) as f64 / (i + 1) as f64 * late / (1.0 - late).max(f64::EPSILON);
            }
        }
        (1.0 - slow) * at_most.min(1.0) + slow * fewer.min(1.0)
    }

    /// The expected time until all of `ranks` but `spared` are done, where one of them computes `excess` longer.
    pub fn expected(self, ranks: u64, spared: u64, excess: f64) -> f64 {
        let low = (1.0 - WIDE * self.deviation()).max(0.0);
        let high = 1.0 + self.pause + excess + WIDE * self.deviation();
        let width = (high - low) / f64::from(STEPS);
        let at = |i: u32| 1.0 - self.over(low + width * f64::from(i), ranks, spared, excess);
        let inner: f64 = (1..STEPS).map(at).sum();
        low + width * (inner + (at(0) + at(STEPS)) / 2.0)
    }

    /// A rank's time.
    pub fn draw(self, stream: &mut Stream) -> f64 {
        let pause = if stream.unit() < self.often { self.pause } else { 0.0 };
        (1.0 + self.sigma * stream.normal() + pause).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_those_of_the_normal_distribution() {
        // Abramowitz and Stegun, table 26.1, and 1 − Φ(4) of table 26.2.
        for (x, q) in
            [(0.0, 0.5), (1.0, 0.158_655_253_9), (2.0, 0.022_750_131_9), (3.0, 0.001_349_898), (4.0, 3.167_124e-5)]
        {
            assert!((above(x) / q - 1.0).abs() < 2e-7, "{x}: {}", above(x));
            assert!((above(-x) - (1.0 - q)).abs() < 1e-7, "{x}");
        }
    }

    #[test]
    fn the_expected_maximum_of_normal_numbers_is_the_tables() {
        // Harter 1961, "Expected values of normal order statistics", Biometrika 48: E of the largest of n.
        let law = Law { sigma: 0.01, often: 0.0, pause: 0.0 };
        for (n, expected) in [(2, 0.564_19), (5, 1.162_96), (10, 1.538_75), (100, 2.507_59)] {
            let found = (law.expected(n, 0, 0.0) - 1.0) / 0.01;
            assert!((found - expected).abs() < 5e-4, "{n}: {found}");
        }
        // The second largest of ten.
        let second = (law.expected(10, 1, 0.0) - 1.0) / 0.01;
        assert!((second - 1.001_36).abs() < 5e-4, "{second}");
    }
}

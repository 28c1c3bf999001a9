//! How long answers are: a distribution, its mean under a limit, and its expected maximum.

use crate::declare::Origin;
use crate::float::elementary::{exp, ln};
use crate::mix::{Stream, mix};
use crate::options;
use crate::stragglers::{above, ln_without};

/// Where the expected longest comes from.
pub const ORIGIN: Origin = Origin::Of("David and Nagaraja, “Order Statistics”, §3.1: ∫ (1 − F(x)ⁿ) dx up to the limit");

/// The kind of distribution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shape {
    /// The logarithm of a length is normal: what answers of reasoning models look like.
    #[default]
    Lognormal,
    /// Each further token is as likely as the one before.
    Exponential,
    /// All are equally long.
    Constant,
}

options!(Shape {
    Lognormal: "lognormal", "lognormal";
    Exponential: "exponential", "exponential";
    Constant: "constant", "all equal";
});

/// The distribution of lengths, in tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lengths {
    /// Its kind.
    pub shape: Shape,
    /// The deviation of the logarithm, for [`Shape::Lognormal`].
    pub sigma: f64,
    /// The mean without a limit.
    pub mean: f64,
    /// The limit: longer answers are cut off.
    pub cap: f64,
}

/// Steps of an integral.
const PIECES: u32 = 1000;

impl Lengths {
    /// Whether all answers are equally long.
    fn is_constant(self) -> bool {
        self.shape == Shape::Constant || (self.shape == Shape::Lognormal && self.sigma <= 0.0)
    }

    /// The probability that an answer would be longer than this.
    pub fn beyond(self, tokens: f64) -> f64 {
        if tokens <= 0.0 {
            return 1.0;
        }
        match self.shape {
            _ if self.is_constant() => f64::from(u8::from(tokens < self.mean)),
            Shape::Exponential => exp(-tokens / self.mean),
            Shape::Constant | Shape::Lognormal => {
                above((ln(tokens / self.mean) + self.sigma * self.sigma / 2.0) / self.sigma)
            }
        }
    }

    /// The expected longest of `n` answers, ∫₀^cap (1 − F(x)ⁿ) dx (David and Nagaraja, "Order Statistics", §3.1). For exponential lengths
    /// without a limit it is the mean times the harmonic number of n.
    pub fn expected_longest(self, n: u64) -> f64 {
        if self.is_constant() {
            return self.mean.min(self.cap);
        }
        let (n, cap) = (n as f64, self.cap);
        let low = cap * 1e-7;
        // In the logarithm of the length, where a long tail is as smooth as the rest.
        let width = ln(cap / low) / f64::from(PIECES);
        let at = |i: u32| {
            let x = low * exp(width * f64::from(i));
            x * (1.0 - exp(n * ln_without(self.beyond(x))))
        };
        let inner: f64 = (1..PIECES).map(at).sum();
        low + width * (inner + (at(0) + at(PIECES)) / 2.0)
    }

    /// The mean under the limit.
    pub fn expected(self) -> f64 {
        match self.shape {
            _ if self.is_constant() => self.mean.min(self.cap),
            Shape::Exponential => self.mean * (1.0 - exp(-self.cap / self.mean)),
            // E min(X, c): the part of the mean below c, and c as often as X is above it.
            Shape::Constant | Shape::Lognormal => {
                let until = (ln(self.cap / self.mean) - self.sigma * self.sigma / 2.0) / self.sigma;
                self.mean * above(-until) + self.cap * self.beyond(self.cap)
            }
        }
    }

    /// The length of answer `id` under this seed, in tokens, and whether it was cut off. It is the same in every layout.
    pub fn draw(self, seed: u64, id: u64) -> (f64, bool) {
        let mut stream = Stream::new(mix(seed) ^ id);
        let length = match self.shape {
            Shape::Constant => self.mean,
            Shape::Exponential => -self.mean * ln(1.0 - stream.unit()),
            Shape::Lognormal => self.mean * exp(self.sigma * normal(&mut stream) - self.sigma * self.sigma / 2.0),
        };
        (length.clamp(1.0, self.cap), length > self.cap)
    }
}

/// Normal, mean 0 and deviation 1, by the polar method (Marsaglia and Bray 1964): unlike a sum of uniform numbers it has its tail.
fn normal(stream: &mut Stream) -> f64 {
    // 64 misses in a row have a probability of 2⁻¹⁴².
    for _ in 0..64 {
        let (x, y) = (2.0 * stream.unit() - 1.0, 2.0 * stream.unit() - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * (-2.0 * ln(square) / square).sqrt();
        }
    }
    0.0
}

//! Rounding a real number to a format.

use super::{Format, Specials, power_of_two};
use crate::mix::Stream;

/// Which neighbour a number between two becomes.
#[derive(Debug)]
pub enum Rounding<'a> {
    /// The nearer; of two as near, the one with an even last bit.
    NearestEven,
    /// The one nearer to zero.
    TowardZero,
    /// The lower.
    Down,
    /// The upper.
    Up,
    /// The upper with a probability that is the part of the way already gone, so that the mean of many is exact.
    Stochastic(&'a mut Stream),
}

/// What becomes of a number beyond the largest finite value, infinity included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overflow {
    /// Infinity, or NaN in a format without (ml_dtypes, PyTorch's `.to()`). A format without either saturates.
    #[default]
    Special,
    /// The largest finite value with its sign, as NVIDIA's conversions do (PTX `cvt.satfinite`, which Transformer Engine
    /// uses for fp8). NaN stays NaN.
    Saturate,
}

impl Format {
    /// The value of this format that `x` becomes: to the nearest of two neighbours as `rounding` says, beyond the largest as
    /// `overflow` says. NaN stays NaN, and in a format
    /// without becomes what [`Format::nan_code`] says. A scale (E8M0) has neither sign nor zero: what
    /// is not positive becomes NaN, and ties go up.
    pub fn round(self, x: f64, rounding: Rounding<'_>, overflow: Overflow) -> f64 {
        if x.is_nan() {
            return self.decode(self.nan_code());
        }
        if self.specials == Specials::Scale && x <= 0.0 {
            return f64::NAN;
        }
        // `f64` itself has no spacing below that could be divided by.
        if x == 0.0 || self.mantissa_bits == 52 {
            return x;
        }
        let inward = match rounding {
            Rounding::TowardZero => true,
            Rounding::Down => x > 0.0,
            Rounding::Up => x < 0.0,
            Rounding::NearestEven | Rounding::Stochastic(_) => false,
        };
        if x.is_infinite() {
            return if inward { self.limit(x) } else { self.overflowed(x, overflow) };
        }
        let quantum = self.spacing(x);
        let steps = x / quantum;
        let whole = match rounding {
            Rounding::NearestEven => steps.round_ties_even(),
            Rounding::TowardZero => steps.trunc(),
            Rounding::Down => steps.floor(),
            Rounding::Up => steps.ceil(),
            Rounding::Stochastic(stream) => (steps + stream.unit()).floor(),
        };
        let rounded = if whole == 0.0 { 0.0_f64.copysign(x) } else { whole * quantum };
        if self.specials == Specials::Scale && rounded < self.min_normal() {
            return self.min_normal();
        }
        if rounded <= self.max() && rounded >= self.min() {
            rounded
        } else if inward {
            self.limit(x)
        } else {
            self.overflowed(x, overflow)
        }
    }

    /// The value of this format nearest to `x`, with infinity or NaN beyond the largest: what a plain conversion gives.
    pub fn nearest(self, x: f64) -> f64 {
        self.round(x, Rounding::NearestEven, Overflow::Special)
    }

    /// The largest or least finite value, on the side of `x`.
    fn limit(self, x: f64) -> f64 {
        if x > 0.0 { self.max() } else { self.min() }
    }

    fn overflowed(self, x: f64, overflow: Overflow) -> f64 {
        match (self.specials, overflow) {
            (Specials::Finite | Specials::Integer, _) | (_, Overflow::Saturate) => self.limit(x),
            (Specials::InfinityAndNan, _) => f64::INFINITY.copysign(x),
            (Specials::NanOnly | Specials::Scale, _) => f64::NAN,
        }
    }
}

/// Rounds `f32` numbers to the nearest value of a format of at most 24 significant bits, fast enough to emulate the arithmetic
/// of a network: the same as [`Format::round`] with [`Rounding::NearestEven`].
#[derive(Debug, Clone, Copy)]
pub struct Rounder {
    format: Format,
    /// Mantissa bits of `f32` that the format has not.
    drop: u32,
    min_normal: f32,
    /// A number so large that adding it to a subnormal of the format rounds that to the format's spacing.
    magic: f32,
    max: f32,
    overflow: Overflow,
    exact: bool,
}

impl Rounder {
    /// For a floating-point format; fp64 leaves every `f32` as it is, and so does fp32.
    pub fn new(format: Format, overflow: Overflow) -> Self {
        let magic = 1.5 * power_of_two(23 + format.min_exponent() - format.mantissa_bits as i32);
        Self {
            format,
            drop: 23_u32.saturating_sub(format.mantissa_bits),
            min_normal: format.min_normal() as f32,
            magic: magic as f32,
            max: format.max() as f32,
            overflow,
            exact: format.mantissa_bits >= 23,
        }
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The nearest value of the format.
    pub fn round(&self, x: f32) -> f32 {
        if self.exact {
            return x;
        }
        let size = x.abs();
        if size >= self.min_normal && size < f32::MAX / 2.0 {
            let bits = x.to_bits();
            let odd = (bits >> self.drop) & 1;
            let rounded = f32::from_bits((bits + (1 << (self.drop - 1)) - 1 + odd) & !((1 << self.drop) - 1));
            if rounded.abs() <= self.max { rounded } else { self.format.overflowed(x.into(), self.overflow) as f32 }
        } else if size < self.min_normal && self.min_normal > 1e-30 {
            ((size + self.magic) - self.magic).copysign(x)
        } else {
            self.format.round(x.into(), Rounding::NearestEven, self.overflow) as f32
        }
    }
}

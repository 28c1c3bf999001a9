//! Sums in few bits: one small update after another, and dot products as accumulators make them.

use super::{Format, Overflow, Rounding, exponent, power_of_two};
use crate::mix::Stream;

/// The same update added again and again to a number that is held in a format.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Updates {
    /// The format that holds the number; it is rounded after each addition.
    pub format: Format,
    /// What it starts from.
    pub start: f64,
    /// What is added each time, itself not rounded.
    pub update: f64,
    /// How many times.
    pub steps: u32,
    /// The seed of stochastic rounding; `None` for rounding to nearest.
    pub stochastic: Option<u64>,
}

/// What came of [`Updates`].
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// Step and value, at most [`Course::POINTS`] apart from the start and the end.
    pub points: Vec<(u32, f64)>,
    /// The value after the last step.
    pub last: f64,
    /// The exact sum.
    pub exact: f64,
    /// The first step that changed nothing.
    pub stalled: Option<u32>,
}

impl Course {
    /// Points kept between start and end.
    pub const POINTS: u32 = 256;

    /// The part of the exact change that arrived: 1 when all did, 0 when none.
    pub fn kept(&self) -> f64 {
        let start = self.points.first().map_or(0.0, |p| p.1);
        if self.exact == start { 1.0 } else { (self.last - start) / (self.exact - start) }
    }
}

impl Updates {
    /// Adds them up.
    pub fn run(&self) -> Course {
        let mut stream = Stream::new(self.stochastic.unwrap_or_default());
        let mut value = self.format.nearest(self.start);
        let every = (self.steps / Course::POINTS).max(1);
        let (mut points, mut stalled) = (vec![(0, value)], None);
        for step in 1..=self.steps {
            let rounding = match self.stochastic {
                Some(_) => Rounding::Stochastic(&mut stream),
                None => Rounding::NearestEven,
            };
            let next = self.format.round(value + self.update, rounding, Overflow::Special);
            if next == value && stalled.is_none() {
                stalled = Some(step);
            }
            value = next;
            if step % every == 0 || step == self.steps {
                points.push((step, value));
            }
        }
        let start = Some(self.format.nearest(self.start)).filter(|start| start.is_finite()).unwrap_or(self.start);
        let exact = start + self.update * f64::from(self.steps);
        Course { points, last: value, exact, stalled }
    }
}

/// How a matrix unit adds up the products of a dot product.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Accumulator {
    /// Rounded to this format after each addition.
    Format(Format),
    /// Hopper's fp8 tensor core: 32 products are aligned to the largest exponent among them, `bits` significant bits of
    /// each are kept, the rest is cut off, and so with the sum so far. DeepSeek-V3 (arXiv 2412.19437), sections 3.3.2 and
    /// 3.5.2, gives about 14 bits.
    Aligned {
        /// Significant bits kept.
        bits: u32,
        /// After so many products the sum is added to one in fp32 and starts anew; 0 for never. DeepSeek-V3 uses 128.
        promote: usize,
    },
}

/// Products that Hopper's tensor core aligns together.
const GROUP: usize = 32;

impl Accumulator {
    /// The sum of `a[i]·b[i]` over the shorter of the two, every product exact.
    pub fn dot(self, a: &[f64], b: &[f64]) -> f64 {
        let mut products = a.iter().zip(b).map(|(x, y)| x * y);
        match self {
            Self::Format(format) => products.fold(0.0, |sum, p| format.nearest(sum + p)),
            Self::Aligned { bits, promote } => {
                let products: Vec<f64> = products.by_ref().collect();
                let chunk = if promote == 0 { products.len().max(1) } else { promote };
                products.chunks(chunk).fold(0.0, |total, chunk| {
                    let part = chunk.chunks(GROUP).fold(0.0, |sum, group| {
                        let group = aligned(group, bits);
                        aligned(&[sum, group], bits)
                    });
                    super::FP32.nearest(total + part)
                })
            }
        }
    }
}

/// The sum of numbers that are first cut to multiples of the last of `bits` bits of the largest.
fn aligned(numbers: &[f64], bits: u32) -> f64 {
    let largest = numbers.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return numbers.iter().sum();
    }
    let quantum = power_of_two(exponent(largest) + 1 - bits as i32);
    numbers.iter().map(|x| (x / quantum).trunc() * quantum).sum()
}

#[cfg(test)]
mod tests {
    use super::super::{BF16, FP16, FP32};
    use super::*;

    fn course(format: Format, start: f64, update: f64, steps: u32, stochastic: Option<u64>) -> Course {
        Updates { format, start, update, steps, stochastic }.run()
    }

    #[test]
    fn sums_of_ones_stop_where_the_spacing_is_two() {
        assert_eq!(course(FP16, 0.0, 1.0, 5000, None).last, 2048.0);
        let bf16 = course(BF16, 0.0, 1.0, 5000, None);
        assert_eq!((bf16.last, bf16.stalled), (256.0, Some(257)));
        assert_eq!(course(FP32, 0.0, 1.0, 5000, None).kept(), 1.0);
    }

    #[test]
    fn stochastic_rounding_gets_there_on_average() {
        let nearest = course(BF16, 1.0, 1e-4, 10_000, None);
        assert_eq!((nearest.last, nearest.kept(), nearest.stalled), (1.0, 0.0, Some(1)));
        let mean = (0..20).map(|seed| course(BF16, 1.0, 1e-4, 10_000, Some(seed)).last).sum::<f64>() / 20.0;
        assert!((mean - 2.0).abs() < 0.02, "{mean}");
        assert_eq!(course(BF16, 1.0, 1e-4, 500, Some(3)), course(BF16, 1.0, 1e-4, 500, Some(3)));
    }

    #[test]
    fn an_aligned_accumulator_loses_what_promotion_keeps() {
        // 4096 positive products, as DeepSeek-V3 measures with K = 4096.
        let mut stream = Stream::new(7);
        let a: Vec<f64> = (0..4096).map(|_| super::super::E4M3FN.nearest(stream.unit())).collect();
        let b: Vec<f64> = (0..4096).map(|_| super::super::E4M3FN.nearest(stream.unit())).collect();
        let exact: f64 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
        let error = |acc: Accumulator| (acc.dot(&a, &b) / exact - 1.0).abs();
        let (raw, promoted, full) = (
            error(Accumulator::Aligned { bits: 14, promote: 0 }),
            error(Accumulator::Aligned { bits: 14, promote: 128 }),
            error(Accumulator::Format(FP32)),
        );
        assert!(raw > 0.002 && raw < 0.02, "{raw}");
        assert!(promoted < raw / 4.0 && full < 1e-6, "{promoted} {full}");
        assert_eq!(Accumulator::Aligned { bits: 14, promote: 0 }.dot(&[], &[]), 0.0);
    }
}

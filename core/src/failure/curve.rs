//! The same campaign at many checkpoint intervals: what each costs.

use super::campaign::{Cause, Setting, campaign};

/// Intervals from 10 s to 100 000 s that are tried, this many to a power of ten.
const PER_DECADE: u32 = 12;
const DECADES: u32 = 4;
/// Seeds that are averaged, where failures are few.
const SEEDS: u64 = 8;
/// Failures that all seeds together may have.
const FAILURES: f64 = 4000.0;
/// An interval costs as little as the best if its loss is within this of it.
const FLAT: f64 = 0.01;

/// One interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Seconds of computation between two checkpoints.
    pub interval: f64,
    /// The part of the time that is not useful work, on the average of several seeds.
    pub wasted: f64,
}

/// The part of the time that is not useful work, by interval.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Curve {
    /// From short to long.
    pub points: Vec<Point>,
    /// Seeds that were averaged.
    pub seeds: u64,
}

impl Curve {
    /// Of this campaign: all else stays, and the same failures strike.
    pub fn of(setting: &Setting) -> Self {
        let seeds = ((FAILURES * setting.mtbf / setting.length) as u64).clamp(1, SEEDS);
        let wasted = |interval: f64| {
            let one = |i: u64| {
                1.0 - campaign(&Setting { interval, seed: setting.seed + i, ..setting.clone() }).share(Cause::Useful)
            };
            (0..seeds).map(one).sum::<f64>() / seeds as f64
        };
        let point = |i: u32| {
            let interval = 10.0 * 10_f64.powf(f64::from(i) / f64::from(PER_DECADE));
            Point { interval, wasted: wasted(interval) }
        };
        Self { points: (0..=PER_DECADE * DECADES).map(point).collect(), seeds }
    }

    /// The interval that wastes least.
    pub fn best(&self) -> Option<Point> {
        self.points.iter().copied().min_by(|a, b| a.wasted.total_cmp(&b.wasted))
    }

    /// The shortest and the longest interval that waste at most a hundredth of the time more than the best.
    pub fn flat(&self) -> Option<(f64, f64)> {
        let limit = self.best()?.wasted + FLAT;
        let mut good = self.points.iter().filter(|point| point.wasted <= limit).map(|point| point.interval);
        let first = good.next()?;
        Some((first, good.next_back().unwrap_or(first)))
    }
}

//! Where numbers lie in a drawing.

use ringside_core::quantity::Unit;

/// From zero to the largest number, in percent of the drawing's width.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Linear {
    max: f64,
}

/// Most ticks that [`Linear::ticks`] yields, zero included.
pub const MAX_TICKS: usize = 8;

impl Linear {
    /// A scale from 0 to `max`.
    pub fn to(max: f64) -> Self {
        Self { max: if max.is_finite() && max > 0.0 { max } else { 1.0 } }
    }

    /// Where `value` lies: 0 to 100 for what is on the scale.
    pub fn percent(self, value: f64) -> f64 {
        value / self.max * 100.0
    }

    /// Whether `value` is on the scale.
    pub fn shows(self, value: f64) -> bool {
        (0.0..=self.max).contains(&value)
    }

    /// Round numbers from 0 on, 4 to 8 of them: steps of 1, 2, 2.5 or 5 times a power of ten.
    pub fn ticks(self) -> impl Iterator<Item = f64> {
        let rough = self.max / (MAX_TICKS - 1) as f64;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0].map(|m| m * power).into_iter().find(|s| *s >= rough).unwrap_or(10.0 * power);
        let max = self.max;
        (0..MAX_TICKS).map(move |i| step * i as f64).take_while(move |tick| *tick <= max * (1.0 + 1e-9))
    }

    /// The same for what is written in a unit. Time over some minutes goes in steps of a clock, not in tens of seconds.
    pub fn ticks_in(self, unit: Unit) -> impl Iterator<Item = f64> {
        let by_ten = self.ticks().nth(1).unwrap_or(self.max);
        let rough = self.max / (MAX_TICKS - 1) as f64;
        let by_clock = CLOCK.into_iter().find(|step| *step >= rough).filter(|_| unit == Unit::Seconds && rough > 30.0);
        let (step, max) = (by_clock.unwrap_or(by_ten), self.max);
        (0..MAX_TICKS).map(move |i| step * i as f64).take_while(move |tick| *tick <= max * (1.0 + 1e-9))
    }
}

/// Steps of a clock, in seconds: minutes, hours, days.
const CLOCK: [f64; 18] = [
    60.0,
    120.0,
    300.0,
    600.0,
    900.0,
    1800.0,
    3600.0,
    7200.0,
    10_800.0,
    21_600.0,
    43_200.0,
    86_400.0,
    172_800.0,
    432_000.0,
    864_000.0,
    1_728_000.0,
    4_320_000.0,
    8_640_000.0,
];

/// Powers of a base from the smallest number to the largest, in percent of the drawing's width or height.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Log {
    min: f64,
    max: f64,
}

impl Log {
    /// A scale from 1 to `max`, which must be over 1.
    pub fn to(max: f64) -> Self {
        Self::between(1.0, max)
    }

    /// A scale from `min`, over 0, to `max`, at least twice as much.
    pub fn between(min: f64, max: f64) -> Self {
        let min = min.max(f64::MIN_POSITIVE);
        Self { min, max: max.max(2.0 * min) }
    }

    /// Where `value` lies: 0 to 100 for what is on the scale; what is under its beginning lies at 0.
    pub fn percent(self, value: f64) -> f64 {
        (value.max(self.min) / self.min).ln() / (self.max / self.min).ln() * 100.0
    }
}

/// A percentage as an attribute: `12.35%`.
pub fn percent(value: f64) -> String {
    format!("{value:.3}%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        for (max, expected) in [
            (480e9, vec![0.0, 100e9, 200e9, 300e9, 400e9]),
            (80.0, vec![0.0, 20.0, 40.0, 60.0, 80.0]),
            (7.0, vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]),
            (16.0, vec![0.0, 2.5, 5.0, 7.5, 10.0, 12.5, 15.0]),
        ] {
            assert_eq!(Linear::to(max).ticks().collect::<Vec<_>>(), expected, "{max}");
        }
        for max in [0.0, f64::NAN, 1e-300, 1e300] {
            assert!((1..=MAX_TICKS).contains(&Linear::to(max).ticks().count()), "{max}");
        }
    }

    #[test]
    fn time_goes_by_the_clock() {
        for (end, step) in [(1500.0, 300.0), (30_000.0, 7200.0), (40.0, 10.0), (1e9, 2e8)] {
            assert_eq!(Linear::to(end).ticks_in(Unit::Seconds).nth(1), Some(step), "{end}");
        }
        assert_eq!(Linear::to(1500.0).ticks_in(Unit::Count).nth(1), Some(250.0));
    }
}

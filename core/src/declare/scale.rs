//! How the positions of a slider stand for values.

use crate::decimal;

/// How the positions of a slider, whole numbers from 0 on, stand for values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// Equal steps from `min` to `max`.
    Linear {
        /// The value at the left end.
        min: f64,
        /// The value at the right end.
        max: f64,
        /// The step of an arrow key.
        step: f64,
    },
    /// Powers of two, from 2 to the power 0 up to 2 to this power.
    Doubling(u32),
    /// 0, then powers of two, from 2 to the power 0 up to 2 to this power.
    FromZero(u32),
    /// Four equal steps from each power of two to the next, from 2 to the first to 2 to the second: 256, 320, 384, 448, 512, 640.
    Quarters(i32, i32),
    /// Numbers of two digits, from 10 to the power of the first up to 10 to the power of the second: 10, 11, … 99, 100, 110.
    Decades(i32, i32),
}

/// Steps of two-digit numbers in a decade.
const DECADE: f64 = 90.0;

impl Scale {
    /// The last position.
    pub fn last(self) -> f64 {
        match self {
            Scale::Linear { min, max, step } => ((max - min) / step).round(),
            Scale::Doubling(power) => f64::from(power),
            Scale::FromZero(power) => f64::from(power) + 1.0,
            Scale::Quarters(from, to) => f64::from(to - from) * 4.0,
            Scale::Decades(from, to) => f64::from(to - from) * DECADE,
        }
    }

    /// The value at a position; those beyond the ends are the ends'.
    pub fn value(self, position: f64) -> f64 {
        let position = position.clamp(0.0, self.last());
        match self {
            Scale::Linear { min, max, step } => (min + position * step).clamp(min, max),
            Scale::Doubling(_) => 2_f64.powf(position.round()),
            Scale::FromZero(_) if position < 0.5 => 0.0,
            Scale::FromZero(_) => 2_f64.powf(position.round() - 1.0),
            Scale::Quarters(from, _) => {
                let (octave, rest) = ((position.round() / 4.0).floor(), position.round() % 4.0);
                (4.0 + rest) * 2_f64.powf(octave + f64::from(from) - 2.0)
            }
            Scale::Decades(from, _) => {
                let (decade, rest) = ((position / DECADE).floor(), (position % DECADE).round());
                // Written and read as text: powers of ten are then as exact as typed ones.
                decimal::parse(&format!("{}e{}", 10.0 + rest, decade as i32 + from - 1)).unwrap_or(1.0)
            }
        }
    }

    /// The position nearest to `value`; the nearer end for what is beyond.
    pub fn position(self, value: f64) -> f64 {
        let position = match self {
            Scale::Linear { min, step, .. } => (value - min) / step,
            Scale::Doubling(_) => value.max(1.0).log2(),
            Scale::FromZero(_) if value < 0.5 => 0.0,
            Scale::FromZero(_) => value.max(1.0).log2() + 1.0,
            Scale::Quarters(from, _) => {
                let octave = value.max(1.0).log2().floor();
                (octave - f64::from(from)) * 4.0 + value / 2_f64.powf(octave - 2.0) - 4.0
            }
            Scale::Decades(from, _) => {
                let decade = value.max(f64::MIN_POSITIVE).log10().floor();
                (decade - f64::from(from)) * DECADE + value / 10_f64.powf(decade - 1.0) - 10.0
            }
        };
        position.round().clamp(0.0, self.last())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_values_agree() {
        let scales = [
            Scale::Linear { min: 0.0, max: 1.0, step: 0.01 },
            Scale::Doubling(16),
            Scale::FromZero(6),
            Scale::Quarters(8, 15),
            Scale::Decades(6, 13),
        ];
        for scale in scales {
            for position in 0..=scale.last() as u32 {
                let position = f64::from(position);
                assert_eq!(scale.position(scale.value(position)), position, "{scale:?}");
            }
        }
        assert_eq!(Scale::Decades(6, 13).value(Scale::Decades(6, 13).position(30e9)), 30e9);
        assert_eq!(Scale::Decades(6, 13).value(630.0), 1e13);
        assert_eq!(Scale::Doubling(16).position(1e9), 16.0);
        assert_eq!(Scale::Quarters(8, 15).value(Scale::Quarters(8, 15).position(7168.0)), 7168.0);
    }
}

//! What a format makes of a number, and of many gradients.

use super::{power, written};
use crate::float::{Class, Format, Specials};

/// What a format makes of the number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Held {
    /// The format.
    pub format: Format,
    /// The code.
    pub code: u64,
    /// What it stands for.
    pub value: f64,
    /// What kind of thing that is.
    pub class: Class,
    /// |number − value|, with the largest value for an infinite one; 0 for NaN.
    pub error: f64,
    /// The value below and the value above.
    pub neighbours: [Option<f64>; 2],
}

/// What a format makes of the gradients.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fate {
    /// The part that becomes zero.
    pub zero: f64,
    /// The part that is held as subnormal numbers.
    pub subnormal: f64,
    /// The part that becomes infinite, NaN, or the largest value.
    pub overflowed: f64,
}

pub(super) fn finite(x: f64, otherwise: f64) -> f64 {
    if x.is_finite() { x } else { otherwise }
}

impl Fate {
    pub(super) fn of(format: Format, gradients: &[f64]) -> Self {
        let part = 1.0 / gradients.len().max(1) as f64;
        let mut fate = Self::default();
        for g in gradients {
            match format.nearest(*g) {
                0.0 => fate.zero += part,
                held if !held.is_finite() || (held == format.max() && *g > held) => fate.overflowed += part,
                held if held < format.min_normal() => fate.subnormal += part,
                _ => {}
            }
        }
        fate
    }
}

impl Held {
    pub(super) fn of(format: Format, x: f64, code: u64) -> Self {
        let value = format.decode(code);
        let error =
            if x.is_nan() || value.is_nan() { 0.0 } else { finite((finite(x, format.max()) - value).abs(), 0.0) };
        let neighbours = [format.next_down(value), format.next_up(value)];
        Self { format, code, value, class: format.class(code), error, neighbours }
    }

    /// The value; the largest for an infinite one, 0 for NaN.
    pub(super) fn finite(&self) -> f64 {
        match self.value {
            v if v.is_nan() => 0.0,
            v if v.is_infinite() => self.format.max().copysign(v),
            v => v,
        }
    }

    /// The distance between neighbours around the value.
    pub fn spacing(&self) -> f64 {
        self.format.spacing(self.finite())
    }

    /// How the code makes the value, in words: `+2⁻⁴ × (1 + 614/1024)`.
    pub fn formula(&self) -> String {
        let f = self.format;
        let (negative, field, mantissa) = f.fields(self.code);
        let sign = if negative { "−" } else { "+" };
        let of = 1_u64 << f.mantissa_bits;
        match self.class {
            Class::Nan => "not a number".to_owned(),
            Class::Infinity => format!("{sign}infinity"),
            Class::Zero => format!("{sign}0"),
            _ if f.specials == Specials::Integer => format!("{}", self.value),
            _ if f.specials == Specials::Scale => power((field as i64 - i64::from(f.bias)) as f64),
            Class::Subnormal => format!("{sign}{} × {mantissa}/{of}", power(f64::from(f.min_exponent()))),
            Class::Normal => {
                let e = power((field as i64 - i64::from(f.bias)) as f64);
                if mantissa == 0 { format!("{sign}{e}") } else { format!("{sign}{e} × (1 + {mantissa}/{of})") }
            }
        }
    }

    /// What kind of thing it is, for people.
    pub fn kind(&self) -> &'static str {
        match self.class {
            Class::Zero => "zero",
            Class::Subnormal => "subnormal",
            Class::Normal if self.format.specials == Specials::Integer => "whole number",
            Class::Normal => "normal",
            Class::Infinity => "infinity",
            Class::Nan => "not a number",
        }
    }

    /// The value to all the digits that a person reads.
    pub fn text(&self) -> String {
        written(self.value)
    }
}

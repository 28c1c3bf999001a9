//! What the figure says.

use super::growth::Start;
use super::params::{Params, Shown, View};
use super::sums::{Order, Sums};
use crate::float::Format;
use crate::quantity::{Unit, counted, grouped, number, plural};

/// A sum as a person reads it.
pub fn value(x: f64) -> String {
    match x {
        x if x.is_nan() => "NaN".to_owned(),
        x if x.is_infinite() => if x > 0.0 { "∞" } else { "−∞" }.to_owned(),
        x => number(x),
    }
}

/// How far a sum is off, in units of the last place of the exact one.
pub fn off(error: f64, unit: f64) -> String {
    match error / unit {
        e if e.is_nan() => "no number".to_owned(),
        e if e.abs() < 0.005 => "exact".to_owned(),
        e => format!("{}{} ulp", if e > 0.0 { "+" } else { "−" }, number(e.abs())),
    }
}

/// A code in hexadecimal: `0x3dcccccd`.
pub fn hexadecimal(code: u64, bits: u32) -> String {
    format!("0x{code:0width$x}", width = bits.div_ceil(4) as usize)
}

/// The bits of a code, a space after the sign and after the exponent: as far as they agree with those of `other`, and from the first
/// that differs on.
pub fn bits(format: Format, code: u64, other: u64) -> (String, String) {
    let first = Sums::first_bit(format, code, other);
    let (mut same, mut differing) = (String::new(), String::new());
    for place in 1..=format.bits() {
        let part = if first == 0 || place < first { &mut same } else { &mut differing };
        part.push(if code >> (format.bits() - place) & 1 == 1 { '1' } else { '0' });
        if place == 1 || place == 1 + format.exponent_bits {
            part.push(' ');
        }
    }
    (same, differing)
}

impl Params {
    /// What the figure shows, in sentences.
    pub fn finding(&self, shown: &Shown) -> String {
        match self.show {
            View::Sums => self.sums_finding(shown),
            View::Steps => self.steps_finding(shown),
            View::Gpu => {
                "Six kernels add the same numbers, each in an order of its own. Run them and compare bits.".to_owned()
            }
        }
    }

    fn sums_finding(&self, shown: &Shown) -> String {
        let (sums, format) = (&shown.sums, self.format.0);
        let sum = self.sum(shown);
        let mut text = format!(
            "{} orders of {} come to {} in {}.",
            sums.sums.len(),
            counted(sums.values.len() as u64, "number", "numbers"),
            plural(&sums.distinct().to_string(), "different result"),
            format.name
        );
        let name = self.order.label();
        if !sum.value.is_finite() {
            return text + &format!(" “{name}” gives {}; the exact sum is {}.", value(sum.value), value(sums.exact));
        }
        let first = self.exact_code(shown).map_or(0, |exact| Sums::first_bit(format, sum.code, exact));
        text += &match first {
            0 => format!(" “{name}” is the exact sum, rounded once."),
            1 => format!(" “{name}” has not even the sign of the exact sum."),
            first => format!(
                " “{name}” is {} off and differs from the exact sum from bit {first} of {} on.",
                off(sum.error, sums.unit(format)).trim_start_matches('+'),
                format.bits()
            ),
        };
        let bound = self.bound(shown);
        if sum.depth.is_some() && bound.is_finite() && sum.error != 0.0 {
            text += &format!(" The bound γ allows {} times as much.", number(bound / sum.error.abs()));
        }
        if self.order == Order::Ring && sums.ring.1 > 0 {
            text += &format!(
                " The ring sums {} of {} in another order than from rank 0 upward.",
                grouped(sums.ring.0.into()),
                counted(sums.ring.1.into(), "element", "elements")
            );
        }
        text
    }

    fn steps_finding(&self, shown: &Shown) -> String {
        let growth = &shown.growth;
        let Some(last) = growth.steps.last() else { return "No step has been made.".to_owned() };
        if self.start == Start::Nothing || growth.steps.iter().all(|s| s.distance == 0.0) {
            return format!(
                "After {} the two runs agree in every bit.",
                counted(growth.steps.len() as u64, "step", "steps")
            );
        }
        let what = match self.start {
            Start::Bit => "One bit of one weight",
            _ => "The order of the sums",
        };
        let all = growth.steps.iter().position(|s| s.differing > 0.9);
        let all =
            all.map_or(String::new(), |i| format!(" After step {} nine of ten weights differ.", grouped(i as u64 + 1)));
        let [one, other] = last.losses;
        format!(
            "{what} is all that differs: after {} the weights are {} apart. The losses are {} and {}.{all}",
            counted(growth.steps.len() as u64, "step", "steps"),
            Unit::Fraction.format(last.distance),
            value(one),
            value(other)
        )
    }
}

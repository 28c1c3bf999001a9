//! Sums of fp32 numbers without any rounding: a fixed-point accumulator as wide as the format's whole range (Kulisch 2013,
//! "Computer Arithmetic and Validity", chapter 8). What is read from it does not depend on the order of the additions.

use crate::declare::Origin;
use crate::float::{Format, Overflow, Rounding};

/// Where the exact sum comes from.
pub const ORIGIN: Origin =
    Origin::Of("Kulisch 2013, “Computer Arithmetic and Validity”, chapter 8: a fixed-point accumulator");

/// Bits of a limb that are used; the rest takes carries.
const LIMB: usize = 32;
/// The weight of the lowest bit: the smallest fp32 number is 2⁻¹⁴⁹.
const LOWEST: i32 = -149;
/// Limbs from 2⁻¹⁴⁹ to beyond 2¹²⁸ times 2³¹ additions.
const LIMBS: usize = 11;

/// The exact sum of what was added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exact {
    limbs: [i64; LIMBS],
    /// What was added that is no finite number, and what IEEE 754 makes of it.
    special: Option<u64>,
}

impl Default for Exact {
    fn default() -> Self {
        Self { limbs: [0; LIMBS], special: None }
    }
}

impl Exact {
    /// The sum of these.
    pub fn of(values: &[f32]) -> Self {
        let mut sum = Self::default();
        values.iter().for_each(|v| sum.add(*v));
        sum
    }

    /// Adds a number: at most 2³⁰ of them.
    pub fn add(&mut self, x: f32) {
        if !x.is_finite() {
            let before = self.special.map_or(0.0, f64::from_bits);
            self.special = Some((before + f64::from(x)).to_bits());
            return;
        }
        let bits = x.to_bits();
        let field = (bits >> 23 & 0xff) as usize;
        let mantissa = i64::from(bits & 0x7f_ffff) | if field > 0 { 1 << 23 } else { 0 };
        let place = field.max(1) - 1;
        let shifted = i128::from(mantissa) << (place % LIMB);
        let sign = if x.is_sign_negative() { -1 } else { 1 };
        for (limb, part) in self.limbs.iter_mut().skip(place / LIMB).zip([shifted, shifted >> LIMB]) {
            *limb += sign * (part as i64 & 0xffff_ffff);
        }
    }

    /// The sign, and the size in limbs of 32 bits, the lowest first.
    fn normal(&self) -> (bool, [u64; LIMBS]) {
        let carried = |sign: i64| {
            let mut carry = 0;
            let digits = self.limbs.map(|limb| {
                let digit = sign * limb + carry;
                carry = digit >> LIMB;
                (digit & 0xffff_ffff) as u64
            });
            (carry, digits)
        };
        let (carry, digits) = carried(1);
        if carry < 0 { (true, carried(-1).1) } else { (false, digits) }
    }

    /// The sum, rounded once: to the nearest `f64`, of two as near the even one. +0 for zero.
    pub fn to_f64(&self) -> f64 {
        if let Some(special) = self.special {
            return f64::from_bits(special);
        }
        let (negative, digits) = self.normal();
        let bit = |i: usize| digits[i / LIMB] >> (i % LIMB) & 1;
        let Some(top) = (0..LIMBS * LIMB).rev().find(|i| bit(*i) == 1) else { return 0.0 };
        // 54 bits and whether anything is left below them; the last of them decides with what is left.
        let last = top.saturating_sub(53);
        let kept = (last..=top).rev().fold(0_u64, |all, i| all << 1 | bit(i));
        let below = (0..last).any(|i| bit(i) == 1);
        let kept = if top - last < 53 { (kept << 1) << (52 - (top - last)) } else { kept };
        let odd = kept >> 1 & 1;
        let up = kept & 1 == 1 && (below || odd == 1);
        let whole = (kept >> 1) + u64::from(up);
        let size = whole as f64 * crate::float::power_of_two(top as i32 - 52 + LOWEST);
        if negative { -size } else { size }
    }

    /// The sum rounded once to a format of fewer than 53 bits. Twice, by way of `f64`, would go wrong where `f64` rounds onto a
    /// tie; so a sum that is not exact there is moved off it first.
    pub fn to(&self, format: Format) -> f64 {
        let near = self.to_f64();
        let left = self.minus(near);
        let moved = match left {
            0.0 => near,
            left if left > 0.0 => near.next_up(),
            _ => near.next_down(),
        };
        format.round(if near.is_finite() { moved } else { near }, Rounding::NearestEven, Overflow::Special)
    }

    /// What is left when a number is taken away, rounded once: how far `x` is below the sum. `x` is split into fp32 parts; of an
    /// `f64` with more bits than the sum has below 2⁻¹⁴⁹, those are left out.
    pub fn minus(&self, x: f64) -> f64 {
        let (mut rest, mut left) = (self.clone(), x);
        for _ in 0..4 {
            let part = left as f32;
            if part == 0.0 || !part.is_finite() {
                break;
            }
            rest.add(-part);
            left -= f64::from(part);
        }
        rest.to_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::float::{BF16, FP32};
    use crate::mix::Stream;

    #[test]
    fn it_is_the_sum_in_whole_numbers() {
        let mut stream = Stream::new(1);
        for _ in 0..2000 {
            // Whole numbers below 2⁶², which i128 adds exactly.
            let values: Vec<f32> = (0..40)
                .map(|_| {
                    let size =
                        (stream.bits() >> 40) as f32 * crate::float::power_of_two(stream.below(39) as i32) as f32;
                    if stream.below(2) == 0 { size } else { -size }
                })
                .collect();
            let whole: i128 = values.iter().map(|v| *v as i128).sum();
            let sum = Exact::of(&values);
            assert_eq!(sum.to_f64(), whole as f64);
            assert_eq!(sum.to(FP32), f64::from(whole as f32), "{whole}");
        }
    }

    #[test]
    fn ends_ties_and_what_is_not_finite() {
        let tiny = f32::from_bits(1);
        assert_eq!(Exact::of(&[tiny, tiny]).to_f64(), 2.0 * f64::from(tiny));
        assert_eq!(Exact::of(&[f32::MAX; 1000]).to_f64(), 1000.0 * f64::from(f32::MAX));
        assert_eq!(Exact::of(&[f32::MAX, 1.0, -f32::MAX]).to_f64(), 1.0);
        // 1 + 2⁻⁸ is a tie of bf16; what lies 2⁻¹⁴⁹ above it is not, though f64 cannot tell.
        let tie = [1.0, 2_f32.powi(-8)];
        assert_eq!(Exact::of(&tie).to(BF16), 1.0);
        assert_eq!(Exact::of(&[tie[0], tie[1], tiny]).to(BF16), 1.0 + 2_f64.powi(-7));
        assert_eq!(Exact::of(&[f32::INFINITY, 1.0]).to_f64(), f64::INFINITY);
        assert!(Exact::of(&[f32::INFINITY, f32::NEG_INFINITY]).to(FP32).is_nan());
        assert_eq!(Exact::of(&[1.0, 2.0]).minus(2.5), 0.5);
    }
}

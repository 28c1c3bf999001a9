//! A decimal number read to the nearest double.
//!
//! What `str::parse` does, without its table of powers of five: 10 KB that do not compress, in every page that reads a
//! number. Numbers of up to fifteen digits take one multiplication or division by an exact power of ten; the others exact
//! integers.

use std::cmp::Ordering;

/// More digits than this change nothing but a tie: the shortest decimal between two doubles has at most 767.
const DIGITS: usize = 800;

/// The double nearest to a number written in digits, with an optional sign, point and exponent: `-12.5e3`, `.5`, `7.`. Of
/// two equally near, the even one; beyond the largest, an infinity. `None` for anything else, `inf` and `nan` included.
pub fn parse(text: &str) -> Option<f64> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (text.get(..at)?, power(text.get(at + 1..)?)?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = || whole.bytes().chain(fraction.bytes());
    if all().next().is_none() || !all().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut digits: Vec<u8> = all().map(|b| b - b'0').skip_while(|d| *d == 0).collect();
    let mut exponent = exponent.saturating_sub(i64::try_from(fraction.len()).unwrap_or(i64::MAX));
    if digits.len() > DIGITS {
        let rest = digits.split_off(DIGITS);
        exponent = exponent.saturating_add(i64::try_from(rest.len()).unwrap_or(i64::MAX));
        if rest.iter().any(|d| *d != 0) {
            digits.push(1);
            exponent = exponent.saturating_sub(1);
        }
    }
    let value = nearest(&digits, exponent);
    Some(if negative { -value } else { value })
}

/// What follows the `e`. Beyond what any double needs, however many digits it has.
fn power(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let size = digits.bytes().fold(0_i64, |n, b| n.saturating_mul(10).saturating_add(i64::from(b - b'0')));
    Some(sign * size)
}

/// The double nearest to the whole number with these digits, times 10 to this power.
fn nearest(digits: &[u8], exponent: i64) -> f64 {
    if digits.is_empty() {
        return 0.0;
    }
    let magnitude = exponent.saturating_add(i64::try_from(digits.len()).unwrap_or(i64::MAX));
    if magnitude > 310 {
        return f64::INFINITY;
    }
    if magnitude < -345 {
        return 0.0;
    }
    let tens = exponent.unsigned_abs();
    if digits.len() <= 15 && tens <= 22 {
        // Both are exact, so that the result is rounded once.
        let whole = digits.iter().fold(0.0, |n, d| n * 10.0 + f64::from(*d));
        let scale = (0..tens).fold(1.0, |n, _| n * 10.0);
        return if exponent < 0 { whole / scale } else { whole * scale };
    }
    let (mut above, mut below) = (Whole::of(digits), Whole(vec![1]));
    let scaled = if exponent < 0 { &mut below } else { &mut above };
    (0..tens).for_each(|_| scaled.multiply_add(10, 0));
    quotient(above, below)
}

/// The double nearest to `above / below`, both positive.
fn quotient(mut above: Whole, mut below: Whole) -> f64 {
    // Scaled by a power of two, so that it lies in [1, 2).
    let mut power = above.bits() - below.bits();
    let smaller = if power < 0 { &mut above } else { &mut below };
    smaller.shift(power.unsigned_abs());
    if above.order(&below).is_lt() {
        above.shift(1);
        power -= 1;
    }
    // A double has 53 bits, and none below 2⁻¹⁰⁷⁴.
    let bits = 53 + (power + 1022).min(0);
    if bits < 0 {
        return 0.0;
    }
    let mut mantissa = 0_u64;
    for _ in 0..bits {
        mantissa *= 2;
        if above.order(&below).is_ge() {
            above.subtract(&below);
            mantissa += 1;
        }
        above.shift(1);
    }
    // What is left, against half of the last bit.
    mantissa += match above.order(&below) {
        Ordering::Less => 0,
        Ordering::Equal => mantissa % 2,
        Ordering::Greater => 1,
    };
    let power = power - (bits - 1);
    // In two steps: 2^power alone may be too small or too large for a double.
    let half = power / 2;
    mantissa as f64 * 2_f64.powi(half as i32) * 2_f64.powi((power - half) as i32)
}

/// A whole number of any size: 32 bits each, the lowest first, no zeros at the end.
struct Whole(Vec<u32>);

impl Whole {
    fn of(digits: &[u8]) -> Self {
        let mut whole = Self(Vec::new());
        digits.iter().for_each(|d| whole.multiply_add(10, *d));
        whole
    }

    fn multiply_add(&mut self, factor: u32, term: u8) {
        let mut carry = u64::from(term);
        for part in &mut self.0 {
            carry += u64::from(*part) * u64::from(factor);
            *part = carry as u32;
            carry >>= 32;
        }
        self.push(carry as u32);
    }

    fn push(&mut self, part: u32) {
        if part != 0 {
            self.0.push(part);
        }
    }

    /// How many bits it has.
    fn bits(&self) -> i64 {
        let top = self.0.last().map_or(0, |part| i64::from(part.leading_zeros()));
        self.0.len() as i64 * 32 - top
    }

    /// Multiplies by 2 to this power.
    fn shift(&mut self, bits: u64) {
        let mut carry = 0;
        for part in &mut self.0 {
            let wide = u64::from(*part) << (bits % 32) | carry;
            *part = wide as u32;
            carry = wide >> 32;
        }
        self.push(carry as u32);
        self.0.splice(0..0, std::iter::repeat_n(0, (bits / 32) as usize));
    }

    fn order(&self, other: &Self) -> Ordering {
        let lengths = self.0.len().cmp(&other.0.len());
        lengths.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }

    /// Takes away what is not larger.
    fn subtract(&mut self, other: &Self) {
        let mut borrow = false;
        for (i, part) in self.0.iter_mut().enumerate() {
            let (less, first) = part.overflowing_sub(other.0.get(i).copied().unwrap_or(0));
            let (less, second) = less.overflowing_sub(u32::from(borrow));
            *part = less;
            borrow = first || second;
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Like the standard library, bit by bit.
    fn agrees(text: &str) {
        let (ours, theirs) = (parse(text), text.parse::<f64>().ok());
        assert_eq!(ours.map(f64::to_bits), theirs.map(f64::to_bits), "{text}: {ours:?} instead of {theirs:?}");
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in [
            "", ".", "-", "+", "e", "e5", ".e5", "1e", "1e+", "1.2.3", "1 2", "0x10", "1_000", "½", "１", "--1", "+-1",
            "1e5.0", "1e5e5",
        ] {
            assert_eq!(parse(text), None, "{text}");
            assert!(text.parse::<f64>().is_err(), "{text}");
        }
        for text in ["inf", "nan", "NaN", "-Infinity"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn edges() {
        for text in [
            "0",
            "-0",
            "+7",
            ".5",
            "7.",
            "0e999999999999999999999",
            "1e-99999999999999999999",
            "-1e400",
            "1e308",
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880",
            "2.2250738585072014e-308",
            "2.2250738585072011e-308",
            "5e-324",
            "4.9406564584124654e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "1e-324",
            "9007199254740993",
            "9007199254740993.00000000000000000000001",
            "9007199254740995",
            "1e23",
            "8.5e22",
            "123456789012345678901234567890",
            "0.1",
            "0.30000000000000004",
            "1e22",
            "1e-22",
            "123456789012345e22",
            "100000000000000000000000000000000000000000000e-40",
        ] {
            agrees(text);
        }
        agrees(&format!("9007199254740993.{}1", "0".repeat(2000)));
        agrees(&format!("9007199254740993.{}", "0".repeat(2000)));
        agrees(&format!("0.{}1e2000", "0".repeat(1999)));
        agrees(&format!("1{}e-3000", "0".repeat(3000)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn every_double_comes_back(bits: u64, more in 0_usize..40) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            agrees(&format!("{value}"));
            agrees(&format!("{value:e}"));
            agrees(&format!("{value:.more$e}"));
        }

        #[test]
        fn between_two_doubles_the_nearer_is_taken(bits: u64, nudge in 0_u8..3) {
            let value = f64::from_bits(bits & !(1 << 63));
            prop_assume!(value.is_finite() && value.next_up().is_finite());
            // The middle has one more bit: exact to 1100 digits.
            let exact = format!("{:.1100e}", value);
            let above = format!("{:.1100e}", value.next_up());
            agrees(&exact);
            agrees(&above);
            let (digits, power) = exact.split_once('e').unwrap_or_default();
            agrees(&format!("{digits}{}e{power}", nudge));
        }

        #[test]
        fn ties(mantissa in 1_u64 << 53..1 << 54, power in 0_u32..60) {
            let whole = u128::from(mantissa) << power;
            for near in [whole - 1, whole, whole + 1] {
                agrees(&near.to_string());
                agrees(&format!("{near}e-30"));
            }
        }

        #[test]
        fn any_digits(text in "[-+]?[0-9]{0,30}(\\.[0-9]{0,30})?([eE][-+]?[0-9]{0,4})?") {
            agrees(&text);
        }

        #[test]
        fn nothing_panics(text in "\\PC{0,20}") {
            let _ = parse(&text);
        }
    }
}

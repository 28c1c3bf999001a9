//! Exponential and logarithm from additions and multiplications alone, the same to the last bit on every machine. Those of
//! the standard library differ between processors and WebAssembly, and a training run that is seeded must not.

use super::{exponent, power_of_two};

/// eˣ to a few units in the last place of an `f64`.
pub fn exp(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x > 709.0 {
        return f64::INFINITY;
    }
    if x < -744.0 {
        return 0.0;
    }
    // ln 2 in two parts, so that k·ln 2 is subtracted without loss.
    const HIGH: f64 = 6.931_471_803_691_238e-1;
    const LOW: f64 = 1.908_214_929_270_587_7e-10;
    let k = (x * std::f64::consts::LOG2_E).round_ties_even();
    let r = (x - k * HIGH) - k * LOW;
    // Taylor on |r| ≤ ln 2 / 2: the fourteenth term is below 2⁻⁶⁰.
    let mut sum = 1.0;
    for n in (1..=14).rev() {
        sum = 1.0 + sum * r / f64::from(n);
    }
    let half = k as i32 / 2;
    sum * power_of_two(half) * power_of_two(k as i32 - half)
}

/// The natural logarithm to a few units in the last place; −∞ at 0, NaN below.
pub fn ln(x: f64) -> f64 {
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x.is_infinite() {
        return x;
    }
    let mut e = exponent(x);
    let half = e / 2;
    let mut m = x * power_of_two(-half) * power_of_two(half - e);
    if m > std::f64::consts::SQRT_2 {
        m /= 2.0;
        e += 1;
    }
    // ln m = 2 artanh((m − 1)/(m + 1)), |(m − 1)/(m + 1)| ≤ 0.172.
    let t = (m - 1.0) / (m + 1.0);
    let square = t * t;
    let mut sum = 0.0;
    for n in (0..12).rev() {
        sum = sum * square + 1.0 / f64::from(2 * n + 1);
    }
    2.0 * t * sum + f64::from(e) * std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_agree_with_the_standard_library_to_a_few_last_places() {
        for i in -7000..7000 {
            let x = f64::from(i) * 0.1;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-14, "exp {x}");
            let y = f64::from(i + 7001) * 0.37;
            assert!((ln(y) - y.ln()).abs() <= 4e-15 * y.ln().abs().max(0.1), "ln {y}");
        }
        assert_eq!((exp(-800.0), exp(800.0), exp(0.0), ln(1.0)), (0.0, f64::INFINITY, 1.0, 0.0));
        assert!(ln(-1.0).is_nan() && ln(0.0) == f64::NEG_INFINITY && (ln(5e-324) - 5e-324_f64.ln()).abs() < 1e-12);
    }
}

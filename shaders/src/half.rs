//! f16 on a machine that has none.

/// `value` rounded to the nearest f16 (IEEE 754 binary16), ties to even; ±∞ beyond its range.
pub fn round(value: f32) -> f32 {
    if !value.is_finite() || value == 0.0 {
        return value;
    }
    // Eleven significant bits, and none below 2⁻²⁴.
    let exponent = ((value.to_bits() >> 23) & 0xff) as i32 - 127;
    let unit = 2_f32.powi(exponent.max(-14) - 10);
    let rounded = (value / unit).round_ties_even() * unit;
    if rounded.abs() > 65_504.0 { f32::INFINITY.copysign(value) } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::round;

    #[test]
    fn values_are_rounded_as_ieee_754_says() {
        for (value, expected) in [
            (1.0, 1.0),
            (1.0 + 2_f32.powi(-11), 1.0),
            (1.0 + 3.0 * 2_f32.powi(-11), 1.0 + 2_f32.powi(-9)),
            (0.1, 0.099_975_586),
            (65_519.0, 65_504.0),
            (65_520.0, f32::INFINITY),
            (-1e9, f32::NEG_INFINITY),
            (2_f32.powi(-24), 2_f32.powi(-24)),
            (2_f32.powi(-26), 0.0),
        ] {
            assert_eq!(round(value), expected, "{value}");
        }
    }
}

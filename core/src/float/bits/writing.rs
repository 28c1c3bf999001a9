//! How numbers of the figure are written.

use crate::quantity::significant;

/// Two to a whole power: `2⁻²⁴`.
pub(crate) fn power(exponent: f64) -> String {
    format!("2{}", superscript(exponent as i64))
}

/// A whole number in superscript digits.
pub fn superscript(n: i64) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        c => c.to_digit(10).and_then(|d| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(d as usize)).unwrap_or(c),
    };
    n.to_string().chars().map(digit).collect()
}

/// A number to nine digits; infinity and NaN by name.
pub fn written(x: f64) -> String {
    match x {
        x if x.is_nan() => "NaN".to_owned(),
        x if x.is_infinite() => if x > 0.0 { "∞" } else { "−∞" }.to_owned(),
        x if x == 0.0 && x.is_sign_negative() => "−0".to_owned(),
        x => significant(x, 9),
    }
}

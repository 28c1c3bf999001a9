//! The slowest of many.

/// The expected maximum of `n` independent standard normals: 0 for one, 0.56 for two, 2.51 for a hundred.
///
/// ∫₀^∞ 1 − Φ(x)ⁿ dx − ∫₋∞^0 Φ(x)ⁿ dx, by the trapezoid rule, which is as good as exact for such functions.
pub(super) fn expected_maximum(n: u64) -> f64 {
    const STEPS: i32 = 100;
    const H: f64 = 0.08;
    if n < 2 {
        return 0.0;
    }
    // Φⁿ by the other tail, which is exact where Φ is nearly 1.
    let all_below = |x: f64| (n as f64 * (-upper_tail(x)).ln_1p()).exp();
    let terms = (1..STEPS).map(|i| {
        let x = f64::from(i) * H;
        1.0 - all_below(x) - all_below(-x)
    });
    H * (terms.sum::<f64>() + 0.5 - all_below(0.0))
}

/// The chance of a standard normal over `x`, to 1.2 parts in ten million (Press et al., Numerical Recipes in C, §6.2, `erfcc`).
fn upper_tail(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 10] = [
        0.170_872_77,
        -0.822_152_23,
        1.488_515_87,
        -1.135_203_98,
        0.278_868_07,
        -0.186_288_06,
        0.096_784_18,
        0.374_091_96,
        1.000_023_68,
        -1.265_512_23,
    ];
    let z = x.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.5 * z);
    let series = COEFFICIENTS.iter().fold(0.0, |sum, c| sum * t + c);
    let tail = 0.5 * t * (series - z * z).exp();
    if x >= 0.0 { tail } else { 1.0 - tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tabulated order statistics (Harter 1961).
    #[test]
    fn maxima_are_those_of_the_tables() {
        for (n, expected) in [(1, 0.0), (2, 0.56419), (3, 0.84628), (10, 1.53875), (100, 2.50759), (400, 2.96818)] {
            assert!((expected_maximum(n) - expected).abs() < 2e-5, "{n}: {}", expected_maximum(n));
        }
        assert!((3.8..4.1).contains(&expected_maximum(16_384)), "{}", expected_maximum(16_384));
    }
}

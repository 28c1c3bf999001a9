//! Numbers in summary, as pandas describes them: quantiles between two values are taken linearly, the deviation has n − 1.

/// A summary of some values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// How many.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their sample standard deviation; none for one value.
    pub deviation: Option<f64>,
    /// The least.
    pub min: f64,
    /// A quarter is below.
    pub lower: f64,
    /// Half is below.
    pub median: f64,
    /// Three quarters are below.
    pub upper: f64,
    /// The largest.
    pub max: f64,
    /// All together.
    pub sum: f64,
}

/// The summary of some values; none of none.
pub fn describe(values: impl IntoIterator<Item = f64>) -> Option<Summary> {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    let (min, max) = (*sorted.first()?, *sorted.last()?);
    let count = sorted.len();
    let sum: f64 = sorted.iter().sum();
    let mean = sum / count as f64;
    let squares: f64 = sorted.iter().map(|v| (v - mean) * (v - mean)).sum();
    Some(Summary {
        count: count as u64,
        mean,
        deviation: (count > 1).then(|| (squares / (count - 1) as f64).sqrt()),
        min,
        lower: quantile(&sorted, 0.25),
        median: quantile(&sorted, 0.5),
        upper: quantile(&sorted, 0.75),
        max,
        sum,
    })
}

/// The value below which a part of the sorted values lies.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let at = part * sorted.len().saturating_sub(1) as f64;
    let below = sorted.get(at as usize).copied().unwrap_or_default();
    let above = sorted.get(at as usize + 1).copied().unwrap_or(below);
    below + (above - below) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_values() {
        let s = describe([4.0, 1.0, 3.0, 2.0]).expect("there are some");
        assert_eq!((s.count, s.mean, s.min, s.lower, s.median, s.upper, s.max), (4, 2.5, 1.0, 1.75, 2.5, 3.25, 4.0));
        assert!((s.deviation.expect("of four") - 1.290_994_448_735_805_6).abs() < 1e-15);
        assert_eq!(describe([7.0]).and_then(|s| s.deviation), None);
        assert_eq!(describe([]), None);
    }
}

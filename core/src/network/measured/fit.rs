//! α and β from measurements.

use crate::network::Cost;

/// The straight line nearest to some measurements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// The line.
    pub cost: Cost,
    /// The largest difference between the line and a measurement, as a part of the measurement.
    pub off: f64,
    /// The bytes of that measurement.
    pub off_at: f64,
}

/// The line through (bytes, seconds) whose relative errors have the least sum of squares, so that the shortest time weighs as
/// much as the longest. Neither latency nor time for a byte is less than nothing. None with fewer than two sizes.
pub fn fit(points: &[(f64, f64)]) -> Option<Fit> {
    let usable = |&&(bytes, time): &&(f64, f64)| bytes.is_finite() && bytes >= 0.0 && time.is_finite() && time > 0.0;
    let points: Vec<(f64, f64)> = points.iter().filter(usable).copied().collect();
    let (first, _) = points.first()?;
    if points.iter().all(|(bytes, _)| bytes == first) {
        return None;
    }
    // α + β S ≈ t for all, divided by t.
    let [mut uu, mut uv, mut vv, mut u, mut v] = [0.0; 5];
    for (bytes, time) in &points {
        let (a, b) = (1.0 / time, bytes / time);
        uu += a * a;
        uv += a * b;
        vv += b * b;
        u += a;
        v += b;
    }
    let determinant = uu * vv - uv * uv;
    let line = Cost { latency: (u * vv - v * uv) / determinant, per_byte: (v * uu - u * uv) / determinant };
    let cost = if line.latency.is_finite() && line.latency >= 0.0 && line.per_byte >= 0.0 {
        line
    } else if line.per_byte < 0.0 {
        Cost { latency: u / uu, per_byte: 0.0 }
    } else {
        Cost { latency: 0.0, per_byte: v / vv }
    };
    let off = |&(bytes, time): &(f64, f64)| ((cost.time(bytes) / time - 1.0).abs(), bytes);
    let (off, off_at) = points.iter().map(off).max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Fit { cost, off, off_at })
}

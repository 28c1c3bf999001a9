//! A roof: the least of what a machine computes and what its memory feeds.
//!
//! Williams, Waterman and Patterson, "Roofline: an insightful visual performance model for multicore architectures", CACM 52(4),
//! 2009.

use super::layer::Operation;
use crate::declare::Origin;
use crate::hardware::Accelerator;

/// Where the model of a machine comes from.
pub const ORIGIN: Origin = Origin::Of(
    "Williams, Waterman and Patterson 2009, “Roofline: an insightful visual performance model for multicore architectures”, CACM 52(4)",
);

/// A machine, as a roofline has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Roof {
    /// Bytes a second between memory and chip.
    pub bandwidth: f64,
    /// Floating-point operations a second.
    pub peak: f64,
}

impl Roof {
    /// That of a data sheet.
    pub fn of(gpu: &Accelerator) -> Self {
        Self { bandwidth: gpu.bandwidth, peak: gpu.peak }
    }

    /// Operations for each byte at which both limits are met; 0 without a bandwidth.
    pub fn ridge(&self) -> f64 {
        if self.bandwidth > 0.0 { self.peak / self.bandwidth } else { 0.0 }
    }

    /// The most operations a second at so many for each byte.
    pub fn attainable(&self, intensity: f64) -> f64 {
        self.peak.min(self.bandwidth * intensity)
    }

    /// Seconds that an operation takes at least: for its arithmetic, or for its bytes.
    pub fn time(&self, operation: &Operation) -> f64 {
        (operation.flop / self.peak).max(operation.bytes / self.bandwidth)
    }

    /// Whether arithmetic is what limits it.
    pub fn is_compute_bound(&self, operation: &Operation) -> bool {
        operation.intensity() >= self.ridge()
    }

    /// Rows of a product with k × n weights from which it is compute bound; 0 if it never is.
    ///
    /// With two bytes a value, 2mnk operations over 2(mk + kn + mn) bytes reach the ridge R at m = Rkn / (kn − R(k + n)).
    pub fn ridge_rows(&self, (k, n): (f64, f64)) -> f64 {
        let rest = k * n - self.ridge() * (k + n);
        if rest > 0.0 { (self.ridge() * k * n / rest).ceil() } else { 0.0 }
    }

    /// The corners of its line from one intensity to another: (operations for each byte, operations a second).
    pub fn line(&self, (from, to): (f64, f64)) -> Vec<(f64, f64)> {
        let ridge = self.ridge().clamp(from, to);
        [from, ridge, to].map(|intensity| (intensity, self.attainable(intensity))).to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware;

    #[test]
    fn an_h100_turns_at_295() {
        let roof = Roof::of(hardware::find("h100-80").expect("there"));
        assert!((roof.ridge() - 295.2).abs() < 0.1);
        assert_eq!(roof.attainable(1.0), 3.35e12);
        assert_eq!(roof.attainable(1e6), 989e12);
    }

    #[test]
    fn from_the_ridge_rows_on_a_product_is_compute_bound() {
        let roof = Roof::of(hardware::find("h100-80").expect("there"));
        let (k, n) = (4096.0, 28_672.0);
        let rows = roof.ridge_rows((k, n));
        let bound = |m: f64| roof.is_compute_bound(&Operation::product("", "", [m, n, k]));
        assert!(bound(rows) && !bound(rows - 1.0), "{rows}");
        assert_eq!(roof.ridge_rows((256.0, 256.0)), 0.0);
    }
}

//! Sums that carry along what rounding took away, in fp32 or fp64.
//!
//! Sources: Kahan 1965, CACM 8(1); Neumaier 1974, ZAMM 54.

use std::ops::{Add, Sub};

/// A machine number: fp32 or fp64.
pub trait Machine: Copy + Add<Output = Self> + Sub<Output = Self> + PartialOrd + Default {
    /// Without its sign.
    fn size(self) -> Self;
}

impl Machine for f32 {
    fn size(self) -> Self {
        self.abs()
    }
}

impl Machine for f64 {
    fn size(self) -> Self {
        self.abs()
    }
}

/// Kahan's sum: what the last addition lost is taken off the next value.
pub fn kahan<T: Machine>(values: &[T]) -> T {
    let Some((first, rest)) = values.split_first() else { return T::default() };
    let (mut sum, mut lost) = (*first, T::default());
    for x in rest {
        let y = *x - lost;
        let t = sum + y;
        lost = (t - sum) - y;
        sum = t;
    }
    sum
}

/// Neumaier's sum: what every addition lost, whichever of the two was the larger, is added up beside it.
pub fn neumaier<T: Machine>(values: &[T]) -> T {
    let Some((first, rest)) = values.split_first() else { return T::default() };
    let (mut sum, mut lost) = (*first, T::default());
    for x in rest {
        let t = sum + *x;
        lost = lost + if sum.size() >= x.size() { (sum - t) + *x } else { (*x - t) + sum };
        sum = t;
    }
    sum + lost
}

//! Newtypes for the quantities that must not be mixed up.
//!
//! Every type holds its SI base unit as an `f64`: bytes, seconds, floating-point operations. GB and GiB are two ways
//! of writing [`Bytes`], chosen when it is written, never stored.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

use serde::{Deserialize, Serialize};

/// Multiples of the byte: decimal (SI) and binary (IEC 80000-13).
pub const KB: f64 = 1e3;
/// See [`KB`].
pub const MB: f64 = 1e6;
/// See [`KB`].
pub const GB: f64 = 1e9;
/// See [`KB`].
pub const TB: f64 = 1e12;
/// See [`KB`].
pub const KIB: f64 = 1024.0;
/// See [`KB`].
pub const MIB: f64 = 1024.0 * KIB;
/// See [`KB`].
pub const GIB: f64 = 1024.0 * MIB;
/// See [`KB`].
pub const TIB: f64 = 1024.0 * GIB;

macro_rules! unit {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub f64);

        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }
        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }
        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }
        impl Mul<f64> for $name {
            type Output = Self;
            fn mul(self, factor: f64) -> Self {
                Self(self.0 * factor)
            }
        }
        impl Div<f64> for $name {
            type Output = Self;
            fn div(self, divisor: f64) -> Self {
                Self(self.0 / divisor)
            }
        }
        /// The ratio of two like quantities is a pure number.
        impl Div for $name {
            type Output = f64;
            fn div(self, other: Self) -> f64 {
                self.0 / other.0
            }
        }
        impl Sum for $name {
            fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
                Self(iter.map(|x| x.0).sum())
            }
        }
    };
}

unit!(
    /// An amount of memory or traffic, in bytes.
    Bytes
);
unit!(
    /// A duration, in seconds.
    Seconds
);
unit!(
    /// An amount of work, in floating-point operations (a multiply–add counts as two).
    Flop
);

impl Bytes {
    /// `n` decimal gigabytes.
    pub fn gb(n: f64) -> Self {
        Self(n * GB)
    }

    /// `n` binary gibibytes.
    pub fn gib(n: f64) -> Self {
        Self(n * GIB)
    }
}

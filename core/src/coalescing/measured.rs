//! The same pattern on the learner's GPU: a kernel that gathers, y\[i\] = x\[place of i\], and the time that its traffic predicts.
//!
//! Lanes that follow one another write neighbours, whatever they read. So a value costs the traffic of its read, in sectors, and four
//! bytes of write; a copy costs four and four. Where caches keep a sector until its other values are wanted, the pattern is faster
//! than predicted.

use super::memory::{LINE, SECTOR};
use super::{LANES, Params, Pattern, View, Width};
use crate::kernels::measured::Measured;
use crate::kernels::{Needs, Traffic, WORD};
use crate::query::Query;

/// The family of its kernels.
pub const FAMILY: &str = "gather";
/// The largest number of values: 128 MiB, what WebGPU promises for a binding.
pub const MAX_VALUES: u64 = 1 << 25;

/// The id of its kernel.
pub const KERNEL: &str = "gather";

/// In which order values are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// A stride apart.
    #[default]
    Strided,
    /// Within each warp's 32 in another order.
    Permuted,
    /// Far apart.
    Scattered,
}

/// Every order, in that of their numbers.
pub const ORDERS: [Order; 3] = [Order::Strided, Order::Permuted, Order::Scattered];

/// How places follow from numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gather {
    /// Values, a power of two.
    pub n: u64,
    /// The order.
    pub order: Order,
    /// From one lane's value to the next's.
    pub stride: u64,
    /// The first lane's value.
    pub offset: u64,
}

impl Gather {
    /// The place that is read for value `i`, as the kernel computes it.
    ///
    /// A stride goes through the array in passes, each some values further than the last: by eight, so that a pass finds none of the
    /// sectors of the last in a cache.
    pub fn place(self, i: u64) -> u64 {
        let n = self.n.max(1);
        let place = match self.order {
            Order::Permuted => (i - i % LANES) + (i % LANES * 13 + 5) % LANES,
            Order::Scattered => i.wrapping_mul(2_654_435_761) & 0xffff_ffff,
            Order::Strided => {
                let stride = self.stride.max(1);
                let a_pass = (n / stride).max(1);
                let step = if stride < 8 { 1 } else { 8 };
                let ahead = i / a_pass % stride * step;
                i % a_pass * self.stride + ahead % stride + ahead / stride + self.offset
            }
        };
        place % n
    }

    /// What the invocations ask for, whatever the order.
    pub fn needs(self) -> Needs {
        Needs { asked: Traffic { read: WORD * self.n, written: WORD * self.n }, ..Needs::default() }
    }

    /// The sizes as a query and in the order in which they are sent: values, order, stride, offset.
    pub fn sizes(self) -> (Query, Vec<u64>) {
        let sizes = [("n", self.n), ("order", self.order as u64), ("stride", self.stride), ("offset", self.offset)];
        (Query::new(sizes.map(|(name, size)| (name, size.to_string()))), sizes.map(|(_, size)| size).to_vec())
    }
}

/// A pattern to be timed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Run {
    /// What is read.
    pub gather: Gather,
    /// Bytes that a warp's reads move.
    pub moved: u64,
}

impl Run {
    /// The time over that of a copy, when memory is the limit and no cache helps.
    pub fn predicted(&self) -> f64 {
        let written = LANES * WORD;
        (self.moved + written) as f64 / (LANES * WORD + written) as f64
    }

    /// What was measured of it, where it was right.
    pub fn find<'a>(&self, measured: &'a [Measured]) -> Option<&'a Measured> {
        let sizes = self.gather.sizes().0.to_string();
        measured.iter().rev().find(|m| m.family == FAMILY && m.sizes == sizes && m.verified && m.seconds > 0.0)
    }
}

impl Params {
    /// The pattern as a kernel; none for shared memory, and for values that are no words.
    pub fn run(&self) -> Option<Run> {
        if self.view == View::Shared || self.width != Width::Four {
            return None;
        }
        let (order, stride, offset) = match self.pattern {
            Pattern::Stride => (Order::Strided, self.stride, self.offset),
            Pattern::Broadcast => (Order::Strided, 0, self.offset),
            Pattern::Struct => (Order::Strided, self.fields, self.offset),
            Pattern::Column => (Order::Strided, self.columns, self.offset),
            Pattern::Permutation => (Order::Permuted, 1, 0),
            Pattern::Random => (Order::Scattered, 1, 0),
        };
        // Far apart, no two lanes share a sector.
        let moved = if order == Order::Scattered { LANES * SECTOR } else { self.access(LANES).moved() };
        Some(Run { gather: Gather { n: self.values, order, stride, offset }, moved })
    }

    /// The copy to compare with.
    pub fn copy(&self) -> Run {
        Run { gather: Gather { n: self.values, order: Order::Strided, stride: 1, offset: 0 }, moved: LINE }
    }

    /// The time of the pattern over that of a copy, as measured.
    pub fn ratio(&self, measured: &[Measured]) -> Option<f64> {
        let pattern = self.run()?.find(measured)?;
        let copy = self.copy().find(measured).filter(|copy| copy.device == pattern.device)?;
        Some(pattern.seconds / copy.seconds)
    }
}

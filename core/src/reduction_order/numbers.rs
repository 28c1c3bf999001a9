//! What is added: numbers of a format, each sum rounded; or, in their place, how many roundings a number has been through.

use crate::float::{Format, Overflow, Rounder};

/// Additions as an order makes them.
pub trait Numbers: Copy {
    /// What is added.
    type Number: Copy;
    /// A zero that sums start from.
    fn zero(self, negative: bool) -> Self::Number;
    /// A sum, rounded.
    fn add(self, a: Self::Number, b: Self::Number) -> Self::Number;
}

/// Numbers of a format of at most 24 significant bits, to the bit: an fp32 sum rounded to the format is the sum rounded once
/// (Figueroa 1995: 24 ≥ 2·11 + 2 for fp16).
#[derive(Debug, Clone, Copy)]
pub struct Adder(Rounder);

impl Adder {
    /// Of a format.
    pub fn new(format: Format) -> Self {
        Self(Rounder::new(format, Overflow::Special))
    }

    /// A number as the format holds it.
    pub fn hold(self, x: f32) -> f32 {
        self.0.round(x)
    }
}

impl Numbers for Adder {
    type Number = f32;

    fn zero(self, negative: bool) -> f32 {
        if negative { -0.0 } else { 0.0 }
    }

    fn add(self, a: f32, b: f32) -> f32 {
        self.0.round(a + b)
    }
}

/// `f64`, as the machine adds it.
#[derive(Debug, Clone, Copy)]
pub struct Double;

impl Numbers for Double {
    type Number = f64;

    fn zero(self, negative: bool) -> f64 {
        if negative { -0.0 } else { 0.0 }
    }

    fn add(self, a: f64, b: f64) -> f64 {
        a + b
    }
}

/// Counts additions on the longest way from a value to the sum. Adding to a zero that nothing was added to is exact and counts none.
#[derive(Debug, Clone, Copy)]
pub struct Depth;

impl Numbers for Depth {
    type Number = Option<u32>;

    fn zero(self, _negative: bool) -> Option<u32> {
        None
    }

    fn add(self, a: Option<u32>, b: Option<u32>) -> Option<u32> {
        match (a, b) {
            (Some(a), Some(b)) => Some(a.max(b) + 1),
            (a, b) => a.or(b),
        }
    }
}

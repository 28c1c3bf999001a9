//! `reduction-order`: the same numbers added in the orders that real systems add in, to the last bit; how far the results lie
//! apart, how far they may, and what one bit comes to over the steps of a training run.
//!
//! The error of n numbers added with every value at most d additions away from the sum is at most γ_d Σ|a|, γ_d = d·u / (1 − d·u),
//! u half the distance from 1 to the next number (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., §4.2, equation
//! 4.4 with d for n − 1). Rounding errors that are independent and of mean zero make about √d of it (Higham and Mary 2019).

pub mod compensated;
pub mod data;
pub mod exact;
pub mod finding;
pub mod growth;
pub mod numbers;
pub mod orders;
mod params;
mod sums;
#[cfg(test)]
mod tests;

pub use growth::{Apart, Growth, Start};
pub use params::{Accumulator, Held, MAX_STEPS, Params, Show, Shown};
pub use sums::{ALL, Arithmetic, Order, Spread, Sum, Sums, multiprocessors};

//! Tensor parallelism: one layer's matrices cut across ranks, what the ranks tell each other, and what it costs.
//!
//! [`small`] is a language model small enough to be drawn, computed on one rank; [`ranks`] computes it on several and writes
//! every step down. [`cost`] has the bytes and seconds of a layer of any size. [`Params`] puts the two together.

pub mod cost;
pub mod local;
pub mod matrix;
mod params;
pub mod ranks;
pub mod sharded;
pub mod small;
mod split;
#[cfg(test)]
mod tests;
pub mod trace;

pub use params::{Params, Run, Rung};
pub use split::{Cut, Split};

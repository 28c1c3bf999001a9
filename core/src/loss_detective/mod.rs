//! `loss-detective`: a run of the tiny network in which something is wrong, its signals step by step, and what going back, skipping,
//! clipping, a lower rate or another recipe make of it, at what cost.
//!
//! What a step here stands for is a parameter. By default it is 100 steps of OPT-175B, 992 GPUs at 147 TFLOP/s with 2 million
//! tokens each (Zhang et al. 2022, sections 2.4 and 2.5): 6 · 175e9 · 2e6 / (992 · 147e12) = 14.4 s.

pub mod cases;
mod finding;
mod params;
pub mod published;
pub mod simulate;
#[cfg(test)]
mod tests;

pub use cases::{Act, Case};
pub use params::{MAX_STEPS, Params};
pub use simulate::{Logged, Plan, Story};

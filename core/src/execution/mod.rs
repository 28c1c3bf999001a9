//! How an SM executes warps: which one each cycle ([`scheduler`]), and which of its lanes ([`divergence`]).

pub mod divergence;
pub mod scheduler;

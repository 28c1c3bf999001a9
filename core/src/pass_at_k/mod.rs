//! `pass-at-k`: how likely it is that at least one of k programs passes, estimated from n programs of which c passed.
//!
//! Chen et al. 2021 (arXiv:2107.03374, §2.1 and Figure 3): of all ways to choose k of the n samples, the part that has at least one
//! of the c that passed, 1 − C(n−c, k)/C(n, k). It is unbiased: its mean over draws of n samples is 1 − (1 − p)^k. Putting p̂ = c/n
//! into 1 − (1 − p)^k is not (their Appendix A): the function is concave, so the mean is too low.

pub mod benchmark;
pub mod estimate;
pub mod exact;
pub mod figure;
mod finding;
pub mod interval;
pub mod results;
#[cfg(test)]
mod tests;

pub use estimate::{plug_in, unbiased};
pub use figure::Params;

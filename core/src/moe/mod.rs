//! Mixtures of experts: which experts a router gives a token, what they have room for, how load is balanced, and what it costs to
//! send tokens to experts that are on other GPUs.

pub mod balance;
pub mod capacity;
pub mod cost;
pub mod figure;
pub mod route;
pub mod tokens;

#[cfg(test)]
mod tests;

//! Serving: what a step of an engine takes, which requests it is spent on, and what users see of it.

pub mod step;
#[cfg(test)]
mod tests;

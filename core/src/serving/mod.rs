//! Serving: what a step of an engine takes ([`step`]), which requests it is spent on ([`scheduler`], over the blocks of a [`pool`]), what
//! users see of it ([`simulate`], [`result`]), how many GPUs they need ([`sizing`]), what a cached prefix is worth ([`tiers`]), and which
//! replica a request goes to ([`fleet`]). How an engine is started is written by [`command`], and a router with two pools by [`dynamo`].

pub mod command;
pub mod dynamo;
pub mod figure;
mod finding;
pub mod fleet;
pub mod machine;
pub mod pool;
pub mod requests;
pub mod result;
pub mod scheduler;
pub mod simulate;
pub mod sizing;
pub mod step;
pub mod sweep;
#[cfg(test)]
mod tests;
pub mod tiers;

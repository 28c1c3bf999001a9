//! The cache of many requests in one memory: blocks found through tables, or a room in one piece for each.
//!
//! [`manager`] is vLLM 0.2's block manager: a stack of free blocks, reference counts, copy-on-write, swapping. [`prefix`] is vLLM
//! V1's: a queue of free blocks, and full blocks found again by their hash. [`arena`] is what came before: one room for each
//! request (PagedAttention, Kwon et al. 2023, arXiv:2309.06180, §3.1). [`serve`] runs requests on any of them, step by step, and
//! [`usage`] says what each slot of the memory is for. [`walk`] is what attention reads through a table; [`fit`] how large the
//! pool is beside a model's weights.

pub mod arena;
pub mod figure;
mod finding;
pub mod fit;
pub mod manager;
pub mod pool;
pub mod prefix;
pub mod requests;
pub mod serve;
#[cfg(test)]
mod tests;
pub mod usage;
pub mod walk;

/// Blocks that hold `tokens` tokens.
pub const fn blocks_of(tokens: u64, block: u64) -> u64 {
    tokens.div_ceil(if block == 0 { 1 } else { block })
}

//! The two grids on which the same ranks lie in a mixture of experts: one for attention, one for experts.
//!
//! Inside a pipeline stage a rank has a place of tensor, context and data parallelism for attention, tp × cp × dp, and another for
//! experts: expert tensor parallelism, expert parallelism and the replicas of an expert, etp × ep × edp. Ranks are numbered as in
//! Megatron-LM, `megatron/core/parallel_state.py`: `RankGenerator` with the order `tp-cp-ep-dp-pp`, in which the first place changes
//! fastest, once with ep = 1 for attention and once with cp = 1 for experts. A group is the ranks that differ in some places only
//! (`generate_masked_orthogonal_rank_groups`). Expert e of E lies on the ranks whose place of expert parallelism is e · ep / E, rounded
//! down. Stages are the same on both grids, as Megatron asserts.

mod finding;
mod grid;
mod params;
#[cfg(test)]
mod tests;

pub use grid::Grid;
pub use params::{Group, Layout, MAX_GPUS, Params};

//! Context parallelism: one sequence on n ranks, and three ways to give each query every key before it.
//!
//! A layer's attention on s tokens with h query heads of d numbers and k heads of keys and values does 4·s²·h·d FLOPs, half of them
//! under a causal mask. The sequence is cut into 2n chunks of s/2n tokens and each rank has two ([`Split`]). Methods ([`Method`]):
//! - **ring**: keys and values of 4·(s/n)·k·d bytes go round while attention works on those already there. Liu, Zaharia and
//!   Abbeel, "Ring Attention", arXiv:2310.01889, §3; a step hides if attention takes longer than the send. As in
//!   zhuzilin/ring-flash-attention each step posts its send and receive, computes, and waits for both.
//! - **all-gather**: every rank gets all keys and values before attention begins: Llama 3, arXiv:2407.21783, §3.3.2.
//! - **Ulysses**: an all-to-all turns pieces of the sequence into heads, another turns the output back: Jacobs et al.,
//!   "DeepSpeed-Ulysses", arXiv:2309.14509, §3.
//!
//! The zig-zag split gives rank r of n the chunks r and 2n − 1 − r: Llama 3, §3.3.2, and Megatron-LM's
//! `get_batch_on_this_cp_rank`. Numbers have 16 bits. Attention reaches of a GPU's peak, and links of theirs, what
//! [`crate::planner::efficiency`] says. Left out: merging partial outputs, and the kernels' own loss on short pieces.
//!
//! Backward ([`Pass`]), attention does five products of matrices for the two of the forward pass, 2.5 times the FLOPs: Dao,
//! "FlashAttention-2", arXiv:2307.08691, §4.1. Gradients of keys and values are taken to have 16 bits (ring-flash-attention sends 32).
//! - **ring**: keys and values go round once more, and their gradients follow one step behind, over the same link, adding up on the
//!   way; after the last step they need one more to be home: `ring_flash_attn_backward` of zhuzilin/ring-flash-attention.
//! - **all-gather**: keys and values are gathered again and their gradients reduce-scattered: TransformerEngine's
//!   `AttnFuncWithCPAndKVAllGather`.
//! - **Ulysses**: the two all-to-alls in the other direction, one of the output's gradient, one of those of queries, keys and values.

mod blocks;
mod finding;
mod params;
mod run;
#[cfg(test)]
mod tests;

pub use blocks::{Block, Split};
pub use params::{MAX_RANKS, Method, Params, Pass};
pub use run::{Doing, Run, Span};

//! The closed forms of Austin et al., How to Scale Your Model (2025), as its chapters "Training" and "GPUs" have them: an MLP of two
//! matrices alone, no latency, n − 1 taken for n. F is the FLOPs a second of a GPU, B the bytes a second of a collective.
//!
//! They differ from the rest of this module where its assumptions do: a gated MLP has three matrices to hide behind, which allows half as
//! many tensor-parallel ranks again, attention's half has fewer FLOPs for the same bytes, and a ring of thousands of ranks is slow to
//! begin.

use crate::declare::Origin;

/// Where the closed forms come from.
pub const ORIGIN: Origin = Origin::Of("Austin et al. 2025, How to Scale Your Model, “Training” and “GPUs”");

/// Tokens of a GPU from which on data parallelism hides, sharded or not: F/B ("Data Parallelism"). `spread` is the elements of a layer
/// over those that a token uses: 1, or experts over those that are chosen.
pub fn data_tokens(ratio: f64, spread: f64) -> f64 {
    ratio * spread
}

/// The most tensor-parallel ranks that hide, for an MLP of this width: width · B/F ("Tensor Parallelism").
pub fn tensor_ranks(wide: f64, ratio: f64) -> f64 {
    wide / ratio
}

/// Tensor-parallel ranks of the best mix with FSDP over links that are all alike: the rest of its X = √(B·N/F) FSDP ranks on N
/// GPUs, with B/N tokens each. That is √(width / tokens) ("Combining FSDP and Tensor Parallelism").
pub fn mix_ranks(wide: f64, tokens: f64) -> f64 {
    (wide / tokens).sqrt()
}

/// Tokens of a GPU from which on that mix hides: (F/B)² / width.
pub fn mix_tokens(wide: f64, ratio: f64) -> f64 {
    ratio * ratio / wide
}

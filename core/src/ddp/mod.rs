//! Data parallelism as PyTorch's `DistributedDataParallel` does it: one step of one rank in time, and who reads which sample.
//!
//! Every rank has the whole model and its own samples. Gradients are gathered into buckets in the order in which the backward
//! pass yields them; a full bucket is all-reduced on a stream of its own while the backward pass goes on. [`Timeline`] is what
//! both streams do and when; [`Sampler`] is the part of the data set that each rank reads.
//!
//! What is taken from PyTorch (`torch/nn/parallel/distributed.py`, `torch/csrc/distributed/c10d/reducer.cpp`, version 2.7):
//!
//! - A bucket is closed as soon as it has reached its limit, by the tensor that reaches it; a tensor is never divided.
//! - The first iteration has a single bucket. It records the order in which gradients come, and from the second on buckets are
//!   filled in that order, the first to 1 MiB, the others to `bucket_cap_mb` = 25 MiB; all to `bucket_cap_mb` where it is set.
//! - With `find_unused_parameters` there is no second order: tensors are taken as they are registered, from the first on, and
//!   the list of buckets is reversed. The small bucket is then the last one.
//! - Buckets start in their order: one that is not ready holds up those behind it.
//! - Without `gradient_as_bucket_view` each gradient is copied into its bucket and back.
//! - The embedding is ready last. Tied to the head, it is so too: its gradient is the sum of what both contribute.
//!
//! What is modelled: the backward pass takes twice the FLOPs of the forward pass at a stated MFU, tensor by tensor; norms, biases
//! and lookups take no time. All-reduces take what NCCL's ring or double binary tree do, whichever is faster
//! ([`crate::network`]), and do not slow down the arithmetic beside them. The optimizer's step is left out.
//!
//! Times are in seconds, sizes in bytes.

mod buckets;
mod finding;
mod params;
mod sampler;
mod tensors;
#[cfg(test)]
mod tests;
mod timeline;

pub use buckets::assign;
pub use params::{ALL_STEPS, DATA, GradientType, Iteration, MAX_MICROBATCHES, Params};
pub use sampler::{Sampler, Split};
pub use tensors::{Part, Piece};
pub use timeline::{Block, Bucket, Kind, Stream, Timeline};

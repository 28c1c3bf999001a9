//! The kernels that run on the learner's GPU, as data: WGSL, and a descriptor of its bindings, parameters and dispatches.
//!
//! Every kernel has a twin that does the same on the CPU, in the same order, and counts what it reads and writes. The twin
//! stands in where there is no WebGPU, and its counts are what `ringside_core::kernels` predicts. Results, the GPU's and the
//! twin's, are [`check`]ed against sums in f64 before anyone sees a time.
//!
//! This crate does not run anything on a GPU: the worker does. `tests/naga.rs` reads every kernel and confirms its descriptor.

pub mod attention;
pub mod check;
pub mod decode;
pub mod descriptor;
mod exact;
pub mod gather;
pub mod half;
mod lanes;
pub mod matmul;
pub mod pipelined;
pub mod problem;
pub mod puzzles;
pub mod rows;
mod source;
pub mod stream;
pub mod template;

pub use descriptor::Kernel;
pub use problem::Problem;

/// Every kernel.
pub fn all() -> impl Iterator<Item = &'static Kernel> {
    let ladders = [matmul::KERNELS, pipelined::TUNED, attention::KERNELS, decode::KERNELS];
    ladders.into_iter().chain([rows::KERNELS, stream::KERNELS, gather::KERNELS]).flatten()
}

/// The kernel of `family` with this id.
pub fn find(family: &str, id: &str) -> Option<&'static Kernel> {
    all().find(|kernel| kernel.family == family && kernel.id == id)
}

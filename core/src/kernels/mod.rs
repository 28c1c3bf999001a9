//! What the kernels of part 5 ask of memory: the same product, the same attention and the same operations on rows, computed in
//! several ways.
//!
//! The kernels themselves, and a CPU twin of each that counts what it reads and writes, are in `ringside_shaders`, whose
//! tests hold the formulas here to those counts. Times are measured on the learner's own machine and are no model's.

pub mod attention;
pub mod config;
pub mod decode;
mod family;
pub mod fusion;
pub mod glass;
pub mod job;
pub mod matmul;
pub mod measured;
pub mod reference;
pub mod rows;
pub mod stream;
pub mod timing;
pub mod tuner;
pub mod workbench;

pub use family::{Chosen, Kernel, Params, RUN, Work};

/// Bytes that the invocations of a kernel ask the GPU's memory for, whether a cache answers or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
}

impl Traffic {
    /// Bytes read and written.
    pub fn total(self) -> u64 {
        self.read.saturating_add(self.written)
    }
}

impl std::iter::Sum for Traffic {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |a, b| Self { read: a.read + b.read, written: a.written + b.written })
    }
}

/// The largest size of any dimension: products of three of them and 8 bytes fit into a `u64`.
pub const MAX_SIZE: u64 = 65_536;

/// The most work, in FLOP, that a kernel's twin is asked to do: some seconds of it.
pub const TWIN: u64 = 4_000_000_000;

/// Bytes of an f32.
pub const WORD: u64 = 4;

/// What a kernel asks of a GPU's memory at some sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// What its invocations read and write.
    pub asked: Traffic,
    /// Bytes of memory that it needs beside inputs and output.
    pub scratch: u64,
    /// Bytes of workgroup memory that a workgroup occupies.
    pub workgroup_memory: u64,
    /// Workgroups of the pass that does most of the work; 0 where nobody asks.
    pub workgroups: u64,
}

/// As many workgroups keep every large GPU busy: two for each of 132 SMs (NVIDIA H100 Tensor Core GPU Architecture, 2022).
pub const FULL: u64 = 256;

/// A kernel at some sizes, beside the others of its family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rung {
    /// The name in a query string.
    pub id: &'static str,
    /// What a person reads.
    pub label: &'static str,
    /// The kernel that it improves on; none for the lowest.
    pub base: Option<&'static str>,
    /// Floating-point operations, the same for every kernel of the family.
    pub flop: u64,
    /// What it asks of memory.
    pub needs: Needs,
}

impl Rung {
    /// Floating-point operations for each byte that it asks for.
    pub fn intensity(&self) -> f64 {
        intensity(self.flop, self.needs.asked.total())
    }
}

/// Floating-point operations for each byte; 0 where there are no bytes.
pub fn intensity(flop: u64, bytes: u64) -> f64 {
    if bytes == 0 { 0.0 } else { flop as f64 / bytes as f64 }
}

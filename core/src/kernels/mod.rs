//! What the kernels of part 5 ask of memory: the same product and the same attention, computed in several ways.
//!
//! The kernels themselves, and a CPU twin of each that counts what it reads and writes, are in `ringside_shaders`, whose
//! tests hold the formulas here to those counts. Times are measured on the learner's own machine and are no model's.

pub mod attention;
pub mod matmul;

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

/// The largest size of any dimension: products of three of them and 8 bytes fit into a `u64`.
pub const MAX_SIZE: u64 = 65_536;

/// Bytes of an f32.
pub const WORD: u64 = 4;

//! Global memory: the addresses of a warp's 32 lanes, and the sectors and lines in which they lie.
//!
//! From L2 and HBM memory comes in sectors of 32 bytes; a cache line has four of them. The bytes of a warp's access are those of the
//! sectors that any lane touches.

use super::{LANES, Params, Pattern};
use crate::declare::Origin;
use crate::mix::mix;

/// Where the counts of sectors come from.
pub const ORIGIN: Origin = Origin::Of(
    "CUDA C++ Best Practices Guide, “Coalesced Access to Global Memory”; Nsight Compute, “Memory Tables” (sectors per request)",
);

/// Bytes of a sector.
pub const SECTOR: u64 = 32;
/// Bytes of a cache line.
pub const LINE: u64 = 128;
/// The window in which random lanes read, in values.
const WINDOW: u64 = 4096;

/// What an access of a warp comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// The first byte of each lane, counted from a line's start.
    pub addresses: Vec<u64>,
    /// The sectors that are touched, by their numbers, ascending.
    pub sectors: Vec<u64>,
    /// The lines that are touched, ascending.
    pub lines: Vec<u64>,
    /// Bytes that the lanes ask for, each counted once.
    pub used: u64,
}

impl Access {
    /// Bytes that are moved.
    pub fn moved(&self) -> u64 {
        self.sectors.len() as u64 * SECTOR
    }

    /// The part of the moved bytes that is used, 0 to 1.
    pub fn efficiency(&self) -> f64 {
        self.used as f64 / self.moved().max(1) as f64
    }

    /// The fewest sectors that hold as many bytes.
    pub fn best(&self) -> u64 {
        self.used.div_ceil(SECTOR)
    }
}

impl Params {
    /// The value that a lane reads, counted from the start of the array.
    pub fn value(&self, lane: u64) -> u64 {
        match self.pattern {
            Pattern::Stride => self.offset + lane * self.stride,
            // Multiplying by an odd number is a permutation of 32.
            Pattern::Permutation => self.offset + (lane * 13 + 5) % LANES,
            Pattern::Struct => self.offset + lane * self.fields,
            Pattern::Column => self.offset + lane * self.columns,
            Pattern::Random => mix(self.seed * LANES + lane) % WINDOW,
            Pattern::Broadcast => self.offset,
        }
    }

    /// The access of the first `lanes` lanes.
    pub fn access(&self, lanes: u64) -> Access {
        let width = self.width.bytes();
        let addresses: Vec<u64> = (0..lanes.min(LANES)).map(|lane| self.value(lane) * width).collect();
        let units = |unit: u64| {
            let mut all: Vec<u64> = addresses.iter().flat_map(|a| a / unit..=(a + width - 1) / unit).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let used = units(width).len() as u64 * width;
        Access { sectors: units(SECTOR), lines: units(LINE), used, addresses }
    }
}

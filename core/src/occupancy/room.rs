//! The room in an SM: its warp slots with the blocks in them, and each resource with what the blocks take of it.

use super::definition::Limit;
use super::{Held, Params};

/// A resource of an SM and what a kernel takes of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Room {
    /// Which.
    pub limit: Limit,
    /// How much there is.
    pub capacity: f64,
    /// How much a block takes.
    pub block: f64,
    /// Blocks that it allows; nothing where a kernel takes none of it.
    pub allows: Option<u64>,
    /// Whether it allows no more than there are.
    pub limits: bool,
}

impl Held {
    /// The warp slots of each sub-partition and the block, from 0, whose warp is in each. Warps go to the sub-partitions in turn.
    pub fn slots(&self) -> Vec<Vec<Option<u64>>> {
        let (parts, slots) = (self.sm.partitions(), self.sm.warps());
        let block = |warp: u64| (warp < self.warps).then(|| warp / self.block_warps.max(1));
        (0..parts).map(|part| (part..slots).step_by(parts as usize).map(block).collect()).collect()
    }

    /// Every resource; barriers only where they are counted and could run out.
    pub fn rooms(&self, params: &Params) -> Vec<Room> {
        let r = &self.residency;
        let most = self.sm.max_blocks().unwrap_or_default() as f64;
        let room = |limit: Limit| {
            let (capacity, block) = match limit {
                Limit::Warps => (self.sm.warps() as f64, self.block_warps as f64),
                Limit::Registers => (self.sm.registers as f64, r.block_registers as f64),
                Limit::Shared => (r.configured_shared as f64, r.block_shared as f64),
                Limit::Blocks => (most, 1.0),
                Limit::Barriers => (self.sm.barriers().unwrap_or_default() as f64, params.barriers as f64),
            };
            Room { limit, capacity, block, allows: r.allows(limit), limits: r.allows(limit) == Some(r.blocks) }
        };
        let shown = |room: &Room| room.limit != Limit::Barriers || params.barriers > 1;
        Limit::ALL.into_iter().map(room).filter(shown).collect()
    }
}

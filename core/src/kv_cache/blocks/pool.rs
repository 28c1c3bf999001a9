//! Blocks that are free, and how many sequences hold each of the others: vLLM 0.2.0, `BlockAllocator` (`vllm/core/block_manager.py`).

/// A pool of blocks, numbered from 0. The block that was freed last is taken first, at the start the one of the highest number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pool {
    free: Vec<u32>,
    held: Vec<u32>,
}

impl Pool {
    /// So many free blocks.
    pub fn new(blocks: u32) -> Self {
        Self { free: (0..blocks).collect(), held: vec![0; blocks as usize] }
    }

    /// Blocks in all.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Whether there are none at all.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Free blocks.
    pub fn free(&self) -> usize {
        self.free.len()
    }

    /// Takes one, for one sequence; none where none is free.
    pub fn take(&mut self) -> Option<u32> {
        let block = self.free.pop()?;
        if let Some(held) = self.held.get_mut(block as usize) {
            *held = 1;
        }
        Some(block)
    }

    /// One more sequence holds a block that is held.
    pub fn hold(&mut self, block: u32) {
        if let Some(held) = self.held.get_mut(block as usize).filter(|held| **held > 0) {
            *held += 1;
        }
    }

    /// One sequence less holds it; the last gives it back. What nobody holds stays free.
    pub fn release(&mut self, block: u32) {
        let Some(held) = self.held.get_mut(block as usize).filter(|held| **held > 0) else { return };
        *held -= 1;
        if *held == 0 {
            self.free.push(block);
        }
    }

    /// How many sequences hold it.
    pub fn held(&self, block: u32) -> u32 {
        self.held.get(block as usize).copied().unwrap_or(0)
    }
}

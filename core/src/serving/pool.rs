//! The cache as a pool of blocks: who has which, who shares them, and which of the free ones still hold something.
//!
//! As nano-vllm's `BlockManager` (GeeeekExplorer/nano-vllm, nanovllm/engine/block_manager.py at bb823b3): free blocks are taken from the
//! front of a queue and given back at its end, so that what was given back first is overwritten first; a full block is found again by
//! what it holds and all before it, as long as nobody has overwritten it.

use std::collections::BTreeMap;

use crate::queue::Queue;

/// What a full block holds, with all that comes before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Content {
    /// The block of this number of the prefix that all requests share.
    Prefix(u64),
    /// That of a request whose prompt is nothing but the shared prefix: the prompt's tokens, the block's number.
    Alike(u64, u64),
    /// That of one request, or of all turns of a session: which, the block's number.
    Own(usize, u64),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Block {
    users: u32,
    holds: Option<Content>,
}

/// The pool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pool {
    blocks: Vec<Block>,
    free: Queue,
    found: BTreeMap<Content, usize>,
}

impl Pool {
    /// So many blocks, all of them free and empty.
    pub fn new(blocks: usize) -> Self {
        Self { blocks: vec![Block::default(); blocks], free: Queue::new(0, blocks), found: BTreeMap::new() }
    }

    /// Blocks that nobody uses.
    pub fn free(&self) -> usize {
        self.free.len()
    }

    /// The block that holds this, and whether somebody uses it.
    pub fn find(&self, content: Content) -> Option<(usize, bool)> {
        let &block = self.found.get(&content)?;
        Some((block, self.blocks.get(block)?.users > 0))
    }

    /// Uses a block that was found.
    pub fn share(&mut self, block: usize) {
        let Some(it) = self.blocks.get_mut(block) else { return };
        it.users += 1;
        if it.users == 1 {
            self.free.remove(block);
        }
    }

    /// Takes a free block, and forgets what it held. None if there is none.
    pub fn take(&mut self) -> Option<usize> {
        let block = self.free.pop()?;
        let it = self.blocks.get_mut(block)?;
        if let Some(held) = it.holds.take()
            && self.found.get(&held) == Some(&block)
        {
            self.found.remove(&held);
        }
        it.users = 1;
        Some(block)
    }

    /// Says what a block holds from now on.
    pub fn fill(&mut self, block: usize, content: Content) {
        if let Some(it) = self.blocks.get_mut(block) {
            it.holds = Some(content);
            self.found.insert(content, block);
        }
    }

    /// Gives the blocks of a request back, the last one first.
    pub fn give_back(&mut self, table: &mut Vec<usize>) {
        while let Some(block) = table.pop() {
            let Some(it) = self.blocks.get_mut(block) else { continue };
            it.users = it.users.saturating_sub(1);
            if it.users == 0 {
                self.free.push(block);
            }
        }
    }
}

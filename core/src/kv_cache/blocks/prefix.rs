//! Blocks whose content can be found again: vLLM V1's `KVCacheManager` and `BlockPool` (`vllm/v1/core/`).
//!
//! A full block is known by a hash of its tokens and of the block before it. A new request holds the blocks of its prompt that are
//! known, up to the last token, which has to be computed in any case. A block that nobody holds keeps its content at its place in
//! the queue of free blocks, until it is taken for something else: the queue is in order of least recent use, and a sequence gives
//! back its last block first. Block 0 is never given out.

use std::collections::BTreeMap;

use super::blocks_of;
use crate::mix::mix;
use crate::queue::Queue;

/// What a sequence holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Table {
    blocks: Vec<u32>,
    /// The hash of each full block.
    hashes: Vec<u64>,
}

/// What a new sequence got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Admitted {
    /// Tokens that were found.
    pub found: u64,
    /// New blocks.
    pub taken: u64,
    /// Known blocks that were lost for them.
    pub lost: u64,
}

/// The pool, and a table of blocks for each sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefixes {
    block: u64,
    /// Whether blocks are known by their hash.
    caches: bool,
    queue: Queue,
    held: Vec<u32>,
    hash: Vec<Option<u64>>,
    known: BTreeMap<u64, Vec<u32>>,
    tables: BTreeMap<usize, Table>,
}

impl Prefixes {
    /// `blocks` blocks of `block` tokens, of which the first is never given out.
    pub fn new(block: u64, blocks: u32, caches: bool) -> Self {
        Self {
            block: block.max(1),
            caches,
            queue: Queue::new(1, blocks as usize),
            held: vec![0; blocks as usize],
            hash: vec![None; blocks as usize],
            known: BTreeMap::new(),
            tables: BTreeMap::new(),
        }
    }

    /// Free blocks, known ones among them.
    pub fn free(&self) -> usize {
        self.queue.len()
    }

    /// How many sequences hold a block.
    pub fn held(&self, block: u32) -> u32 {
        self.held.get(block as usize).copied().unwrap_or(0)
    }

    /// Free blocks that are known, in the order in which they will be lost.
    pub fn kept(&self) -> impl Iterator<Item = u32> {
        self.queue
            .iter()
            .map(|block| block as u32)
            .filter(|block| self.hash.get(*block as usize).copied().flatten().is_some())
    }

    /// The blocks of a sequence, in its order.
    pub fn table(&self, sequence: usize) -> Option<&[u32]> {
        self.tables.get(&sequence).map(|table| table.blocks.as_slice())
    }

    /// The hash of the block that begins at token `from` after one with the hash `before`.
    fn hash_of(&self, before: u64, from: u64, token: &impl Fn(u64) -> u64) -> u64 {
        (from..from + self.block).fold(mix(before), |hash, at| mix(hash ^ mix(token(at).wrapping_add(1))))
    }

    /// Admits a sequence of so many tokens, `token` says which stands where; nothing changes where it does not fit.
    pub fn allocate(&mut self, sequence: usize, tokens: u64, token: &impl Fn(u64) -> u64) -> Option<Admitted> {
        let mut table = Table::default();
        if self.caches {
            for i in 0..tokens.saturating_sub(1) / self.block {
                let hash = self.hash_of(table.hashes.last().copied().unwrap_or(0), i * self.block, token);
                let Some(block) = self.known.get(&hash).and_then(|all| all.first()) else { break };
                table.blocks.push(*block);
                table.hashes.push(hash);
            }
        }
        let found = table.blocks.len() as u64;
        let idle = table.blocks.iter().filter(|block| self.held(**block) == 0).count() as u64;
        let taken = blocks_of(tokens, self.block).saturating_sub(found);
        if taken + idle > self.queue.len() as u64 {
            return None;
        }
        for block in &table.blocks {
            if self.held(*block) == 0 {
                self.queue.remove(*block as usize);
            }
            if let Some(held) = self.held.get_mut(*block as usize) {
                *held += 1;
            }
        }
        let mut lost = 0;
        for _ in 0..taken {
            let (block, was_known) = self.take()?;
            lost += u64::from(was_known);
            table.blocks.push(block);
        }
        self.tables.insert(sequence, table);
        self.know(sequence, tokens, token);
        Some(Admitted { found: found * self.block, taken, lost })
    }

    /// Takes the free block that was used longest ago, and says whether it was known.
    fn take(&mut self) -> Option<(u32, bool)> {
        let block = self.queue.pop()? as u32;
        let hash = self.hash.get_mut(block as usize).and_then(Option::take);
        if let Some(hash) = hash
            && let Some(all) = self.known.get_mut(&hash)
        {
            all.retain(|known| *known != block);
            if all.is_empty() {
                self.known.remove(&hash);
            }
        }
        if let Some(held) = self.held.get_mut(block as usize) {
            *held = 1;
        }
        Some((block, hash.is_some()))
    }

    /// Makes the full blocks of a sequence of so many tokens known.
    fn know(&mut self, sequence: usize, tokens: u64, token: &impl Fn(u64) -> u64) {
        let Some(mut table) = self.tables.remove(&sequence) else { return };
        while self.caches && (table.hashes.len() as u64) < tokens / self.block {
            let i = table.hashes.len();
            let hash = self.hash_of(table.hashes.last().copied().unwrap_or(0), i as u64 * self.block, token);
            table.hashes.push(hash);
            if let Some(block) = table.blocks.get(i)
                && let Some(place) = self.hash.get_mut(*block as usize)
            {
                *place = Some(hash);
                self.known.entry(hash).or_default().push(*block);
            }
        }
        self.tables.insert(sequence, table);
    }

    /// Makes room for the last token of a sequence, which has `tokens` with it. Yields whether a block was taken, and whether that
    /// was known; nothing where none is free.
    pub fn append(&mut self, sequence: usize, tokens: u64, token: &impl Fn(u64) -> u64) -> Option<Option<(u32, bool)>> {
        let blocks = self.tables.get(&sequence)?.blocks.len() as u64;
        let taken = if blocks < blocks_of(tokens, self.block) { Some(self.take()?) } else { None };
        if let (Some((block, _)), Some(table)) = (taken, self.tables.get_mut(&sequence)) {
            table.blocks.push(block);
        }
        self.know(sequence, tokens, token);
        Some(taken)
    }

    /// Gives back what a sequence holds, the last block first.
    pub fn free_sequence(&mut self, sequence: usize) {
        let Some(table) = self.tables.remove(&sequence) else { return };
        for block in table.blocks.into_iter().rev() {
            if let Some(held) = self.held.get_mut(block as usize).filter(|held| **held > 0) {
                *held -= 1;
                if *held == 0 {
                    self.queue.push(block as usize);
                }
            }
        }
    }
}

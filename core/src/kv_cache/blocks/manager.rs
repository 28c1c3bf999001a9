//! Tables of blocks over a [`Pool`]: vLLM 0.2.0, `BlockSpaceManager` (`vllm/core/block_manager.py`), without sliding windows.
//!
//! Sequences are named by numbers of the caller's. A group is the sequences of one request; only they share blocks.

use std::collections::BTreeMap;

use super::blocks_of;
use super::pool::Pool;

/// The memory in which a sequence's blocks lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The GPU's.
    Gpu,
    /// The host's: the sequence was swapped out.
    Host,
}

/// Why something cannot be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    /// No block of the GPU is free.
    Gpu,
    /// Too few blocks of the host are free.
    Host,
    /// No such sequence is there.
    Unknown,
}

impl Full {
    /// What vLLM says.
    pub const fn message(self) -> &'static str {
        match self {
            Self::Gpu => "Out of memory! No free blocks are available.",
            Self::Host => {
                "Aborted due to the lack of CPU swap space. Please increase the swap space to avoid this error."
            }
            Self::Unknown => "There is no such sequence.",
        }
    }
}

/// What a token took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// A slot of the last block.
    Slot,
    /// A new block.
    Block(u32),
    /// A copy of the last block, which others hold too.
    Copy {
        /// The block that is copied.
        from: u32,
        /// The block that holds the copy and the new token.
        to: u32,
    },
}

/// Blocks of the GPU and of the host, and a table of blocks for each sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manager {
    block: u64,
    /// Blocks that admitting leaves free.
    watermark: usize,
    gpu: Pool,
    host: Pool,
    tables: BTreeMap<usize, (Place, Vec<u32>)>,
}

impl Manager {
    /// `blocks` blocks of `block` tokens and `host` blocks on the host. Admitting leaves `watermark` of the GPU's blocks free,
    /// rounded down.
    pub fn new(block: u64, blocks: u32, host: u32, watermark: f64) -> Self {
        Self {
            block: block.max(1),
            watermark: (watermark * f64::from(blocks)) as usize,
            gpu: Pool::new(blocks),
            host: Pool::new(host),
            tables: BTreeMap::new(),
        }
    }

    /// Tokens of a block.
    pub const fn block(&self) -> u64 {
        self.block
    }

    /// Blocks of the GPU that are free.
    pub fn free(&self) -> usize {
        self.gpu.free()
    }

    /// Blocks of the host that are free.
    pub fn free_on_host(&self) -> usize {
        self.host.free()
    }

    /// How many sequences hold a block of the GPU.
    pub fn held(&self, block: u32) -> u32 {
        self.gpu.held(block)
    }

    /// Where the blocks of a sequence lie, and which they are, in its order.
    pub fn table(&self, sequence: usize) -> Option<(Place, &[u32])> {
        self.tables.get(&sequence).map(|(place, blocks)| (*place, blocks.as_slice()))
    }

    /// Whether a prompt of so many tokens may be admitted now: its blocks are there, and the watermark besides.
    pub fn can_allocate(&self, tokens: u64) -> bool {
        self.gpu.free() as u64 >= blocks_of(tokens, self.block).saturating_add(self.watermark as u64)
    }

    /// Gives a prompt of so many tokens its blocks; all of these sequences share them.
    ///
    /// # Errors
    /// [`Full::Gpu`] if too few are free, whatever the watermark; then nothing is taken.
    pub fn allocate(&mut self, sequences: &[usize], tokens: u64) -> Result<(), Full> {
        let needed = blocks_of(tokens, self.block);
        if needed > self.gpu.free() as u64 {
            return Err(Full::Gpu);
        }
        let blocks: Vec<u32> = (0..needed).filter_map(|_| self.gpu.take()).collect();
        for (i, sequence) in sequences.iter().enumerate() {
            if i > 0 {
                blocks.iter().for_each(|block| self.gpu.hold(*block));
            }
            self.tables.insert(*sequence, (Place::Gpu, blocks.clone()));
        }
        Ok(())
    }

    /// Whether a token may be appended to each of so many sequences: a block is free for each, whether it will need one or not.
    pub fn can_append(&self, sequences: usize) -> bool {
        sequences <= self.gpu.free()
    }

    /// Makes room for the last token of a sequence, which has `tokens` with it. A last block that others hold too is copied.
    ///
    /// # Errors
    /// [`Full::Gpu`] if a block is needed and none is free, [`Full::Unknown`] for a sequence that is not on the GPU.
    pub fn append(&mut self, sequence: usize, tokens: u64) -> Result<Appended, Full> {
        let Some((Place::Gpu, table)) = self.tables.get_mut(&sequence) else { return Err(Full::Unknown) };
        if (table.len() as u64) < blocks_of(tokens, self.block) {
            let block = self.gpu.take().ok_or(Full::Gpu)?;
            table.push(block);
            return Ok(Appended::Block(block));
        }
        match table.last_mut() {
            Some(last) if self.gpu.held(*last) > 1 => {
                let to = self.gpu.take().ok_or(Full::Gpu)?;
                let from = std::mem::replace(last, to);
                self.gpu.release(from);
                Ok(Appended::Copy { from, to })
            }
            _ => Ok(Appended::Slot),
        }
    }

    /// `child` becomes a copy of `parent` that shares all of its blocks. Takes no memory.
    pub fn fork(&mut self, parent: usize, child: usize) {
        let Some((place, table)) = self.tables.get(&parent).cloned() else { return };
        let pool = if place == Place::Gpu { &mut self.gpu } else { &mut self.host };
        table.iter().for_each(|block| pool.hold(*block));
        self.tables.insert(child, (place, table));
    }

    /// Gives back what a sequence holds, in the order of its table. (vLLM 0.2 goes through a set, in no order that can be named.)
    pub fn free_sequence(&mut self, sequence: usize) {
        let Some((place, table)) = self.tables.remove(&sequence) else { return };
        let pool = if place == Place::Gpu { &mut self.gpu } else { &mut self.host };
        table.iter().for_each(|block| pool.release(*block));
    }

    /// Different blocks of a group.
    fn blocks_of_group(&self, sequences: &[usize]) -> usize {
        let mut blocks: Vec<u32> =
            sequences.iter().filter_map(|s| self.tables.get(s)).flat_map(|(_, table)| table.iter().copied()).collect();
        blocks.sort_unstable();
        blocks.dedup();
        blocks.len()
    }

    /// Whether the host has room for all blocks of a group.
    pub fn can_swap_out(&self, sequences: &[usize]) -> bool {
        self.blocks_of_group(sequences) <= self.host.free()
    }

    /// Whether all blocks of a group fit on the GPU again, with one more for each sequence and the watermark.
    pub fn can_swap_in(&self, sequences: &[usize]) -> bool {
        self.gpu.free() >= self.blocks_of_group(sequences) + sequences.len() + self.watermark
    }

    /// Moves a group to the host. Blocks that were shared stay shared. Yields the pairs of blocks: from, to.
    ///
    /// # Errors
    /// [`Full::Host`] if they do not fit; then nothing is moved.
    pub fn swap_out(&mut self, sequences: &[usize]) -> Result<Vec<(u32, u32)>, Full> {
        if !self.can_swap_out(sequences) {
            return Err(Full::Host);
        }
        Ok(self.swap(sequences, Place::Host))
    }

    /// Moves a group back to the GPU.
    ///
    /// # Errors
    /// [`Full::Gpu`] if it does not fit; then nothing is moved.
    pub fn swap_in(&mut self, sequences: &[usize]) -> Result<Vec<(u32, u32)>, Full> {
        if self.blocks_of_group(sequences) > self.gpu.free() {
            return Err(Full::Gpu);
        }
        Ok(self.swap(sequences, Place::Gpu))
    }

    fn swap(&mut self, sequences: &[usize], place: Place) -> Vec<(u32, u32)> {
        let (source, target) =
            if place == Place::Gpu { (&mut self.host, &mut self.gpu) } else { (&mut self.gpu, &mut self.host) };
        let mut moved: Vec<(u32, u32)> = Vec::new();
        for sequence in sequences {
            let Some((from, table)) = self.tables.get_mut(sequence).filter(|(from, _)| *from != place) else {
                continue;
            };
            *from = place;
            for block in table {
                let there = moved.iter().find(|(old, _)| old == block).map(|(_, new)| *new);
                let new = match there {
                    Some(new) => {
                        target.hold(new);
                        new
                    }
                    // Room was checked before.
                    None => target.take().unwrap_or_default(),
                };
                if there.is_none() {
                    moved.push((*block, new));
                }
                source.release(*block);
                *block = new;
            }
        }
        moved
    }
}

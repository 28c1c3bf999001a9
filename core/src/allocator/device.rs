//! PyTorch's caching allocator on one device and one stream, as `pytorch/pytorch`, `c10/cuda/CUDACachingAllocator.cpp` has it with
//! its defaults and with `expandable_segments:True`.
//!
//! A request is rounded up to 512 bytes (`round_size`). Up to 1 MiB it is served from the small pool, else from the large one
//! (`get_pool`). The smallest free block that is long enough is taken, among equal ones that at the lowest address
//! (`get_free_block`). If there is none, a segment is taken from the device: 2 MiB for small requests, 20 MiB for those under 10 MiB,
//! else the request rounded up to 2 MiB (`get_allocation_size`). What is left of a block is split off if it is at least 512 bytes in
//! the small pool, more than 1 MiB in the large one (`should_split`). A freed block joins its free neighbours. If the device has no
//! memory left, every segment that is wholly free is given back and the device is asked again (`malloc`, `release_cached_blocks`):
//! that counts as a retry, and stops the GPU.
//!
//! Expandable segments: each pool has one, in an address range of 9/8 of the device's memory, of which pages of 2 MiB (small) or 20 MiB
//! (large) are mapped as needed (`try_allocate_expandable_block`). What is given back are the pages of free blocks, wherever they lie
//! (`unmap_block`).
//!
//! Left out: several streams, `max_split_size`, `roundup_power2_divisions`, garbage collection, private pools of CUDA graphs.

/// Every size is a multiple of this, in bytes.
pub const SMALLEST: u64 = 512;
/// Requests up to this are small, in bytes.
pub const SMALL: u64 = 1 << 20;
/// The segment of small requests, and the granularity of large ones.
pub const SMALL_SEGMENT: u64 = 2 << 20;
/// The segment of large requests under [`OWN_SEGMENT`], and the page of a large expandable segment.
pub const LARGE_SEGMENT: u64 = 20 << 20;
/// Requests from this on have a segment of their size.
pub const OWN_SEGMENT: u64 = 10 << 20;

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// In use, by the request with this number.
    Allocated(u32),
    /// Free, and backed by memory.
    Free,
    /// Addresses without memory, in an expandable segment.
    Unmapped,
}

/// A stretch of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Bytes.
    pub size: u64,
    /// What it is.
    pub used: Use,
}

/// Memory taken from the device, or addresses that can be backed by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Which one it is, counted from 1 in the order in which they were taken.
    pub number: u32,
    /// Whether it is of the pool of small requests.
    pub small: bool,
    /// Whether it grows.
    pub expandable: bool,
    /// Its blocks by address.
    pub blocks: Vec<Block>,
}

impl Segment {
    /// Bytes of the device that it holds.
    pub fn reserved(&self) -> u64 {
        self.blocks.iter().filter(|b| b.used != Use::Unmapped).map(|b| b.size).sum()
    }

    /// Bytes in tensors.
    pub fn allocated(&self) -> u64 {
        self.blocks.iter().filter(|b| matches!(b.used, Use::Allocated(_))).map(|b| b.size).sum()
    }

    fn page(&self) -> u64 {
        if self.small { SMALL_SEGMENT } else { LARGE_SEGMENT }
    }

    /// Where a block begins.
    fn offset(&self, at: usize) -> u64 {
        self.blocks.iter().take(at).map(|b| b.size).sum()
    }

    /// Joins neighbours that are both free, or both without memory.
    fn join(&mut self) {
        let mut joined: Vec<Block> = Vec::with_capacity(self.blocks.len());
        for block in self.blocks.drain(..).filter(|b| b.size > 0) {
            match joined.last_mut() {
                Some(last) if last.used == block.used && !matches!(block.used, Use::Allocated(_)) => {
                    last.size += block.size
                }
                _ => joined.push(block),
            }
        }
        self.blocks = joined;
    }
}

/// How a request was served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Served {
    /// From a free block of this size.
    Reused {
        /// The segment.
        segment: u32,
        /// Bytes of the block before.
        block: u64,
    },
    /// From a new segment of so many bytes.
    Taken {
        /// The segment.
        segment: u32,
        /// Its bytes.
        bytes: u64,
    },
    /// At the end of an expandable segment, which grew.
    Grown {
        /// The segment.
        segment: u32,
        /// Bytes that were mapped.
        bytes: u64,
    },
    /// Not at all.
    OutOfMemory,
}

/// What a request came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// Bytes of the block: the request, rounded.
    pub rounded: u64,
    /// Bytes that the device is asked for where nothing cached fits.
    pub asked: u64,
    /// How it was served.
    pub served: Served,
    /// Bytes that were given back to the device first, if it had to be asked twice.
    pub released: Option<u64>,
}

/// The allocator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocator {
    /// Bytes that the device has for it.
    pub memory: u64,
    /// Whether segments grow.
    pub expandable: bool,
    /// What it holds, in the order in which it was taken.
    pub segments: Vec<Segment>,
    /// How often the device had to be asked again: `num_alloc_retries`.
    pub retries: u32,
    /// How often that did not help either: `num_ooms`.
    pub failures: u32,
    taken: u32,
}

/// The size of the block that serves a request.
pub const fn rounded(bytes: u64) -> u64 {
    if bytes < SMALLEST { SMALLEST } else { bytes.div_ceil(SMALLEST).saturating_mul(SMALLEST) }
}

/// What the device is asked for, for a block of this size.
pub const fn segment_size(size: u64) -> u64 {
    if size <= SMALL {
        SMALL_SEGMENT
    } else if size < OWN_SEGMENT {
        LARGE_SEGMENT
    } else {
        size.div_ceil(SMALL_SEGMENT).saturating_mul(SMALL_SEGMENT)
    }
}

impl Allocator {
    /// An allocator that has taken nothing yet.
    pub const fn new(memory: u64, expandable: bool) -> Self {
        Self { memory, expandable, segments: Vec::new(), retries: 0, failures: 0, taken: 0 }
    }

    /// Bytes taken from the device: `reserved_bytes`.
    pub fn reserved(&self) -> u64 {
        self.segments.iter().map(Segment::reserved).sum()
    }

    /// Bytes in tensors, rounded as they are: `allocated_bytes`.
    pub fn allocated(&self) -> u64 {
        self.segments.iter().map(Segment::allocated).sum()
    }

    /// Bytes that the device still has.
    pub fn device_free(&self) -> u64 {
        self.memory.saturating_sub(self.reserved())
    }

    /// Bytes of free blocks beside others of their segment: `inactive_split_bytes`. Those of expandable segments are not counted, as
    /// PyTorch does not.
    pub fn inactive_split(&self) -> u64 {
        let split = self.segments.iter().filter(|s| !s.expandable && s.blocks.len() > 1);
        split.flat_map(|s| &s.blocks).filter(|b| b.used == Use::Free).map(|b| b.size).sum()
    }

    /// The longest free block.
    pub fn longest_free(&self) -> u64 {
        self.segments.iter().flat_map(|s| &s.blocks).filter(|b| b.used == Use::Free).map(|b| b.size).max().unwrap_or(0)
    }

    /// Serves request number `request`, of so many bytes.
    pub fn alloc(&mut self, request: u32, bytes: u64) -> Answer {
        let size = rounded(bytes);
        let mut answer =
            Answer { rounded: size, asked: segment_size(size), served: Served::OutOfMemory, released: None };
        if let Some((segment, block)) = self.best_fit(size) {
            let (number, before) = self.give(segment, block, size, request);
            answer.served = Served::Reused { segment: number, block: before };
            return answer;
        }
        let mut found = self.take(size, request);
        if found.is_none() {
            answer.released = Some(self.release());
            self.retries += 1;
            found = self.take(size, request);
        }
        match found {
            Some(served) => answer.served = served,
            None => self.failures += 1,
        }
        answer
    }

    /// Frees what a request has.
    pub fn free(&mut self, request: u32) {
        for segment in &mut self.segments {
            if let Some(block) = segment.blocks.iter_mut().find(|b| b.used == Use::Allocated(request)) {
                block.used = Use::Free;
                segment.join();
                return;
            }
        }
    }

    /// The free block that serves a request of this size: segment and block.
    fn best_fit(&self, size: u64) -> Option<(usize, usize)> {
        let small = size <= SMALL;
        let mut fits: Vec<(u64, usize, usize)> = Vec::new();
        for (s, segment) in self.segments.iter().enumerate().filter(|(_, s)| s.small == small) {
            let free = segment.blocks.iter().enumerate().filter(|(_, b)| b.used == Use::Free && b.size >= size);
            fits.extend(free.map(|(b, block)| (block.size, s, b)));
        }
        fits.sort_unstable();
        let mut best = *fits.first()?;
        // A block that can grow counts as long as it can become.
        for next in fits.iter().skip(1) {
            let grows = self.segments.get(best.1).is_some_and(|s| s.expandable);
            if !grows || self.can_become(*next) >= self.can_become(best) {
                break;
            }
            best = *next;
        }
        Some((best.1, best.2))
    }

    fn can_become(&self, (size, segment, block): (u64, usize, usize)) -> u64 {
        let next = self.segments.get(segment).and_then(|s| s.blocks.get(block + 1));
        size + next.filter(|b| b.used == Use::Unmapped).map_or(0, |b| b.size)
    }

    /// Gives a free block to a request, and splits off what it does not need. The number of the segment, and the size of the block before.
    fn give(&mut self, segment: usize, at: usize, size: u64, request: u32) -> (u32, u64) {
        let Some(segment) = self.segments.get_mut(segment) else { return (0, 0) };
        let (small, expandable) = (segment.small, segment.expandable);
        let Some(block) = segment.blocks.get_mut(at) else { return (0, 0) };
        let before = block.size;
        let left = before.saturating_sub(size);
        block.used = Use::Allocated(request);
        if if small || expandable { left >= SMALLEST } else { left > SMALL } {
            block.size = size;
            segment.blocks.insert(at + 1, Block { size: left, used: Use::Free });
        }
        (segment.number, before)
    }

    /// Takes memory from the device for a request; none if it has too little.
    fn take(&mut self, size: u64, request: u32) -> Option<Served> {
        if self.expandable {
            let before = self.reserved();
            let (segment, block) = self.grow(size)?;
            let (segment, _) = self.give(segment, block, size, request);
            return Some(Served::Grown { segment, bytes: self.reserved().saturating_sub(before) });
        }
        let bytes = segment_size(size);
        if bytes > self.device_free() {
            return None;
        }
        let segment = self.add(size <= SMALL, Block { size: bytes, used: Use::Free });
        let (segment, _) = self.give(segment, 0, size, request);
        Some(Served::Taken { segment, bytes })
    }

    fn add(&mut self, small: bool, block: Block) -> usize {
        self.taken += 1;
        let expandable = block.used == Use::Unmapped;
        self.segments.push(Segment { number: self.taken, small, expandable, blocks: vec![block] });
        self.segments.len() - 1
    }

    /// Maps memory at the lowest address where `size` bytes are free or can be mapped: segment and block.
    fn grow(&mut self, size: u64) -> Option<(usize, usize)> {
        let small = size <= SMALL;
        let is_here = |s: &Segment| s.small == small && s.expandable;
        let segment = match self.segments.iter().position(is_here) {
            Some(segment) => segment,
            None => {
                let page = if small { SMALL_SEGMENT } else { LARGE_SEGMENT };
                let addresses = (self.memory + self.memory / 8).div_ceil(page) * page;
                self.add(small, Block { size: addresses, used: Use::Unmapped })
            }
        };
        let mut at = self.segments.get(segment)?.room(size)?;
        loop {
            let here = self.segments.get(segment)?;
            let block = *here.blocks.get(at)?;
            // What is to be mapped is this block, or the one after it.
            let (next, missing) = match block.used {
                Use::Unmapped => (at, size),
                _ if block.size >= size => return Some((segment, at)),
                _ => (at + 1, size - block.size),
            };
            let unmapped = here.blocks.get(next).filter(|b| b.used == Use::Unmapped)?;
            let bytes = missing.min(unmapped.size).div_ceil(here.page()) * here.page();
            if bytes > self.device_free() {
                return None;
            }
            let (from, here) = (here.offset(at), self.segments.get_mut(segment)?);
            here.map(next, bytes);
            at = here.at(from)?;
        }
    }

    /// Gives everything back to the device that is wholly free: segments, or pages of those that grow. How many bytes.
    fn release(&mut self) -> u64 {
        let before = self.reserved();
        for segment in self.segments.iter_mut().filter(|s| s.expandable) {
            segment.unmap();
        }
        self.segments.retain(|s| s.blocks.len() != 1 || s.blocks.iter().any(|b| matches!(b.used, Use::Allocated(_))));
        before.saturating_sub(self.reserved())
    }
}

impl Segment {
    /// The block from which on `size` bytes are free or can be mapped: the first that has no memory, or the free one before it.
    fn room(&self, size: u64) -> Option<usize> {
        let is_free = |b: &Block| !matches!(b.used, Use::Allocated(_));
        let unmapped = self.blocks.iter().enumerate().filter(|(_, b)| b.used == Use::Unmapped).map(|(i, _)| i);
        unmapped
            .map(|i| match i.checked_sub(1) {
                Some(before) if self.blocks.get(before).is_some_and(is_free) => before,
                _ => i,
            })
            .find(|from| {
                let run = self.blocks.iter().skip(*from).take_while(|b| is_free(b));
                run.map(|b| b.size).sum::<u64>() >= size
            })
    }

    /// Backs the first bytes of a block with memory.
    fn map(&mut self, at: usize, bytes: u64) {
        let Some(block) = self.blocks.get_mut(at) else { return };
        let left = block.size.saturating_sub(bytes);
        *block = Block { size: block.size - left, used: Use::Free };
        self.blocks.insert(at + 1, Block { size: left, used: Use::Unmapped });
        self.join();
    }

    /// The block that has this offset in it.
    fn at(&self, offset: u64) -> Option<usize> {
        let mut end = 0;
        self.blocks.iter().position(|b| {
            end += b.size;
            end > offset
        })
    }

    /// Takes the memory from every page that lies in a free block.
    fn unmap(&mut self) {
        let page = self.page();
        let mut offset = 0;
        let mut blocks = Vec::new();
        for block in self.blocks.drain(..) {
            let (from, to) = (offset, offset + block.size);
            offset = to;
            let (first, last) = (from.div_ceil(page) * page, to / page * page);
            if block.used != Use::Free || first >= last {
                blocks.push(block);
                continue;
            }
            blocks.push(Block { size: first - from, used: Use::Free });
            blocks.push(Block { size: last - first, used: Use::Unmapped });
            blocks.push(Block { size: to - last, used: Use::Free });
        }
        self.blocks = blocks;
        self.join();
    }
}

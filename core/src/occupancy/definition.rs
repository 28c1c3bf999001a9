//! How many blocks of a kernel an SM holds at once: NVIDIA's definition.
//!
//! Registers are allocated to warps, 256 at a time, within a sub-partition of the SM; shared memory to blocks, 128 or 256 bytes at a
//! time, with what the driver reserves in each. Warps, blocks and barriers are counted. The resource that allows the fewest blocks
//! decides, and several can do so at once.
//!
//! Left out: compute capability 3 (no toolkit since 12 compiles for it) and partitioned global caching, an opt-in of Maxwell and Pascal.

use crate::declare::Origin;

/// Where the definition comes from.
pub const ORIGIN: Origin = Origin::Of(
    "NVIDIA CUDA toolkit 13.5, cuda_occupancy.h, cudaOccMaxActiveBlocksPerMultiprocessor; CUDA C++ Programming Guide, “Compute Capabilities”",
);

/// Threads of a warp.
pub const WARP: u64 = 32;
/// Most threads of a block.
pub const MAX_BLOCK: u64 = 1024;
/// Registers that are allocated at a time.
pub const REGISTER_UNIT: u64 = 256;
/// Shared memory that a block may have without opting in, bytes.
pub const WITHOUT_OPT_IN: u64 = 48 * KIB;

const KIB: u64 = 1024;

/// An SM: what it has, and the rules by which it hands that out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sm {
    /// Compute capability: 9.0 is `(9, 0)`.
    pub cc: (u32, u32),
    /// Most threads at once.
    pub threads: u64,
    /// 32-bit registers.
    pub registers: u64,
    /// 32-bit registers that one block may have.
    pub block_registers: u64,
    /// Shared memory, bytes.
    pub shared: u64,
    /// Shared memory that a block may have without opting in, bytes.
    pub block_shared: u64,
    /// Shared memory that a block may have after opting in, bytes.
    pub block_shared_opt_in: u64,
    /// Shared memory that the driver takes in each block, bytes.
    pub reserved: u64,
}

/// A kernel and its launch, as far as they take room on an SM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// Threads of a block.
    pub block: u64,
    /// Registers of a thread.
    pub registers: u64,
    /// Shared memory that the kernel declares, bytes.
    pub static_shared: u64,
    /// Shared memory that the launch asks for, bytes.
    pub dynamic_shared: u64,
    /// The most dynamic shared memory that the kernel has opted in to (`cudaFuncAttributeMaxDynamicSharedMemorySize`), bytes.
    pub max_dynamic_shared: u64,
    /// Barriers of a block.
    pub barriers: u64,
    /// The part of L1 and shared memory that is to be shared memory, percent; nothing for the driver's choice.
    pub carveout: Option<u64>,
}

/// What limits the number of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// The SM's threads, counted in warps.
    Warps,
    /// Its registers.
    Registers,
    /// Its shared memory.
    Shared,
    /// The number of blocks that it manages.
    Blocks,
    /// Its barriers.
    Barriers,
}

impl Limit {
    /// All of them, in the order of NVIDIA's bits.
    pub const ALL: [Self; 5] = [Self::Warps, Self::Registers, Self::Shared, Self::Blocks, Self::Barriers];

    /// What a person calls it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Warps => "warp slots",
            Self::Registers => "registers",
            Self::Shared => "shared memory",
            Self::Blocks => "block slots",
            Self::Barriers => "barriers",
        }
    }

    /// The bit by which NVIDIA's `limitingFactors` has it.
    pub const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// What an SM holds of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Residency {
    /// Blocks at once.
    pub blocks: u64,
    /// Blocks that each resource allows, in the order of [`Limit::ALL`]; nothing where a kernel uses none of it.
    pub allowed: [Option<u64>; 5],
    /// Registers allocated to a block.
    pub block_registers: u64,
    /// Shared memory allocated to a block, bytes.
    pub block_shared: u64,
    /// Shared memory of the SM as it is divided for this kernel, bytes.
    pub configured_shared: u64,
}

impl Residency {
    /// All that allow no more blocks than there are.
    pub fn limits(&self) -> impl Iterator<Item = Limit> {
        Limit::ALL.into_iter().filter(|limit| self.allows(*limit) == Some(self.blocks))
    }

    /// Blocks that this resource allows; nothing where a kernel uses none of it.
    pub const fn allows(&self, limit: Limit) -> Option<u64> {
        self.allowed[limit as usize]
    }

    /// NVIDIA's `limitingFactors`. Barriers are compared last: where they allow fewer blocks than all others, the bits of the next
    /// resource stay set.
    pub fn bits(&self) -> u32 {
        let others = self.allowed.iter().take(4).flatten().min().copied();
        let is_set = |limit: &Limit| match limit {
            Limit::Barriers => self.allows(*limit) == Some(self.blocks),
            _ => self.allows(*limit) == others,
        };
        Limit::ALL.iter().filter(|limit| is_set(limit)).map(|limit| limit.bit()).sum()
    }
}

impl Sm {
    /// Warps at once.
    pub const fn warps(&self) -> u64 {
        self.threads / WARP
    }

    /// Blocks at once, of a compute capability that is known.
    pub const fn max_blocks(&self) -> Option<u64> {
        Some(match self.cc {
            (5 | 6, _) | (7, 0..=4 | 6..) | (8, 0) | (9, _) => 32,
            (7, 5) => 16,
            (8, 9) => 24,
            (8, _) => 16,
            (10, 1) => 24,
            (10, 7) => 16,
            (10, _) => 32,
            (11, 0) => 24,
            (11, _) => 32,
            (12, _) => 24,
            _ => return None,
        })
    }

    /// Sub-partitions, each with a quarter (or half) of the registers and a warp scheduler.
    pub const fn partitions(&self) -> u64 {
        if matches!(self.cc, (6, 0)) { 2 } else { 4 }
    }

    /// Shared memory that is allocated at a time, bytes.
    pub const fn shared_unit(&self) -> u64 {
        if self.cc.0 < 8 { 256 } else { 128 }
    }

    /// Most registers of a thread that the check of a launch accepts. The compilers stop at 255.
    pub const fn max_registers(&self) -> u64 {
        if self.cc.0 < 7 { 255 } else { 256 }
    }

    /// Barriers of all blocks together.
    pub fn barriers(&self) -> Option<u64> {
        let two = match self.cc {
            (8 | 10, minor) => minor == 0,
            (11, minor) => minor != 0,
            (12, _) => false,
            _ => true,
        };
        self.max_blocks().map(|blocks| if two { 2 * blocks } else { blocks })
    }

    /// The sizes that shared memory can be given of what L1 and it have together, KiB, the least first; none where it is fixed.
    pub const fn carveouts(&self) -> &'static [u64] {
        match self.cc {
            (7, 5) => &[32, 64],
            (7, _) => &[0, 8, 16, 32, 64, 96],
            (8, 0 | 7) => &[0, 8, 16, 32, 64, 100, 132, 164],
            (8, _) | (12, _) => &[0, 8, 16, 32, 64, 100],
            (10 | 11, 7) => &[0, 8, 16, 32, 64, 100, 132, 164, 196, 228, 328],
            (9..=11, _) => &[0, 8, 16, 32, 64, 100, 132, 164, 196, 228],
            _ => &[],
        }
    }

    /// The least of [`Sm::carveouts`] that holds so many bytes.
    fn fitting(&self, bytes: u64) -> Option<u64> {
        self.carveouts().iter().map(|size| size * KIB).find(|size| *size >= bytes)
    }

    /// What the SM holds of this launch.
    ///
    /// # Errors
    /// A sentence, where the definition has no answer: for a compute capability that it does not know, a block without threads, and
    /// an SM that cannot be divided as its compute capability asks.
    pub fn holds(&self, launch: &Launch) -> Result<Residency, String> {
        let known = self.max_blocks().filter(|_| match self.cc {
            (10 | 11, minor) => matches!(minor, 0 | 1 | 3 | 7),
            (12, minor) => minor < 2,
            _ => true,
        });
        let (Some(most), Some(barriers)) = (known, self.barriers()) else {
            return Err(format!("Compute capability {}.{} is not known; 5.0 to 12.1 are.", self.cc.0, self.cc.1));
        };
        if launch.block == 0 || self.threads == 0 {
            return Err("A block has at least one thread.".to_owned());
        }
        let warps = launch.block.div_ceil(WARP);
        let by_warps = if launch.block > MAX_BLOCK { 0 } else { self.warps() / warps };
        let (by_registers, block_registers) = self.by_registers(launch, warps);
        let (by_shared, block_shared, configured_shared) = self.by_shared(launch)?;
        // Before Hopper barriers never run out first, and NVIDIA's definition does not count them.
        let counted = self.cc.0 >= 9 && launch.barriers > 0;
        let by_barriers = counted.then(|| barriers / launch.barriers.max(1));
        let allowed = [Some(by_warps), by_registers, by_shared, Some(most), by_barriers];
        let blocks = allowed.iter().flatten().min().copied().unwrap_or_default();
        Ok(Residency { blocks, allowed, block_registers, block_shared, configured_shared })
    }

    /// Blocks that registers allow, and registers of a block.
    fn by_registers(&self, launch: &Launch, warps: u64) -> (Option<u64>, u64) {
        let warp = (launch.registers * WARP).next_multiple_of(REGISTER_UNIT);
        let allocated = warp * warps;
        // The check at launch takes it that all sub-partitions hold as many warps.
        let fits = |partitions: u64| {
            let assumed = warp * warps.next_multiple_of(partitions);
            self.block_registers >= assumed.max(allocated) && launch.registers <= self.max_registers()
        };
        let blocks = |partitions: u64| match warp {
            _ if !fits(partitions) => Some(0),
            0 => None,
            _ => Some(self.registers / partitions / warp * partitions / warps),
        };
        let own = blocks(self.partitions());
        // What does not fit a consumer Pascal is not launched on a P100 either.
        let refused = self.cc == (6, 0) && blocks(4) == Some(0);
        (if refused { Some(0) } else { own }, allocated)
    }

    /// Blocks that shared memory allows, the shared memory of a block, and that of the SM as it is divided.
    fn by_shared(&self, launch: &Launch) -> Result<(Option<u64>, u64, u64), String> {
        let declared = launch.static_shared + self.reserved;
        let block = (declared + launch.dynamic_shared).next_multiple_of(self.shared_unit());
        let opted_in = declared + launch.max_dynamic_shared > self.block_shared && self.cc.0 >= 7;
        let reserved = if self.cc.0 >= 8 { self.reserved } else { 0 };
        let most = if opted_in { self.block_shared_opt_in } else { self.block_shared } + reserved;
        let divided = |bytes| {
            let why = || {
                format!(
                    "An SM of compute capability {}.{} has no {bytes} bytes of shared memory.",
                    self.cc.0, self.cc.1
                )
            };
            self.fitting(bytes).ok_or_else(why)
        };
        let preferred = match launch.carveout {
            _ if self.cc.0 < 7 => self.shared,
            None => divided(self.shared)?,
            Some(percent) => divided(percent * self.shared / 100)?,
        };
        if launch.dynamic_shared > launch.max_dynamic_shared || block > most {
            return Ok((Some(0), block, preferred));
        }
        let whole = if preferred >= block { preferred } else { divided(block)? };
        Ok((whole.checked_div(block), block, whole))
    }
}

//! The shape of a pipelined product: tiles, stages and numbers, what they ask of each level of memory, and what an SM holds of them.
//!
//! Each level of memory serves the next. Memory fills the tiles of a workgroup: `2·rows·cols` FLOP for every `rows + cols` values.
//! Workgroup memory fills registers: a warp of 32 invocations, `8` wide and `4` high, reads `8·own_cols + 4·own_rows` values for
//! `32·own_rows·own_cols` products. What is read in one instruction passes 32 banks of four bytes, one word of each at a time (NVIDIA,
//! CUDA C++ Programming Guide, "Shared Memory"). The plan is that of Boehm, "How to optimize a CUDA matmul kernel", kernels 6 to 10,
//! with the order of workgroups of Triton's matmul tutorial.

use crate::declare::Origin;
use crate::hardware::Accelerator;
use crate::occupancy::definition::{Launch, WARP};
use crate::occupancy::sm_of;
use crate::options;

/// Where the counts come from.
pub const ORIGIN: Origin = Origin::Of(
    "Boehm 2022, “How to optimize a CUDA matmul kernel”, kernels 6 to 10; CUDA C++ Programming Guide, “Shared Memory”, for banks; counted for the tile’s shape",
);

/// Workgroup memory that every GPU of WebGPU has, in bytes, and invocations of a workgroup.
pub const WORKGROUP_MEMORY: u64 = 16_384;
/// See [`WORKGROUP_MEMORY`].
pub const MAX_LANES: u64 = 256;
/// A warp of the kernel: so many invocations wide, and so many high.
pub const WARP_SHAPE: (u64, u64) = (8, 4);
/// Words that workgroup memory gives out at a time, each from a bank of its own.
const BANKS: u64 = 32;
/// Bytes of a word.
const WORD: u64 = 4;

/// In what the products are made and added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Numbers {
    /// Everything in f32.
    #[default]
    Single,
    /// Tiles in f16, products and sums in f32.
    HalfTiles,
    /// Tiles and products in f16, sums of one stage in f16, sums of stages in f32.
    HalfSums,
}

options!(Numbers {
    Single: "f32", "f32";
    HalfTiles: "f16", "f16, sums in f32";
    HalfSums: "f16-sums", "f16, stage sums included";
});

impl Numbers {
    /// Bytes of a value in a tile.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Single => 4,
            Self::HalfTiles | Self::HalfSums => 2,
        }
    }
}

/// The shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Config {
    /// Rows of C that a workgroup computes.
    pub rows: u64,
    /// Columns of C that a workgroup computes.
    pub cols: u64,
    /// Columns of A and rows of B in a stage.
    pub depth: u64,
    /// Rows of C that an invocation keeps in registers.
    pub own_rows: u64,
    /// Columns of C that an invocation keeps in registers.
    pub own_cols: u64,
    /// Stages that have room in workgroup memory: 1, or 2.
    pub buffers: u64,
    /// Rows of tiles in a band: workgroups go down a band's columns before they go on to the next band.
    pub group: u64,
    /// In what the products are made.
    pub numbers: Numbers,
}

impl Config {
    /// That of the first pipelined rung, in f32.
    pub const SINGLE: Self = Self {
        rows: 128,
        cols: 128,
        depth: 8,
        own_rows: 8,
        own_cols: 8,
        buffers: 2,
        group: 8,
        numbers: Numbers::Single,
    };
    /// That of the rung with one buffer: in as many bytes, stages twice as deep.
    pub const DEEP: Self = Self { depth: 16, buffers: 1, ..Self::SINGLE };
    /// That of the rung with tiles in f16: in as many bytes, stages twice as deep again.
    pub const HALF_TILES: Self = Self { depth: 32, numbers: Numbers::HalfTiles, ..Self::DEEP };
    /// That of the rung with sums of a stage in f16 too.
    pub const HALF_SUMS: Self = Self { numbers: Numbers::HalfSums, ..Self::HALF_TILES };

    /// Invocations of a workgroup, across.
    pub const fn across(&self) -> u64 {
        self.cols / self.own_cols
    }

    /// Invocations of a workgroup.
    pub const fn lanes(&self) -> u64 {
        self.across() * (self.rows / self.own_rows)
    }

    /// Bytes of workgroup memory.
    pub const fn workgroup_memory(&self) -> u64 {
        self.buffers * self.depth * (self.rows + self.cols) * self.numbers.bytes()
    }

    /// Why there is no such kernel, if there is none: a sentence with what would be one.
    pub fn impossible(&self) -> Option<String> {
        let Self { rows, cols, depth, own_rows, own_cols, buffers, group, .. } = *self;
        let whole = |tile: u64, own: u64, warp: u64| own > 0 && tile > 0 && tile.is_multiple_of(own * warp);
        if !whole(cols, own_cols, WARP_SHAPE.0) || !whole(rows, own_rows, WARP_SHAPE.1) {
            return Some(format!(
                "A tile of {rows} × {cols} is not made of whole warps of 4 × 8 invocations with {own_rows} × {own_cols} results each."
            ));
        }
        if !own_cols.is_multiple_of(4) {
            return Some(format!("{own_cols} columns of an invocation are no whole vectors of four."));
        }
        if !(4..=32).contains(&depth) || !depth.is_power_of_two() {
            return Some(format!("A stage has 4, 8, 16 or 32 columns of A, not {depth}."));
        }
        if !(1..=2).contains(&buffers) || !(1..=64).contains(&group) {
            return Some("There are one or two buffers, and 1 to 64 rows of tiles in a band.".to_owned());
        }
        if rows > 256 || cols > 256 || own_rows > 16 || own_cols > 16 || self.lanes() > MAX_LANES {
            return Some(format!(
                "A workgroup has at most {MAX_LANES} invocations and 256 rows and columns, an invocation 16 of each."
            ));
        }
        None
    }

    /// FLOP for each byte that comes from memory, where matrices are large.
    pub fn intensity(&self) -> f64 {
        let Self { rows, cols, numbers, .. } = *self;
        (2 * rows * cols) as f64 / (numbers.bytes() * (rows + cols)).max(1) as f64
    }

    /// Different values that a warp reads from workgroup memory for each step along k.
    pub const fn warp_reads(&self) -> u64 {
        WARP_SHAPE.0 * self.own_cols + WARP_SHAPE.1 * self.own_rows
    }

    /// FLOP for each byte that a warp reads from workgroup memory.
    pub fn inner_intensity(&self) -> f64 {
        let flop = 2 * WARP * self.own_rows * self.own_cols;
        flop as f64 / (self.numbers.bytes() * self.warp_reads()).max(1) as f64
    }

    /// Where vector `i` of row `row` lies among the vectors of a stage of A. The last bits of the place are exchanged by row, so that
    /// the four rows that a warp reads lie in different banks.
    pub const fn place(&self, row: u64, i: u64) -> u64 {
        let (vectors, shift) = self.swizzle();
        row * vectors + (i ^ ((row >> shift) & (vectors - 1)))
    }

    /// Vectors of a row of a stage of A, and by how many bits a row is shifted to exchange them: as many rows as fill the banks lie side
    /// by side anyway.
    pub const fn swizzle(&self) -> (u64, u32) {
        let vectors = self.depth / 4;
        let row_bytes = self.depth * self.numbers.bytes();
        let side_by_side = BANKS * WORD / row_bytes;
        (vectors, if side_by_side == 0 { 0 } else { side_by_side.ilog2() })
    }

    /// How often a warp's reads of one step of four along k pass the banks, and how often they would if no two words of a read were in
    /// one bank: 1.0 of the second means no conflict.
    pub fn passes(&self) -> (u64, u64) {
        // Vectors of four values take as many words as a value has bytes.
        let words = self.numbers.bytes();
        let vector = |place: u64| place * words..(place + 1) * words;
        let read = |places: Vec<u64>| {
            let mut touched: Vec<u64> = places.into_iter().flat_map(vector).collect();
            touched.sort_unstable();
            touched.dedup();
            let mut banks = [0; BANKS as usize];
            touched.iter().for_each(|word| banks[(word % BANKS) as usize] += 1);
            let least = (touched.len() as u64).div_ceil(BANKS);
            (banks.iter().copied().max().unwrap_or(0), least)
        };
        let high = self.rows / self.own_rows.max(1);
        let mut sum = (0, 0);
        let mut add = |(passes, least): (u64, u64)| sum = (sum.0 + passes, sum.1 + least);
        for r in 0..self.own_rows {
            add(read((0..WARP_SHAPE.1).map(|y| self.place(y + r * high, 0)).collect()));
        }
        for _ in 0..4 * (self.own_cols / 4) {
            add(read((0..WARP_SHAPE.0).collect()));
        }
        sum
    }

    /// About how many registers an invocation needs: sums, the values of a step, those on their way to the next stage, and 24 for
    /// places and bounds. A compiler may need more.
    pub const fn registers(&self) -> u64 {
        let sums = self.own_rows * self.own_cols;
        let halves = match self.numbers {
            Numbers::HalfSums => sums / 2,
            _ => 0,
        };
        let step = 4 * self.own_rows + self.own_cols;
        let coming = (self.rows + self.cols) * self.depth / self.lanes();
        sums + halves + (step + coming) * self.numbers.bytes() / WORD + 24
    }

    /// Warps that an SM of `gpu` holds, of those that it can; none if not even one workgroup fits.
    pub fn occupancy(&self, gpu: &Accelerator) -> f64 {
        let sm = sm_of(gpu.chip_or_h100());
        // The compilers stop at 255 registers, and spill the others into memory.
        let launch = Launch {
            block: self.lanes(),
            registers: self.registers().min(255),
            static_shared: self.workgroup_memory(),
            dynamic_shared: 0,
            max_dynamic_shared: 0,
            barriers: 1,
            carveout: None,
        };
        let blocks = sm.holds(&launch).map_or(0, |held| held.blocks);
        (blocks * self.lanes().div_ceil(WARP)) as f64 / sm.warps().max(1) as f64
    }

    /// The numbers in the order in which they are sent to the GPU's worker.
    pub fn list(&self) -> [u64; 8] {
        let Self { rows, cols, depth, own_rows, own_cols, buffers, group, numbers } = *self;
        [rows, cols, depth, own_rows, own_cols, buffers, group, numbers as u64]
    }

    /// Of such a list; none if there is no such kernel.
    pub fn read(list: &[u64]) -> Option<Self> {
        let &[rows, cols, depth, own_rows, own_cols, buffers, group, numbers] = list else { return None };
        let numbers = *Numbers::ALL.get(numbers as usize)?;
        let config = Self { rows, cols, depth, own_rows, own_cols, buffers, group, numbers };
        config.impossible().is_none().then_some(config)
    }

    /// It in a query: `128x64x8-8x4-2-8`.
    pub fn id(&self) -> String {
        let Self { rows, cols, depth, own_rows, own_cols, buffers, group, .. } = self;
        format!("{rows}x{cols}x{depth}-{own_rows}x{own_cols}-{buffers}-{group}")
    }

    /// What a tuner's winner of this shape is called beside other kernels.
    pub fn tuned(&self) -> String {
        format!("Tuned, {}: {}", self.numbers.id(), self.name())
    }

    /// It in words: `128 × 64 × 8, 8 × 4 each, 2 buffers, bands of 8`.
    pub fn name(&self) -> String {
        let Self { rows, cols, depth, own_rows, own_cols, buffers, group, .. } = self;
        let many = if *buffers == 1 { "1 buffer".to_owned() } else { format!("{buffers} buffers") };
        format!("{rows} × {cols} × {depth}, {own_rows} × {own_cols} each, {many}, bands of {group}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rung_fills_the_least_workgroup_memory_and_meets_no_bank_twice() {
        let single = Config::SINGLE;
        assert_eq!((single.lanes(), single.workgroup_memory(), single.impossible()), (256, WORKGROUP_MEMORY, None));
        for other in [Config::DEEP, Config::HALF_TILES, Config::HALF_SUMS] {
            assert_eq!(other.workgroup_memory(), WORKGROUP_MEMORY, "{other:?}");
        }
        // A warp of 8 × 4 reads 96 values for 2048 products, one of 16 × 2 would read 144.
        assert_eq!((single.warp_reads(), single.intensity()), (96, 32.0));
        for depth in [4, 8, 16, 32] {
            let (passes, least) = Config { depth, ..single }.passes();
            assert_eq!(passes, least, "{depth}");
        }
    }

    #[test]
    fn a_row_of_a_is_only_put_in_another_order() {
        for depth in [4, 8, 16, 32] {
            for numbers in Numbers::ALL {
                let config = Config { depth, numbers, ..Config::SINGLE };
                let mut places: Vec<u64> =
                    (0..64).flat_map(|row| (0..depth / 4).map(move |i| config.place(row, i))).collect();
                places.sort_unstable();
                assert!(places.into_iter().eq(0..64 * depth / 4), "{config:?}");
            }
        }
    }

    #[test]
    fn lists_are_read_as_they_are_sent_and_what_cannot_be_is_refused() {
        let single = Config::SINGLE;
        assert_eq!(Config::read(&single.list()), Some(single));
        for wrong in [
            Config { rows: 100, ..single },
            Config { own_cols: 2, cols: 32, ..single },
            Config { own_rows: 4, ..single },
            Config { depth: 12, ..single },
            Config { depth: 64, ..single },
            Config { buffers: 3, ..single },
            Config { group: 0, ..single },
            Config { own_rows: 0, ..single },
        ] {
            assert!(wrong.impossible().is_some_and(|why| why.ends_with('.')), "{wrong:?}");
            assert_eq!(Config::read(&wrong.list()), None);
        }
        assert_eq!((Config::read(&[1, 2]), Config::read(&[128, 128, 8, 8, 8, 2, 8, 7])), (None, None));
    }

    #[test]
    fn more_results_in_registers_leave_room_for_fewer_warps() {
        let small = Config { rows: 64, cols: 64, own_rows: 4, own_cols: 4, ..Config::SINGLE };
        let a100 = crate::hardware::find("a100-80").expect("there");
        assert!(small.registers() < Config::SINGLE.registers());
        assert!(small.occupancy(a100) > Config::SINGLE.occupancy(a100));
        assert!(small.inner_intensity() < Config::SINGLE.inner_intensity());
    }
}

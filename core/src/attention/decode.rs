//! One step of decoding on a GPU: which SMs read the cache, and which have nothing to do.
//!
//! A new token's attention has a block of work for each sequence and head of keys and values: one query, or the group that shares
//! the head, against the whole cache. A GPU with more SMs than such blocks leaves some idle. Splitting each block along
//! the keys makes more of them, each with a partial output, maximum and sum, which a second kernel merges: Dao et al.,
//! "Flash-Decoding for long-context inference", 2023, and FlashAttention's `num_splits`.
//!
//! An SM holds one block at a time, as FlashAttention-3's heuristic assumes (`hopper/heuristics.h`). SMs that read share the
//! bandwidth of the memory evenly, but none draws more than [`DRAW`], which is Little's law for the bytes that it keeps in flight.
//! So a few SMs leave bandwidth unused, about half of the GPU draws all of it, and a last wave of a few blocks is short.

use super::growth::Params;
use crate::declare::Origin;
use crate::hardware::{Accelerator, H100};
use crate::units::KIB;

/// Where the time of a decoding step comes from.
pub const ORIGIN: Origin = Origin::Own(
    "SMs that share the memory’s bandwidth, one block on each; splitting as in Dao et al. 2023, “Flash-Decoding for long-context inference”, and FlashAttention-3’s hopper/heuristics.h",
);

/// The GPU that decodes.
pub const GPU: &Accelerator = H100;
/// Bytes that an SM keeps in flight: 64 warps with a 16-byte load in each lane, which is also a tile of 64 keys and values of 128
/// numbers in 16 bits.
const IN_FLIGHT: f64 = 32.0 * KIB;
/// Seconds for which a load waits while memory is busy. [`crate::occupancy`] has the time of idle memory, less than half of this.
const LOADED: f64 = 600e-9;
/// The most that one SM draws from memory, bytes a second. Measured on an H100 PCIe (2 TB/s), decoding kernels are saturated by some
/// 40 SMs, which is 50 GB/s each: zejia-lin/BulletServe, issue 1.
pub const DRAW: f64 = IN_FLIGHT / LOADED;
/// Bytes of a number of a partial output.
const PARTIAL: f64 = 4.0;

/// Blocks of work over SMs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decode {
    /// Blocks of one layer.
    pub blocks: u64,
    /// SMs.
    pub sms: u64,
    /// Times that all of them get one, the last time perhaps not all.
    pub waves: u64,
    /// Seconds in which a layer's cache is read, and partial outputs are merged.
    pub read: f64,
    /// The share of the memory's bandwidth that is drawn while the cache is read.
    pub drawn: f64,
    /// Bytes of partial outputs that are written and read again.
    pub merged: f64,
}

impl Decode {
    /// The share of the SMs that get a block.
    pub fn busy(&self) -> f64 {
        self.blocks.min(self.sms) as f64 / self.sms.max(1) as f64
    }

    /// Blocks that SM `n` gets.
    pub fn of(&self, n: u64) -> u64 {
        self.blocks / self.sms.max(1) + u64::from(n < self.blocks % self.sms.max(1))
    }
}

impl Params {
    /// One step of decoding in a layer, after the tokens that are there.
    pub fn decode(&self) -> Decode {
        let sms = GPU.chip_or_h100().sms;
        let splits = self.splits.max(1);
        let blocks = self.sequences * self.kv_heads * splits;
        let waves = blocks.div_ceil(sms);
        let layer = self.kept(self.kv_heads) / self.layers.max(1) as f64;
        let cache = layer * self.tokens() as f64 * self.sequences as f64;
        // A split writes, for each query head, a row of the output and the logarithm of its sum.
        let rows = (self.sequences * self.heads * splits) as f64;
        let merged = if splits > 1 { rows * (self.head_dim + 1) as f64 * PARTIAL } else { 0.0 };
        // Whole waves, in which every SM reads, and then the SMs that get one block more.
        let block = cache / blocks.max(1) as f64;
        let seconds = |readers: u64| block * readers as f64 / GPU.bandwidth.min(readers as f64 * DRAW);
        let last = blocks % sms;
        let reading = (blocks / sms) as f64 * seconds(sms) + if last > 0 { seconds(last) } else { 0.0 };
        let drawn = if reading > 0.0 { cache / GPU.bandwidth / reading } else { 0.0 };
        Decode { blocks, sms, waves, read: reading + 2.0 * merged / GPU.bandwidth, drawn, merged }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::Model as _;
    use crate::query::Query;

    fn decode(query: &str) -> Decode {
        let (params, problems) = Params::read(&Query::parse(query));
        assert_eq!(problems, []);
        params.decode()
    }

    /// One sequence and eight heads of keys: 8 of 132 SMs read, each more than its 132nd of the bandwidth. Split 16 times, all of the
    /// bandwidth is drawn.
    #[test]
    fn splits_give_idle_sms_something_to_read() {
        let whole = decode("step=32&seq=131072");
        assert_eq!((whole.blocks, whole.waves, whole.merged), (8, 1, 0.0));
        assert!((whole.busy() - 8.0 / 132.0).abs() < 1e-12);
        // 32 KiB every 600 ns on each of eight SMs, of 3.35 TB/s.
        assert!((whole.drawn - 8.0 * 32_768.0 / 600e-9 / 3.35e12).abs() < 1e-12, "{}", whole.drawn);
        let split = decode("step=32&seq=131072&splits=16");
        assert_eq!((split.blocks, split.waves), (128, 1));
        assert!((split.drawn - 1.0).abs() < 1e-12);
        let gain = whole.read / split.read;
        assert!(gain > 7.0 && gain < 8.0, "{gain}");
    }

    /// A block more than there are SMs costs a second wave, in which an SM has the memory almost to itself.
    #[test]
    fn a_last_wave_of_a_few_blocks_is_short() {
        let [full, one_more] =
            ["33", "34"].map(|splits| decode(&format!("kv_heads=4&step=32&seq=131072&splits={splits}")));
        assert_eq!([(full.blocks, full.waves), (one_more.blocks, one_more.waves)], [(132, 1), (136, 2)]);
        let ratio = one_more.read / full.read;
        assert!(ratio > 1.3 && ratio < 1.5, "{ratio}");
    }

    #[test]
    fn more_sequences_never_draw_less_than_one() {
        let of = |sequences: u64| decode(&format!("kv_heads=1&step=32&seq=8192&sequences={sequences}"));
        let one = of(1);
        for n in 1..=400 {
            let d = of(n);
            assert!(d.drawn >= one.drawn - 1e-12 && d.drawn <= 1.0 + 1e-12, "{n}: {d:?}");
            // Never faster than all of the bandwidth, never slower than each SM alone, wave after wave.
            let alone = one.read * d.waves as f64;
            assert!(d.read <= alone * (1.0 + 1e-12) || d.blocks > 61, "{n}: {d:?}");
        }
    }

    #[test]
    fn every_block_is_somebodys() {
        for query in ["", "splits=5", "sequences=40", "sequences=1024&splits=256"] {
            let d = decode(query);
            assert_eq!((0..d.sms).map(|n| d.of(n)).sum::<u64>(), d.blocks);
            assert!((0..d.sms).all(|n| d.of(n) <= d.waves) && d.busy() > 0.0 && d.busy() <= 1.0);
        }
    }

    /// All of the cache at all of the bandwidth.
    #[test]
    fn the_time_is_that_of_the_bytes_where_all_read() {
        let d = decode("sequences=33&kv_heads=4&step=32&seq=1024");
        assert_eq!((d.blocks, d.busy()), (132, 1.0));
        assert!((d.read - 33.0 * 1024.0 * 2.0 * 4.0 * 128.0 * 2.0 / 3.35e12).abs() < 1e-15);
    }
}

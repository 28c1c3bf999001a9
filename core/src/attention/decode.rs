//! One step of decoding on a GPU: which SMs read the cache, and which have nothing to do.
//!
//! A new token's attention has a block of work for each sequence and head of keys and values: one query, or the group that shares
//! the head, against the whole cache. A GPU with more SMs than such blocks leaves some idle. Splitting each block along
//! the keys makes more of them, each with a partial output, maximum and sum, which a second kernel merges: Dao et al.,
//! "Flash-Decoding for long-context inference", 2023, and FlashAttention's `num_splits`. Each SM is taken to reach its
//! share of the bandwidth and no more, so that what idles is lost.

use super::growth::Params;
use crate::hardware::{Accelerator, H100};

/// The GPU that decodes.
pub const GPU: &Accelerator = H100;
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
    /// Seconds in which a layer's cache is read.
    pub read: f64,
    /// Bytes of partial outputs that are written and read again.
    pub merged: f64,
}

impl Decode {
    /// The part of the SMs' time in which they read.
    pub fn busy(&self) -> f64 {
        self.blocks as f64 / (self.waves * self.sms).max(1) as f64
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
        let busy = blocks as f64 / (waves * sms).max(1) as f64;
        let read = cache / GPU.bandwidth / busy + 2.0 * merged / GPU.bandwidth;
        Decode { blocks, sms, waves, read, merged }
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

    /// One sequence and eight heads of keys: 8 of 132 SMs read; split 16 times, 128 do.
    #[test]
    fn splits_give_idle_sms_something_to_read() {
        let whole = decode("step=32&seq=131072");
        assert_eq!((whole.blocks, whole.waves, whole.merged), (8, 1, 0.0));
        assert!((whole.busy() - 8.0 / 132.0).abs() < 1e-12);
        let split = decode("step=32&seq=131072&splits=16");
        assert_eq!((split.blocks, split.waves), (128, 1));
        let gain = whole.read / split.read;
        assert!(gain > 15.0 && gain < 16.0, "{gain}");
        // A block more than there are SMs costs a second wave.
        assert_eq!([decode("sequences=16&splits=1").waves, decode("sequences=17&splits=1").waves], [1, 2]);
    }

    #[test]
    fn every_block_is_somebodys() {
        for query in ["", "splits=5", "sequences=40", "sequences=1024&splits=256"] {
            let d = decode(query);
            assert_eq!((0..d.sms).map(|n| d.of(n)).sum::<u64>(), d.blocks);
            assert!((0..d.sms).all(|n| d.of(n) <= d.waves) && d.busy() > 0.0 && d.busy() <= 1.0);
        }
    }

    /// All of the cache at all of the bandwidth, and as long again for each half that idles.
    #[test]
    fn the_time_is_that_of_the_bytes_where_all_read() {
        let d = decode("sequences=33&kv_heads=4&step=32&seq=1024");
        assert_eq!((d.blocks, d.busy()), (132, 1.0));
        assert!((d.read - 33.0 * 1024.0 * 2.0 * 4.0 * 128.0 * 2.0 / 3.35e12).abs() < 1e-15);
    }
}

//! One step of generation on a cache: what a layer reads of it and computes with it, for each token of the past.
//!
//! With keys and values in the cache, each query head multiplies by its key and its value. With a latent there are two ways.
//! *Rebuilt*: the keys and values of every head are computed from each latent, then used as ever. *Absorbed*: kᵢ = Wᴷᵢ c, so
//! qᵢᵀkᵢ = (Wᴷᵢᵀqᵢ)ᵀc: the query is taken to the latent's space once, and scores and the weighted sum are taken over latents; the
//! value matrix comes after the sum (DeepSeek-V2, arXiv:2405.04434, §2.1.2 and Appendix C). What a step does once, whatever the
//! length, is left out, as are softmax and rotary positions. A multiplication and an addition count as two.

use super::Keeps;
use super::models::Named;
use crate::declare::Origin;

/// Where the two ways of reading a latent come from.
pub const ORIGIN: Origin = Origin::Of("DeepSeek-V2, arXiv:2405.04434, §2.1.2 and Appendix C");

/// How a step uses the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Keys and values are there.
    Cached,
    /// Keys and values of all heads are computed from each latent.
    Rebuilt,
    /// The projections go to the query and to the sum.
    Absorbed,
}

/// What one layer does for one token of the past.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Work {
    /// FLOPs.
    pub flop: f64,
    /// Values read.
    pub values: f64,
}

/// Where the sizes of an indexer come from.
pub const INDEX_ORIGIN: Origin = Origin::Of(
    "DeepSeek-V3.2, arXiv:2512.02556, §2.1; sizes: deepseek-ai/DeepSeek-V3.2-Exp, inference/model.py, Indexer",
);

/// What DeepSeek-V3.2’s indexer does for one token of the past: 64 queries of 128 numbers with one key, which is kept in fp8 with an
/// fp32 scale. Its values are bytes.
pub const INDEX: Work = Work { flop: 2.0 * 64.0 * 128.0, values: 128.0 + 4.0 };

/// The work of one layer that keeps `keeps`, for one token of the past. A state has none.
pub fn work(model: &Named, keeps: Keeps, way: Way) -> Work {
    let heads = model.heads as f64;
    let [plain, rotary] = model.key.map(|width| width as f64);
    let value = model.value as f64;
    let per_head = 2.0 * (plain + rotary + value);
    let flop = match keeps {
        Keeps::Heads { .. } => heads * per_head,
        Keeps::Index { heads, key } => 2.0 * heads as f64 * key as f64,
        Keeps::State { .. } => 0.0,
        Keeps::Latent { rank, rope } => {
            let (rank, rope) = (rank as f64, rope as f64);
            match way {
                Way::Absorbed => heads * 2.0 * (rank + rope + rank),
                Way::Cached => heads * per_head,
                Way::Rebuilt => heads * (per_head + 2.0 * rank * (plain + value)),
            }
        }
    };
    Work { flop, values: keeps.values_per_token() as f64 }
}

impl Work {
    /// FLOPs for each byte at `bytes` a value; 0 where nothing is read.
    pub fn intensity(self, bytes: f64) -> f64 {
        if self.values == 0.0 { 0.0 } else { self.flop / (self.values * bytes) }
    }

    /// Seconds at the least: the longer of computing and reading.
    pub fn seconds(self, bytes: f64, peak: f64, bandwidth: f64) -> f64 {
        (self.flop / peak).max(self.values * bytes / bandwidth)
    }
}

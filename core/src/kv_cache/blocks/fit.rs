//! How large the pool is beside a model's weights, and how many requests fit into it.
//!
//! As vLLM counts (`vllm/v1/core/kv_cache_utils.py`): `gpu_memory_utilization` of each GPU's memory, less the weights and what a
//! profiling run takes beside them, is divided into blocks of block × bytes of a token. Tensor parallelism divides the
//! weights and the heads of keys and values, down to one a GPU; a latent is on every GPU.

use crate::declare::Origin;
use crate::hardware::{Accelerator, links};
use crate::kv_cache::{Cache, Keeping, Keeps, Layers};
use crate::memory::Verdict;
use crate::memory::overhead::{Overhead, Range};
use crate::model::Shape;
use crate::units::Bytes;

/// Where the size of the pool comes from.
pub const ORIGIN: Origin = Origin::Of(
    "vLLM, vllm/v1/worker/gpu_worker.py, determine_available_memory: gpu_memory_utilization of the memory, less the weights and a profiling run; vllm/v1/core/kv_cache_utils.py: whole blocks",
);

/// Tokens that are computed together where a window has to hold them (`max_num_batched_tokens`).
const BATCH: u64 = 2048;

/// What is served on what.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Served {
    /// The model.
    pub shape: Shape,
    /// Bytes of a cached value.
    pub value: f64,
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// GPUs that divide the model.
    pub tp: u64,
    /// The part of its memory that is used.
    pub used: f64,
    /// Bytes of each GPU that activations and CUDA graphs take.
    pub activations: f64,
    /// Tokens of a block.
    pub block: u64,
    /// Tokens that a request has in the cache.
    pub tokens: u64,
    /// Tokens of the longest request, for which one room is kept.
    pub longest: u64,
    /// Tokens with which all requests begin alike.
    pub shared: u64,
    /// Parameters that multiply a token: those of a token's experts, without the look-up in the embedding.
    pub multiplying: f64,
}

/// Each of these is of one GPU, but for what a token leaves on all of them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fit {
    /// Bytes that a token leaves in the cache of the whole model.
    pub per_token: f64,
    /// Bytes that a token leaves on a GPU.
    pub on_gpu: f64,
    /// Bytes of a block.
    pub per_block: f64,
    /// Bytes of the weights.
    pub weights: f64,
    /// Bytes that may be used.
    pub usable: f64,
    /// Bytes that are left for the pool.
    pub room: f64,
    /// Blocks of the pool.
    pub blocks: f64,
    /// Tokens that have a slot in it.
    pub slots: f64,
    /// Bytes of a request, in whole blocks.
    pub request: f64,
    /// Bytes of a request in one room for the longest.
    pub reserved: f64,
    /// Requests that fit, in blocks.
    pub requests: f64,
    /// Requests that fit beside the most and beside the least that an engine takes before its activations, where those aren't set;
    /// otherwise as many as fit.
    pub beside: [f64; 2],
    /// Whether a request fits.
    pub verdict: Verdict,
    /// Requests that fit, each in one room for the longest.
    pub requests_reserved: f64,
    /// Bytes of what all requests begin with, in full blocks.
    pub alike: f64,
    /// Requests that fit if that is there once.
    pub requests_shared: f64,
    /// Heads of keys and values on a GPU; 0 for a latent.
    pub kv_heads: f64,
    /// Layers.
    pub layers: f64,
    /// Values that a layer keeps of a token.
    pub values: f64,
    /// Seconds in which a token's part of the cache is copied to the host and back, at the full rate of the link.
    pub copied: f64,
    /// Seconds in which a token is computed again, at the GPU's peak: two FLOPs for each parameter that multiplies.
    pub again: f64,
}

/// Bytes that an engine of `gpus` GPUs takes of each beside weights and cache: nothing more where its `activations` are set, which its profiling
/// run found together with the rest.
fn taken(activations: f64, gpus: u64) -> Range {
    if activations > 0.0 { Range::default() } else { Overhead::of_engine(gpus) }
}

/// Whether weights and caches of `held` bytes fit each of an engine's `gpus` GPUs, with its `activations` and what it takes besides, into the
/// `usable` bytes.
pub fn verdict(held: f64, activations: f64, gpus: u64, usable: f64) -> Verdict {
    Verdict::of(Bytes(held + activations), taken(activations, gpus), Bytes(usable))
}

impl Served {
    /// Bytes on a GPU of a sequence that has room for what `tokens` says of each layer, without states.
    fn bytes(&self, cache: &Cache, tokens: impl Fn(&Layers) -> u64) -> f64 {
        let one = |l: &Layers| {
            l.count as f64 * l.keeps.values_on_rank(self.tp) as f64 * tokens(l) as f64 / l.every.max(1) as f64
        };
        cache.layers.iter().map(one).sum::<f64>() * self.value
    }

    /// All of it, of a model whose weights take `stored` bytes.
    pub fn fit(&self, stored: f64) -> Fit {
        let cache = Cache::of(&self.shape);
        let paged = |tokens: u64| {
            let keeping = Keeping::Paged { page: self.block, batch: BATCH };
            // A window never takes more than no window would.
            self.bytes(&cache, |l| keeping.tokens(tokens, l.window).min(keeping.tokens(tokens, None)))
        };
        let weights = stored / self.tp as f64;
        let usable = self.used * self.gpu.memory.0;
        let room = (usable - weights - self.activations).max(0.0);
        let on_gpu = self.bytes(&cache, |_| 1);
        let per_block = on_gpu * self.block as f64;
        let blocks = if per_block > 0.0 { (room / per_block).floor() } else { 0.0 };
        // States are divided by heads, and a request has them whatever its length.
        let state = cache.state_bytes() / self.tp.max(1) as f64;
        let request = paged(self.tokens) + state;
        let reserved = self.bytes(&cache, |_| self.longest.max(self.tokens)) + state;
        let engine = taken(self.activations, self.tp);
        let fits = |bytes: f64, room: f64| if bytes > 0.0 { (room / bytes).floor().max(0.0) } else { 0.0 };
        // Only full blocks are shared, and never the block of the last token.
        let alike = self.shared.min(self.tokens.saturating_sub(1)) / self.block.max(1) * self.block.max(1);
        let shared = self.bytes(&cache, |l| if l.window.is_some() { 0 } else { alike });
        let kv_heads = match cache.layers[0].keeps {
            Keeps::Heads { kv_heads, .. } => kv_heads.div_ceil(self.tp.max(1)) as f64,
            Keeps::Latent { .. } | Keeps::Index { .. } | Keeps::State { .. } => 0.0,
        };
        Fit {
            per_token: cache.bytes_per_token(self.value),
            on_gpu,
            per_block,
            alike: shared,
            weights,
            usable,
            room,
            blocks,
            slots: blocks * self.block as f64,
            request,
            reserved,
            requests: fits(request, room),
            beside: [engine.high.0, engine.low.0].map(|taken| fits(request, room - taken)),
            verdict: verdict(weights + request, self.activations, self.tp, usable),
            requests_reserved: fits(reserved, room),
            requests_shared: if room > shared { fits(request - shared, room - shared) } else { 0.0 },
            kv_heads,
            layers: cache.count() as f64,
            values: cache.layers[0].keeps.values_per_token() as f64,
            copied: links::host(self.gpu).map_or(0.0, |link| 2.0 * on_gpu / link.bandwidth),
            again: 2.0 * self.multiplying / self.tp as f64 / self.gpu.peak,
        }
    }
}

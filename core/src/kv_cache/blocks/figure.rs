//! `kv-cache`: requests on a pool of blocks, what attention reads through a table, and how large the pool is beside the weights.

use super::fit::{Fit, Served};
use super::requests::{Requests, STANDARD, Sampling};
use super::serve::{Asked, Keeper, Preempt, Row, Run, Setup, Stage, serve};
use super::walk::{Visit, walk};
use crate::declare::{
    Field, List, Measure, Model, Param, Scale, all_apart, choice, join, measure, real, switch, text, whole,
};
use crate::hardware::{self, Accelerator};
use crate::kv_cache::figure::ACTIVATIONS;
use crate::model::shape::SPECS as SHAPE;
use crate::model::{ModelRef, bytes_of_weight, reference};
use crate::options;
use crate::quantity::{Unit, grouped};
use crate::query::{Query, Reader};
use crate::units::GB;

/// What is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// The pool, step by step.
    #[default]
    Pool,
    /// What attention reads for one query, block by block.
    Walk,
    /// A GPU's memory: weights, pool, requests.
    Fit,
}

options!(View {
    Pool: "pool", "The pool, step by step";
    Walk: "walk", "What attention reads";
    Fit: "fit", "Requests that fit";
});

/// More steps than there ever are.
pub const ALL_STEPS: u64 = 100_000;
/// The model where none is given.
pub const MODEL: &str = "llama-3-8b";

const BITS: List = List { ids: &["16", "8", "4"], labels: &["16", "8", "4"] };

/// The state of the figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    /// What is shown.
    pub view: View,
    /// Who hands out memory.
    pub keeper: Keeper,
    /// Tokens of a block.
    pub block: u64,
    /// Blocks of the pool.
    pub blocks: u64,
    /// The requests.
    pub requests: Requests,
    /// Tokens with which all prompts begin alike.
    pub shared: u64,
    /// What becomes of a request that gives way.
    pub preempt: Preempt,
    /// Blocks of the host.
    pub host: u64,
    /// Part of the blocks that admitting leaves free.
    pub watermark: f64,
    /// Whether full blocks are found again.
    pub caches: bool,
    /// Tokens of the longest request that may come.
    pub longest: u64,
    /// Which beams go on.
    pub seed: u64,
    /// Steps that have been done.
    pub step: u64,
    /// The sequence whose table is walked, from 1 among those that have one.
    pub sequence: u64,
    /// Blocks that have been read.
    pub at: u64,
    /// The model.
    pub model: ModelRef,
    /// Tokens that a request has in the cache.
    pub tokens: u64,
    /// Bits of a cached value.
    pub kv_bits: u32,
    /// Bits of a weight.
    pub weight_bits: u32,
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// GPUs that divide the model.
    pub tp: u64,
    /// The part of its memory that is used.
    pub used: f64,
    /// GB of each GPU that activations take.
    pub activations: f64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            view: View::Pool,
            keeper: Keeper::Paged,
            block: 1,
            blocks: 1,
            requests: Requests::default(),
            shared: 0,
            preempt: Preempt::Auto,
            host: 0,
            watermark: 0.0,
            caches: true,
            longest: 1,
            seed: 0,
            step: 0,
            sequence: 1,
            at: 0,
            model: ModelRef::default(),
            tokens: 1,
            kv_bits: 16,
            weight_bits: 16,
            gpu: &hardware::ALL[0],
            tp: 1,
            used: 0.0,
            activations: 0.0,
        }
    }
}

/// Everything that the figure shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shown {
    /// The run.
    pub run: Run,
    /// What attention reads.
    pub visits: Vec<Visit>,
    /// The GPU's memory.
    pub fit: Fit,
}

impl Shown {
    /// The sequences that have a table on the GPU at the step that is shown.
    pub fn tables(&self) -> impl Iterator<Item = &Row> {
        self.run.rows.iter().filter(|row| row.stage == Stage::Running && !row.blocks.is_empty())
    }
}

const REQUESTS: &str = "Requests";
const POOL: &str = "Pool";
const SERVING: &str = "Model and GPU";

const OWN: [Param<Params>; 24] = [
    choice("view", "what is shown", View::LIST, "pool").label("Show").main().at(|p| p.view.slot()),
    choice("keeper", "who hands out memory", Keeper::LIST, "vllm-0.2").label("Memory").main().at(|p| p.keeper.slot()),
    whole("block", "tokens of a block", [1, 256], "4").label("Tokens of a block").doubling(8).main().at(|p| p.block.slot()),
    whole("blocks", "blocks of the pool", [1, 20_000], "18")
        .label("Blocks of the pool")
        .slider(Scale::Linear { min: 4.0, max: 64.0, step: 1.0 })
        .main()
        .at(|p| p.blocks.slot()),
    text("requests", "requests: tokens of the prompt and of the answer, such as 12:20; 12:20*3 for three samples, 12:20^3 for a beam", STANDARD)
        .at(|p| p.requests.slot()),
    whole("shared", "tokens with which all prompts begin alike", [0, 65_536], "0")
        .label("Tokens that all prompts share")
        .slider(Scale::FromZero(16))
        .more(REQUESTS)
        .at(|p| p.shared.slot()),
    choice("preempt", "what becomes of a request that gives way, with vLLM 0.2", Preempt::LIST, "auto")
        .label("Who gives way is")
        .more(POOL)
        .at(|p| p.preempt.slot()),
    whole("host", "blocks on the host, with vLLM 0.2", [0, 20_000], "16")
        .label("Blocks on the host")
        .slider(Scale::Linear { min: 0.0, max: 64.0, step: 1.0 })
        .more(POOL)
        .at(|p| p.host.slot()),
    real("watermark", "part of the blocks that admitting leaves free, with vLLM 0.2", [0.0, 0.5], "0.01")
        .label("Kept free")
        .unit(Unit::Fraction)
        .steps(0.01)
        .more(POOL)
        .at(|p| p.watermark.slot()),
    switch("caches", "whether full blocks are found again by their content, with vLLM V1", true)
        .label("Prefix caching")
        .more(POOL)
        .at(|p| p.caches.slot()),
    whole("longest", "tokens of the longest request that may come, for which one room is kept", [1, 1 << 20], "32")
        .label("Tokens of the longest request")
        .format(|v| grouped(v as u64))
        .doubling(20)
        .more(POOL)
        .at(|p| p.longest.slot()),
    whole("seed", "which beams go on", [0, 9999], "1").label("Seed of the beams").more(REQUESTS).quiet().at(|p| p.seed.slot()),
    whole("step", "steps that have been done; more than there are stand for all", [0, ALL_STEPS], "9")
        .drawn()
        .at(|p| p.step.slot()),
    whole("sequence", "the sequence whose table is read, from 1 among those that have one", [1, 256], "1")
        .drawn()
        .quiet()
        .at(|p| p.sequence.slot()),
    whole("at", "blocks that attention has read; more than there are stand for all", [0, ALL_STEPS], "100000")
        .drawn()
        .quiet()
        .at(|p| p.at.slot()),
    reference::MODEL.default(MODEL).drawn().own_control(),
    whole("tokens", "tokens that a request has in the cache", [1, 1 << 20], "2048")
        .label("Tokens of a request")
        .format(|v| grouped(v as u64))
        .doubling(20)
        .drawn()
        .at(|p| p.tokens.slot()),
    choice("kv-bits", "bits of a cached value", BITS, "16").label("Bits of a cached value").more(SERVING).at(|p| p.kv_bits.slot()),
    choice("weight-bits", "bits of a weight", BITS, "16").label("Bits of a weight").more(SERVING).at(|p| p.weight_bits.slot()),
    choice("gpu", "the GPU", hardware::LIST, "h100-80").label("GPU").more(SERVING).at(|p| p.gpu.slot()),
    whole("tp", "GPUs that divide the model by tensor parallelism", [1, 64], "1")
        .label("GPUs, tensor parallel")
        .doubling(6)
        .more(SERVING)
        .at(|p| p.tp.slot()),
    real("used", "the part of a GPU’s memory that is used (gpu_memory_utilization)", [0.1, 1.0], "0.9")
        .label("Of its memory used")
        .unit(Unit::Fraction)
        .steps(0.01)
        .more(SERVING)
        .at(|p| p.used.slot()),
    ACTIVATIONS.more(SERVING).at(|p| p.activations.slot()),
    reference::GUESS.apart(),
];

const COUNT: usize = OWN.len() + SHAPE.len();

impl Model for Params {
    type Result = Shown;
    const ID: &'static str = "kv-cache";
    const TITLE: &'static str = "A cache for many requests";
    const SUMMARY: &'static str = "Requests share a pool of blocks, step by step: tables, sharing, copy-on-write, preemption, waste; what attention reads; and how many requests fit beside the weights.";
    const PARAMS: &'static [Param<Self>] = &join::<_, COUNT>(&[&OWN, &all_apart(&SHAPE)]);
    const QUANTITIES: &'static [Measure<Self, Shown>] = &[
        measure("slots", "Slots for tokens", Unit::Count, |_, s| s.run.usage.slots as f64),
        measure("token-slots", "With a token in them", Unit::Count, |_, s| s.run.usage.tokens as f64),
        measure("later-slots", "For later tokens", Unit::Count, |_, s| s.run.usage.later as f64),
        measure("never-slots", "For no token ever", Unit::Count, |_, s| s.run.usage.never as f64),
        measure("empty-slots", "Held and empty", Unit::Count, |_, s| (s.run.usage.later + s.run.usage.never) as f64),
        measure("free-slots", "Held by nobody", Unit::Count, |_, s| s.run.usage.free as f64),
        measure("external-slots", "Of those, enough and not in one piece", Unit::Count, |_, s| {
            s.run.usage.external as f64
        }),
        measure("kept-blocks", "Free blocks that can be found again", Unit::Count, |p, s| {
            (s.run.usage.kept / p.block) as f64
        }),
        measure("utilisation", "Tokens, of what is held", Unit::Fraction, |_, s| s.run.usage.utilisation()),
        measure("used-blocks", "Blocks held", Unit::Count, |_, s| s.run.usage.blocks as f64),
        measure("free-blocks", "Blocks free", Unit::Count, |p, s| (s.run.usage.free / p.block) as f64),
        measure("table-blocks", "Blocks in all tables", Unit::Count, |_, s| s.run.usage.in_tables as f64),
        measure("saved", "Saved by sharing", Unit::Fraction, |_, s| s.run.usage.saved()),
        measure("running", "Sequences that run", Unit::Count, |p, s| p.tick(s, |t| t.running)),
        measure("waiting", "Requests that wait", Unit::Count, |p, s| p.tick(s, |t| t.waiting)),
        measure("steps", "Steps", Unit::Count, |_, s| s.run.ticks.len() as f64),
        measure("most-running", "Most at once", Unit::Count, |_, s| {
            s.run.ticks.iter().map(|t| t.running).max().unwrap_or(0) as f64
        }),
        measure("mean-running", "Sequences at once, mean", Unit::Ratio, |_, s| s.run.mean(|t| t.running as f64)),
        measure("mean-tokens", "Of the memory, tokens, mean", Unit::Fraction, |_, s| {
            s.run.mean(|t| t.usage.tokens as f64 / t.usage.slots.max(1) as f64)
        }),
        measure("mean-utilisation", "Of what is held, tokens, mean", Unit::Fraction, |_, s| {
            s.run.mean(|t| t.usage.utilisation())
        }),
        measure("computed", "Tokens computed", Unit::Count, |_, s| s.run.totals.computed as f64),
        measure("computed-again", "Of those, again", Unit::Count, |_, s| s.run.totals.again as f64),
        measure("found", "Tokens found by content", Unit::Count, |_, s| s.run.totals.found as f64),
        measure("lost-blocks", "Known blocks overwritten", Unit::Count, |_, s| s.run.totals.lost as f64),
        measure("copied-blocks", "Blocks copied on write", Unit::Count, |_, s| s.run.totals.copied as f64),
        measure("swapped-blocks", "Blocks swapped, out and in", Unit::Count, |_, s| s.run.totals.swapped as f64),
        measure("preempted", "Requests that gave way", Unit::Count, |_, s| s.run.totals.preempted as f64),
        measure("bytes-per-token", "Kept of a token", Unit::Bytes, |_, s| s.fit.per_token),
        measure("bytes-per-token-gpu", "Of that, on a GPU", Unit::Bytes, |_, s| s.fit.on_gpu),
        measure("layers", "Layers", Unit::Count, |_, s| s.fit.layers),
        measure("values-per-layer", "Values of a token in a layer", Unit::Count, |_, s| s.fit.values),
        measure("kv-heads", "Heads of keys and values on a GPU", Unit::Count, |_, s| s.fit.kv_heads),
        measure("bytes-per-block", "A block, on a GPU", Unit::Bytes, |_, s| s.fit.per_block),
        measure("weights", "Weights, on a GPU", Unit::Bytes, |_, s| s.fit.weights),
        measure("room", "Left for the pool", Unit::Bytes, |_, s| s.fit.room),
        measure("pool-blocks", "Blocks of the pool", Unit::Count, |_, s| s.fit.blocks),
        measure("pool-tokens", "Tokens that fit", Unit::Count, |_, s| s.fit.slots),
        measure("request-bytes", "A request, in blocks", Unit::Bytes, |_, s| s.fit.request),
        measure("reserved-bytes", "A request, in one room", Unit::Bytes, |_, s| s.fit.reserved),
        measure("swap-time", "Copying a token’s cache to the host and back", Unit::Seconds, |_, s| s.fit.copied),
        measure("recompute-time", "Computing a token’s cache again, at the peak", Unit::Seconds, |_, s| s.fit.again),
        measure("requests-paged", "Requests that fit, in blocks", Unit::Count, |_, s| s.fit.requests),
        measure("requests-reserved", "In one room each", Unit::Count, |_, s| s.fit.requests_reserved),
        measure("requests-shared", "In blocks, what is alike kept once", Unit::Count, |_, s| s.fit.requests_shared),
    ];

    fn evaluate(&self) -> Result<Shown, String> {
        self.in_range()?;
        self.shown()
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        self.model = ModelRef::read_shape(reader, MODEL);
    }

    fn unplaced(&self) -> Query {
        self.model.query()
    }
}

impl Params {
    fn tick(&self, shown: &Shown, of: impl Fn(&super::serve::Tick) -> u64) -> f64 {
        shown.run.step.checked_sub(1).and_then(|i| shown.run.ticks.get(i)).map_or(0, of) as f64
    }

    fn setup(&self) -> Setup {
        Setup {
            keeper: self.keeper,
            block: self.block,
            blocks: self.blocks,
            host: self.host,
            watermark: self.watermark,
            preempt: self.preempt,
            caches: self.caches,
            longest: self.longest,
            shared: self.shared,
            seed: self.seed,
        }
    }

    /// What is served on what.
    ///
    /// # Errors
    /// A model that has no sizes, or impossible ones: a sentence.
    fn served(&self) -> Result<Fit, String> {
        let shape = self.model.shape().ok_or_else(|| {
            "A cache follows from sizes, not from a number of parameters: choose a model, or give its sizes.".to_owned()
        })?;
        if let Some(problem) = shape.check().into_iter().next() {
            return Err(problem.message);
        }
        let stored = shape.count().map_err(|e| e.message)?.stored(bytes_of_weight(self.weight_bits));
        let served = Served {
            shape: *shape,
            value: f64::from(self.kv_bits) / 8.0,
            gpu: self.gpu,
            tp: self.tp,
            used: self.used,
            activations: self.activations * GB,
            block: self.block,
            tokens: self.tokens,
            longest: self.longest,
            shared: self.shared,
            multiplying: shape.count().map_or(0.0, |counted| counted.active as f64),
        };
        Ok(served.fit(stored))
    }

    /// Computes all of it.
    ///
    /// # Errors
    /// What cannot be together: a sentence.
    pub fn shown(&self) -> Result<Shown, String> {
        if self.keeper == Keeper::Hashed && self.requests.0.iter().any(|r| r.wide > 1 && r.sampling == Sampling::Beam) {
            return Err("vLLM V1 leaves beam search to its caller: choose vLLM 0.2’s blocks, or write * for samples."
                .to_owned());
        }
        let fit = self.served()?;
        let run = serve(Asked { setup: self.setup(), requests: &self.requests.0, step: self.step as usize });
        let mut shown = Shown { run, visits: Vec::new(), fit };
        let visits = self.walked(&shown).map(|row| walk(&row.blocks, self.block, row.stored, self.sequence));
        shown.visits = visits.unwrap_or_default();
        Ok(shown)
    }

    /// The sequence whose table is read: the last one, where there are fewer.
    pub fn walked<'a>(&self, shown: &'a Shown) -> Option<&'a Row> {
        shown.tables().take(self.sequence.max(1) as usize).last()
    }

    /// Whether a quantity is one of the model and its GPU, not of the run.
    pub fn is_of_fit(id: &str) -> bool {
        let first = Self::QUANTITIES.iter().position(|q| q.id == "bytes-per-token");
        Self::QUANTITIES.iter().position(|q| q.id == id) >= first
    }

    /// Blocks that have been read.
    pub fn blocks_read(&self, shown: &Shown) -> usize {
        (self.at as usize).min(shown.visits.len())
    }
}

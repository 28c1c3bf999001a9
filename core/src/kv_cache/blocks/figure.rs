//! `kv-cache`: requests on a pool of blocks, what attention reads through a table, and how large the pool is beside the weights.

use super::fit::{Fit, Served};
use super::requests::{Request, Requests, STANDARD, Sampling};
use super::serve::{Asked, Keeper, Preempt, Row, Run, Setup, Stage, serve};
use super::walk::{Visit, walk};
use crate::declare::{
    Aim, Applies, Decision, Field, List, Measure, Model, Origin, Origins, Param, Scale, Takes, Text as _, all_apart,
    applies, choice, doc, headline, join, lever, lever_of, measure, origin, real, switch, text, when, whole, within,
    words,
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
/// The most blocks of a pool.
const MOST_BLOCKS: u64 = 20_000;
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
    /// The most blocks that the requests hold together where none of them is kept waiting; only for the pool.
    pub needed: f64,
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
    choice("view", "what is shown", View::LIST, "pool").takes_or(Takes::View, "fit").label("Show").main().at(|p| p.view.slot()),
    choice("keeper", "who hands out memory", Keeper::LIST, "vllm-0.2").label("Memory").main().at(|p| p.keeper.slot()),
    whole("block", "tokens of a block", [1, 256], "4").label("Tokens per block").doubling(8).main().at(|p| p.block.slot()),
    whole("blocks", "blocks of the pool", [1, MOST_BLOCKS], "18")
        .label("Blocks in the pool")
        .slider(Scale::Linear { min: 4.0, max: 64.0, step: 1.0 })
        .main()
        .at(|p| p.blocks.slot()),
    text("requests", "requests: tokens of the prompt and of the answer, such as 12:20; 12:20*3 for three samples, 12:20^3 for a beam", STANDARD)
        .at(|p| p.requests.slot()),
    whole("shared", "tokens with which all prompts begin alike", [0, 65_536], "0")
        .label("Shared prompt prefix, tokens")
        .slider(Scale::FromZero(16))
        .more(REQUESTS)
        .at(|p| p.shared.slot()),
    choice("preempt", "what becomes of a request that gives way, with vLLM 0.2", Preempt::LIST, "auto")
        .label("Preemption method")
        .more(POOL)
        .at(|p| p.preempt.slot()),
    whole("host", "blocks on the host, with vLLM 0.2", [0, 20_000], "16")
        .label("Host blocks")
        .slider(Scale::Linear { min: 0.0, max: 64.0, step: 1.0 })
        .more(POOL)
        .at(|p| p.host.slot()),
    real("watermark", "part of the blocks that admitting leaves free, with vLLM 0.2", [0.0, 0.5], "0.01")
        .label("Watermark kept free")
        .unit(Unit::Fraction)
        .steps(0.01)
        .more(POOL)
        .at(|p| p.watermark.slot()),
    switch("caches", "whether full blocks are found again by their content, with vLLM V1", true)
        .label("Prefix caching")
        .more(POOL)
        .at(|p| p.caches.slot()),
    whole("longest", "tokens of the longest request that may come, for which one room is kept", [1, 1 << 20], "32")
        .label("Longest request, tokens")
        .format(|v| grouped(v as u64))
        .doubling(20)
        .more(POOL)
        .at(|p| p.longest.slot()),
    whole("seed", "which beams go on", [0, 9999], "1").label("Beam search seed").more(REQUESTS).quiet().at(|p| p.seed.slot()),
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
        .label("Tokens per request")
        .format(|v| grouped(v as u64))
        .doubling(20)
        .drawn()
        .at(|p| p.tokens.slot()),
    choice("kv-bits", "bits of a cached value", BITS, "16").label("Bits per cached value").more(SERVING).at(|p| p.kv_bits.slot()),
    choice("weight-bits", "bits of a weight", BITS, "16").label("Bits per weight").more(SERVING).at(|p| p.weight_bits.slot()),
    choice("gpu", "the GPU", hardware::LIST, "h100-80").label("GPU").more(SERVING).at(|p| p.gpu.slot()),
    whole("tp", "GPUs that divide the model by tensor parallelism", [1, 64], "1")
        .takes(Takes::Replica)
        .label("GPUs, tensor parallel")
        .doubling(6)
        .more(SERVING)
        .at(|p| p.tp.slot()),
    real("used", "the part of a GPU’s memory that is used (gpu_memory_utilization)", [0.1, 1.0], "0.9")
        .label("Share of GPU memory used")
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
    const APPLIES: &'static [Applies<Self>] = &[
        applies(&["preempt", "watermark"], |p| p.keeper == Keeper::Paged && p.view != View::Fit),
        applies(&["host"], |p| p.keeper == Keeper::Paged && p.swaps() && p.view != View::Fit),
        applies(&["caches"], |p| p.keeper == Keeper::Hashed && p.view != View::Fit),
        applies(&["seed"], |p| p.view != View::Fit && p.requests.write().contains('^')),
    ];
    const ORIGIN: Origin = Origin::Of(
        "vLLM 0.2.0, vllm/core/block_manager.py and vllm/core/scheduler.py, or vLLM V1, vllm/v1/core; Kwon et al. 2023 (PagedAttention), arXiv:2309.06180, §3 and §4; run step by step",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(
            crate::kv_cache::ORIGIN,
            &["bytes-per-token", "bytes-per-token-gpu", "values-per-layer", "bytes-per-block"],
        ),
        origin(
            super::fit::ORIGIN,
            &[
                "weights",
                "room",
                "pool-blocks",
                "pool-tokens",
                "request-bytes",
                "reserved-bytes",
                "requests-paged",
                "requests-reserved",
                "requests-shared",
            ],
        ),
        origin(crate::memory::overhead::ORIGIN, &["fits"]),
        origin(Origin::Controls, &["layers", "kv-heads"]),
        origin(
            Origin::Own("bytes over PCIe’s peak both ways, against the FLOPs of the token at the GPU’s peak"),
            &["swap-time", "recompute-time"],
        ),
        origin(Origin::Rows, &["utilisation", "saved"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Shown>] = &[
        when(|p, _| p.view != View::Fit, measure("slots", "Token slots", Unit::Count, |_, s| s.run.usage.slots as f64)),
        when(
            |p, _| p.view != View::Fit,
            measure("token-slots", "Slots holding a token", Unit::Count, |_, s| s.run.usage.tokens as f64),
        ),
        when(
            |p, _| p.view != View::Fit,
            measure("later-slots", "Slots reserved for later tokens", Unit::Count, |_, s| s.run.usage.later as f64),
        ),
        when(
            |p, _| p.view != View::Fit,
            measure("never-slots", "Slots never used", Unit::Count, |_, s| s.run.usage.never as f64),
        ),
        when(
            |p, _| p.view != View::Fit,
            headline(
                "Memory that a request holds and doesn’t use at this step.",
                measure("empty-slots", "Slots held but empty", Unit::Count, |_, s| {
                    (s.run.usage.later + s.run.usage.never) as f64
                }),
            ),
        ),
        when(
            |p, _| p.view != View::Fit,
            measure("free-slots", "Free slots", Unit::Count, |_, s| s.run.usage.free as f64),
        ),
        when(
            |p, _| p.view != View::Fit,
            doc(
                "Enough slots are free for the next request, but not in one piece.",
                measure("external-slots", "Slots lost to fragmentation", Unit::Count, |_, s| {
                    s.run.usage.external as f64
                }),
            ),
        ),
        when(
            |p, _| p.view != View::Fit,
            measure("kept-blocks", "Free blocks with reusable content", Unit::Count, |p, s| {
                (s.run.usage.kept / p.block) as f64
            }),
        ),
        when(
            |p, _| p.view != View::Fit,
            headline(
                "Slots with a token over slots that are held.",
                measure("utilisation", "Memory utilization", Unit::Fraction, |_, s| s.run.usage.utilisation()),
            ),
        ),
        when(
            |p, _| p.view != View::Fit,
            measure("used-blocks", "Blocks in use", Unit::Count, |_, s| s.run.usage.blocks as f64),
        ),
        when(
            |p, _| p.view != View::Fit,
            measure("free-blocks", "Free blocks", Unit::Count, |p, s| (s.run.usage.free / p.block) as f64),
        ),
        when(
            |p, _| p.view != View::Fit,
            measure("table-blocks", "Block-table entries", Unit::Count, |_, s| s.run.usage.in_tables as f64),
        ),
        when(
            |p, _| p.view != View::Fit,
            measure("saved", "Memory saved by sharing", Unit::Fraction, |_, s| s.run.usage.saved()),
        ),
        when(
            |p, _| p.view != View::Fit,
            headline(
                "Sequences that get a token at this step.",
                measure("running", "Running sequences", Unit::Count, |p, s| p.tick(s, |t| t.running)),
            ),
        ),
        when(
            |p, _| p.view != View::Fit,
            headline(
                "Requests for which no memory is free at this step.",
                measure("waiting", "Waiting requests", Unit::Count, |p, s| p.tick(s, |t| t.waiting)),
            ),
        ),
        when(|p, _| p.view != View::Fit, measure("steps", "Steps", Unit::Count, |_, s| s.run.ticks.len() as f64)),
        when(
            |p, _| p.view != View::Fit,
            measure("most-running", "Most running sequences", Unit::Count, |_, s| {
                s.run.ticks.iter().map(|t| t.running).max().unwrap_or(0) as f64
            }),
        ),
        when(
            |p, _| p.view != View::Fit,
            measure("mean-running", "Running sequences, mean", Unit::Ratio, |_, s| s.run.mean(|t| t.running as f64)),
        ),
        when(
            |p, _| p.view != View::Fit,
            measure("mean-tokens", "Share of memory with tokens, mean", Unit::Fraction, |_, s| {
                s.run.mean(|t| t.usage.tokens as f64 / t.usage.slots.max(1) as f64)
            }),
        ),
        when(
            |p, _| p.view != View::Fit,
            measure("mean-utilisation", "Memory utilization, mean", Unit::Fraction, |_, s| {
                s.run.mean(|t| t.usage.utilisation())
            }),
        ),
        when(
            |p, _| p.view != View::Fit,
            measure("computed", "Tokens computed", Unit::Count, |_, s| s.run.totals.computed as f64),
        ),
        when(
            |p, _| p.view != View::Fit,
            measure("computed-again", "Tokens recomputed after preemption", Unit::Count, |_, s| {
                s.run.totals.again as f64
            }),
        ),
        when(
            |p, _| p.view != View::Fit,
            measure("found", "Tokens found in the prefix cache", Unit::Count, |_, s| s.run.totals.found as f64),
        ),
        when(
            |p, _| p.view != View::Fit,
            measure("lost-blocks", "Cached blocks evicted", Unit::Count, |_, s| s.run.totals.lost as f64),
        ),
        when(
            |p, _| p.view != View::Fit,
            measure("copied-blocks", "Blocks copied on write", Unit::Count, |_, s| s.run.totals.copied as f64),
        ),
        when(
            |p, _| p.view != View::Fit,
            measure("swapped-blocks", "Blocks swapped, out and in", Unit::Count, |_, s| s.run.totals.swapped as f64),
        ),
        when(
            |p, _| p.view != View::Fit,
            headline(
                "Requests that lost their memory to others, over the whole run.",
                measure("preempted", "Preempted requests", Unit::Count, |_, s| s.run.totals.preempted as f64),
            ),
        ),
        when(
            |p, _| p.view == View::Pool,
            doc(
                "The most blocks that all requests hold together if none of them waits.",
                within(
                    |p, _| p.blocks as f64,
                    measure("needed-blocks", "Blocks needed by all requests", Unit::Count, |_, s| s.needed),
                ),
            ),
        ),
        when(
            |p, _| p.view == View::Pool,
            words(
                &["Requests have to wait", "Every request fits"],
                doc(
                    "Whether every request has memory at every step: none waits, is preempted or swapped.",
                    measure("undisturbed", "Verdict on the pool", Unit::Count, |_, s| {
                        f64::from(u8::from(s.run.is_undisturbed()))
                    }),
                ),
            ),
        ),
        when(
            |p, _| p.view == View::Fit,
            headline(
                "What one token keeps in all layers.",
                measure("bytes-per-token", "KV cache per token", Unit::Bytes, |_, s| s.fit.per_token),
            ),
        ),
        when(
            |p, _| p.view == View::Fit,
            measure("bytes-per-token-gpu", "KV cache per token and GPU", Unit::Bytes, |_, s| s.fit.on_gpu),
        ),
        when(|p, _| p.view == View::Fit, measure("layers", "Layers", Unit::Count, |_, s| s.fit.layers)),
        when(
            |p, _| p.view == View::Fit,
            measure("values-per-layer", "Values per token and layer", Unit::Count, |_, s| s.fit.values),
        ),
        when(
            |p, _| p.view == View::Fit,
            measure("kv-heads", "Key–value heads per GPU", Unit::Count, |_, s| s.fit.kv_heads),
        ),
        when(
            |p, _| p.view == View::Fit,
            measure("bytes-per-block", "Block size per GPU", Unit::Bytes, |_, s| s.fit.per_block),
        ),
        when(|p, _| p.view == View::Fit, measure("weights", "Weights per GPU", Unit::Bytes, |_, s| s.fit.weights)),
        when(
            |p, _| p.view == View::Fit,
            headline(
                "What weights and activations leave of each GPU’s share.",
                measure("room", "Memory left for the KV cache", Unit::Bytes, |_, s| s.fit.room),
            ),
        ),
        when(
            |p, _| p.view == View::Fit,
            measure("pool-blocks", "Blocks in the pool", Unit::Count, |_, s| s.fit.blocks),
        ),
        when(
            |p, _| p.view == View::Fit,
            headline(
                "Tokens of all requests together that the pool holds.",
                measure("pool-tokens", "Tokens that fit", Unit::Count, |_, s| s.fit.slots),
            ),
        ),
        when(
            |p, _| p.view == View::Fit,
            measure("request-bytes", "Memory per request, in blocks", Unit::Bytes, |_, s| s.fit.request),
        ),
        when(
            |p, _| p.view == View::Fit,
            measure("reserved-bytes", "Memory per request, reserved for the longest", Unit::Bytes, |_, s| {
                s.fit.reserved
            }),
        ),
        when(
            |p, _| p.view == View::Fit,
            measure("swap-time", "Time to swap a token’s cache out and in", Unit::Seconds, |_, s| s.fit.copied),
        ),
        when(
            |p, _| p.view == View::Fit,
            measure("recompute-time", "Time to recompute a token’s cache at peak FLOP/s", Unit::Seconds, |_, s| {
                s.fit.again
            }),
        ),
        when(
            |p, _| p.view == View::Fit,
            headline(
                "Each holds only the blocks that its tokens need.",
                measure("requests-paged", "Requests that fit, in blocks", Unit::Count, |_, s| s.fit.requests),
            ),
        ),
        when(
            |p, _| p.view == View::Fit,
            words(
                &["No request fits", "Tight", "Requests fit"],
                doc(
                    "With what an engine takes beside weights and cache: the activations that are set, or the CUDA context and communicators that others measured.",
                    measure("fits", "Verdict on the requests", Unit::Count, |_, s| f64::from(s.fit.verdict as u8)),
                ),
            ),
        ),
        when(
            |p, _| p.view == View::Fit,
            headline(
                "Each holds memory for the longest request that is allowed.",
                measure("requests-reserved", "Requests that fit, reserved for the longest", Unit::Count, |_, s| {
                    s.fit.requests_reserved
                }),
            ),
        ),
        when(
            |p, _| p.view == View::Fit,
            measure("requests-shared", "Requests that fit, in blocks with a shared prefix", Unit::Count, |_, s| {
                s.fit.requests_shared
            }),
        ),
    ];

    const DECISION: Option<Decision> = Some(Decision {
        quantities: &["needed-blocks", "requests-paged"],
        aim: Aim::AtLeast { least: 1.0, said: "Concurrent requests in blocks: {}." },
        judges: &["undisturbed", "fits"],
        words: ["No request fits", "Requests fit"],
        levers: &[
            lever_of("keeper", &["vllm-v1", "vllm-0.2"], "The engine hands out memory in another way."),
            lever_of("block", &["2", "1"], "Smaller blocks have longer tables and are read in more pieces."),
            lever("blocks", "A larger pool takes a larger GPU, smaller weights, or fewer bits per cached value."),
            lever_of("kv-bits", &["8"], "It changes the numerics: check the answers."),
            lever_of("weight-bits", &["8", "4"], "It changes the numerics: check the answers."),
            lever_of("tp", &["2", "4", "8"], "You need more GPUs and two all-reduces per layer."),
            lever("gpu", "It costs larger GPUs."),
        ],
        not_counted: "Activations and CUDA graphs count only if you enter what your engine’s profiling run found. The pool counts requests that are all there at the start.",
    });

    fn evaluate(&self) -> Result<Shown, String> {
        self.in_range()?;
        self.shown()
    }

    fn runs(&self, shown: &Shown) -> bool {
        self.view != View::Fit || shown.fit.room > 0.0
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        self.model = ModelRef::read_shape(reader, MODEL);
    }

    fn unplaced(&self) -> Query {
        self.model.query()
    }
}

impl Params {
    /// Takes another model, and with it the bits of its checkpoint's weights, unless they have others than the checkpoint of the model before.
    pub fn choose(&mut self, model: ModelRef) {
        if model.brings_its_form(self.weight_bits == self.model.stored().quant.bits()) {
            self.weight_bits = model.stored().quant.bits();
        }
        self.model = model;
    }

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
        let own = self.model.stored();
        let [beside, experts] = if self.weight_bits == own.quant.bits() {
            own.bytes(shape.moe.is_some())
        } else {
            [bytes_of_weight(self.weight_bits); 2]
        };
        let stored = shape.count().map_err(|e| e.message)?.stored_apart(beside, experts);
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

    /// Whether blocks may go to host memory.
    pub fn swaps(&self) -> bool {
        self.preempt == Preempt::Swap || self.requests.0.iter().any(|request| request.wide > 1)
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
        let needed = if self.view == View::Pool { self.needed() } else { 0.0 };
        let mut shown = Shown { run, visits: Vec::new(), fit, needed };
        let visits = self.walked(&shown).map(|row| walk(&row.blocks, self.block, row.stored, self.sequence));
        shown.visits = visits.unwrap_or_default();
        Ok(shown)
    }

    /// The most blocks that the requests hold together in a memory where none has to wait.
    fn needed(&self) -> f64 {
        let longest = |request: &Request| request.stored().saturating_add(1).next_power_of_two().max(self.longest);
        let blocks =
            |request: &Request| longest(request).div_ceil(self.block).saturating_add(2).saturating_mul(request.wide);
        let enough = self.requests.0.iter().map(blocks).fold(1, u64::saturating_add).min(MOST_BLOCKS);
        let setup = Setup { blocks: enough, watermark: 0.0, ..self.setup() };
        let run = serve(Asked { setup, requests: &self.requests.0, step: 0 });
        let held = run.ticks.iter().map(|tick| tick.usage.slots.saturating_sub(tick.usage.free)).max();
        held.unwrap_or(0).div_ceil(self.block) as f64
    }

    /// The sequence whose table is read: the last one, where there are fewer.
    pub fn walked<'a>(&self, shown: &'a Shown) -> Option<&'a Row> {
        shown.tables().take(self.sequence.max(1) as usize).last()
    }

    /// Blocks that have been read.
    pub fn blocks_read(&self, shown: &Shown) -> usize {
        (self.at as usize).min(shown.visits.len())
    }
}

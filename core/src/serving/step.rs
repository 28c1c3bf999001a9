//! One step of a serving engine: how long it takes, for a model on GPUs that share it by tensor parallelism.
//!
//! A step takes some new tokens of each of some sequences through the model: one each while they decode, the prompt or a piece of it
//! in prefill. All matrix products of the step together take max(FLOPs / rate, weights / bandwidth): the weights are read once, however
//! many tokens there are. Attention takes the same of its own FLOPs and of the cache it reads; what a layer does for a token of the past
//! is that of [`crate::kv_cache::decode`]. Then come two all-reduces a layer (Shoeybi et al. 2019, arXiv:1909.08053, §3), each by the
//! fastest algorithm of [`crate::network`], and the start of each kernel.
//!
//! Attention may be data parallel: `dp` groups of `tp` GPUs have requests and caches of their own and a copy each of all weights but the
//! routed experts, which are spread over all of them. Then each token goes to the GPUs of its experts and comes back, in 8 and in 16 bits
//! (DeepSeek-V3, arXiv:2412.19437, §3.4; vLLM's `--data-parallel-size` with `--enable-expert-parallel`, SGLang's `--attn-dp-size`). Every
//! expert is taken to be chosen as often as any other.
//!
//! Of routed experts, those are read that at least one token chose ([`crate::model::Weights::read`]).
//! Sampling, tokenisation and the host are left out: it is assumed that they hide behind the GPU.

use super::command::Server;
use crate::collective::{Algo, Op};
use crate::declare::{List, Origin};
use crate::hardware::Accelerator;
use crate::hardware::links::{self, Link};
use crate::kv_cache::decode::{Way, work};
use crate::kv_cache::models::Named;
use crate::kv_cache::{Cache, GROUPS, Keeps, Layers};
use crate::model::{Shape, Weights, bytes_of_weight};
use crate::network::{Cost, Fabric, cost};
use crate::options;
use crate::planner::efficiency::{self, LAUNCH, LINK};
use crate::query::plain;

/// Where the time of a step comes from.
pub const ORIGIN: Origin = Origin::Own(
    "each part of a step takes the longer of its FLOPs and its bytes, then all-reduces as in Shoeybi et al. 2019, arXiv:1909.08053, §3; checked against ai-dynamo/aiconfigurator at 5c0c8cc",
);

/// Kernels of a layer that start one after another: two norms with their residuals, four products, rotary positions with the
/// write to the cache, attention, the activation.
pub const KERNELS: f64 = 9.0;
/// All-reduces of a layer.
const ALL_REDUCES: f64 = 2.0;
/// Bytes of an activation, which is what all-reduces send.
const ACTIVATION: f64 = 2.0;
/// GPUs of a node.
const NODE: usize = 8;

/// The form of the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quant {
    /// 16 bits.
    #[default]
    Bf16,
    /// 8-bit floats, multiplied as such where the GPU can; activations too.
    Fp8,
    /// 8 bits, multiplied as 16.
    Int8,
    /// 4 bits and a scale of 16 for each group of 128 (AWQ, GPTQ), multiplied as 16.
    Int4,
    /// 4-bit floats and an 8-bit scale for each 16 (modelopt's NVFP4), multiplied as 8-bit floats at the least.
    Nvfp4,
    /// 4-bit floats and an 8-bit scale for each 32 in routed experts, the rest in 16 bits (gpt-oss, Kimi-K3), multiplied as 16. Without
    /// experts all layers have them.
    Mxfp4,
}

options!(Quant {
    Bf16: "bf16", "bf16";
    Fp8: "fp8", "fp8";
    Int8: "int8", "int8, weights only";
    Int4: "int4", "int4, weights only";
    Nvfp4: "nvfp4", "nvfp4";
    Mxfp4: "mxfp4", "mxfp4, experts only";
});

impl Quant {
    /// Bytes of a weight of a layer; the others have two ([`ParameterCount::stored`](crate::model::ParameterCount::stored)).
    pub fn bytes(self) -> f64 {
        match self {
            Self::Bf16 => bytes_of_weight(16),
            Self::Fp8 | Self::Int8 => bytes_of_weight(8),
            Self::Int4 => bytes_of_weight(4),
            Self::Nvfp4 => 0.5 + 1.0 / 16.0,
            Self::Mxfp4 => 0.5 + 1.0 / 32.0,
        }
    }

    /// Bytes of a weight of a layer that is no routed expert's, in a model with experts or without.
    pub fn bytes_beside(self, experts: bool) -> f64 {
        if self == Self::Mxfp4 && experts { bytes_of_weight(16) } else { self.bytes() }
    }

    /// Whether activations are multiplied in 8 bits too.
    const fn multiplies_in_fp8(self) -> bool {
        matches!(self, Self::Fp8 | Self::Nvfp4)
    }

    /// What vLLM is told to make of 16-bit weights while it loads them (`--quantization`), where it can; others are in the checkpoint.
    pub const fn online(self) -> Option<&'static str> {
        match self {
            Self::Fp8 => Some("fp8"),
            _ => None,
        }
    }

    /// Bits of a weight, without its scale.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Bf16 => 16,
            Self::Fp8 | Self::Int8 => 8,
            Self::Int4 | Self::Nvfp4 | Self::Mxfp4 => 4,
        }
    }

    /// What a checkpoint must have for an engine to load such weights, in words; nothing where any will do. TensorRT-LLM reads the form from the
    /// checkpoint alone: `TorchLlmArgs` has no field for it, and `hf_quant_config.json` says `quant_algo`.
    pub fn needs(self, server: Server) -> Option<&'static str> {
        match self {
            Self::Bf16 => None,
            Self::Fp8 => (server == Server::Trtllm).then_some("an FP8 checkpoint (ModelOpt)"),
            Self::Int8 => Some("an int8 checkpoint (compressed-tensors, W8A16)"),
            Self::Int4 => Some("an AWQ or GPTQ checkpoint"),
            Self::Nvfp4 => Some("an NVFP4 checkpoint (ModelOpt or compressed-tensors)"),
            Self::Mxfp4 => Some("an MXFP4 checkpoint"),
        }
    }
}

/// How a checkpoint stores its weights.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Stored {
    /// The form.
    pub quant: Quant,
    /// Bits of a layer's weight beside routed experts, and in them, with scales and with what is left in 16 bits; 0 for those of the form.
    bits: [f64; 2],
}

/// What separates the parts of [`Stored::write`]. It isn't escaped in an address.
const PART: char = '~';

impl Stored {
    /// Bits are kept to so many of a bit.
    const STEPS: f64 = 1e6;

    /// In a form as it usually is.
    pub const fn of(quant: Quant) -> Self {
        Self { quant, bits: [0.0; 2] }
    }

    /// In a form, with so many bits beside routed experts and in them.
    pub const fn with(quant: Quant, bits: [f64; 2]) -> Self {
        Self { quant, bits }
    }

    /// The same from bytes of a weight, which a file gives.
    pub fn measured(quant: Quant, bytes: [f64; 2]) -> Self {
        Self { quant, bits: bytes.map(|each| (each * 8.0 * Self::STEPS).round() / Self::STEPS) }
    }

    /// Bytes of a layer's weight beside routed experts, and in them, in a model with experts or without.
    pub fn bytes(self, experts: bool) -> [f64; 2] {
        let usual = [self.quant.bytes_beside(experts), self.quant.bytes()];
        let or = |bits: f64, usual: f64| if bits > 0.0 { bits / 8.0 } else { usual };
        [or(self.bits[0], usual[0]), or(self.bits[1], usual[1])]
    }

    /// As a parameter has it: `mxfp4~16~4.25`, or the form alone.
    pub fn write(self) -> String {
        let [beside, experts] = self.bits.map(plain);
        let id = self.quant.id();
        if self.bits == [0.0; 2] { id.to_owned() } else { format!("{id}{PART}{beside}{PART}{experts}") }
    }

    /// Reads what [`Stored::write`] wrote.
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(PART);
        let quant = Quant::find(parts.next()?)?;
        let bits = |text: &str| text.parse().ok().filter(|bits| (0.1..=16.0).contains(bits));
        match (parts.next(), parts.next(), parts.next()) {
            (None, ..) => Some(Self::of(quant)),
            (Some(beside), Some(experts), None) => Some(Self { quant, bits: [bits(beside)?, bits(experts)?] }),
            _ => None,
        }
    }
}

/// What kernels reach of the data sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reach {
    /// What [`efficiency`] has for training: one table for all, tuned for none.
    #[default]
    Kernels,
    /// All of it, and starting a kernel takes no time: a bound.
    Peak,
}

options!(Reach {
    Kernels: "kernels", "what kernels reach";
    Peak: "peak", "data sheet";
});

/// Bits of a cached value.
pub const KV_BITS: List = List { ids: &["16", "8", "4"], labels: &["16", "8", "4"] };

/// A model on the GPUs of one replica.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deployment {
    /// The model.
    pub shape: Shape,
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// GPUs that share each layer of attention.
    pub tp: u64,
    /// Groups of so many GPUs with requests of their own, which share the routed experts.
    pub dp: u64,
    /// The form of the weights, and their bits.
    pub stored: Stored,
    /// Bits of a cached value.
    pub kv_bits: u32,
    /// What kernels reach.
    pub reach: Reach,
    /// The share of each GPU's memory that the engine may use.
    pub share: f64,
    /// Bytes of each GPU that activations and CUDA graphs take.
    pub activations: f64,
}

/// New tokens of one sequence in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Chunk {
    /// Tokens that are computed.
    pub new: u64,
    /// Tokens that are in the cache already.
    pub past: u64,
}

/// What a step takes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Step {
    /// Seconds of matrix products with weights.
    pub products: f64,
    /// Seconds of attention over the cache.
    pub attention: f64,
    /// Seconds of all-reduces.
    pub communication: f64,
    /// Seconds of starting kernels.
    pub launches: f64,
    /// FLOPs of all GPUs.
    pub flop: f64,
    /// Bytes of weights that all GPUs read.
    pub weights: f64,
    /// Bytes of weights and caches that all GPUs read and write.
    pub bytes: f64,
    /// Whether FLOPs, not weights, set the time of the products.
    pub compute_bound: bool,
}

impl Step {
    /// Seconds in all.
    pub fn time(&self) -> f64 {
        self.products + self.attention + self.communication + self.launches
    }
}

/// The layers of a model that keep the same, ready to be counted.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Group {
    layers: f64,
    window: Option<u64>,
    /// Tokens that make one row of the cache.
    every: f64,
    /// FLOPs of one query on one token of the past, in a layer, in decode and in prefill.
    flop: [f64; 2],
    /// Values that one GPU keeps of a token, in a layer.
    values: f64,
}

/// What every step of a deployment has in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Engine {
    weights: Weights,
    head: f64,
    groups: [Group; GROUPS],
    layers: f64,
    hidden: f64,
    tp: f64,
    dp: f64,
    /// Bytes of a weight of the layers, and of a routed expert's.
    weight_bytes: [f64; 2],
    kv_bytes: f64,
    /// Seconds that the two exchanges of a token's copies take, at the least and for each token of a GPU; nothing without groups.
    exchange: [f64; 2],
    /// Layers with routed experts.
    mixtures: f64,
    /// FLOP a second of products and of attention, bytes a second of weights and of caches.
    rates: [f64; 4],
    link: f64,
    launch: f64,
    all_reduces: Vec<Cost>,
    /// Bytes of the weights on all GPUs.
    pub stored: f64,
    /// Bytes that all GPUs have for caches.
    pub room: f64,
    /// Bytes that a token takes in the caches of all GPUs, copies included, windows not taken into account.
    pub per_token: f64,
    /// Bytes of the states of one sequence on all GPUs.
    pub state: f64,
    /// FLOPs of the recurrences for one token.
    recurrence: f64,
}

impl Deployment {
    /// The links among its GPUs: those that the GPU comes with, else PCIe 4.
    pub fn link(&self) -> &'static Link {
        links::of(self.gpu).0.or_else(|| links::find("pcie4")).unwrap_or(&links::INSIDE[0])
    }

    /// FLOPs a second of matrix products at the peak: twice as many in fp8, where the GPU has it.
    pub fn peak(&self) -> f64 {
        self.gpu.fp8.filter(|_| self.is_fp8()).unwrap_or(self.gpu.peak)
    }

    /// Whether products are computed in fp8.
    fn is_fp8(&self) -> bool {
        self.stored.quant.multiplies_in_fp8() && self.gpu.fp8.is_some()
    }

    /// Makes it ready to be asked for steps.
    ///
    /// # Errors
    /// If the weights do not fit, or the shape is impossible: a sentence.
    pub fn engine(&self) -> Result<Engine, String> {
        if let Some(problem) = self.shape.check().into_iter().next() {
            return Err(problem.message);
        }
        let counted = self.shape.count().map_err(|problem| problem.to_string())?;
        let (tp, dp) = (self.tp.max(1), self.dp.max(1));
        let gpus = tp.saturating_mul(dp);
        if dp > 1 && self.shape.moe.is_none() {
            return Err("Without experts, groups of data parallelism share nothing: they are replicas. Set one group, and add replicas."
                .to_owned());
        }
        let has_experts = self.shape.moe.is_some();
        let weight_bytes = self.stored.bytes(has_experts);
        let experts = counted.experts as f64 * weight_bytes[1];
        let one = counted.stored_apart(weight_bytes[0], weight_bytes[1]);
        // Each group has a copy of everything but the routed experts.
        let stored = experts + (one - experts) * dp as f64;
        let usable = (self.share * self.gpu.memory.0 - self.activations).max(0.0) * gpus as f64;
        if stored >= usable {
            return Err(format!(
                "The weights take {} and {gpus} × {} have {} for them and the cache. More GPUs or fewer bits are needed.",
                crate::quantity::bytes_decimal(stored),
                self.gpu.name,
                crate::quantity::bytes_decimal(usable)
            ));
        }
        let named = Named::of("", "", &self.shape);
        let cache = Cache::of(&self.shape);
        let groups = cache.layers.map(|layers| group(&named, layers, tp));
        let kv_bytes = f64::from(self.kv_bits) / 8.0;
        let per_token = groups.iter().map(|g| g.layers * g.values / g.every).sum::<f64>() * kv_bytes * tp as f64;
        let reached = efficiency::reached(self.gpu);
        let (rates, link, launch) = match self.reach {
            Reach::Peak => ([self.peak(), self.gpu.peak, self.gpu.bandwidth, self.gpu.bandwidth], 1.0, 0.0),
            Reach::Kernels => {
                let [computing, reading] = if self.is_fp8() { efficiency::FP8 } else { [1.0; 2] };
                let memory = self.gpu.bandwidth * reached.memory;
                let products = self.peak() * reached.matmul * computing;
                ([products, self.gpu.peak * reached.attention[0], memory * reading, memory], LINK, LAUNCH)
            }
        };
        let weights = Weights::of(&self.shape, &counted);
        Ok(Engine {
            exchange: self.exchange(gpus, link),
            mixtures: self.shape.moe_layers() as f64,
            dp: dp as f64,
            weights,
            head: self.shape.vocab_size as f64 * self.shape.hidden_size as f64,
            groups,
            layers: self.shape.num_hidden_layers as f64,
            hidden: self.shape.hidden_size as f64,
            tp: tp as f64,
            weight_bytes,
            kv_bytes,
            rates,
            link,
            launch,
            all_reduces: self.all_reduces(tp as usize),
            stored,
            room: usable - stored,
            per_token,
            state: cache.state_bytes(),
            recurrence: self
                .shape
                .kinds
                .state
                .map_or(0.0, |s| s.layers as f64 * s.mixer.recurrence(self.shape.hidden_size)),
        })
    }

    /// Seconds that sending each token's copies to the GPUs of their experts and back takes: what it takes at the least, and for each token of
    /// a GPU. One byte a value goes out, two come back. Copies for GPUs of other nodes go over the port between nodes.
    fn exchange(&self, gpus: u64, reached: f64) -> [f64; 2] {
        let Some(moe) = self.shape.moe.filter(|_| self.dp > 1) else { return [0.0; 2] };
        let inside = self.link();
        let between = links::of(self.gpu).1.unwrap_or(inside);
        let (node, gpus) = (NODE as f64, gpus as f64);
        let near = (gpus.min(node) - 1.0) / gpus;
        let far = (gpus - node).max(0.0) / gpus;
        let bytes = moe.num_experts_per_tok as f64 * self.shape.hidden_size as f64 * (1.0 + ACTIVATION);
        let farthest = if far > 0.0 { between } else { inside };
        let slower = (near / inside.bandwidth).max(far / between.bandwidth);
        [2.0 * farthest.latency, bytes * slower / reached]
    }

    /// What an all-reduce among the GPUs costs by each algorithm that can do it.
    fn all_reduces(&self, ranks: usize) -> Vec<Cost> {
        let inside = self.link();
        let between = links::of(self.gpu).1.unwrap_or(inside);
        let fabric = Fabric::nodes(NODE, inside, between);
        let algos = [Algo::Ring, Algo::DoubleBinaryTree, Algo::HalvingDoubling, Algo::Direct];
        algos.into_iter().filter_map(|algo| cost(Op::AllReduce, algo, ranks, &fabric)).collect()
    }
}

fn group(named: &Named, layers: Layers, tp: u64) -> Group {
    let latent = matches!(layers.keeps, Keeps::Latent { .. });
    let decode = if latent { Way::Absorbed } else { Way::Cached };
    Group {
        layers: layers.count as f64,
        window: [layers.window, layers.reads].into_iter().flatten().min(),
        every: layers.every.max(1) as f64,
        flop: [decode, Way::Cached].map(|way| work(named, layers.keeps, way).flop),
        values: layers.keeps.values_on_rank(tp) as f64,
    }
}

impl Chunk {
    /// Pairs of a query and a token that it looks at.
    fn pairs(self, window: Option<u64>) -> f64 {
        let (new, past) = (self.new as f64, self.past as f64);
        let Some(window) = window.map(|w| w as f64) else { return new * past + new * (new + 1.0) / 2.0 };
        // So many queries still see everything before them; the others a window.
        let all = (window - past).clamp(0.0, new);
        all * past + all * (all + 1.0) / 2.0 + (new - all) * window
    }

    /// Tokens whose keys and values are read or written.
    fn touched(self, window: Option<u64>) -> f64 {
        let all = self.past + self.new;
        window.map_or(all, |w| all.min(w + self.new)) as f64
    }
}

impl Engine {
    /// What a step on these chunks takes. Nothing without any.
    pub fn step(&self, chunks: impl IntoIterator<Item = Chunk>) -> Step {
        self.step_of(chunks.into_iter().map(|chunk| (chunk, 1)))
    }

    /// The same, of each chunk so many that are alike.
    pub fn step_of(&self, chunks: impl IntoIterator<Item = (Chunk, u64)>) -> Step {
        let (mut tokens, mut sequences) = (0.0, 0.0);
        let (mut looked, mut moved) = (0.0, 0.0);
        for (chunk, many) in chunks {
            let many = many as f64;
            tokens += many * chunk.new as f64;
            sequences += many;
            for group in &self.groups {
                let [decode, prefill] = group.flop;
                let flop = if chunk.new == 1 { decode } else { prefill };
                looked += many * group.layers * chunk.pairs(group.window) / group.every * flop;
                moved += many * group.layers * chunk.touched(group.window) / group.every * group.values * self.kv_bytes;
            }
            // A state is read and written once, however many tokens a chunk has.
            moved += many * 2.0 * self.state / self.tp;
            looked += many * chunk.new as f64 * self.recurrence;
        }
        if tokens == 0.0 {
            return Step::default();
        }
        // The output matrix multiplies the last token of each sequence alone.
        let multiplied = (self.weights.active - self.head) * tokens + self.head * sequences;
        let [beside, in_experts] = self.weight_bytes;
        let experts = self.weights.expert_bytes(tokens, in_experts);
        let flop = 2.0 * multiplied;
        // Each group reads its own copy of what is no routed expert.
        let read = self.weights.common_bytes(beside) * self.dp + experts;
        let gpus = self.tp * self.dp;
        let [products, attention, weights, caches] = self.rates;
        let (computing, reading) = (flop / products / gpus, read / weights / gpus);
        let sent = tokens / self.dp * self.hidden * ACTIVATION;
        let reduce = self.all_reduces.iter().map(|cost| cost.latency + cost.per_byte * sent / self.link);
        let reduce = reduce.fold(f64::INFINITY, f64::min);
        Step {
            products: computing.max(reading),
            attention: (looked / attention / gpus).max(moved / self.dp / caches),
            communication: self.reduces() * if reduce.is_finite() { reduce } else { 0.0 }
                + self.mixtures * (self.exchange[0] + self.exchange[1] * tokens / gpus),
            launches: KERNELS * self.layers * self.launch,
            flop: flop + looked,
            weights: read,
            bytes: read + moved * self.tp,
            compute_bound: computing >= reading,
        }
    }

    /// All-reduces of a step: two a layer, and one in a layer whose experts lie apart.
    fn reduces(&self) -> f64 {
        if self.tp <= 1.0 {
            return 0.0;
        }
        let apart = if self.dp > 1.0 { self.mixtures } else { 0.0 };
        ALL_REDUCES * self.layers - apart
    }

    /// A step that decodes one token of each of `batch` sequences with `context` tokens in the cache.
    pub fn decode(&self, batch: u64, context: u64) -> Step {
        self.step_of([(Chunk { new: 1, past: context }, batch)])
    }

    /// A step on `batch` whole prompts of `prompt` tokens.
    pub fn prefill(&self, batch: u64, prompt: u64) -> Step {
        self.step_of([(Chunk { new: prompt, past: 0 }, batch)])
    }

    /// Tokens that fit in the caches.
    pub fn tokens_that_fit(&self) -> f64 {
        if self.per_token > 0.0 { (self.room / self.per_token).floor() } else { 0.0 }
    }

    /// Bytes of a request of `tokens` tokens on all GPUs, in whole blocks.
    pub fn request(&self, tokens: u64, block: u64) -> f64 {
        let block = block.max(1);
        tokens.div_ceil(block).max(1).saturating_mul(block) as f64 * self.per_token + self.state
    }

    /// Requests of `tokens` tokens at their longest that fit at once, in whole blocks.
    pub fn requests_that_fit(&self, tokens: u64, block: u64) -> u64 {
        let block = block.max(1);
        let each = tokens.div_ceil(block).max(1);
        if self.state > 0.0 {
            return (self.room / self.request(tokens, block)).floor() as u64;
        }
        let blocks = (self.tokens_that_fit() / block as f64).floor() as u64;
        blocks / each
    }

    /// Seconds to send the cache of `tokens` tokens to other GPUs over `bandwidth` bytes a second for each GPU.
    pub fn transfer(&self, tokens: u64, bandwidth: f64) -> f64 {
        (tokens as f64 * self.per_token + self.state) / self.tp / bandwidth
    }
}

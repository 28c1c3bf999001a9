//! One layout of one job: whether it is possible, how long a step takes and why, what a GPU holds.
//!
//! A step is m micro-batches through the slowest pipeline stage, the bubble, the sends between stages, what of the
//! data-parallel exchange nothing hides, and the optimizer. Under 1F1B the bubble is one pass through all other stages,
//! with v chunks a v-th of that (Narayanan et al. 2021, arXiv:2104.04473, §2.2). Sends between stages are waited for unless
//! the schedule is interleaved, where they run behind other chunks. Gradients are reduced in fp32 behind the last
//! micro-batch's backward pass and weights gathered behind the first one's forward pass; from ZeRO-2 on the reduction, at
//! ZeRO-3 the gathering too, is done for every micro-batch.

use std::fmt;

use super::cluster::{Axis, Cluster, Degrees, Group};
use super::efficiency::reached;
use super::work::{Passes, Products, Run, Seconds, Work};
use crate::collective::Op;
use crate::memory::activations::{Counting, Recompute};
use crate::memory::pipeline::Pipeline;
use crate::memory::shard::{Held, Shards};
use crate::memory::{self, Convention, Dtype, Layout, Mode, Optimizer};
use crate::model::{ConfigProblem, ModelRef, ModelSize, Shape};
use crate::quantity::{bytes_decimal, counted, grouped};

/// Bytes of a gradient when it is reduced.
const GRADIENT: f64 = 4.0;
/// Bytes of a weight when it is gathered.
const WEIGHT: f64 = 2.0;
/// Bytes that Adam moves for a parameter: reads gradient, master copy and two moments, writes the last three and the weight.
const ADAM: f64 = 30.0;

/// What is to be trained, on what.
#[derive(Debug, Clone)]
pub struct Job {
    /// The model.
    pub model: ModelRef,
    /// The cluster.
    pub cluster: Cluster,
    /// Tokens of a sequence.
    pub seq: u64,
    /// Sequences of a step.
    pub batch: u64,
    /// FlashAttention.
    pub flash: bool,
    pub(super) shape: Shape,
    size: ModelSize,
    products: Products,
    /// FLOPs of a step, masked attention counted as half.
    flops: f64,
}

/// A layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The degrees.
    pub degrees: Degrees,
    /// Sequence parallelism over the tensor-parallel ranks.
    pub sp: bool,
    /// Chunks of each pipeline stage; more than 1 is the interleaved schedule.
    pub chunks: u64,
    /// Sequences of a micro-batch.
    pub mbs: u64,
    /// The stage of ZeRO.
    pub zero: u8,
    /// What is recomputed.
    pub recompute: Recompute,
}

/// Why a layout is impossible.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Refusal {
    /// The degrees, and the GPUs that there are.
    Product(Degrees, u64),
    /// Heads, and the ranks that they cannot be divided by.
    Heads(u64, u64),
    /// Tokens, and the context-parallel ranks.
    Sequence(u64, u64),
    /// Experts, and the expert-parallel ranks.
    Experts(u64, u64),
    /// dp × cp, and the expert-parallel ranks.
    Replicas(u64, u64),
    /// Layers, and pipeline stages.
    Layers(u64, u64),
    /// Layers, pipeline stages, chunks.
    Chunks(u64, u64, u64),
    /// Micro-batches, and pipeline stages.
    Rounds(u64, u64),
    /// Sequences of a step, data-parallel ranks, sequences of a micro-batch.
    Batch(u64, u64, u64),
    /// Bytes that a GPU would need, and those that it has.
    Memory(f64, f64),
}

impl Refusal {
    /// How many kinds there are.
    pub const KINDS: usize = 10;

    /// The kind: below [`Refusal::KINDS`].
    pub const fn kind(&self) -> usize {
        match self {
            Refusal::Product(..) => 0,
            Refusal::Heads(..) => 1,
            Refusal::Sequence(..) => 2,
            Refusal::Experts(..) => 3,
            Refusal::Replicas(..) => 4,
            Refusal::Layers(..) => 5,
            Refusal::Chunks(..) => 6,
            Refusal::Rounds(..) => 7,
            Refusal::Batch(..) => 8,
            Refusal::Memory(..) => 9,
        }
    }

    /// The rule that is broken, for any numbers.
    pub const fn rule(&self) -> &'static str {
        match self {
            Refusal::Product(..) => "The degrees must multiply to the number of GPUs.",
            Refusal::Heads(..) => "tp must divide the attention heads.",
            Refusal::Sequence(..) => "2 × cp must divide the sequence: each rank has an early and a late part.",
            Refusal::Experts(..) => "ep must divide the experts.",
            Refusal::Replicas(..) => {
                "ep must divide dp × cp, whose ranks it takes: experts are cut by tp too, as Megatron-LM does by default."
            }
            Refusal::Layers(..) => "A pipeline has no more stages than the model has layers.",
            Refusal::Chunks(..) => "pp × chunks must divide the layers.",
            Refusal::Rounds(..) => "The interleaved schedule goes in rounds: pp must divide the micro-batches.",
            Refusal::Batch(..) => "dp × mbs must divide the batch.",
            Refusal::Memory(..) => "A GPU must hold it, with the CUDA context and the least of its other overhead.",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Refusal::Product(d, gpus) => write!(
                f,
                "tp {} × cp {} × dp {} × pp {} is {}, and there are {} GPUs.",
                d.tp,
                d.cp,
                d.dp,
                d.pp,
                grouped(d.gpus()),
                grouped(gpus)
            ),
            Refusal::Heads(heads, tp) => write!(f, "{heads} heads cannot be divided among {tp} ranks."),
            Refusal::Sequence(seq, cp) => {
                write!(f, "{} tokens cannot be cut into 2 × {cp} equal parts.", grouped(seq))
            }
            Refusal::Experts(0, ep) => write!(f, "The model has no experts to divide among {ep} ranks."),
            Refusal::Experts(experts, ep) => write!(f, "{experts} experts cannot be divided among {ep} ranks."),
            Refusal::Replicas(n, ep) => write!(f, "{n} ranks along dp and cp cannot be grouped by {ep}."),
            Refusal::Layers(layers, pp) => write!(f, "{layers} layers cannot be put on {pp} stages."),
            Refusal::Chunks(layers, pp, v) => write!(f, "{layers} layers cannot be cut into {pp} × {v} equal chunks."),
            Refusal::Rounds(m, pp) => {
                write!(f, "{} can’t be divided by {pp} stages.", counted(m, "micro-batch", "micro-batches"))
            }
            Refusal::Batch(batch, dp, mbs) => write!(
                f,
                "{} sequences cannot be divided among {} ranks in micro-batches of {mbs}.",
                grouped(batch),
                grouped(dp)
            ),
            Refusal::Memory(need, have) => {
                write!(f, "A GPU would hold {} and has {}.", bytes_decimal(need), bytes_decimal(have))
            }
        }
    }
}

/// Seconds of a step, by what they are for.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Step {
    /// All micro-batches on the slowest stage.
    pub stage: Seconds,
    /// Filling and draining the pipeline.
    pub bubble: f64,
    /// Waiting for activations from other stages.
    pub send: f64,
    /// Waiting for gradients and weights of other replicas.
    pub data: f64,
    /// The optimizer.
    pub optimizer: f64,
}

impl Step {
    /// The sum.
    pub fn total(&self) -> f64 {
        self.stage.total() + self.bubble + self.send + self.data + self.optimizer
    }

    /// The parts: id, what a person reads, seconds.
    pub fn parts(&self) -> [(&'static str, &'static str, f64); 10] {
        let s = &self.stage;
        [
            ("compute", "Matrix products", s.compute),
            ("elementwise", "Element-wise kernels", s.elementwise),
            ("recompute", "Recomputation", s.recompute),
            ("tensor", "Tensor parallelism", s.tensor),
            ("context", "Context parallelism", s.context),
            ("expert", "Expert parallelism", s.expert),
            ("send", "Sends between stages", self.send),
            ("bubble", "Pipeline bubble", self.bubble),
            ("data", "Data parallelism", self.data),
            ("optimizer", "Optimizer", self.optimizer),
        ]
    }

    /// Seconds of waiting for other ranks, the bubble aside.
    pub fn communication(&self) -> f64 {
        self.stage.tensor + self.stage.context + self.stage.expert + self.send + self.data
    }
}

/// What a GPU holds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Footprint {
    /// Bytes of its tensors.
    pub tensors: f64,
    /// What is beside them: see [`memory::overhead`].
    pub beside: memory::overhead::Range,
}

impl Job {
    /// All parameters of its model.
    pub(super) fn parameters(&self) -> f64 {
        self.size.params
    }

    /// A job; an error if the model is no architecture or an impossible one.
    pub fn new(model: ModelRef, cluster: Cluster, [seq, batch]: [u64; 2], flash: bool) -> Result<Self, ConfigProblem> {
        let Some(shape) = model.shape().copied() else {
            return Err(ConfigProblem::new("model", "A layout follows from sizes: choose a model, or give its sizes."));
        };
        let size = ModelSize::of(&shape)?;
        let seq = seq.max(1);
        let tokens = seq as f64 * batch as f64;
        let flops = 3.0 * shape.forward_flops(seq, true).total() * tokens;
        let products = Products::new(&shape, seq);
        Ok(Self { model, cluster, seq, batch, flash, shape, size, products, flops })
    }

    /// FLOPs of a step that the model needs, with masked attention counted as half (as Megatron-LM counts) or whole (as the
    /// PaLM paper does).
    pub fn flops(&self, masked: bool) -> f64 {
        if masked {
            return self.flops;
        }
        3.0 * self.shape.forward_flops(self.seq, false).total() * self.seq as f64 * self.batch as f64
    }

    /// FLOPs that recomputing every layer adds to a step, attention counted whole.
    pub fn flops_again(&self) -> f64 {
        let flops = self.shape.forward_flops(self.seq, false);
        (flops.total() - flops.lm_head) * self.seq as f64 * self.batch as f64
    }

    /// The model FLOPs utilization of a step of `seconds`.
    pub fn mfu(&self, seconds: f64) -> f64 {
        self.flops / (seconds * self.cluster.gpu.peak * self.cluster.gpus() as f64)
    }

    /// The share of the forward pass's FLOPs that a layout computes again.
    pub fn recomputed(&self, choice: &Choice) -> f64 {
        match choice.recompute {
            Recompute::None => 0.0,
            Recompute::Selective => self.attention_share(),
            Recompute::Full => 1.0,
        }
    }

    /// The share of attention's own products, queries times keys and scores times values, in the forward pass's FLOPs.
    pub fn attention_share(&self) -> f64 {
        let flops = self.shape.forward_flops(self.seq, true);
        (flops.scores + flops.values) / flops.total()
    }

    /// Tokens of a step.
    pub fn tokens(&self) -> f64 {
        self.seq as f64 * self.batch as f64
    }

    /// Micro-batches of a step; 0 if they do not come out even.
    pub fn microbatches(&self, choice: &Choice) -> u64 {
        let each = choice.degrees.dp.saturating_mul(choice.mbs).max(1);
        if self.batch.is_multiple_of(each) { self.batch / each } else { 0 }
    }

    /// Whether the GPUs can be divided so, the batch and memory aside.
    pub fn check_degrees(&self, d: &Degrees) -> Result<(), Refusal> {
        let gpus = self.cluster.gpus();
        if d.gpus() != gpus {
            return Err(Refusal::Product(*d, gpus));
        }
        let heads = self.shape.num_attention_heads;
        if !heads.is_multiple_of(d.tp) {
            return Err(Refusal::Heads(heads, d.tp));
        }
        if d.cp > 1 && !self.seq.is_multiple_of(2 * d.cp) {
            return Err(Refusal::Sequence(self.seq, d.cp));
        }
        let experts = self.shape.moe.map_or(0, |m| m.num_experts);
        if d.ep > 1 && (experts == 0 || !experts.is_multiple_of(d.ep)) {
            return Err(Refusal::Experts(experts, d.ep));
        }
        let replicas = d.dp.saturating_mul(d.cp);
        if !replicas.is_multiple_of(d.ep) {
            return Err(Refusal::Replicas(replicas, d.ep));
        }
        let layers = self.shape.num_hidden_layers;
        if d.pp > layers { Err(Refusal::Layers(layers, d.pp)) } else { Ok(()) }
    }

    /// Whether the rest of a layout whose degrees are sound is possible, memory aside.
    pub fn check_schedule(&self, choice: &Choice) -> Result<(), Refusal> {
        let (layers, pp, m) = (self.shape.num_hidden_layers, choice.degrees.pp, self.microbatches(choice));
        if m == 0 {
            return Err(Refusal::Batch(self.batch, choice.degrees.dp, choice.mbs));
        }
        if choice.chunks > 1 && !layers.is_multiple_of(pp.saturating_mul(choice.chunks)) {
            return Err(Refusal::Chunks(layers, pp, choice.chunks));
        }
        if choice.chunks > 1 && !m.is_multiple_of(pp) {
            return Err(Refusal::Rounds(m, pp));
        }
        Ok(())
    }

    /// The state of the memory model for a layout.
    pub fn memory_params(&self, choice: &Choice) -> memory::Params {
        let Degrees { tp, cp, ep, dp, pp } = choice.degrees;
        let pipeline =
            Pipeline { stages: pp, virtual_stages: choice.chunks, microbatches: self.microbatches(choice).max(1) };
        memory::Params {
            model: self.model,
            dtype: Dtype::Bf16,
            optimizer: Optimizer::AdamW,
            convention: Convention::Megatron,
            zero: choice.zero,
            dp,
            gpu: self.cluster.gpu,
            mode: Mode::Training,
            as_stored: false,
            layout: Layout { tp, sp: choice.sp, cp, ep, pipeline },
            seq: Some(self.seq),
            mbs: choice.mbs,
            recompute: choice.recompute,
            flash: self.flash,
            counting: Counting::Architecture,
            kv_dtype: Dtype::Bf16,
        }
    }

    /// What the fullest GPU holds at each stage of ZeRO; nothing of an impossible layout.
    pub fn memory(&self, choice: &Choice) -> [Footprint; 4] {
        let totals = self.memory_params(choice).totals();
        totals.map_or([Footprint::default(); 4], |all| {
            all.map(|(tensors, beside)| Footprint { tensors: tensors.0, beside })
        })
    }

    /// What the parts of the model cost under some degrees.
    pub fn work(&self, degrees: Degrees, sp: bool, mbs: u64) -> Work {
        let run = Run { degrees, sp, flash: self.flash, seq: self.seq, mbs };
        self.products.work(&self.cluster, &run)
    }

    /// The model cut up for some degrees.
    pub fn shards(&self, choice: &Choice) -> Shards {
        Shards::new(&self.model, &self.size, &self.memory_params(choice).layout)
    }

    /// How long a step takes.
    pub fn step(&self, choice: &Choice) -> Step {
        let work = self.work(choice.degrees, choice.sp, choice.mbs);
        self.step_of(choice, &work, &self.shards(choice))
    }

    /// The same with what is alike for many layouts already there.
    pub(super) fn step_of(&self, choice: &Choice, work: &Work, shards: &Shards) -> Step {
        let d = &choice.degrees;
        let layers = self.shape.num_hidden_layers;
        let pipeline = Pipeline { stages: d.pp, virtual_stages: choice.chunks, microbatches: 1 };
        let m = self.microbatches(choice).max(1) as f64;
        let again = |passes: &Passes| match choice.recompute {
            Recompute::None => Seconds::default(),
            Recompute::Selective => passes.attention,
            Recompute::Full => passes.again(),
        };
        let backward = |passes: &Passes| passes.backward.and(again(passes));
        let (dense_backward, mixture_backward) = (backward(&work.dense), backward(&work.mixture));
        let (mut sum, mut slowest, mut held) = (0.0, (Seconds::default(), Seconds::default()), Held::default());
        for stage in pipeline.stages(layers) {
            let dense = self.shape.sorts()[0].saturating_sub(stage.first_layer).min(stage.layers);
            let (dense, mixtures) = (dense as f64, (stage.layers - dense) as f64);
            let mut forward = work.dense.forward.times(dense).and(work.mixture.forward.times(mixtures));
            let mut backward = dense_backward.times(dense).and(mixture_backward.times(mixtures));
            if stage.index + 1 == d.pp {
                forward = forward.and(work.head.forward);
                backward = backward.and(work.head.backward);
            }
            let both = forward.total() + backward.total();
            sum += both;
            if both > slowest.0.total() + slowest.1.total() {
                slowest = (forward, backward);
            }
            let here = shards.held(&stage, d.pp);
            if here.params() > held.params() {
                held = here;
            }
        }
        let (forward, backward) = slowest;
        let one = forward.and(backward);
        let chunks = choice.chunks.max(1) as f64;
        let bytes = 2.0 * self.seq as f64 * choice.mbs as f64 * self.shape.hidden_size as f64
            / (d.cp.saturating_mul(d.tp)).max(1) as f64;
        let sends = match (d.pp, choice.chunks) {
            (1, _) => 0.0,
            (pp, 1) => m + pp as f64 - 1.0,
            (pp, _) => pp as f64 - 1.0,
        };
        let node = self.cluster.node;
        let send =
            if sends > 0.0 { 2.0 * sends * self.cluster.send(d.group(Axis::Pipeline, node), bytes) } else { 0.0 };
        let (shared, experts) = (held.shared.params, held.experts.params);
        let replicas = d.replicas(node);
        let same = expert_group(d, node);
        let exchange = |op, each: f64| {
            [(shared, replicas), (experts, same)]
                .map(|(params, group)| if params > 0.0 { self.cluster.time(op, group, params * each) } else { 0.0 })
                .iter()
                .sum::<f64>()
        };
        let [f, b] = [forward.total(), backward.total()];
        let waited = |time: f64, behind: f64| (time - behind).max(0.0);
        let gather = || exchange(Op::AllGather, WEIGHT);
        let scatter = || exchange(Op::ReduceScatter, GRADIENT);
        let data = match choice.zero {
            _ if replicas.ranks <= 1 => 0.0,
            0 => waited(exchange(Op::AllReduce, GRADIENT), b),
            1 => waited(scatter(), b) + waited(gather(), f),
            2 => m * waited(scatter(), b) + waited(gather(), f),
            _ => {
                let gather = gather();
                m * (waited(gather, f) + waited(gather + scatter(), b))
            }
        };
        let part = |params: f64, group: Group| if choice.zero == 0 { params } else { params / group.ranks as f64 };
        let own = part(shared, replicas) + part(experts, same);
        let gpu = self.cluster.gpu;
        let optimizer = ADAM * own / (reached(gpu).memory * gpu.bandwidth);
        Step { stage: one.times(m), bubble: (sum - one.total()).max(0.0) / chunks, send, data, optimizer }
    }
}

/// The ranks that hold the same experts.
fn expert_group(d: &Degrees, node: u64) -> Group {
    let stride = d.tp.saturating_mul(d.ep).max(1);
    let ranks = (d.dp.saturating_mul(d.cp) / d.ep.max(1)).max(1);
    Group { ranks, stride, local: (node / stride).clamp(1, ranks) }
}

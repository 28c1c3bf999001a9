//! What one layer costs a GPU, and the ends of the model.
//!
//! Matrix products follow the tensors of the model as [`crate::memory::shard`] divides them. Element-wise kernels are counted
//! by the bytes they move, at 2 bytes an element: a norm reads and writes what it normalises, a residual addition with its
//! dropout reads two and writes one and a mask. Communication is what the other ranks wait for: two all-reduces a layer each
//! way under tensor parallelism (Shoeybi et al. 2019, §3), or as many reduce-scatters and all-gathers with sequence
//! parallelism; of those in the backward pass, one of two runs behind the gradient of the weights (Korthikanti et al. 2022,
//! §4.2.2). The keys and values of context parallelism run behind attention; what takes longer is waited for.

use super::cluster::{Axis, Cluster, Degrees};
use super::efficiency::{self, GROUPED, LAUNCH, Reached};
use crate::collective::Op;
use crate::memory::shard::split;
use crate::model::shape::Gated;
use crate::model::{Attention, Component, Shape, Tensor};

/// Seconds, by what they are for.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Seconds {
    /// Matrix products, those of attention with them.
    pub compute: f64,
    /// Element-wise kernels.
    pub elementwise: f64,
    /// The same again, because it was not kept.
    pub recompute: f64,
    /// Waiting for tensor parallelism.
    pub tensor: f64,
    /// Waiting for keys and values of context parallelism.
    pub context: f64,
    /// Waiting for tokens to reach experts and come back.
    pub expert: f64,
}

impl Seconds {
    /// The sum.
    pub fn total(&self) -> f64 {
        self.compute + self.elementwise + self.recompute + self.tensor + self.context + self.expert
    }

    /// `factor` times these.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self {
            compute: self.compute * factor,
            elementwise: self.elementwise * factor,
            recompute: self.recompute * factor,
            tensor: self.tensor * factor,
            context: self.context * factor,
            expert: self.expert * factor,
        }
    }

    /// Both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            compute: self.compute + other.compute,
            elementwise: self.elementwise + other.elementwise,
            recompute: self.recompute + other.recompute,
            tensor: self.tensor + other.tensor,
            context: self.context + other.context,
            expert: self.expert + other.expert,
        }
    }
}

/// A forward pass, a backward pass, and what it takes to compute again what was not kept.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Passes {
    /// The forward pass.
    pub forward: Seconds,
    /// The backward pass.
    pub backward: Seconds,
    /// The attention matrix again.
    pub attention: Seconds,
}

impl Passes {
    fn and(self, other: Self) -> Self {
        Self {
            forward: self.forward.and(other.forward),
            backward: self.backward.and(other.backward),
            attention: self.attention.and(other.attention),
        }
    }

    fn times(self, factor: f64) -> Self {
        Self {
            forward: self.forward.times(factor),
            backward: self.backward.times(factor),
            attention: self.attention.times(factor),
        }
    }

    /// The whole forward pass as something that is done again.
    pub fn again(&self) -> Seconds {
        let f = self.forward;
        Seconds { compute: 0.0, elementwise: 0.0, recompute: f.compute + f.elementwise, ..f }
    }
}

/// How a micro-batch is worked on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Run {
    /// The degrees.
    pub degrees: Degrees,
    /// Sequence parallelism over the tensor-parallel ranks.
    pub sp: bool,
    /// FlashAttention.
    pub flash: bool,
    /// Tokens of a sequence.
    pub seq: u64,
    /// Sequences of a micro-batch.
    pub mbs: u64,
}

/// The costs of a model's parts for one kind of run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Work {
    /// A layer with a dense MLP.
    pub dense: Passes,
    /// A layer with experts.
    pub mixture: Passes,
    /// What only the last stage does: the head and the loss.
    pub head: Passes,
}

/// The tensors of a model that are multiplied, listed once.
#[derive(Debug, Clone)]
pub struct Products {
    shape: Shape,
    tensors: Vec<Tensor>,
    /// Forward FLOPs of a layer's attention core for one token, with and without the half that a mask leaves out.
    core: [f64; 2],
}

/// FLOPs of all recurrences for one token.
fn recurrence(shape: &Shape) -> f64 {
    shape.kinds.state.map_or(0.0, |s| s.layers as f64 * s.mixer.recurrence(shape.hidden_size))
}

/// The machine at work on a run.
struct Bench<'a> {
    cluster: &'a Cluster,
    reached: Reached,
    run: Run,
    /// Tokens of a micro-batch on a GPU.
    tokens: f64,
}

/// Bytes that fp32 logits are moved by, for each of them: written, read twice and turned into their gradient.
const LOGITS: f64 = 8.0;
/// Bytes for each element of an attention matrix that is stored: products, scaling, softmax and dropout, forward.
const MATRIX_FORWARD: f64 = 13.0;
/// The same backward.
const MATRIX_BACKWARD: f64 = 21.0;

impl Products {
    /// Of a sound shape, for sequences of `seq`.
    pub fn new(shape: &Shape, seq: u64) -> Self {
        let tensors = shape.tensors().into_iter().filter(|t| shape.tensor_flops(t) > 0.0).collect();
        let core = [true, false].map(|causal| {
            let flops = shape.forward_flops(seq, causal);
            (flops.scores + flops.values + recurrence(shape)) / shape.num_hidden_layers.max(1) as f64
        });
        Self { shape: *shape, tensors, core }
    }

    /// What the parts of the model cost.
    pub fn work(&self, cluster: &Cluster, run: &Run) -> Work {
        let tokens = run.seq as f64 * run.mbs as f64 / run.degrees.cp.max(1) as f64;
        let bench = Bench { cluster, reached: efficiency::reached(cluster.gpu), run: *run, tokens };
        let attention = self.attention(&bench);
        let layer = |moe: bool| {
            let parts = if moe && self.shape.moe.is_some() { self.experts(&bench) } else { self.mlp(&bench) };
            bench.communicate(&self.shape, attention.and(parts))
        };
        Work { dense: layer(false), mixture: layer(true), head: self.head(&bench) }
    }

    fn products(&self, bench: &Bench<'_>, of: impl Fn(Component) -> bool) -> Passes {
        let list = self.tensors.iter().filter(|t| of(t.component));
        list.fold(Passes::default(), |sum, t| sum.and(bench.product(t, &self.shape).times(self.share(t))))
    }

    /// How much of a matrix an average layer of its sort has: all of it, unless layers differ.
    fn share(&self, tensor: &Tensor) -> f64 {
        let s = &self.shape;
        let [plain, mixtures] = s.sorts();
        let (layers, copies) = match tensor.component {
            Component::Mlp if !s.kinds.dense_beside_experts => (plain, 1),
            Component::Experts => (mixtures, s.moe.map_or(1, |m| m.num_experts)),
            Component::SharedExperts | Component::Router => (mixtures, 1),
            _ => (s.num_hidden_layers, 1),
        };
        tensor.count as f64 / (layers.max(1) as f64 * copies.max(1) as f64)
    }

    /// Attention, with the norms and residual additions of the layer.
    fn attention(&self, bench: &Bench<'_>) -> Passes {
        let s = &self.shape;
        let t = bench.run.degrees.tp.max(1) as f64;
        let h = s.hidden_size as f64;
        let whole = (4.0 * s.norms.per_layer as f64 + 14.0) * h / bench.along();
        let values = s.value_dim(s.heads()[0]);
        let width = match s.attention {
            Attention::Heads { .. } => s.kv_values_per_token_per_layer(),
            Attention::Latent { .. } => s.num_attention_heads * (s.head_dim() + values),
        };
        let queries = (s.num_attention_heads * s.head_dim()) as f64;
        let rotary = if s.position_rows == 0 { 4.0 * (queries + width as f64 / 2.0) / t } else { 0.0 };
        let kernels = s.norms.per_layer as f64 + if rotary > 0.0 { 4.0 } else { 2.0 };
        let moved = bench.moved(whole + rotary, kernels);
        let [masked, full] = self.core;
        let core = if bench.run.flash {
            let flops = masked * bench.tokens / t;
            let [forward, backward] = bench.reached.attention;
            let time = |flops: f64, of_peak: f64| flops / (of_peak * bench.cluster.gpu.peak) + LAUNCH;
            Passes {
                forward: Seconds { compute: time(flops, forward), ..Seconds::default() },
                backward: Seconds { compute: time(2.5 * flops, backward), ..Seconds::default() },
                attention: Seconds { recompute: time(flops, forward), ..Seconds::default() },
            }
        } else {
            let product = full * bench.tokens / t / (bench.reached.matmul * bench.cluster.gpu.peak) + 2.0 * LAUNCH;
            let elements = bench.run.seq as f64 * s.num_attention_heads as f64 / t;
            let [forward, backward] = [MATRIX_FORWARD, MATRIX_BACKWARD].map(|bytes| bench.moved(bytes * elements, 2.0));
            Passes {
                forward: Seconds { compute: product, elementwise: forward, ..Seconds::default() },
                backward: Seconds { compute: 2.0 * product, elementwise: backward, ..Seconds::default() },
                attention: Seconds { recompute: product + forward, ..Seconds::default() },
            }
        };
        let both = Passes {
            forward: Seconds { elementwise: moved, ..Seconds::default() },
            backward: Seconds { elementwise: moved, ..Seconds::default() },
            ..Passes::default()
        };
        let products = self.products(bench, |c| matches!(c, Component::Attention | Component::Mixers));
        let mut sum = products.and(core).and(both);
        // Keys and values go round the context-parallel ranks behind the attention that uses those already there.
        let keys = s.head_dim() + values;
        let bytes =
            2.0 * (s.kv_heads() as f64 / t).max(1.0) * keys as f64 * bench.run.seq as f64 * bench.run.mbs as f64;
        let group = bench.run.degrees.group(Axis::Context, bench.cluster.node);
        let exchange = bench.cluster.time(Op::AllGather, group, bytes);
        sum.forward.context = (exchange - core.forward.total()).max(0.0);
        sum.backward.context = (2.0 * exchange - core.backward.total()).max(0.0);
        sum
    }

    /// Element-wise work between the matrices of an MLP of width `width`.
    fn activation(&self, bench: &Bench<'_>, width: f64) -> Passes {
        let (forward, backward) = if self.shape.gated_mlp == Gated::Yes { (6.0, 10.0) } else { (4.0, 6.0) };
        let moved = |bytes: f64| {
            let elementwise = bench.moved(bytes * width / bench.run.degrees.tp.max(1) as f64, 1.0);
            Seconds { elementwise, ..Seconds::default() }
        };
        Passes { forward: moved(forward), backward: moved(backward), ..Passes::default() }
    }

    fn mlp(&self, bench: &Bench<'_>) -> Passes {
        let width = self.shape.intermediate_size as f64;
        self.products(bench, |c| c == Component::Mlp).and(self.activation(bench, width))
    }

    /// A mixture of experts whose tokens are spread evenly: they go to their experts and come back, each way.
    fn experts(&self, bench: &Bench<'_>) -> Passes {
        let Some(moe) = self.shape.moe else { return Passes::default() };
        let used = moe.num_experts_per_tok as f64;
        let width = moe.intermediate_size as f64 * used + moe.shared_intermediate_size as f64;
        let beside = self.shape.kinds.dense_beside_experts;
        let parts = |c| {
            let mlp = beside && c == Component::Mlp;
            mlp || matches!(c, Component::Experts | Component::SharedExperts | Component::Router)
        };
        let sent = used * self.shape.hidden_size as f64 / bench.along();
        let permuted = bench.moved(8.0 * sent, 2.0);
        let bytes = 2.0 * sent * bench.tokens;
        let group = bench.run.degrees.group(Axis::Expert, bench.cluster.node);
        let expert = 2.0 * bench.cluster.time(Op::AllToAll, group, bytes);
        let there_and_back = Seconds { elementwise: permuted, expert, ..Seconds::default() };
        let moves = Passes { forward: there_and_back, backward: there_and_back, ..Passes::default() };
        self.products(bench, parts).and(self.activation(bench, width)).and(moves)
    }

    /// The output matrix and the loss.
    fn head(&self, bench: &Bench<'_>) -> Passes {
        let s = &self.shape;
        let t = bench.run.degrees.tp.max(1) as f64;
        let matrix = Tensor {
            name: "lm_head",
            component: Component::LmHead,
            rows: s.vocab_size,
            cols: s.word_embed_proj_dim.unwrap_or(s.hidden_size),
            rows_are: "",
            cols_are: "",
            bias: false,
            count: 1,
        };
        let loss = Seconds { elementwise: bench.moved(LOGITS * s.vocab_size as f64 / t, 2.0), ..Seconds::default() };
        let loss = Passes { forward: loss, backward: loss, ..Passes::default() };
        bench.product(&matrix, s).and(loss)
    }
}

impl Bench<'_> {
    /// Seconds in which `kernels` element-wise kernels move `bytes` bytes for each token.
    fn moved(&self, bytes: f64, kernels: f64) -> f64 {
        bytes * self.tokens / (self.reached.memory * self.cluster.gpu.bandwidth) + kernels * self.reached.latency
    }

    /// Ranks that share what is not split by matrices: tp with sequence parallelism.
    fn along(&self) -> f64 {
        if self.run.sp { self.run.degrees.tp.max(1) as f64 } else { 1.0 }
    }

    /// One product forward and, backward, one for the gradient of its input and one for that of its weights.
    fn product(&self, tensor: &Tensor, shape: &Shape) -> Passes {
        let (by_rows, by_cols) = split(tensor, shape, self.run.degrees.tp);
        let (rows, cols) = (tensor.rows as f64 / by_rows, tensor.cols as f64 / by_cols);
        let experts = shape.moe.filter(|_| tensor.component == Component::Experts);
        let (tokens, copies, of_peak) = match experts {
            Some(moe) => {
                let held = moe.num_experts as f64 / self.run.degrees.ep.max(1) as f64;
                (self.tokens * moe.num_experts_per_tok as f64, held, GROUPED)
            }
            None => (self.tokens, 1.0, 1.0),
        };
        let flops = 2.0 * tokens * rows * cols;
        let bytes = 2.0 * (tokens * (rows + cols) + copies * rows * cols);
        let arithmetic = flops / (of_peak * self.reached.matmul * self.cluster.gpu.peak);
        let traffic = bytes / (self.reached.memory * self.cluster.gpu.bandwidth);
        let once = arithmetic.max(traffic) + LAUNCH;
        Passes {
            forward: Seconds { compute: once, ..Seconds::default() },
            backward: Seconds { compute: 2.0 * once, ..Seconds::default() },
            ..Passes::default()
        }
    }

    /// A layer with its tensor-parallel communication.
    fn communicate(&self, shape: &Shape, mut layer: Passes) -> Passes {
        let group = self.run.degrees.group(Axis::Tensor, self.cluster.node);
        let bytes = 2.0 * self.tokens * shape.hidden_size as f64;
        let time = |op| self.cluster.time(op, group, bytes);
        let once = if self.run.sp { time(Op::ReduceScatter) + time(Op::AllGather) } else { time(Op::AllReduce) };
        // Attention and MLP each have one, unless they run side by side behind one norm.
        let all = once * if shape.norms.per_layer == 1 { 1.0 } else { 2.0 };
        layer.forward.tensor = all;
        // Half of the backward products are gradients of weights; half of the communication runs behind them.
        layer.backward.tensor = all - (all / 2.0).min(layer.backward.compute / 2.0);
        layer
    }
}

//! The parameters, what they come to, and the model in the catalogue.

use super::blocks::Split;
use super::run::Run;
use crate::attention::growth::evenly;
use crate::collective::Op;
use crate::declare::{
    Applies, Field as _, Measure, Model, Origin, Origins, Param, Takes, applies, choice, doc, headline, measure,
    origin, switch, whole,
};
use crate::hardware::links::{self, Link};
use crate::hardware::{self, Accelerator};
use crate::options;
use crate::planner::efficiency::{LINK, reached};
use crate::planner::{Cluster, Group};
use crate::quantity::{Unit, grouped};
use crate::query::Reader;

/// How keys get to the queries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// Keys and values go round, behind attention.
    #[default]
    Ring,
    /// All keys and values come first.
    AllGather,
    /// Sequence becomes heads, and back.
    Ulysses,
}

options!(Method {
    Ring: "ring", "ring";
    AllGather: "all-gather", "all-gather";
    Ulysses: "ulysses", "Ulysses";
});

/// Which pass of the layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pass {
    /// Outputs from queries, keys and values.
    #[default]
    Forward,
    /// Their gradients from that of the output.
    Backward,
}

options!(Pass {
    Forward: "forward", "forward";
    Backward: "backward", "backward";
});

/// The parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// How keys get to the queries.
    pub method: Method,
    /// The pass.
    pub pass: Pass,
    /// Ranks that share the sequence, 1 to [`MAX_RANKS`].
    pub ranks: u64,
    /// How it is cut.
    pub split: Split,
    /// Tokens of the sequence.
    pub seq: u64,
    /// Whether a token sees only those before it.
    pub causal: bool,
    /// Query heads that a rank computes, after tensor parallelism.
    pub heads: u64,
    /// Heads of keys and values of the same; they divide [`Params::heads`].
    pub kv_heads: u64,
    /// Numbers of a head.
    pub head_dim: u64,
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// Ranks of the group in a node.
    pub node: u64,
    /// The link inside a node.
    pub link: &'static Link,
    /// The link between nodes.
    pub net: &'static Link,
    /// Steps of the drawing that have been done.
    pub step: usize,
}

/// Most ranks.
pub const MAX_RANKS: u64 = 32;
const MAX_SEQ: u64 = 1 << 24;
const MAX_HEADS: u64 = 1024;
const MAX_HEAD_DIM: u64 = 1024;
/// Bytes of a number.
const BYTES: f64 = 2.0;

const LAYER: &str = "The layer";
const MACHINE: &str = "The machine";

impl Model for Params {
    type Result = Run;
    const ID: &'static str = "context-parallel";
    const TITLE: &'static str = "Context parallelism";
    const SUMMARY: &'static str = "One sequence on several GPUs: which blocks of attention each computes and when, by ring, all-gather or Ulysses, and who waits.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("method", "how keys and values reach the queries", Method::LIST, "ring")
            .label("Method")
            .main()
            .at(|p| p.method.slot()),
        choice("split", "how the sequence is cut among ranks", Split::LIST, "zigzag")
            .label("Sequence split")
            .main()
            .at(|p| p.split.slot()),
        whole("ranks", "ranks that share the sequence", [1, MAX_RANKS], "4")
            .takes(Takes::Context)
            .label("Ranks")
            .doubling(5)
            .main()
            .at(|p| p.ranks.slot()),
        whole("seq", "tokens of the sequence", [2, MAX_SEQ], "32768")
            .takes(Takes::Sequence)
            .label("Tokens")
            .doubling(20)
            .main()
            .at(|p| p.seq.slot()),
        choice("pass", "which pass of the layer", Pass::LIST, "forward")
            .label("Pass")
            .more(LAYER)
            .at(|p| p.pass.slot()),
        switch("causal", "whether a token sees only those before it", true)
            .label("Mask")
            .labels(&["none", "causal"])
            .more(LAYER)
            .at(|p| p.causal.slot()),
        whole("heads", "query heads per rank, after tensor parallelism", [1, MAX_HEADS], "32")
            .label("Query heads")
            .doubling(7)
            .more(LAYER)
            .at(|p| p.heads.slot()),
        whole("kv_heads", "heads of keys and values per rank, which divide the query heads", [1, MAX_HEADS], "8")
            .label("Key–value heads")
            .doubling(7)
            .more(LAYER)
            .at(|p| p.kv_heads.slot()),
        whole("head_dim", "numbers of a head", [1, MAX_HEAD_DIM], "128")
            .label("Head dimension")
            .doubling(10)
            .more(LAYER)
            .at(|p| p.head_dim.slot()),
        choice("gpu", "the GPU", hardware::LIST, "h100-80").label("GPU").more(MACHINE).at(|p| p.gpu.slot()),
        whole("node", "ranks of the group in a node", [1, 72], "8")
            .label("Ranks per node")
            .doubling(6)
            .more(MACHINE)
            .at(|p| p.node.slot()),
        choice("link", "link inside a node", links::INSIDE_LIST, "nvlink4")
            .label("Link within a node")
            .more(MACHINE)
            .at(|p| p.link.slot()),
        choice("net", "link between nodes, a port for each GPU", links::BETWEEN_LIST, "ndr")
            .label("Link between nodes, per port")
            .more(MACHINE)
            .at(|p| p.net.slot()),
        whole("step", "steps done", [0, MAX_RANKS + 1], "2").drawn().at(|p| p.step.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] = &[applies(&["split"], |p| p.method != Method::Ulysses)];
    const ORIGIN: Origin =
        Origin::Own("attention FLOPs and sends of each method, piece by piece, at the planner’s achieved rates");
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Of(
                "Liu et al. 2023 (Ring Attention), arXiv:2310.01889, §3; Llama 3, arXiv:2407.21783, §3.3.2; Jacobs et al. 2023 (DeepSpeed-Ulysses), arXiv:2309.14509, §3; zhuzilin/ring-flash-attention, ring_flash_attn_backward",
            ),
            &["bytes-forward", "bytes-backward", "kv-held", "step-transfer"],
        ),
        origin(Origin::Of("Liu et al. 2023 (Ring Attention), arXiv:2310.01889, §3"), &["hides-from"]),
        origin(
            Origin::Of("Jacobs et al. 2023 (DeepSpeed-Ulysses), arXiv:2309.14509, §3: one head per rank"),
            &["most-ulysses"],
        ),
        origin(crate::planner::efficiency::ORIGIN, &["attention-rate", "link-rate"]),
        origin(Origin::Definition, &["idle", "imbalance", "speedup"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Run>] = &[
        headline(
            "Keys and values (or heads) that a rank sends in the forward pass of one layer.",
            measure("bytes-forward", "Sent per rank per layer, forward", Unit::Bytes, |p, _| p.sent()[0]),
        ),
        measure("bytes-backward", "Sent per rank per layer, backward", Unit::Bytes, |p, _| p.sent()[1]),
        measure("kv-held", "Keys and values per rank, with gradients in the backward pass", Unit::Bytes, |p, _| {
            p.kv_held()
        }),
        measure("time-attention", "Attention time, busiest rank", Unit::Seconds, |_, r| r.busiest()),
        headline(
            "Communication that computation doesn’t cover.",
            measure("time-exposed", "Exposed communication", Unit::Seconds, |_, r| r.exposed),
        ),
        headline(
            "From the first rank’s start to the last rank’s end.",
            measure("time-total", "Attention time per layer, this pass", Unit::Seconds, |_, r| r.total),
        ),
        measure("idle", "Idle share of rank time", Unit::Fraction, |_, r| r.idle()),
        headline(
            "How much longer the busiest rank computes than the average rank.",
            measure("imbalance", "Imbalance: busiest rank over the mean", Unit::Ratio, |_, r| r.imbalance()),
        ),
        headline(
            "The time on one rank over the time on all of them.",
            measure("speedup", "Speedup over one rank", Unit::Ratio, |_, r| r.speedup()),
        ),
        measure("step-attention", "Attention time per ring step, busiest rank", Unit::Seconds, |p, _| {
            p.step_attention()
        }),
        measure("step-transfer", "Transfer time per ring step", Unit::Seconds, |p, _| p.step_transfer()),
        measure("hides-from", "Tokens per rank that hide the ring’s transfers", Unit::Count, |p, _| p.hides_from()),
        measure("attention-rate", "Achieved attention rate", Unit::FlopPerSecond, |p, _| p.rate()),
        measure("link-rate", "Achieved rate of the slowest link", Unit::BytesPerSecond, |p, _| p.link_rate()),
        doc(
            "Ulysses splits heads, so it can’t use more ranks than there are heads.",
            measure("most-ulysses", "Maximum Ulysses ranks", Unit::Count, |p, _| p.heads as f64),
        ),
    ];

    fn evaluate(&self) -> Result<Run, String> {
        Run::new(*self)
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        let (heads, asked) = (self.heads, self.kv_heads);
        self.kv_heads = evenly(heads, asked);
        if self.kv_heads != asked {
            let used = self.kv_heads;
            reader.problem(
                "kv_heads",
                format!("{heads} query heads cannot share {asked} heads of keys and values evenly; {used} is used."),
            );
        }
        [self.link, self.net] = links::with_gpu(self.gpu, reader.query(), [self.link, self.net]);
    }

    fn follow(&mut self, before: &Self) {
        self.kv_heads = evenly(self.heads, self.kv_heads);
        [self.link, self.net] = links::follow([before.gpu, self.gpu], [self.link, self.net]);
        self.step = self.step.min(self.steps());
    }
}

impl Params {
    /// Steps of the drawing: rounds of the ring, and the way home of the gradients; the exchanges and the attention between them.
    pub fn steps(&self) -> usize {
        match self.method {
            Method::Ring => self.ranks as usize + usize::from(self.goes_home()),
            Method::AllGather => 2 + usize::from(self.pass == Pass::Backward),
            Method::Ulysses => 3,
        }
    }

    /// Whether gradients have gone round a ring and are one rank short of home.
    fn goes_home(&self) -> bool {
        self.pass == Pass::Backward && self.ranks > 1
    }

    /// How many tensors stand for one of keys or values: backward, their gradient too.
    fn with_gradients(&self) -> f64 {
        match self.pass {
            Pass::Forward => 1.0,
            Pass::Backward => 2.0,
        }
    }

    /// Why it cannot be divided, if it cannot.
    pub(super) fn divides(&self) -> Result<(), String> {
        let Self { ranks, heads, kv_heads, seq, .. } = *self;
        if !seq.is_multiple_of(2 * ranks.max(1)) {
            return Err(format!("{} tokens cannot be cut into 2 × {ranks} equal chunks.", grouped(seq)));
        }
        if self.method != Method::Ulysses {
            return Ok(());
        }
        if !heads.is_multiple_of(ranks.max(1)) {
            return Err(format!(
                "Ulysses gives each rank whole heads, and {} query heads cannot be shared by {ranks} ranks. At most {heads} ranks can.",
                grouped(heads)
            ));
        }
        if !kv_heads.is_multiple_of(ranks.max(1)) && !ranks.is_multiple_of(kv_heads.max(1)) {
            return Err(format!(
                "{kv_heads} heads of keys and values can be neither divided among {ranks} ranks nor each copied to as many."
            ));
        }
        Ok(())
    }

    /// Tokens of a rank.
    pub fn tokens(&self) -> f64 {
        self.seq as f64 / self.ranks.max(1) as f64
    }

    /// Bytes of `heads` heads of a rank's tokens.
    fn bytes_of(&self, heads: u64) -> f64 {
        BYTES * self.tokens() * (heads * self.head_dim) as f64
    }

    /// Heads of keys and values that ranks hold under Ulysses, all ranks together: each at least one.
    fn kv_spread(&self) -> u64 {
        self.kv_heads.max(self.ranks)
    }

    /// Bytes that a rank sends for one layer, forward and backward.
    /// Ring and all-gather: its keys and values to n − 1 others; backward they go again, and their gradients n times round a ring or
    /// through a reduce-scatter. Ulysses: all of its queries, keys, values and outputs but what stays, each way.
    pub fn sent(&self) -> [f64; 2] {
        let n = self.ranks as f64;
        let kv = 2.0 * self.bytes_of(self.kv_heads);
        match self.method {
            _ if self.ranks < 2 => [0.0; 2],
            Method::Ring => [(n - 1.0) * kv, (2.0 * n - 1.0) * kv],
            Method::AllGather => [(n - 1.0) * kv, 2.0 * (n - 1.0) * kv],
            Method::Ulysses => {
                let each = (n - 1.0) / n * 2.0 * (self.bytes_of(self.heads) + self.bytes_of(self.kv_spread()));
                [each, each]
            }
        }
    }

    /// Bytes of keys and values in a rank's memory while attention runs: those in use and those that arrive, or all of them, or
    /// those of its heads; backward, as much again for their gradients.
    pub fn kv_held(&self) -> f64 {
        let n = self.ranks as f64;
        let kv = 2.0 * self.bytes_of(self.kv_heads);
        self.with_gradients()
            * match self.method {
                Method::Ring => kv * n.min(2.0),
                Method::AllGather => kv * n,
                Method::Ulysses => 2.0 * self.bytes_of(self.kv_spread()),
            }
    }

    /// Bytes that a rank sends for one layer in this pass.
    pub fn sent_now(&self) -> f64 {
        self.sent()[self.pass as usize]
    }

    /// FLOP/s that attention reaches.
    fn rate(&self) -> f64 {
        self.gpu.peak * reached(self.gpu).attention[self.pass as usize]
    }

    /// FLOPs of a block, over those of the forward pass: five products for two.
    fn products(&self) -> f64 {
        match self.pass {
            Pass::Forward => 1.0,
            Pass::Backward => 2.5,
        }
    }

    /// Seconds of a block of chunk × chunk, nothing of it masked: 4·c²·h·d FLOPs, backward 2.5 times as many.
    pub fn block_time(&self) -> f64 {
        let chunk = self.tokens() / 2.0;
        self.products() * 4.0 * chunk * chunk * (self.heads * self.head_dim) as f64 / self.rate()
    }

    /// Bytes a second that the slowest link of the ring reaches.
    fn link_rate(&self) -> f64 {
        let link = if self.group().inside() { self.link } else { self.net };
        link.bandwidth * LINK
    }

    fn group(&self) -> Group {
        Group { ranks: self.ranks, stride: 1, local: self.node.clamp(1, self.ranks.max(1)) }
    }

    fn cluster(&self) -> Cluster {
        let nodes = self.ranks.div_ceil(self.node.max(1));
        Cluster { gpu: self.gpu, node: self.node, nodes, link: self.link, net: self.net }
    }

    /// Seconds in which so many times a rank's keys and values reach its neighbour; where some neighbours are in another node, theirs.
    fn transfer(&self, times: f64) -> f64 {
        if self.ranks < 2 || times == 0.0 {
            return 0.0;
        }
        self.cluster().send(self.group(), times * 2.0 * self.bytes_of(self.kv_heads))
    }

    /// Seconds of the send of a step of the ring: keys and values; backward, and the gradients of those before.
    pub fn step_transfer(&self) -> f64 {
        self.transfer(self.with_gradients())
    }

    /// Seconds of what travels in each step of the ring. Keys and values in all but the last round; backward, gradients in all
    /// but the first, and home.
    pub(super) fn transfers(&self) -> Vec<f64> {
        let n = self.ranks as usize;
        let times = |step| f64::from(u8::from(step < n)) + f64::from(u8::from(self.pass == Pass::Backward && step > 1));
        (1..=self.steps()).map(|step| self.transfer(times(step))).collect()
    }

    /// Blocks of the busiest rank in a step of the ring after the first.
    fn step_blocks(&self) -> f64 {
        if self.causal && self.split == Split::Zigzag { 2.0 } else { 4.0 }
    }

    /// Seconds of attention of the busiest rank in a step of the ring after the first.
    pub fn step_attention(&self) -> f64 {
        self.step_blocks() * self.block_time()
    }

    /// Tokens of a rank from which a step's attention takes as long as its send, latency aside: b·c²·4·h·d / F = 4·2c·k·d / B with
    /// b blocks in a step, chunks of c tokens, F FLOP/s and B bytes a second. Backward 2.5 times the FLOPs for twice the bytes.
    pub fn hides_from(&self) -> f64 {
        if self.ranks < 2 {
            return 0.0;
        }
        let ratio = self.rate() / self.link_rate();
        let [bytes, flops] = [self.with_gradients(), self.products()];
        4.0 * self.kv_heads as f64 / self.heads.max(1) as f64 * ratio / self.step_blocks() * bytes / flops
    }

    /// Seconds of the collectives before and after attention.
    pub(super) fn collectives(&self) -> [f64; 2] {
        let (cluster, group, n) = (self.cluster(), self.group(), self.ranks as f64);
        match self.method {
            Method::Ring => [0.0; 2],
            Method::AllGather => {
                let all = n * 2.0 * self.bytes_of(self.kv_heads);
                let back = if self.pass == Pass::Backward { cluster.time(Op::ReduceScatter, group, all) } else { 0.0 };
                [cluster.time(Op::AllGather, group, all), back]
            }
            Method::Ulysses => {
                let (output, inputs) =
                    (self.bytes_of(self.heads), self.bytes_of(self.heads) + 2.0 * self.bytes_of(self.kv_spread()));
                let each = match self.pass {
                    Pass::Forward => [inputs, output],
                    Pass::Backward => [output, inputs],
                };
                each.map(|bytes| cluster.time(Op::AllToAll, group, bytes))
            }
        }
    }
}

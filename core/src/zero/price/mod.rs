//! What each way of sharding costs in bytes, without running a step: held by a GPU, sent by a GPU, sent out of a node.
//!
//! [`Params`] name a [`Scheme`], a number of parameters Ψ, N GPUs in nodes of g, and the two types of FSDP's mixed precision.
//! [`Price`] lists the [`Collective`]s of a step; bytes follow from them as a ring sends them: (n − 1)/n of the whole buffer for an
//! all-gather or a reduce-scatter, twice that for an all-reduce. A ring over all GPUs leaves a node as often as it enters it, so
//! its (N − 1)/N of the buffer leave each node once.
//!
//! Not counted: activations, padding, buffers of the communication library, and FSDP's root, which stays gathered.

mod finding;
mod params;
#[cfg(test)]
mod tests;

use crate::hardware::Accelerator;
use crate::hardware::links::Link;
use crate::options;

/// A way of sharding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scheme {
    /// Nothing is sharded: DDP.
    #[default]
    NoShard,
    /// Optimizer states.
    Zero1,
    /// Optimizer states and gradients.
    Zero2,
    /// Everything, and what the forward pass gathers stays for the backward pass.
    ShardGradOp,
    /// Everything.
    FullShard,
    /// Everything; what the forward pass gathered is kept as a shard within the node.
    ReshardNode,
    /// Everything, within each node.
    HybridShard,
    /// Both: within each node, and the gathered copy stays.
    HybridZero2,
}

options!(Scheme {
    NoShard: "no-shard", "NO_SHARD";
    Zero1: "zero1", "ZeRO-1";
    Zero2: "zero2", "ZeRO-2";
    ShardGradOp: "shard-grad-op", "SHARD_GRAD_OP";
    FullShard: "full-shard", "FULL_SHARD";
    ReshardNode: "reshard-node", "ZeRO++ hpZ";
    HybridShard: "hybrid-shard", "HYBRID_SHARD";
    HybridZero2: "hybrid-zero2", "_HYBRID_SHARD_ZERO2";
});

impl Scheme {
    /// How FSDP2 writes it; what else has it where FSDP2 has no form.
    pub const fn in_fsdp2(self) -> &'static str {
        match self {
            Self::NoShard => "replicate(model)",
            Self::Zero1 => "ZeroRedundancyOptimizer, DeepSpeed stage 1",
            Self::Zero2 => "DeepSpeed stage 2",
            Self::ShardGradOp => "reshard_after_forward=False",
            Self::FullShard => "reshard_after_forward=True",
            Self::ReshardNode => "reshard_after_forward=<ranks of a node>",
            Self::HybridShard => "2-D mesh, reshard_after_forward=True",
            Self::HybridZero2 => "2-D mesh, reshard_after_forward=False",
        }
    }

    /// Whether states are divided by the ranks of a node only.
    const fn within_node(self) -> bool {
        matches!(self, Self::HybridShard | Self::HybridZero2)
    }

    /// Whether parameters are sharded between the steps.
    const fn shards_parameters(self) -> bool {
        !matches!(self, Self::NoShard | Self::Zero1 | Self::Zero2)
    }
}

/// The type in which something is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sent {
    /// 2 bytes.
    #[default]
    Bf16,
    /// 4 bytes.
    Fp32,
}

options!(Sent {
    Bf16: "bf16", "bf16";
    Fp32: "fp32", "fp32";
});

impl Sent {
    /// Bytes of an element.
    pub const fn bytes(self) -> f64 {
        match self {
            Self::Bf16 => 2.0,
            Self::Fp32 => 4.0,
        }
    }
}

/// The state of the widget.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// The way of sharding.
    pub scheme: Scheme,
    /// Parameters of the model, Ψ.
    pub params: f64,
    /// Blocks of the model, each a unit.
    pub units: u64,
    /// GPUs, N.
    pub gpus: u64,
    /// GPUs of a node, g.
    pub node: u64,
    /// The type in which parameters are gathered: `param_dtype`.
    pub gathered: Sent,
    /// The type in which gradients are reduced: `reduce_dtype`.
    pub reduced: Sent,
    /// Micro-batches of a step.
    pub microbatches: u64,
    /// Whether gradients are exchanged after the last micro-batch only.
    pub last_only: bool,
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// The link within a node.
    pub link: &'static Link,
    /// The link between nodes, a port for each GPU.
    pub net: &'static Link,
}

/// Whom a collective spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// All GPUs.
    World,
    /// The GPUs of a node.
    Node,
    /// One GPU of each node, those in the same place.
    Across,
}

/// The same collective, some times in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Collective {
    /// What it does: "all-gather of the parameters, forward".
    pub what: &'static str,
    /// Whom it spans.
    pub span: Span,
    /// Times that a ring sends the buffer round: 1, or 2 for an all-reduce.
    pub rounds: f64,
    /// Bytes of the whole buffer.
    pub buffer: f64,
    /// How often in a step.
    pub times: f64,
}

/// What a scheme costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    /// Model states that a GPU holds between the passes, bytes: parameters, gradients, optimizer states.
    pub states: f64,
    /// What it holds besides, from the forward pass to the end of the backward pass: a gathered copy.
    pub copy: f64,
    /// Two gathered units and the gradients of one, where parameters are sharded.
    pub working: f64,
    /// Whole gradients that wait for the last micro-batch.
    pub waiting: f64,
    /// What is sent.
    pub collectives: Vec<Collective>,
    /// Bytes that a GPU sends in a step.
    pub sent: f64,
    /// Bytes that leave a node in a step.
    pub leaving: f64,
    /// Seconds that the links within a node need for it, all that a GPU sends going over one.
    pub inside: f64,
    /// Seconds that the ports of a node need for what leaves it.
    pub between: f64,
}

impl Price {
    /// The most that a GPU holds, activations aside.
    pub fn peak(&self) -> f64 {
        self.states + self.copy + self.working + self.waiting
    }

    /// Seconds on the wire: a ring is as slow as its slowest link.
    pub fn wire(&self) -> f64 {
        self.inside.max(self.between)
    }
}

impl Params {
    /// GPUs of a node that there are.
    pub fn in_node(&self) -> f64 {
        self.node.min(self.gpus).max(1) as f64
    }

    /// Nodes.
    pub fn nodes(&self) -> f64 {
        self.gpus.max(1) as f64 / self.in_node()
    }

    /// GPUs among which the states of `scheme` are divided.
    pub fn shards(&self, scheme: Scheme) -> f64 {
        match scheme {
            Scheme::NoShard => 1.0,
            _ if scheme.within_node() => self.in_node(),
            _ => self.gpus.max(1) as f64,
        }
    }

    /// GPUs that a collective spans.
    fn ranks(&self, span: Span) -> f64 {
        match span {
            Span::World => self.gpus.max(1) as f64,
            Span::Node => self.in_node(),
            Span::Across => self.nodes(),
        }
    }

    /// Bytes that a GPU sends for all of these.
    fn sent(&self, c: &Collective) -> f64 {
        let n = self.ranks(c.span);
        c.times * c.rounds * c.buffer * (n - 1.0) / n
    }

    /// Bytes that leave a node for all of these.
    fn leaving(&self, c: &Collective) -> f64 {
        match c.span {
            _ if self.nodes() <= 1.0 => 0.0,
            Span::World => self.sent(c),
            Span::Node => 0.0,
            Span::Across => self.in_node() * self.sent(c),
        }
    }

    /// The collectives of a step under `scheme`.
    fn collectives(&self, scheme: Scheme) -> Vec<Collective> {
        let m = self.microbatches.max(1) as f64;
        let reduces = if self.last_only { 1.0 } else { m };
        let weights = self.gathered.bytes() * self.params;
        let gradients = self.reduced.bytes() * self.params;
        let group = if scheme.within_node() { Span::Node } else { Span::World };
        let gather = |what, span, times| Collective { what, span, rounds: 1.0, buffer: weights, times };
        let scatter = |times| Collective {
            what: "reduce-scatter of the gradients",
            span: group,
            rounds: 1.0,
            buffer: gradients,
            times,
        };
        let forward = gather("all-gather of the parameters, forward", group, m);
        let backward = |span| gather("all-gather of the parameters, backward", span, m);
        let updated = gather("all-gather of the updated parameters", Span::World, 1.0);
        let across = Collective {
            what: "all-reduce of a shard’s gradients over the nodes",
            span: Span::Across,
            rounds: 2.0,
            buffer: gradients / self.in_node(),
            times: reduces,
        };
        match scheme {
            Scheme::NoShard => vec![Collective {
                what: "all-reduce of the gradients",
                span: Span::World,
                rounds: 2.0,
                buffer: gradients,
                times: reduces,
            }],
            // Whole gradients add up in place; the exchange is one either way.
            Scheme::Zero1 => vec![scatter(1.0), updated],
            Scheme::Zero2 => vec![scatter(m), updated],
            Scheme::ShardGradOp => vec![forward, scatter(reduces)],
            Scheme::FullShard => vec![forward, backward(Span::World), scatter(reduces)],
            Scheme::ReshardNode => vec![forward, backward(Span::Node), scatter(reduces)],
            // Shards of gradients add up on each rank of a node; only the all-reduce over the nodes waits for the last.
            Scheme::HybridShard => vec![forward, backward(Span::Node), scatter(m), across],
            Scheme::HybridZero2 => vec![forward, scatter(m), across],
        }
    }

    /// What `scheme` costs with these parameters.
    pub fn price(&self, scheme: Scheme) -> Price {
        let n = self.shards(scheme);
        let (whole, unit) = (self.params, self.params / self.units.max(1) as f64);
        let (p, r) = (self.gathered.bytes(), self.reduced.bytes());
        // 2 + 2 + 12 bytes, or 4 + 4 + 8; under FSDP the shard itself is fp32.
        let states = match scheme {
            Scheme::NoShard => 16.0 * whole,
            Scheme::Zero1 => 2.0 * p * whole + (16.0 - 2.0 * p) * whole / n,
            Scheme::Zero2 => p * whole + (16.0 - p) * whole / n,
            _ => 16.0 * whole / n,
        };
        let copy = match scheme {
            Scheme::ShardGradOp | Scheme::HybridZero2 => p * whole,
            Scheme::ReshardNode => p * whole / self.in_node(),
            _ => 0.0,
        };
        let working = if scheme.shards_parameters() {
            let gathered = if copy >= p * whole { 0.0 } else { 2.0 };
            gathered * p * unit + r * unit
        } else {
            0.0
        };
        let waits = self.last_only && self.microbatches > 1;
        let waiting = match scheme {
            Scheme::ShardGradOp | Scheme::FullShard | Scheme::ReshardNode if waits => r * whole,
            _ => 0.0,
        };
        let collectives = self.collectives(scheme);
        let sum = |of: fn(&Self, &Collective) -> f64| collectives.iter().map(|c| of(self, c)).sum::<f64>();
        let (sent, leaving) = (sum(Self::sent), sum(Self::leaving));
        let inside = if self.in_node() > 1.0 { sent / self.link.bandwidth } else { 0.0 };
        let between = leaving / self.in_node() / self.net.bandwidth;
        Price { states, copy, working, waiting, sent, leaving, inside, between, collectives }
    }
}

//! The cluster, and how the ranks of a job lie on its nodes.
//!
//! Ranks count as Megatron-LM's do by default (`--use-tp-pp-dp-mapping` off): tensor parallelism innermost, then context,
//! data and pipeline parallelism. A group's neighbours are therefore 1, tp, tp·cp and tp·cp·dp ranks apart. Expert
//! parallelism takes neighbours along cp and dp. Nodes are filled one after another.

use super::efficiency::{COLLECTIVE, LINK};
use crate::collective::{Algo, Op};
use crate::hardware::Accelerator;
use crate::hardware::links::Link;
use crate::network::{Fabric, cost};

/// GPUs in nodes, and what connects them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cluster {
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// GPUs in a node, at least 1.
    pub node: u64,
    /// Nodes, at least 1.
    pub nodes: u64,
    /// The link inside a node.
    pub link: &'static Link,
    /// The link between nodes; each GPU has a port of it.
    pub net: &'static Link,
}

/// Ways to divide the work, from the innermost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Axis {
    /// Matrices.
    Tensor,
    /// The sequence.
    Context,
    /// Experts; along cp and dp.
    Expert,
    /// The batch.
    Data,
    /// Layers.
    Pipeline,
}

impl Axis {
    /// All of them, from the innermost.
    pub const ALL: [Axis; 5] = [Axis::Tensor, Axis::Context, Axis::Expert, Axis::Data, Axis::Pipeline];

    /// The name of its degree: `tp`.
    pub const fn id(self) -> &'static str {
        match self {
            Axis::Tensor => "tp",
            Axis::Context => "cp",
            Axis::Expert => "ep",
            Axis::Data => "dp",
            Axis::Pipeline => "pp",
        }
    }

    /// What a person reads.
    pub const fn label(self) -> &'static str {
        match self {
            Axis::Tensor => "tensor",
            Axis::Context => "context",
            Axis::Expert => "expert",
            Axis::Data => "data",
            Axis::Pipeline => "pipeline",
        }
    }

    /// The axis with this id.
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|a| a.id() == id)
    }
}

/// The degrees of a job, each at least 1. Its GPUs are tp × cp × dp × pp; ep divides dp × cp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Degrees {
    /// Tensor-parallel ranks.
    pub tp: u64,
    /// Context-parallel ranks.
    pub cp: u64,
    /// Expert-parallel ranks.
    pub ep: u64,
    /// Data-parallel ranks.
    pub dp: u64,
    /// Pipeline stages.
    pub pp: u64,
}

/// The ranks of one group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// How many.
    pub ranks: u64,
    /// How far apart neighbours are.
    pub stride: u64,
    /// How many of them are in one node.
    pub local: u64,
}

impl Group {
    fn new(ranks: u64, stride: u64, node: u64) -> Self {
        Self { ranks, stride, local: (node / stride.max(1)).clamp(1, ranks.max(1)) }
    }

    /// Whether it stays inside a node.
    pub fn inside(&self) -> bool {
        self.local >= self.ranks
    }
}

impl Degrees {
    /// GPUs of the job.
    pub fn gpus(&self) -> u64 {
        self.tp.saturating_mul(self.cp).saturating_mul(self.dp).saturating_mul(self.pp)
    }

    /// The degree of an axis.
    pub fn of(&self, axis: Axis) -> u64 {
        match axis {
            Axis::Tensor => self.tp,
            Axis::Context => self.cp,
            Axis::Expert => self.ep,
            Axis::Data => self.dp,
            Axis::Pipeline => self.pp,
        }
    }

    /// The groups along an axis, in nodes of `node` ranks.
    pub fn group(&self, axis: Axis, node: u64) -> Group {
        let stride = match axis {
            Axis::Tensor => 1,
            Axis::Context | Axis::Expert => self.tp,
            Axis::Data => self.tp.saturating_mul(self.cp),
            Axis::Pipeline => self.tp.saturating_mul(self.cp).saturating_mul(self.dp),
        };
        Group::new(self.of(axis), stride, node)
    }

    /// The ranks that hold the same parameters, between which ZeRO divides them: dp × cp.
    pub fn replicas(&self, node: u64) -> Group {
        Group::new(self.dp.saturating_mul(self.cp), self.tp, node)
    }

    /// Where `rank` stands along an axis, and which of the axis's groups it is in.
    pub fn place(&self, axis: Axis, rank: u64) -> (u64, u64) {
        let Group { ranks, stride, .. } = self.group(axis, 1);
        let (ranks, stride) = (ranks.max(1), stride.max(1));
        let block = stride.saturating_mul(ranks);
        (rank / stride % ranks, rank / block * stride + rank % stride)
    }
}

impl Cluster {
    /// GPUs in all.
    pub fn gpus(&self) -> u64 {
        self.node.saturating_mul(self.nodes)
    }

    /// Seconds that an operation on `bytes` bytes takes within a group: the fastest of a ring, NCCL's trees and recursive halving–doubling; for an
    /// all-to-all, the messages one after another. Links give [`LINK`] of their peaks. Nothing for a single rank.
    pub fn time(&self, op: Op, group: Group, bytes: f64) -> f64 {
        let real = |link: &Link| Link { bandwidth: link.bandwidth * LINK, ..*link };
        let size = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let fabric = Fabric::nodes(size(group.local), &real(self.link), &real(self.net));
        let algorithms: &[Algo] = match op {
            Op::AllToAll => &[Algo::Direct],
            _ => &[Algo::Ring, Algo::DoubleBinaryTree, Algo::HalvingDoubling],
        };
        let costs = algorithms.iter().filter_map(|algo| cost(op, *algo, size(group.ranks), &fabric));
        let fastest = costs.min_by(|a, b| a.time(bytes).total_cmp(&b.time(bytes))).unwrap_or_default();
        if group.ranks > 1 { fastest.time(bytes) + COLLECTIVE } else { 0.0 }
    }

    /// Seconds that `bytes` take from one rank of a group to its neighbour. Where only some neighbours are in the same node
    /// the others set the pace.
    pub fn send(&self, group: Group, bytes: f64) -> f64 {
        let link = if group.inside() { self.link } else { self.net };
        link.latency + bytes / (link.bandwidth * LINK)
    }
}

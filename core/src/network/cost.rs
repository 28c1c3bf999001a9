//! The closed forms.

use super::fabric::Fabric;
use crate::collective::{Algo, Op};

/// A straight line: what any number of bytes takes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Cost {
    /// Seconds that an empty buffer takes: the hops of the slowest way, one after another.
    pub latency: f64,
    /// Seconds for each byte of the buffer.
    pub per_byte: f64,
}

impl Cost {
    /// Seconds for a buffer of `bytes`.
    pub fn time(self, bytes: f64) -> f64 {
        self.latency + self.per_byte * bytes
    }

    /// `bytes` over the time, bytes a second: nccl-tests' algorithm bandwidth. 0 where nothing takes any time.
    pub fn algbw(self, bytes: f64) -> f64 {
        let time = self.time(bytes);
        if time > 0.0 { bytes / time } else { 0.0 }
    }

    /// What [`Cost::algbw`] comes to as buffers grow; 0 where there is no limit.
    pub fn peak(self) -> f64 {
        if self.per_byte > 0.0 { 1.0 / self.per_byte } else { 0.0 }
    }

    /// n½: the bytes that take as long on their way as the hops before them. They get half of [`Cost::peak`]; below,
    /// latency is most of the time, above it bandwidth is. Hockney 1994.
    pub fn half_size(self) -> f64 {
        if self.per_byte > 0.0 { self.latency / self.per_byte } else { 0.0 }
    }

    /// The bytes from which on the other, slower for few bytes, is faster. None if one of them is faster throughout.
    pub fn crossover(self, other: Self) -> Option<f64> {
        let size = (other.latency - self.latency) / (self.per_byte - other.per_byte);
        (size.is_finite() && size > 0.0).then_some(size)
    }

    fn and(self, next: Self) -> Self {
        Self { latency: self.latency + next.latency, per_byte: self.per_byte + next.per_byte }
    }

    fn twice(self) -> Self {
        self.and(self)
    }
}

/// What NCCL's tuner leaves of the bandwidth of a tree (`ncclTopoTuneModel`, `busBw * .92`, Simple protocol).
pub const TREE_EFFICIENCY: f64 = 0.92;

/// Seconds that `op` by `algo` takes with `bytes` bytes among `ranks` ranks, which fill one node after another; none where
/// [`cost`] is none. S is as in [`crate::collective`]: the whole buffer.
pub fn time(op: Op, algo: Algo, ranks: usize, bytes: f64, fabric: &Fabric) -> Option<f64> {
    cost(op, algo, ranks, fabric).map(|cost| cost.time(bytes))
}

/// A ring, which does every operation.
///
/// All n ranks stand in one circle and each goes on as soon as it has something, so latency follows the slowest chunk through
/// its hops, whatever tier each is of ([`Fabric::turns`]), and bandwidth is that of the narrowest boundary. Broadcast and
/// reduce send slices so small that filling the chain takes only its latency.
///
/// NCCL's tuner takes a chain for the circle: 2 (nodes − 1) hops between nodes for an all-reduce, of 2 · nodes that its ring
/// has (`src/graph/tuning.cc`, `nInterSteps`; older versions counted 2 · nodes).
pub fn ring(op: Op, ranks: usize, fabric: &Fabric) -> Cost {
    if ranks < 2 {
        return Cost::default();
    }
    let n = ranks as f64;
    // Rounds, and what crosses each boundary in one of them, in units of the buffer.
    let (rounds, load) = match op {
        Op::Broadcast | Op::Reduce => (1.0, 1.0),
        Op::ReduceScatter | Op::AllGather => (1.0, (n - 1.0) / n),
        Op::AllReduce => (2.0, (n - 1.0) / n),
        // Each block goes on until it is there: half of the way round, on average.
        Op::AllToAll => (1.0, (n - 1.0) / 2.0),
    };
    let latency = match op {
        Op::Broadcast | Op::Reduce => fabric.chain(ranks),
        Op::AllReduce => fabric.turns(ranks, 2),
        Op::ReduceScatter | Op::AllGather | Op::AllToAll => fabric.turns(ranks, 1),
    };
    Cost { latency, per_byte: rounds * load / fabric.ring_bandwidth(ranks) }
}

/// What `op` by `algo` costs among `ranks` ranks that fill one node after another. Nothing for a single rank.
///
/// - **Ring**: [`ring`].
/// - **Double binary tree**, as NCCL builds it: a chain through the ranks of a node, two binary trees over the nodes, both in
///   a pipeline, at [`TREE_EFFICIENCY`] of the bandwidth.
/// - **Binomial tree** and **through one root**: whole messages, one step after another.
/// - **Recursive halving–doubling**, **direct** and **hierarchical**: each tier in turn, all of its ranks at once.
///
/// None where `algo` does not do `op`, or where the form is not closed: bidirectional rings and single binary trees,
/// halving–doubling over groups whose numbers are no powers of two, and chunks through one root.
pub fn cost(op: Op, algo: Algo, ranks: usize, fabric: &Fabric) -> Option<Cost> {
    if !algo.does(op) {
        return None;
    }
    if ranks < 2 {
        return Some(Cost::default());
    }
    match algo {
        Algo::Ring => Some(ring(op, ranks, fabric)),
        Algo::DoubleBinaryTree => Some(tree(op, ranks, fabric)),
        Algo::BinomialTree => Some(once_or_twice(op, whole_messages(ranks, fabric, true))),
        Algo::Naive if matches!(op, Op::Broadcast | Op::Reduce | Op::AllReduce) => {
            Some(once_or_twice(op, whole_messages(ranks, fabric, false)))
        }
        Algo::HalvingDoubling if fabric.spans(ranks).all(|span| span.fan.is_power_of_two()) => {
            Some(by_tier(op, ranks, fabric, true))
        }
        Algo::Hierarchical => Some(by_tier(op, ranks, fabric, false)),
        Algo::Direct => Some(once_or_twice(op, direct(ranks, fabric))),
        _ => None,
    }
}

/// An all-reduce is two of what the others are one of.
fn once_or_twice(op: Op, once: Cost) -> Cost {
    if op == Op::AllReduce { once.twice() } else { once }
}

fn tree(op: Op, ranks: usize, fabric: &Fabric) -> Cost {
    let node = fabric.node();
    let latency = fabric.spans(ranks).map(|span| {
        let chain = span.ranks <= node;
        let depth = if chain { span.hops_in_one() } else { f64::from(span.fan.ilog2()) };
        depth * span.tier.latency
    });
    let latency = latency.sum();
    once_or_twice(op, Cost { latency, per_byte: 1.0 / (TREE_EFFICIENCY * fabric.ring_bandwidth(ranks)) })
}

/// All of the buffer in each message: as many steps as doublings, or one for each other rank.
fn whole_messages(ranks: usize, fabric: &Fabric, doubling: bool) -> Cost {
    fabric.spans(ranks).fold(Cost::default(), |sum, span| {
        let steps = if doubling { span.doublings() } else { (span.ranks - span.below) as f64 };
        sum.and(Cost { latency: steps * span.tier.latency, per_byte: steps / span.tier.port })
    })
}

/// Tier by tier: a reduce-scatter or all-gather among the groups of each, by doublings or around a ring. Inside them, what
/// is sent is the smaller the more ranks share it.
fn by_tier(op: Op, ranks: usize, fabric: &Fabric, doubling: bool) -> Cost {
    let once = fabric.spans(ranks).fold(Cost::default(), |sum, span| {
        let steps = if doubling { span.doublings() } else { span.hops_in_one() };
        // What leaves a group, in units of the buffer.
        let load = match op {
            // Bruck et al.: half of every rank's blocks in each step.
            Op::AllToAll if doubling => span.below as f64 * steps / 2.0,
            Op::AllToAll => span.below as f64 * span.others(),
            _ => span.others(),
        };
        sum.and(Cost { latency: steps * span.tier.latency, per_byte: load / span.tier.trunk })
    });
    once_or_twice(op, once)
}

/// A part of the buffer from each rank to each, one message after another.
fn direct(ranks: usize, fabric: &Fabric) -> Cost {
    fabric.spans(ranks).fold(Cost::default(), |sum, span| {
        let peers = (span.ranks - span.below) as f64;
        let load = span.below as f64 * peers / ranks as f64;
        sum.and(Cost { latency: peers * span.tier.latency, per_byte: load / span.tier.trunk })
    })
}

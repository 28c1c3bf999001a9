//! What connects the ranks of a machine.

use crate::hardware::links::{Link, Wiring};

/// Tiers of a machine: ranks to a socket or switch, sockets to a node, nodes to each other.
pub const TIERS: usize = 3;

/// What connects groups of ranks into larger ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tier {
    /// Ranks in a group that it makes, at least as many as in those of the tier below.
    pub ranks: usize,
    /// α: seconds for a hop from one of the groups below to another.
    pub latency: f64,
    /// Bytes a second that one message gets.
    pub port: f64,
    /// Bytes a second, in one direction, that all messages together get out of one of the groups below.
    pub trunk: f64,
}

/// A machine: its tiers from the innermost. The last one holds any number of ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fabric {
    /// The tiers.
    pub tiers: [Tier; TIERS],
}

impl Fabric {
    /// Any number of ranks, each with one port of this link.
    pub fn flat(link: &Link) -> Self {
        Self::nodes(1, link, link)
    }

    /// Nodes of `node` ranks: `inside` between the ranks of a node, one port of `across` to the other nodes for each rank.
    ///
    /// A mesh has a wire from each rank of a node to each other one, and as many rings as wires run at a time.
    pub fn nodes(node: usize, inside: &Link, across: &Link) -> Self {
        let node = node.max(1);
        let wires = match inside.wiring {
            Wiring::Port => 1.0,
            Wiring::Mesh => node.saturating_sub(1).max(1) as f64,
        };
        let tier = |ranks, link: &Link, ports: f64| Tier {
            ranks,
            latency: link.latency,
            port: link.bandwidth,
            trunk: link.bandwidth * ports,
        };
        Self { tiers: [tier(node, inside, wires), tier(node, inside, wires), tier(usize::MAX, across, node as f64)] }
    }

    /// The same with `nics` ports to the other nodes in a node, before [`Fabric::oversubscribed`].
    #[must_use]
    pub fn with_nics(mut self, nics: usize) -> Self {
        let [.., across] = &mut self.tiers;
        across.trunk = across.port * nics.max(1) as f64;
        self
    }

    /// The same with the ranks of a node on `sockets` sockets, and one `bridge` out of each.
    #[must_use]
    pub fn with_sockets(mut self, sockets: usize, bridge: &Link) -> Self {
        let [inside, between, _] = &mut self.tiers;
        inside.ranks = between.ranks.div_ceil(sockets.max(1));
        between.latency = bridge.latency;
        between.port = bridge.bandwidth;
        between.trunk = bridge.bandwidth;
        self
    }

    /// The same with a network that carries only 1/`factor` of what the nodes' ports can send at once. Every message
    /// between nodes is taken to go through what is scarce: ranks placed one beside the other need less of it.
    #[must_use]
    pub fn oversubscribed(mut self, factor: f64) -> Self {
        let [.., across] = &mut self.tiers;
        across.trunk /= factor.max(1.0);
        across.port = across.port.min(across.trunk);
        self
    }

    /// The same with this share of every bandwidth.
    #[must_use]
    pub fn reaching(mut self, share: f64) -> Self {
        for tier in &mut self.tiers {
            tier.port *= share;
            tier.trunk *= share;
        }
        self
    }

    /// What every `stride`-th rank has of it while the ranks between do the same among themselves: the groups of one place in
    /// each stretch of `stride` ranks share every trunk.
    #[must_use]
    pub fn every(mut self, stride: usize) -> Self {
        let stride = stride.max(1);
        let mut below = 1;
        for tier in &mut self.tiers {
            let sharing = stride.min(below) as f64;
            below = tier.ranks;
            tier.trunk /= sharing;
            tier.port = tier.port.min(tier.trunk);
            tier.ranks = if tier.ranks == usize::MAX { usize::MAX } else { tier.ranks.div_ceil(stride) };
        }
        self
    }

    /// Ranks in a node.
    pub fn node(&self) -> usize {
        let [_, node, _] = &self.tiers;
        node.ranks.max(1)
    }

    /// Bytes a second that every rank can send at once in a ring of `ranks`: the least of the trunks on its way.
    pub fn ring_bandwidth(&self, ranks: usize) -> f64 {
        self.spans(ranks).map(|span| span.tier.trunk).fold(f64::INFINITY, f64::min)
    }

    /// Seconds of the hops from the first of `ranks` ranks through all others to the last.
    pub fn chain(&self, ranks: usize) -> f64 {
        self.spans(ranks).map(|span| span.hops as f64 * span.tier.latency).sum()
    }

    /// Seconds of the slowest chunk's hops on `turns` turns round a circle of `ranks` ranks. A chunk makes `turns` hops fewer
    /// than that, one after another: it ends as many ranks short of where it began. The slowest is spared hops within the
    /// innermost tier, where there are two in a row if that joins three ranks; else the second is one of the next tier.
    pub fn turns(&self, ranks: usize, turns: usize) -> f64 {
        let mut spans = self.spans(ranks);
        let Some(inner) = spans.next() else { return 0.0 };
        let next = spans.next().unwrap_or(inner);
        let outer = spans.next().unwrap_or(next);
        let neighbour = if inner.fan > 2 { inner } else { next };
        let circle = self.chain(ranks) + outer.tier.latency;
        let spared = |turn: usize| if turn.is_multiple_of(2) { inner.tier.latency } else { neighbour.tier.latency };
        turns as f64 * circle - (0..turns).map(spared).sum::<f64>()
    }

    /// The tiers that `ranks` ranks, one beside the other, need.
    pub(super) fn spans(&self, ranks: usize) -> impl Iterator<Item = Span> {
        let mut below = 1;
        let tiers = self.tiers;
        tiers.into_iter().filter_map(move |tier| {
            let all = tier.ranks.clamp(below, ranks.max(below));
            let span = Span {
                tier,
                below,
                ranks: all,
                fan: all.div_ceil(below),
                hops: ranks.div_ceil(below).saturating_sub(ranks.div_ceil(all)),
            };
            below = all;
            (span.hops > 0).then_some(span)
        })
    }
}

/// A tier as some ranks use it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    pub tier: Tier,
    /// Ranks in one of the groups below.
    pub below: usize,
    /// Ranks in one of its own groups.
    pub ranks: usize,
    /// Groups below in one of its own: the last may be smaller.
    pub fan: usize,
    /// Hops over it on a way through all ranks, one after another.
    pub hops: usize,
}

impl Span {
    /// Hops over it on a way through all ranks of one of its groups.
    pub fn hops_in_one(&self) -> f64 {
        self.fan as f64 - 1.0
    }

    /// Steps in which what one group below has reaches all of them by doubling: ⌈log₂ fan⌉.
    pub fn doublings(&self) -> f64 {
        f64::from(self.fan.max(1).next_power_of_two().trailing_zeros())
    }

    /// The share of the whole that a group below must send when each has an equal part.
    pub fn others(&self) -> f64 {
        self.hops_in_one() / self.fan as f64
    }
}

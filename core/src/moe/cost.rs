//! What an expert-parallel layer takes: bytes of both all-to-alls by link, the experts' products, and who waits for whom.
//!
//! Experts lie on ranks in order, tokens on ranks in order. Dispatch sends a token's hidden vector to its experts' ranks, combine
//! sends theirs back. Either every copy goes by itself (GShard, arXiv:2006.16668; Megatron-LM's all-to-all dispatcher), or one copy
//! goes to each *node*, to the rank with the same number there, and on over the links inside (DeepSeek-V3, arXiv:2412.19437, §3.2.2;
//! DeepEP). The busiest port of each kind sets the time; both kinds of link work at the same time. A rank's experts take the longer
//! of their FLOPs and of reading their weights. Links and products reach what they reach in the planner.

use super::route::Choice;
use crate::declare::Origin;
use crate::hardware::Accelerator;
use crate::hardware::links::Link;
use crate::planner::efficiency::{COLLECTIVE, GROUPED, LINK, reached};

/// Where bytes and times come from.
pub const ORIGIN: Origin = Origin::Own(
    "bytes over the busiest port and the experts’ FLOPs and weights at achieved rates; copies go as in GShard, arXiv:2006.16668, or once per node as in DeepSeek-V3, arXiv:2412.19437, §3.2.2",
);

/// How copies go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sending {
    /// Each by itself.
    #[default]
    Copies,
    /// One to each node, and on from there.
    Nodes,
}

crate::options!(Sending {
    Copies: "copies", "one for each expert";
    Nodes: "nodes", "one for each node, then on inside";
});

/// Where experts and tokens lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// Ranks.
    pub ranks: usize,
    /// Ranks of a node.
    pub node: usize,
    /// Experts, which the ranks divide.
    pub experts: usize,
}

impl Placement {
    /// The rank of an expert.
    pub fn rank_of(&self, expert: usize) -> usize {
        expert * self.ranks / self.experts.max(1)
    }

    /// The rank on which token `token` of `tokens` lies.
    pub fn home(&self, token: usize, tokens: usize) -> usize {
        token * self.ranks / tokens.max(1)
    }

    /// The node of a rank.
    pub fn node_of(&self, rank: usize) -> usize {
        rank / self.node.max(1)
    }
}

/// Hidden vectors that each rank sends and gets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Over links inside a node: sent, received.
    pub inside: Vec<[u64; 2]>,
    /// Between nodes.
    pub between: Vec<[u64; 2]>,
    /// Copies that each rank's experts work on, its own tokens' included.
    pub worked: Vec<u64>,
    /// Nodes that a token goes to, its own not counted, summed over tokens.
    pub nodes: u64,
}

impl Traffic {
    /// Of tokens whose choices `kept` says are kept.
    pub fn of(routed: &[Vec<Choice>], kept: &[Vec<bool>], place: &Placement, sending: Sending) -> Self {
        let none = vec![[0, 0]; place.ranks];
        let mut traffic = Self { inside: none.clone(), between: none, worked: vec![0; place.ranks], nodes: 0 };
        for (token, (choices, kept)) in routed.iter().zip(kept).enumerate() {
            let home = place.home(token, routed.len());
            let mut ranks: Vec<usize> =
                choices.iter().zip(kept).filter(|(_, kept)| **kept).map(|(c, _)| place.rank_of(c.expert)).collect();
            for rank in &ranks {
                if let Some(n) = traffic.worked.get_mut(*rank) {
                    *n += 1;
                }
            }
            let mut nodes: Vec<usize> = ranks.iter().map(|rank| place.node_of(*rank)).collect();
            nodes.sort_unstable();
            nodes.dedup();
            nodes.retain(|node| *node != place.node_of(home));
            traffic.nodes += nodes.len() as u64;
            match sending {
                Sending::Copies => {
                    for rank in ranks {
                        traffic.send(place, home, rank);
                    }
                }
                Sending::Nodes => {
                    ranks.sort_unstable();
                    ranks.dedup();
                    let number = home % place.node.max(1);
                    let entry = |node: usize| (node * place.node + number).min(place.ranks.saturating_sub(1));
                    for node in nodes {
                        traffic.send(place, home, entry(node));
                    }
                    for rank in ranks {
                        let node = place.node_of(rank);
                        let from = if node == place.node_of(home) { home } else { entry(node) };
                        traffic.send(place, from, rank);
                    }
                }
            }
        }
        traffic
    }

    fn send(&mut self, place: &Placement, from: usize, to: usize) {
        if from == to {
            return;
        }
        let same = place.node_of(from) == place.node_of(to);
        let link = if same { &mut self.inside } else { &mut self.between };
        if let Some([sent, _]) = link.get_mut(from) {
            *sent += 1;
        }
        if let Some([_, got]) = link.get_mut(to) {
            *got += 1;
        }
    }
}

/// The machine and the layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layer {
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// Inside a node.
    pub link: &'static Link,
    /// Between nodes: one port for each rank.
    pub net: &'static Link,
    /// Width of a hidden vector.
    pub hidden: u64,
    /// Width of an expert.
    pub width: u64,
    /// Width of all shared experts together.
    pub shared: u64,
    /// Experts on a rank.
    pub held: u64,
    /// Bytes of a value on its way to an expert.
    pub out: f64,
    /// Bytes of a value on its way back.
    pub back: f64,
}

/// What a layer takes, forward.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Times {
    /// Seconds of the all-to-all to the experts.
    pub dispatch: f64,
    /// Seconds of each rank's products, its shared experts included.
    pub experts: Vec<f64>,
    /// Seconds of the all-to-all back.
    pub combine: f64,
    /// Bytes that a rank sends to experts, on average, inside its node and to other nodes.
    pub sent: [f64; 2],
}

impl Times {
    /// Seconds of the slowest rank's products.
    pub fn slowest(&self) -> f64 {
        self.experts.iter().copied().fold(0.0, f64::max)
    }

    /// Seconds of the layer: everybody waits for the slowest.
    pub fn total(&self) -> f64 {
        self.dispatch + self.slowest() + self.combine
    }

    /// The part of it that is spent in all-to-alls.
    pub fn communication(&self) -> f64 {
        let total = self.total();
        if total == 0.0 { 0.0 } else { (self.dispatch + self.combine) / total }
    }

    /// The part of the products' time that a rank waits for the slowest, on average.
    pub fn waiting(&self) -> f64 {
        let (slowest, n) = (self.slowest(), self.experts.len().max(1) as f64);
        let waiting = if slowest == 0.0 { 0.0 } else { 1.0 - self.experts.iter().sum::<f64>() / n / slowest };
        // What is left of rounding where all take as long.
        if waiting < 1e-9 { 0.0 } else { waiting }
    }
}

impl Layer {
    /// FLOPs of one copy through one expert: three products of hidden × width.
    pub fn flop(&self) -> f64 {
        6.0 * self.hidden as f64 * self.width as f64
    }

    /// The times, where each of a sample's tokens stands for `each` tokens and each rank has `tokens` of its own.
    pub fn times(&self, traffic: &Traffic, each: f64, tokens: f64) -> Times {
        let hidden = self.hidden as f64 * each;
        let busiest = |ports: &[[u64; 2]]| ports.iter().flatten().copied().max().unwrap_or(0) as f64 * hidden;
        let (inside, between) = (busiest(&traffic.inside), busiest(&traffic.between));
        let all_to_all = |bytes: f64| {
            if inside == 0.0 && between == 0.0 {
                return 0.0;
            }
            let over = |values: f64, link: &Link| {
                if values == 0.0 { 0.0 } else { link.latency + values * bytes / (link.bandwidth * LINK) }
            };
            COLLECTIVE + over(inside, self.link).max(over(between, self.net))
        };
        let reached = reached(self.gpu);
        let held = 3.0 * self.hidden as f64 * self.width as f64 * 2.0 * self.held as f64;
        let shared = 6.0 * self.hidden as f64 * self.shared as f64 * tokens / (self.gpu.peak * reached.matmul);
        let products = |copies: &u64| {
            if *copies == 0 {
                return shared;
            }
            let computing = *copies as f64 * each * self.flop() / (self.gpu.peak * reached.matmul * GROUPED);
            computing.max(held / (self.gpu.bandwidth * reached.memory)) + shared
        };
        let ranks = traffic.worked.len().max(1) as f64;
        let mean =
            |ports: &[[u64; 2]]| ports.iter().map(|[sent, _]| *sent as f64).sum::<f64>() / ranks * hidden * self.out;
        Times {
            dispatch: all_to_all(self.out),
            experts: traffic.worked.iter().map(products).collect(),
            combine: all_to_all(self.back),
            sent: [mean(&traffic.inside), mean(&traffic.between)],
        }
    }
}

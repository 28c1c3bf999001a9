//! On which nodes a job is put.

use super::jobs::Job;
use super::kube::{self, Resource, Strategy};
use crate::options;

/// Which of the nodes that would do are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Placement {
    /// The first.
    First,
    /// The fullest: MostAllocated.
    #[default]
    Pack,
    /// The emptiest: LeastAllocated.
    Spread,
    /// Those of as few blocks as can be.
    Block,
}

options!(Placement {
    First: "first", "the first that fit";
    Pack: "pack", "bin packing";
    Spread: "spread", "spreading";
    Block: "block", "fewest blocks";
});

/// A cluster: nodes that are all alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cluster {
    /// Nodes.
    pub nodes: usize,
    /// GPUs of each.
    pub gpus: u32,
    /// Nodes of a block: an NVLink domain, or what hangs on one leaf switch.
    pub block: usize,
}

/// By which rules jobs are put on nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Which nodes are preferred.
    pub placement: Placement,
    /// Whether a job that is no larger than a block must lie within one.
    pub within: bool,
}

/// Free GPUs of each node.
pub type Free = Vec<u32>;

impl Cluster {
    /// The block that a node is in.
    pub const fn block_of(&self, node: usize) -> usize {
        node / if self.block == 0 { 1 } else { self.block }
    }

    /// GPUs in all.
    pub const fn all(&self) -> u64 {
        self.nodes as u64 * self.gpus as u64
    }

    /// The score that kube-scheduler would give a node for a pod of `gpus`; none where it does not fit.
    pub fn score(&self, free: u32, gpus: u32, placement: Placement) -> Option<u64> {
        let used = self.gpus.saturating_sub(free);
        let resource = Resource {
            allocatable: u64::from(self.gpus),
            used: u64::from(used),
            request: u64::from(gpus),
            weight: 1,
            extended: true,
        };
        let strategy = if placement == Placement::Spread { Strategy::LeastAllocated } else { Strategy::MostAllocated };
        (free >= gpus).then(|| kube::score(strategy, &[resource]))
    }

    /// The nodes for a job where so much is free; none if it does not fit.
    pub fn fit(&self, free: &Free, job: &Job, rules: Rules) -> Option<Vec<usize>> {
        let wanted = job.nodes as usize;
        let mut able: Vec<usize> = (0..self.nodes).filter(|&n| free.get(n).is_some_and(|f| *f >= job.gpus)).collect();
        let confined = rules.within && wanted <= self.block;
        if able.len() < wanted {
            return None;
        }
        let score = |n: usize| free.get(n).and_then(|f| self.score(*f, job.gpus, rules.placement)).unwrap_or(0);
        if rules.placement != Placement::First {
            able.sort_by_key(|&n| (std::cmp::Reverse(score(n)), n));
        }
        if confined || rules.placement == Placement::Block {
            return self.by_block(&able, wanted, confined);
        }
        able.truncate(wanted);
        Some(able)
    }

    /// Nodes of as few blocks as can be: of one in which as little as possible is left over, else of the fullest ones first.
    fn by_block(&self, able: &[usize], wanted: usize, confined: bool) -> Option<Vec<usize>> {
        let blocks = self.nodes.div_ceil(self.block.max(1));
        let mut lists: Vec<Vec<usize>> =
            (0..blocks).map(|b| able.iter().copied().filter(|&n| self.block_of(n) == b).collect()).collect();
        let tightest = lists.iter().filter(|list| list.len() >= wanted).min_by_key(|list| list.len());
        if let Some(list) = tightest {
            return Some(list.iter().copied().take(wanted).collect());
        }
        if confined {
            return None;
        }
        lists.sort_by_key(|list| std::cmp::Reverse(list.len()));
        Some(lists.into_iter().flatten().take(wanted).collect())
    }
}

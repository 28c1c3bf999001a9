//! How kube-scheduler scores the nodes that a pod fits on: `NodeResourcesFit`, `MostAllocated` (bin packing) and `LeastAllocated`.
//!
//! For each resource the share of the node that is taken with the pod on it, 0 to 100 in whole numbers; then their mean by weight, in
//! whole numbers again. CPU and memory always count. An extended resource, as `nvidia.com/gpu`, counts only for a pod that asks for it,
//! and what a node has none of does not count.

use crate::declare::Origin;

/// Where the scores come from.
pub const ORIGIN: Origin = Origin::Of(
    "kubernetes/kubernetes, pkg/scheduler/framework/plugins/noderesources/most_allocated.go, least_allocated.go and resource_allocation.go",
);

/// The best score of a node.
pub const MAX_SCORE: u64 = 100;

/// A resource of a node, with a pod that may come to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resource {
    /// What the node has of it for pods.
    pub allocatable: u64,
    /// What pods that are there have asked for.
    pub used: u64,
    /// What the pod asks for.
    pub request: u64,
    /// How much it counts.
    pub weight: u64,
    /// Whether it is an extended resource, such as GPUs.
    pub extended: bool,
}

/// Which nodes are preferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Those that are fullest.
    MostAllocated,
    /// Those that are emptiest.
    LeastAllocated,
}

/// The score of a node, 0 to 100.
pub fn score(strategy: Strategy, resources: &[Resource]) -> u64 {
    let counted = resources.iter().filter(|r| r.allocatable > 0 && !(r.extended && r.request == 0));
    let (mut sum, mut weights) = (0_u128, 0_u128);
    for resource in counted {
        let (has, wanted) =
            (u128::from(resource.allocatable), u128::from(resource.used) + u128::from(resource.request));
        let share = match strategy {
            Strategy::MostAllocated => wanted.min(has) * u128::from(MAX_SCORE) / has,
            Strategy::LeastAllocated => has.saturating_sub(wanted) * u128::from(MAX_SCORE) / has,
        };
        sum += share * u128::from(resource.weight);
        weights += u128::from(resource.weight);
    }
    // At most 100, for each share is.
    sum.checked_div(weights).unwrap_or(0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gpus(used: u64, request: u64) -> Resource {
        Resource { allocatable: 8, used, request, weight: 1, extended: true }
    }

    #[test]
    fn packing_prefers_full_nodes_and_spreading_empty_ones() {
        assert_eq!(score(Strategy::MostAllocated, &[gpus(6, 1)]), 87);
        assert_eq!(score(Strategy::MostAllocated, &[gpus(0, 1)]), 12);
        assert_eq!(score(Strategy::LeastAllocated, &[gpus(6, 1)]), 12);
        assert_eq!(score(Strategy::LeastAllocated, &[gpus(0, 1)]), 87);
        assert_eq!(score(Strategy::LeastAllocated, &[gpus(8, 4)]), 0);
    }

    #[test]
    fn nothing_to_count_scores_nothing_and_huge_numbers_do_not_overflow() {
        assert_eq!(score(Strategy::MostAllocated, &[]), 0);
        assert_eq!(score(Strategy::MostAllocated, &[gpus(3, 0)]), 0);
        let huge =
            Resource { allocatable: u64::MAX, used: u64::MAX, request: u64::MAX, weight: u64::MAX, extended: false };
        assert_eq!(score(Strategy::MostAllocated, &[huge, huge]), 100);
    }
}

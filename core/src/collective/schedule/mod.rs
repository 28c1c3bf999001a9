//! Who sends what to whom, step by step: an algorithm as data.
//!
//! Every schedule is built from two kinds. A *spread* (broadcast, all-gather) brings each chunk to each rank that lacks it
//! exactly once. Played backwards, with every copy turned into a sum, it is the *reduction* (reduce, reduce-scatter) that
//! brings the chunk's parts together. An all-reduce is a reduction and then a spread.

mod exchange;
mod gather;
mod tree;

use super::{Algo, Op};

/// The most ranks: the ranks that a number stems from are a 64-bit set.
pub const MAX_RANKS: usize = 64;

/// What becomes of a chunk where it arrives, and of the one that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It replaces what is there; the sender keeps its own.
    Copy,
    /// It is added to what is there; the sender's part is used up.
    Reduce,
    /// It replaces what is there; the sender has no more use for it.
    Move,
}

/// One chunk on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// The rank that sends.
    pub from: u8,
    /// The rank that receives.
    pub to: u8,
    /// The chunk: 0 to the number of ranks; in an all-to-all, source × ranks + destination.
    pub chunk: u16,
    /// What becomes of it.
    pub action: Action,
}

/// What happens at the same time. What is sent is what was there before the step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What the step is part of: "reduce-scatter".
    pub phase: &'static str,
    /// The transfers; those between the same two ranks are one message.
    pub transfers: Vec<Transfer>,
}

/// An algorithm for a number of ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// How many ranks take part, 2 to [`MAX_RANKS`].
    pub ranks: usize,
    /// The steps in order.
    pub steps: Vec<Step>,
}

/// Transfers of one step.
type Moves = Vec<Transfer>;

fn copy(from: usize, to: usize, chunk: usize) -> Transfer {
    Transfer { from: from as u8, to: to as u8, chunk: chunk as u16, action: Action::Copy }
}

/// A spread played backwards: the reduction of the same chunks along the same ways.
fn mirrored(spread: Vec<Moves>) -> Vec<Moves> {
    let back = |t: Transfer| Transfer { from: t.to, to: t.from, action: Action::Reduce, ..t };
    spread.into_iter().rev().map(|step| step.into_iter().map(back).collect()).collect()
}

fn named(phase: &'static str, steps: Vec<Moves>) -> impl Iterator<Item = Step> {
    steps.into_iter().filter(|transfers| !transfers.is_empty()).map(move |transfers| Step { phase, transfers })
}

impl Schedule {
    /// The schedule of `op` by `algo` for `ranks` ranks in nodes of `node`; rank 0 is the root where there is one.
    ///
    /// # Errors
    /// A sentence that says what is possible instead, if the algorithm does not do the operation, or not for these ranks.
    pub fn new(op: Op, algo: Algo, ranks: usize, node: usize) -> Result<Self, String> {
        if !(2..=MAX_RANKS).contains(&ranks) {
            return Err(format!("There must be 2 to {MAX_RANKS} ranks, not {ranks}."));
        }
        if !algo.does(op) {
            let possible: Vec<&str> = Algo::ALL.iter().filter(|a| a.does(op)).map(|a| a.id()).collect();
            return Err(format!(
                "{} is no algorithm for {}; these are: {}.",
                algo.label(),
                op.label().to_lowercase(),
                possible.join(", ")
            ));
        }
        if algo == Algo::Hierarchical && (node == 0 || !ranks.is_multiple_of(node.min(ranks))) {
            return Err(format!(
                "The hierarchical algorithm needs whole nodes: {ranks} ranks are no multiple of {node} in a node."
            ));
        }
        let node = node.min(ranks);
        let steps: Vec<Step> = match op {
            Op::Broadcast => named("broadcast", spread_from_root(algo, ranks)).collect(),
            Op::Reduce => named("reduce", mirrored(spread_from_root(algo, ranks))).collect(),
            Op::AllGather => named("all-gather", gather(algo, ranks, node, 1)).collect(),
            Op::ReduceScatter => named("reduce-scatter", mirrored(gather(algo, ranks, node, ranks - 1))).collect(),
            Op::AllReduce if algo == Algo::Naive || algo == Algo::BinomialTree => {
                let reduce = named("reduce", mirrored(spread_from_root(algo, ranks)));
                reduce.chain(named("broadcast", spread_from_root(algo, ranks))).collect()
            }
            Op::AllReduce if algo == Algo::BinaryTree => {
                named("reduce and broadcast", tree::reduced(&[tree::heap(ranks)])).collect()
            }
            Op::AllReduce if algo == Algo::DoubleBinaryTree => {
                named("reduce and broadcast", tree::reduced(&tree::double(ranks))).collect()
            }
            Op::AllReduce => {
                // Gathered against the ring's direction and played backwards, the sums run with it.
                let scatter = named("reduce-scatter", mirrored(gather(algo, ranks, node, ranks - 1)));
                scatter.chain(named("all-gather", gather(algo, ranks, node, 1))).collect()
            }
            Op::AllToAll => named("all-to-all", exchange::all_to_all(algo, ranks, node)).collect(),
        };
        Ok(Self { ranks, steps })
    }
}

/// The trees that `algo` uses among `ranks` ranks: in each the parent of every rank, 0 for rank 0 on top. Chunk c goes along
/// tree c modulo their number. None for an algorithm without trees.
pub fn trees(algo: Algo, ranks: usize) -> Vec<Vec<usize>> {
    if ranks < 2 {
        return Vec::new();
    }
    match algo {
        Algo::BinomialTree => vec![tree::doublings(ranks)],
        Algo::BinaryTree => vec![tree::heap(ranks)],
        Algo::DoubleBinaryTree => tree::double(ranks).into(),
        _ => Vec::new(),
    }
}

/// Every chunk from rank 0 to all, by one of the algorithms that do it.
fn spread_from_root(algo: Algo, n: usize) -> Vec<Moves> {
    match algo {
        Algo::Ring => tree::chains(&[(0..n).collect()], n),
        Algo::BidirectionalRing => {
            tree::chains(&[(0..n).collect(), std::iter::once(0).chain((1..n).rev()).collect()], n)
        }
        Algo::BinomialTree => tree::binomial(n),
        Algo::BinaryTree => tree::spread(&[tree::heap(n)]),
        Algo::DoubleBinaryTree => tree::spread(&tree::double(n)),
        _ => (1..n).map(|to| (0..n).map(|chunk| copy(0, to, chunk)).collect()).collect(),
    }
}

/// Chunk i from rank i to all, by one of the algorithms that do it; a ring sends to the rank `forward` further on.
fn gather(algo: Algo, n: usize, node: usize, forward: usize) -> Vec<Moves> {
    match algo {
        Algo::Ring => gather::ring(n, forward),
        Algo::BidirectionalRing => gather::both_ways(n, forward),
        Algo::HalvingDoubling => gather::doubling(n),
        Algo::Direct => gather::direct(n),
        Algo::Hierarchical => gather::hierarchical(n, node, forward),
        _ => gather::through_root(n),
    }
}

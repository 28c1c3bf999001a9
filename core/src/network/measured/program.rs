//! The programs of nccl-tests, and what each calls size and bus bandwidth (`src/*.cu` at a0b82b2, `XxxGetBw`).

use crate::collective::Op;

/// What a program counts as its buffer, in units of what one rank gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Share {
    One,
    AllRanks,
    OtherRanks,
}

/// A program of nccl-tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program {
    /// The name of its binary: `all_reduce_perf`.
    pub name: &'static str,
    /// The operation it measures, if it is one of ours.
    pub op: Option<Op>,
    share: Share,
    /// Whether a rank keeps its own part, which then need not be sent.
    keeps: bool,
}

const fn row(name: &'static str, op: Option<Op>, share: Share, keeps: bool) -> Program {
    Program { name, op, share, keeps }
}

/// All of them.
pub const PROGRAMS: [Program; 10] = [
    row("all_reduce_perf", Some(Op::AllReduce), Share::One, true),
    row("all_gather_perf", Some(Op::AllGather), Share::AllRanks, true),
    row("reduce_scatter_perf", Some(Op::ReduceScatter), Share::AllRanks, true),
    row("alltoall_perf", Some(Op::AllToAll), Share::AllRanks, true),
    row("broadcast_perf", Some(Op::Broadcast), Share::One, false),
    row("reduce_perf", Some(Op::Reduce), Share::One, false),
    row("sendrecv_perf", None, Share::One, false),
    row("gather_perf", None, Share::AllRanks, true),
    row("scatter_perf", None, Share::AllRanks, true),
    row("hypercube_perf", None, Share::OtherRanks, false),
];

impl Program {
    /// The size S that it prints when each of `ranks` ranks gives it `bytes` bytes.
    pub fn size(&self, bytes: f64, ranks: usize) -> f64 {
        match self.share {
            Share::One => bytes,
            Share::AllRanks => bytes * ranks as f64,
            Share::OtherRanks => bytes * ranks.saturating_sub(1) as f64,
        }
    }

    /// Bus bandwidth over algorithm bandwidth among `ranks` ranks.
    pub fn bus_factor(&self, ranks: usize) -> f64 {
        match self.op {
            Some(op) => op.bus_factor(ranks),
            // Gather and scatter move what an all-gather moves over the root's port.
            None if self.keeps => Op::AllGather.bus_factor(ranks),
            None => 1.0,
        }
    }

    /// The ranks with which its factor lies between these two; none where several have such a factor.
    pub fn ranks_of(&self, [from, to]: [f64; 2]) -> Option<usize> {
        const MOST: usize = 1024;
        let mut ranks = (2..=MOST).filter(|ranks| (from..=to).contains(&self.bus_factor(*ranks)));
        ranks.next().filter(|_| self.keeps && ranks.next().is_none())
    }
}

//! What a collective achieves, and the algorithms for it.

use crate::options;

/// What is to be achieved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Op {
    /// Rank 0's buffer to all.
    Broadcast,
    /// The sum of all buffers to rank 0.
    Reduce,
    /// The sum of all buffers to all.
    #[default]
    AllReduce,
    /// The sum of all buffers, chunk i to rank i.
    ReduceScatter,
    /// Chunk i from rank i, all of them to all.
    AllGather,
    /// A block from each rank to each.
    AllToAll,
}

/// How it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Algo {
    /// Everything through rank 0, one whole message after another.
    Naive,
    /// Each rank sends to the next.
    #[default]
    Ring,
    /// Two rings, one in each direction.
    BidirectionalRing,
    /// Ranks that have it double with each step; whole messages.
    BinomialTree,
    /// A binary tree with chunks in a pipeline.
    BinaryTree,
    /// Two binary trees for half of the chunks each; leaves of one work in the other.
    DoubleBinaryTree,
    /// Partners at distances of 1, 2, 4, …; what is exchanged halves and doubles.
    HalvingDoubling,
    /// Each rank sends to each other directly.
    Direct,
    /// Within the nodes, and between them, by place in the node.
    Hierarchical,
}

options!(Op {
    Broadcast: "broadcast", "Broadcast";
    Reduce: "reduce", "Reduce";
    AllReduce: "all-reduce", "All-reduce";
    ReduceScatter: "reduce-scatter", "Reduce-scatter";
    AllGather: "all-gather", "All-gather";
    AllToAll: "all-to-all", "All-to-all";
});

impl Op {
    /// Chunks that are told apart among `ranks` ranks.
    pub fn chunks(self, ranks: usize) -> usize {
        if self == Self::AllToAll { ranks * ranks } else { ranks }
    }

    /// Bus bandwidth over algorithm bandwidth for `ranks` ranks (nccl-tests, doc/PERFORMANCE.md): the bytes that every
    /// rank has to send at least, in units of S.
    pub fn bus_factor(self, ranks: usize) -> f64 {
        let n = ranks.max(1) as f64;
        match self {
            Self::Broadcast | Self::Reduce => 1.0,
            Self::AllReduce => 2.0 * (n - 1.0) / n,
            Self::ReduceScatter | Self::AllGather | Self::AllToAll => (n - 1.0) / n,
        }
    }
}

options!(Algo {
    Naive: "naive", "Through one root";
    Ring: "ring", "Ring";
    BidirectionalRing: "bidirectional-ring", "Bidirectional ring";
    BinomialTree: "binomial-tree", "Binomial tree";
    BinaryTree: "binary-tree", "Binary tree, pipelined";
    DoubleBinaryTree: "double-binary-tree", "Double binary tree";
    HalvingDoubling: "halving-doubling", "Recursive halving–doubling";
    Direct: "direct", "Direct, all pairs";
    Hierarchical: "hierarchical", "Hierarchical";
});

impl Algo {
    /// Whether it does this operation.
    pub fn does(self, op: Op) -> bool {
        match self {
            Self::Naive | Self::Ring | Self::BidirectionalRing => true,
            Self::BinomialTree | Self::BinaryTree | Self::DoubleBinaryTree => {
                matches!(op, Op::Broadcast | Op::Reduce | Op::AllReduce)
            }
            Self::HalvingDoubling | Self::Direct | Self::Hierarchical => !matches!(op, Op::Broadcast | Op::Reduce),
        }
    }
}

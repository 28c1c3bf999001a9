//! Which chunks of the sequence a rank has, and what a block of the attention matrix costs.

use crate::options;

/// How a sequence is cut among ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Split {
    /// A piece each, in order.
    Contiguous,
    /// An early chunk and a late one each.
    #[default]
    Zigzag,
}

options!(Split {
    Contiguous: "contiguous", "contiguous";
    Zigzag: "zigzag", "zig-zag";
});

impl Split {
    /// The two chunks, of 2·`ranks`, that `rank` has, the earlier first.
    pub fn chunks(self, rank: u64, ranks: u64) -> [u64; 2] {
        match self {
            Split::Contiguous => [2 * rank, 2 * rank + 1],
            Split::Zigzag => [rank, (2 * ranks).saturating_sub(rank + 1)],
        }
    }

    /// The rank that has `chunk`.
    pub fn owner(self, chunk: u64, ranks: u64) -> u64 {
        match self {
            Split::Contiguous => chunk / 2,
            Split::Zigzag => chunk.min((2 * ranks).saturating_sub(chunk + 1)),
        }
    }
}

/// A block of the attention matrix: the queries of one chunk against the keys of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// The chunk of the queries.
    pub query: u64,
    /// The chunk of the keys.
    pub key: u64,
}

impl Block {
    /// What of the block is computed, from 0 to 1: under a causal mask nothing above the diagonal and half of what lies on it.
    pub fn left(self, causal: bool) -> f64 {
        match self.query.cmp(&self.key) {
            _ if !causal => 1.0,
            std::cmp::Ordering::Less => 0.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Greater => 1.0,
        }
    }
}

/// The blocks of some queries' chunks against some keys'.
pub(super) fn between<'a>(queries: &'a [u64], keys: &'a [u64]) -> impl Iterator<Item = Block> + 'a {
    queries.iter().flat_map(move |&query| keys.iter().map(move |&key| Block { query, key }))
}

/// How many blocks they come to, each counted by what the mask leaves of it.
pub(super) fn work(queries: &[u64], keys: &[u64], causal: bool) -> f64 {
    between(queries, keys).map(|block| block.left(causal)).sum()
}

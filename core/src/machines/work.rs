//! The computations: what there is to do, element by element.

use crate::mix::mix;
use crate::options;

/// A computation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Work {
    /// y ← a x + y.
    #[default]
    Update,
    /// C ← A B, square.
    Product,
    /// Each cell becomes a sum of itself and its two neighbours.
    Stencil,
    /// The sum of a vector.
    Reduce,
    /// Each vertex adds up its neighbours, of which some have many.
    Graph,
}

options!(Work {
    Update: "update", "vector update";
    Product: "product", "matrix product";
    Stencil: "stencil", "stencil";
    Reduce: "reduce", "reduction";
    Graph: "graph", "graph walk";
});

impl Work {
    /// Multiply–adds that `n` elements take, or a product of side `n`.
    pub fn needed(self, n: usize) -> f64 {
        match self {
            Work::Update => n as f64,
            Work::Product => (n * n * n) as f64,
            Work::Stencil => 3.0 * n as f64,
            Work::Reduce => n.saturating_sub(1) as f64,
            Work::Graph => (0..n).map(degree).sum::<usize>() as f64,
        }
    }

    /// Work over span: how many times as fast it could get with any number of lanes and no cost of anything else. The span is
    /// the longest chain of multiply–adds that wait for each other.
    pub fn span(self, n: usize) -> f64 {
        match self {
            Work::Update => 1.0,
            // A sum of n terms is a tree.
            Work::Product | Work::Reduce => 1.0_f64.max((n.max(1) as f64).log2().ceil()),
            Work::Stencil => 2.0,
            Work::Graph => (0..n).map(degree).max().unwrap_or(1).max(1) as f64,
        }
    }
}

/// Neighbours of a vertex: most have one or two, one in eight has nine to sixteen.
pub fn degree(vertex: usize) -> usize {
    let random = mix(vertex as u64 + 1);
    if random.is_multiple_of(8) { 9 + (random >> 8) as usize % 8 } else { 1 + (random >> 8) as usize % 2 }
}

/// The neighbour of `vertex` at `place`, of `n` vertices.
pub fn neighbour(vertex: usize, place: usize, n: usize) -> usize {
    mix((vertex * 31 + place) as u64 ^ 0x5bd1) as usize % n.max(1)
}

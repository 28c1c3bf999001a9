//! All-to-all: rank s has a block for each rank d, named s × n + d, and each block goes to its rank.

use super::{Action, Moves, Transfer};
use crate::collective::Algo;

/// The schedule by one of the algorithms that do it. `node` divides `n` if the algorithm is hierarchical.
pub(super) fn all_to_all(algo: Algo, n: usize, node: usize) -> Vec<Moves> {
    match algo {
        Algo::Direct => direct(n),
        Algo::Ring => around(n, |_| true),
        Algo::BidirectionalRing => both_ways(n),
        Algo::HalvingDoubling => bruck(n),
        Algo::Hierarchical => hierarchical(n, node),
        _ => through_root(n),
    }
}

fn pass(n: usize, from: usize, to: usize, (source, destination): (usize, usize)) -> Transfer {
    Transfer { from: from as u8, to: to as u8, chunk: (source * n + destination) as u16, action: Action::Move }
}

/// Everything to rank 0, rank by rank, then everything from there.
fn through_root(n: usize) -> Vec<Moves> {
    let up = (1..n).map(|s| (0..n).filter(|&d| d != s).map(|d| pass(n, s, 0, (s, d))).collect());
    let down = (1..n).map(|d| (0..n).filter(|&s| s != d).map(|s| pass(n, 0, d, (s, d))).collect());
    up.chain(down).collect()
}

/// In step k each rank sends the rank k further on its block: n − 1 steps, each block once.
fn direct(n: usize) -> Vec<Moves> {
    (1..n).map(|k| (0..n).map(|s| pass(n, s, (s + k) % n, (s, (s + k) % n))).collect()).collect()
}

/// Blocks travel to the next rank until they are there; only those whose distance is `taken`.
fn around(n: usize, taken: impl Fn(usize) -> bool) -> Vec<Moves> {
    let step = |t: usize| {
        let far = (t + 1..n).filter(|&distance| taken(distance));
        let moves =
            |distance: usize| (0..n).map(move |s| pass(n, (s + t) % n, (s + t + 1) % n, (s, (s + distance) % n)));
        far.flat_map(moves).collect()
    };
    (0..n - 1).map(step).take_while(|step: &Moves| !step.is_empty()).collect()
}

/// Each block takes the shorter way round; those that have it equally far go forwards.
fn both_ways(n: usize) -> Vec<Moves> {
    let mut steps = around(n, |distance| distance <= n / 2);
    // Backwards is forwards among ranks that are numbered the other way round.
    let turned = |r: u8| ((n - usize::from(r)) % n) as u8;
    let back = around(n, |distance| 2 * distance < n);
    for (step, back) in steps.iter_mut().zip(back) {
        step.extend(back.into_iter().map(|t| {
            let (s, d) = (usize::from(t.chunk) / n, usize::from(t.chunk) % n);
            let (s, d) = ((n - s) % n, (n - d) % n);
            Transfer { from: turned(t.from), to: turned(t.to), ..pass(n, 0, 0, (s, d)) }
        }));
    }
    steps
}

/// ⌈log₂ n⌉ steps: in step k each block whose distance has bit k set goes 2^k places on (Bruck et al. 1997).
fn bruck(n: usize) -> Vec<Moves> {
    let step = |k: u32| {
        let bit = 1_usize << k;
        let moves = |distance: usize| {
            let gone = distance & (bit - 1);
            (0..n).map(move |s| pass(n, (s + gone) % n, (s + gone + bit) % n, (s, (s + distance) % n)))
        };
        (1..n).filter(|distance| distance & bit != 0).flat_map(moves).collect()
    };
    (0..n.next_power_of_two().trailing_zeros()).map(step).collect()
}

/// First within each node, to the rank that has the destination's place; then between the nodes, place by place.
fn hierarchical(n: usize, node: usize) -> Vec<Moves> {
    let nodes = n / node;
    let at = |m: usize, place: usize| m * node + place;
    let within = (1..node).map(|k| {
        let moves = move |s: usize| {
            let (m, place) = (s / node, (s % node + k) % node);
            (0..nodes).map(move |other| pass(n, s, at(m, place), (s, at(other, place))))
        };
        (0..n).flat_map(moves).collect()
    });
    let across = (1..nodes).map(|k| {
        let moves = move |r: usize| {
            let (m, place) = (r / node, r % node);
            let other = (m + k) % nodes;
            (0..node).map(move |source| pass(n, r, at(other, place), (at(m, source), at(other, place))))
        };
        (0..n).flat_map(moves).collect()
    });
    within.chain(across).collect()
}

//! All-gather: chunk i starts at rank i and reaches every rank exactly once.

use super::{Moves, copy};

/// Each rank sends its chunk to rank 0, which sends each rank all the others. One message at a time: 2(n − 1) steps.
pub(super) fn through_root(n: usize) -> Vec<Moves> {
    let up = (1..n).map(|r| vec![copy(r, 0, r)]);
    let down = (1..n).map(|r| (0..n).filter(|&c| c != r).map(|c| copy(0, r, c)).collect());
    up.chain(down).collect()
}

/// Each rank sends the rank `forward` further on what it received last: n − 1 steps (Patarasuk and Yuan 2009, §3).
pub(super) fn ring(n: usize, forward: usize) -> Vec<Moves> {
    // After t steps a rank has the chunk that started t places behind it.
    let step = |t: usize| (0..n).map(|r| copy(r, (r + forward) % n, (r + (n - forward) * t) % n)).collect();
    (0..n - 1).map(step).collect()
}

/// A ring in both directions at once: each chunk goes half of the way round on either side, in ⌈(n − 1)/2⌉ steps.
pub(super) fn both_ways(n: usize, forward: usize) -> Vec<Moves> {
    let (far, near) = ((n - 1).div_ceil(2), (n - 1) / 2);
    let mut steps: Vec<Moves> = ring(n, forward).into_iter().take(far).collect();
    for (step, back) in steps.iter_mut().zip(ring(n, n - forward)).take(near) {
        step.extend(back);
    }
    steps
}

/// ⌈log₂ n⌉ steps, in each of which what a rank has doubles. With a power of two, ranks swap all they have with the partner
/// whose number differs in one bit (recursive doubling; Thakur, Rabenseifner and Gropp 2005, §4.1); with any other number,
/// each sends it back by 2^k places around the circle (Bruck et al. 1997).
pub(super) fn doubling(n: usize) -> Vec<Moves> {
    let steps = n.next_power_of_two().trailing_zeros();
    let step = |k: u32| {
        let distance = 1_usize << k;
        let moves = |r: usize| -> Moves {
            if n.is_power_of_two() {
                let own = r & !(distance - 1);
                (own..own + distance).map(|c| copy(r, r ^ distance, c)).collect()
            } else {
                let to = (r + n - distance) % n;
                (0..distance.min(n - distance)).map(|i| copy(r, to, (r + i) % n)).collect()
            }
        };
        (0..n).flat_map(moves).collect()
    };
    (0..steps).map(step).collect()
}

/// Each rank sends its own chunk to every other, in step k to the rank k further on: n − 1 steps.
pub(super) fn direct(n: usize) -> Vec<Moves> {
    (1..n).map(|k| (0..n).map(|r| copy(r, (r + k) % n, r)).collect()).collect()
}

/// First a ring over the nodes between ranks of the same place in theirs, then a ring within each node that passes on what
/// they brought. `node` divides `n`; `forward` is 1 or n − 1.
pub(super) fn hierarchical(n: usize, node: usize, forward: usize) -> Vec<Moves> {
    let nodes = n / node;
    let way = |size: usize| if forward == 1 { 1 } else { size.saturating_sub(1) };
    let mut steps = Vec::new();
    if nodes > 1 {
        for step in ring(nodes, way(nodes)) {
            let across = |place: usize| {
                let rank = move |m: u8| usize::from(m) * node + place;
                step.iter().map(move |t| copy(rank(t.from), rank(t.to), usize::from(t.chunk) * node + place))
            };
            steps.push((0..node).flat_map(across).collect());
        }
    }
    if node > 1 {
        for step in ring(node, way(node)) {
            let within = |m: usize| {
                let rank = move |place: u8| m * node + usize::from(place);
                step.iter().flat_map(move |t| {
                    let bundle = (0..nodes).map(move |other| other * node + usize::from(t.chunk));
                    bundle.map(move |c| copy(rank(t.from), rank(t.to), c))
                })
            };
            steps.push((0..nodes).flat_map(within).collect());
        }
    }
    steps
}

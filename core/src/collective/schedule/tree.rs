//! Trees and chains from rank 0, whole or in a pipeline.

use super::{Action, Moves, Transfer, copy};

/// A tree with rank 0 on top: the parent of each rank, 0 for rank 0 itself.
pub(super) type Tree = Vec<usize>;

/// Each of `ways` (the ranks in order, the root first) passes on its share of the `chunks`, one a step: the chunks are
/// dealt out to the ways in turn.
pub(super) fn chains(ways: &[Vec<usize>], chunks: usize) -> Vec<Moves> {
    let mut steps: Vec<Moves> = Vec::new();
    for (w, way) in ways.iter().enumerate() {
        for (turn, chunk) in (w..chunks).step_by(ways.len()).enumerate() {
            for (hop, pair) in way.windows(2).enumerate() {
                let &[from, to] = pair else { continue };
                let at = turn + hop;
                if steps.len() <= at {
                    steps.resize(at + 1, Vec::new());
                }
                steps[at].push(copy(from, to, chunk));
            }
        }
    }
    steps
}

/// The tree that [`binomial`] sends along: the parent of a rank is the rank without its highest bit.
pub(super) fn doublings(n: usize) -> Tree {
    (0..n).map(|r| r.checked_ilog2().map_or(0, |bit| r & !(1 << bit))).collect()
}

/// ⌈log₂ n⌉ steps: in each, every rank that has all of it sends all of it to one that has nothing.
pub(super) fn binomial(n: usize) -> Vec<Moves> {
    let step = |k: u32| {
        let distance = 1_usize << k;
        let pairs = (0..distance).map(move |r| (r, r + distance)).filter(move |&(_, to)| to < n);
        pairs.flat_map(move |(from, to)| (0..n).map(move |chunk| copy(from, to, chunk))).collect()
    };
    (0..n.next_power_of_two().trailing_zeros()).map(step).collect()
}

/// The binary tree that fills level after level: rank r has the children 2r + 1 and 2r + 2.
pub(super) fn heap(n: usize) -> Tree {
    (0..n).map(|r| r.saturating_sub(1) / 2).collect()
}

/// Two binary trees under rank 0 such that a rank that has children in one has none in the other (Sanders, Speck and Träff
/// 2009; the first is the one of NCCL's `ncclGetBtree`). With 2 ranks they are the same.
pub(super) fn double(n: usize) -> [Tree; 2] {
    let parent = |r: usize| {
        let bit = r & r.wrapping_neg();
        let up = (r ^ bit) | (bit << 1);
        if up >= n { r ^ bit } else { up }
    };
    let first: Tree = (0..n).map(|r| if r == 0 { 0 } else { parent(r) }).collect();
    // Odd ranks are the leaves of the first. The second is the first with its ranks renamed, odd to even.
    let last = n - 1;
    let renamed = |r: usize| match r {
        0 => 0,
        r if last.is_multiple_of(2) => last + 1 - r,
        r => r % last + 1,
    };
    let mut second = vec![0; n];
    for (r, &up) in first.iter().enumerate() {
        second[renamed(r)] = renamed(up);
    }
    [first, second]
}

/// A chunk that waits to be sent, and the transfers (by place in the list) that must have arrived before.
struct Job {
    transfer: Transfer,
    after: Vec<usize>,
}

/// Every chunk from rank 0 down its tree, in a pipeline; chunks are dealt out to the trees in turn.
pub(super) fn spread(trees: &[Tree]) -> Vec<Moves> {
    pipelined(jobs(trees, false))
}

/// Every chunk up its tree, summed on the way, and down again, in one pipeline.
pub(super) fn reduced(trees: &[Tree]) -> Vec<Moves> {
    pipelined(jobs(trees, true))
}

fn jobs(trees: &[Tree], up: bool) -> Vec<Job> {
    let mut jobs: Vec<Job> = Vec::new();
    for chunk in 0..trees.first().map_or(0, Vec::len) {
        let tree = &trees[chunk % trees.len()];
        let order = from_the_top(tree);
        // What has to arrive before a rank can send: its children's parts on the way up, its parent's sum on the way down.
        let mut arriving: Vec<Vec<usize>> = vec![Vec::new(); tree.len()];
        if up {
            for &r in order.iter().rev().filter(|&&r| r != 0) {
                let after = std::mem::take(&mut arriving[r]);
                arriving[tree[r]].push(jobs.len());
                let transfer = Transfer { action: Action::Reduce, ..copy(r, tree[r], chunk) };
                jobs.push(Job { transfer, after });
            }
        }
        for &r in order.iter().filter(|&&r| r != 0) {
            let after = arriving[tree[r]].clone();
            arriving[r] = vec![jobs.len()];
            jobs.push(Job { transfer: copy(tree[r], r, chunk), after });
        }
    }
    jobs
}

/// The ranks of a tree, each after its parent.
fn from_the_top(tree: &Tree) -> Vec<usize> {
    let mut order = vec![0];
    let mut next = 0;
    while let Some(&parent) = order.get(next) {
        order.extend((1..tree.len()).filter(|&r| tree[r] == parent));
        next += 1;
    }
    order
}

/// Jobs as early as possible, first come first served: in a step a rank sends one chunk and receives one.
fn pipelined(jobs: Vec<Job>) -> Vec<Moves> {
    let mut done = vec![false; jobs.len()];
    let mut waiting: Vec<usize> = (0..jobs.len()).collect();
    let mut steps = Vec::new();
    while !waiting.is_empty() {
        let (mut sending, mut receiving) = (0_u64, 0_u64);
        let mut started = Vec::new();
        waiting.retain(|&i| {
            let Job { transfer, after } = &jobs[i];
            let (from, to) = (1_u64 << transfer.from, 1_u64 << transfer.to);
            let free = sending & from == 0 && receiving & to == 0;
            if !free || !after.iter().all(|&before| done[before]) {
                return true;
            }
            sending |= from;
            receiving |= to;
            started.push(i);
            false
        });
        if started.is_empty() {
            // Only jobs that wait for each other would come here; a tree has none.
            break;
        }
        for &i in &started {
            done[i] = true;
        }
        steps.push(started.into_iter().map(|i| jobs[i].transfer).collect());
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doublings_go_along_their_tree() {
        for n in 2..=64 {
            let tree = doublings(n);
            assert!(binomial(n).iter().flatten().all(|t| tree[usize::from(t.to)] == usize::from(t.from)), "{n}");
            assert_eq!(from_the_top(&tree).len(), n);
        }
    }

    #[test]
    fn each_rank_rests_in_one_of_the_two_trees() {
        for n in 2..=64 {
            let [first, second] = double(n);
            for tree in [&first, &second] {
                assert_eq!(from_the_top(tree).len(), n, "{n}: a tree that reaches everyone: {tree:?}");
                let children = |r: usize| (1..n).filter(|&c| tree[c] == r).count();
                assert!((0..n).all(|r| children(r) <= 2) && children(0) == 1, "{n}: {tree:?}");
            }
            let inner = |tree: &Tree, r: usize| (1..n).any(|c| tree[c] == r);
            assert!((1..n).all(|r| !(inner(&first, r) && inner(&second, r))), "{n}: {first:?} {second:?}");
        }
    }
}
